# SPDX-License-Identifier: GPL-3.0-or-later
"""Animals, machines and what is held or worn are told from people, and stand as they do."""

from __future__ import annotations

import numpy as np
import pytest

from .bone_names import CONVENTIONS, naming
from .skeletons import (
    AEROPLANE,
    CHICKEN,
    CRATE,
    DOG,
    HUNTER,
    LIZARD,
    OCTOPUS,
    PENGUIN,
    SNAKE,
    SPIDER,
    SPIDER_WITH_HEAD,
    TYRANNOSAUR,
    Skeleton,
    both_sides,
    describe,
    numbered,
    parents_first,
    renamed,
    turned,
)


@pytest.mark.parametrize("names", ["Blender", "numbered"])
def test_on_all_fours(names: str):
    body = both_sides(DOG)
    name_of = CONVENTIONS["Blender"] if names == "Blender" else numbered(body)
    found = describe(renamed(body, name_of), turned(z=-90.0))
    assert found.hips == name_of("hips")
    assert found.feet == tuple(map(name_of, ("foot.L", "foot.R", "hand.L", "hand.R")))
    assert not found.arms
    np.testing.assert_allclose(found.front, (-1, 0, 0), atol=1e-6)
    assert found.height == pytest.approx(0.88)
    assert [leg.side for leg in found.legs] == ["left", "right"] * 2


def test_front_legs_whose_names_say_nothing_beside_hind_legs_that_are_named():
    name_of = naming("upper_arm = Fore{}\nforearm = Fore_2{}\nhand = Fore_3{}", "_L", "_R")
    found = describe(renamed(both_sides(DOG), name_of))
    assert found.feet == ("foot_L", "foot_R", "Fore_3_L", "Fore_3_R")
    assert not found.arms


def test_hind_legs_come_first_though_front_legs_are_as_near_to_the_hips():
    animal = {"body": (None, (0.0, 0.0, 0.6)), **both_sides(DOG)}
    animal |= {"hips": ("body", DOG["hips"][1]), "chest": ("body", DOG["chest"][1])}
    del animal["spine"]
    front_first = sorted(animal, key=lambda name: not name.startswith(("chest", "upper_arm")))
    found = describe(parents_first({name: animal[name] for name in front_first}))
    assert found.hips == "body"
    assert found.feet == ("foot.L", "foot.R", "hand.L", "hand.R")


@pytest.mark.parametrize(
    "skeleton", [SNAKE, CRATE, both_sides(SPIDER), {"only": (None, (0.0, 0.0, 0.0))}, {}], ids=str
)
def test_what_is_no_person_is_described_all_the_same(skeleton: Skeleton):
    found = describe(skeleton)
    assert not found.arms
    assert np.isfinite(found.height)
    if skeleton is SNAKE:
        assert found.height == pytest.approx(1.9)
        assert (found.hips, found.head, found.legs) == ("b0", None, ())


def test_a_fish_does_not_stand_on_its_fins():
    """Its errors are shares of its length, not of how deep the fins hang."""
    fish = {f"s{n}": (f"s{n - 1}" if n else None, (0.0, 0.2 * n, 0.0)) for n in range(7)}
    fins = {"fin.L": ("s1", (0.1, 0.2, -0.05)), "fin_2.L": ("fin.L", (0.3, 0.3, -0.1))}
    found = describe(both_sides({**fish, **fins}))
    assert not found.legs
    assert found.height > 0.9


@pytest.mark.parametrize("uneven", [0.0, 0.004])
def test_a_spider_stands_on_all_its_legs(uneven: float):
    """None of them is a skirt above the others because it ends a little higher."""
    spider = {
        name: (parent, (x, y, z + uneven * name.startswith(("leg1_3", "leg2_3"))))
        for name, (parent, (x, y, z)) in SPIDER.items()
    }
    spider = both_sides(spider)
    assert len(describe(spider).legs) == 8
    assert len(describe(renamed(spider, numbered(spider))).legs) == 8


