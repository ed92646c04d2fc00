# SPDX-License-Identifier: GPL-3.0-or-later
"""Rest poses in which somebody walks, waves or sits: files without a skin have what was posed at rest."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from .skeletons import BODY, DOG, PERSON, Skeleton, both_sides, describe, numbered, renamed, turned

STRIDE = {"thigh.L": -25.0, "thigh.R": 25.0, "shin.R": 30.0, "upper_arm.L": 20.0, "upper_arm.R": -20.0}
SEAT = {"thigh.L": -88.0, "thigh.R": -88.0, "shin.L": 88.0, "shin.R": 88.0}


def posed(skeleton: Skeleton, swings: Mapping[str, float]) -> Skeleton:
    """With bones and all below them swung by some degrees about X, parents first."""
    places = {name: np.array(place, float) for name, (_, place) in skeleton.items()}
    below: dict[str | None, list[str]] = {}
    for name, (parent, _) in skeleton.items():
        below.setdefault(parent, []).append(name)
    for name in sorted(swings, key=lambda each: each.startswith(("shin", "forearm"))):
        turn, centre, swung = turned(x=swings[name]), places[name].copy(), [name]
        for each in swung:
            places[each] = centre + turn @ (places[each] - centre)
            swung += below.get(each, [])
    return {name: (parent, tuple(places[name].tolist())) for name, (parent, _) in skeleton.items()}


def test_who_walks_at_rest_looks_where_hips_and_shoulders_do():
    """The plane between the sides went through the steps: it looked aside by up to 40 degrees."""
    found = describe(posed(BODY, STRIDE))
    np.testing.assert_allclose(found.front, (0, -1, 0), atol=1e-6)
    assert found.feet == ("foot.L", "foot.R")
    assert found.unpaired == ()


# As one of glTF's sample models counts them.
COUNTED = {
    **{f"{part}.L": f"arm_joint_L__{4 - n}_" for n, part in enumerate(("upper_arm", "forearm", "hand"))},
    **{"upper_arm.R": "arm_joint_R", "forearm.R": "arm_joint_R__2_", "hand.R": "arm_joint_R__3_"},
    **{
        f"{part}.{side}": f"leg_joint_{side}_{n}"
        for n, part in enumerate(("thigh", "shin", "foot", "toe"))
        for side in "LR"
    },
}


@pytest.mark.parametrize("swings", [{}, STRIDE], ids=["at rest", "walking"])
def test_names_that_count_from_the_hand_in_any_pose(swings: dict[str, float]):
    """Arms had no counterpart, so that there were none, nor a head."""
    few = {
        name: ("chest" if parent and "clavicle" in parent else parent, place)
        for name, (parent, place) in posed(BODY, swings).items()
        if name in {"hips", "spine", "chest", "neck", "head", *COUNTED}
    }
    found = describe(renamed(few, lambda name: COUNTED.get(name, name)))
    assert found.hands == ("arm_joint_L__2_", "arm_joint_R__3_")
    assert found.mirror_of("arm_joint_L__3_") == "arm_joint_R__2_"
    assert found.head == "head"


@pytest.mark.parametrize("names", ["Blender", "numbered"])
def test_who_sits_at_rest_sits_upright(names: str):
    """Thighs and toes level, it was taken for one that lies on its back, standing on its shins."""
    body = posed(BODY, SEAT)
    found = describe(renamed(body, numbered(body)) if names == "numbered" else body)
    np.testing.assert_allclose(found.up, (0, 0, 1), atol=1e-6)
    np.testing.assert_allclose(found.front, (0, -1, 0), atol=1e-6)


def test_nameless_bones_are_pairs_where_limbs_are_alike():
    """Without names, and in no pose that a plane mirrors."""
    body = {name: bone for name, bone in BODY.items() if "finger" not in name and "thumb" not in name}
    name_of = numbered(body)
    found = describe(renamed(posed(body, STRIDE), name_of))
    assert set(found.feet) == {name_of("foot.L"), name_of("foot.R")}
    assert set(found.hands) == {name_of("hand.L"), name_of("hand.R")}
    np.testing.assert_allclose(found.front, (0, -1, 0), atol=0.02)
    assert found.mirror_of(name_of("shin.L")) == name_of("shin.R")


def test_limbs_without_names_go_on_with_their_pairs():
    """One knee bent, the rest is mirrored: its foot had no counterpart."""
    name_of = numbered(BODY)
    found = describe(renamed(posed(BODY, {"shin.L": 40.0}), name_of))
    assert found.mirror_of(name_of("toe.L")) == name_of("toe.R")
    assert found.unpaired == ()


@pytest.mark.parametrize("x", [90.0, -90.0])
def test_correctives_of_legs_do_not_keep_who_lies_from_being_told(x: float):
    """Beside the knee and the ankle, as Unreal has them; twists in one word, as Daz has them."""
    beside = {
        "calf_knee.L": ("shin.L", (0.1, -0.1, 0.52)),
        "thigh_fwd.L": ("thigh.L", (0.1, -0.1, 0.95)),
        "thightwist1.L": ("thigh.L", (0.1, 0.0, 0.7)),
    }
    matrix = turned(x=x)
    found = describe(both_sides(PERSON | beside), matrix)
    np.testing.assert_allclose(found.up, matrix @ (0, 0, 1), atol=1e-6)
    assert found.feet == ("foot.L", "foot.R")
    assert found.height == pytest.approx(1.8)


def test_a_hand_without_a_name_we_know_is_what_the_forearm_carries():
    fists = {
        "upper_arm.L": ("chest", (0.2, 0, 1.4)),
        "forearm.L": ("upper_arm.L", (0.4, 0, 1.25)),
        "mitten.L": ("forearm.L", (0.55, 0, 1.1)),
    }
    arms = ("clavicle", "upper_arm", "forearm", "hand", "finger", "thumb")
    body = {name: bone for name, bone in PERSON.items() if not name.startswith(arms)}
    body["clavicle.L"] = ("chest", (0.05, 0, 1.4))
    fists["upper_arm.L"] = ("clavicle.L", (0.2, 0, 1.4))
    assert describe(both_sides(body | fists)).hands == ("mitten.L", "mitten.R")


def test_on_all_fours_in_mid_stride():
    swings = {"thigh.L": 30.0, "thigh.R": -20.0, "upper_arm.L": -25.0, "upper_arm.R": 25.0}
    found = describe(posed(both_sides(DOG), swings))
    np.testing.assert_allclose(found.front, (0, -1, 0), atol=1e-6)
    assert found.feet == ("foot.L", "foot.R", "hand.L", "hand.R")