@pytest.mark.parametrize(
    ("skeleton", "legs", "height"),
    [
        (both_sides(LIZARD), 4, 0.15),
        (renamed(both_sides(LIZARD), numbered(both_sides(LIZARD))), 4, 0.15),
        (parents_first(both_sides(SPIDER_WITH_HEAD)), 8, 0.6),
        (parents_first(OCTOPUS), 8, 1.0),
    ],
    ids=["lizard", "without names", "spider", "octopus"],
)
def test_who_sprawls_stands_as_well(skeleton: Skeleton, legs: int, height: float):
    """Their legs go aside more than down; they were taken for lying ones, as high as they are long."""
    found = describe(skeleton)
    assert found.stands
    np.testing.assert_allclose(found.up, (0, 0, 1))
    assert (len(found.legs), len(found.arms)) == (legs, 0)
    assert found.height == pytest.approx(height)


def test_all_legs_have_to_stand_on_a_ground_that_is_not_the_worlds():
    spread = {f"leg{n}.L": ("legs.L", (0.2, 0.15 * n - 0.1, 0.3)) for n in range(3)}
    spider = both_sides(
        {
            "body": (None, (0, 0.1, 0.3)),
            "head": ("body", (0, -0.2, 0.34)),
            "legs.L": ("body", (0.1, -0.06, 0.25)),
            **spread,
        }
    )
    np.testing.assert_allclose(describe(spider).up, (0, 0, 1))


def test_what_is_short_is_no_leg_on_a_ground_that_is_not_the_worlds():
    """A propeller at one end of a long body."""
    found = describe(AEROPLANE)
    assert found.legs == ()
    np.testing.assert_allclose(found.up, (0, 0, 1))


def test_a_group_that_carries_nothing_but_legs_is_no_hips():
    found = describe(both_sides(CHICKEN))
    assert found.hips == "main"
    assert found.feet == ("foot.L", "foot.R")
    assert found.height == pytest.approx(0.69)


def test_feet_without_legs_stand_on_the_worlds_ground():
    found = describe(both_sides(PENGUIN))
    np.testing.assert_allclose(found.up, (0, 0, 1))
    np.testing.assert_allclose(found.front, (0, -1, 0), atol=1e-9)
    assert found.height == pytest.approx(0.79)


def test_arms_may_be_short_where_names_tell_them():
    found = describe(both_sides(TYRANNOSAUR))
    assert found.hands == ("hand.L", "hand.R")
    assert found.feet == ("foot.L", "foot.R")


def test_what_hands_hold_is_no_arm_where_arms_are_single_bones():
    found = describe(HUNTER)
    assert found.feet == ("foot.L", "foot.R")
    assert found.hands == ()


@pytest.mark.parametrize(
    ("chain", "end", "length"),
    [
        (
            {f"spine{n}": (f"spine{n - 1}" if n else None, (0, -n / 10, 0.05)) for n in range(20)},
            {
                "head": ("spine19", (0, -2.0, 0.05)),
                "jaw": ("head", (0, -2.05, 0.05)),
                "eye.L": ("head", (0.03, -2.05, 0.1)),
            },
            2.05,
        ),
        (
            {
                "base": (None, (0, 0, 0)),
                "turn": ("base", (0, 0, 0.2)),
                "upper": ("turn", (0, 0, 0.4)),
                "lower": ("upper", (0, 0, 1.2)),
            },
            {
                "grip": ("lower", (0, -0.8, 1.4)),
                "claw.L": ("grip", (0.1, -0.9, 1.4)),
                "claw_2.L": ("claw.L", (0.1, -1.0, 1.4)),
            },
            1.4,
        ),
    ],
    ids=["snake with a jaw", "robot's arm"],
)
def test_a_chain_that_carries_little_is_the_body(chain: Skeleton, end: Skeleton, length: float):
    """It was left out as a root is, so that a snake was as long as its jaw and claws stood as legs."""
    found = describe(parents_first(both_sides({**chain, **end})))
    assert found.height == pytest.approx(length)
    assert (found.legs, found.arms) == ((), ())
    np.testing.assert_allclose(found.up, (0, 0, 1))
