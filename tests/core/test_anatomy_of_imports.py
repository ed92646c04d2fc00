# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies as importers leave them: laid out along an axis, with loose feet, uneven hands, only roots."""

from __future__ import annotations

import numpy as np
import pytest

from core import anatomy
from core.anatomy import Bones, Character, Skin

from .skeletons import (
    DOG,
    HAND,
    PERSON,
    Skeleton,
    bones_of,
    both_sides,
    describe,
    numbered,
    parents_first,
    renamed,
)

WORLD = np.eye(3)


def turn_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(3, 3) the shortest turn from one direction to another."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    x, y, z = np.cross(a, b)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return (
        np.eye(3) + cross + cross @ cross / (1.0 + float(a @ b)) if a @ b > -0.999 else np.diag([-1, 1, -1])
    )


def along_an_axis(skeleton: Skeleton) -> Skeleton:
    """As some programs write BVH: at rest nothing is turned, and every bone ends along the same axis."""
    skeleton = parents_first(skeleton)
    below: dict[str | None, str] = {}
    for name, (parent, _) in skeleton.items():
        below.setdefault(parent, name)
    places = {name: np.array(place, float) for name, (_, place) in skeleton.items()}
    axes: dict[str, np.ndarray] = {}
    laid: dict[str, np.ndarray] = {}
    for name, (parent, _) in skeleton.items():
        if name in below:
            axes[name] = turn_between(np.array([1.0, 0, 0]), places[below[name]] - places[name])
        else:
            axes[name] = axes[parent] if parent is not None else np.eye(3)
        start = np.zeros(3) if parent is None else laid[parent]
        laid[name] = start + (axes[parent].T @ (places[name] - places[parent]) if parent is not None else 0.0)
    return {name: (parent, tuple(laid[name].tolist())) for name, (parent, _) in skeleton.items()}


def as_shown(skeleton: Skeleton) -> Character:
    """Laid out at rest, and shown as the skeleton is."""
    laid = along_an_axis(skeleton)
    found = describe(laid)
    assert not found.stands, "nobody stands like this"
    shown = bones_of({name: skeleton[name] for name in laid})
    return anatomy.as_shown(found, shown, WORLD)


BARE_PERSON = {name: bone for name, bone in both_sides(PERSON).items() if "finger" not in name}
BARE_PERSON = {name: bone for name, bone in BARE_PERSON.items() if "thumb" not in name}


LEG = ("thigh", "shin", "foot", "toe")


@pytest.mark.parametrize("skeleton", [both_sides(PERSON), BARE_PERSON], ids=["fingers", "hands"])
def test_who_is_laid_out_along_an_axis_has_two_legs_and_two_arms(skeleton: Skeleton):
    """Arms reached as far along the axis as legs, and stood there with them."""
    found = as_shown(skeleton)
    assert found.feet == ("foot.L", "foot.R")
    assert found.hands == ("hand.L", "hand.R")
    assert found.height == pytest.approx(1.8, rel=0.1)
    np.testing.assert_allclose(found.up, (0, 0, 1))
    np.testing.assert_allclose(found.front, (0, -1, 0), atol=1e-6)


def test_who_is_laid_out_from_a_hip_that_comes_first_has_two_legs_and_two_arms():
    """Then the spine begins the other way, and arms reach as far as legs from as near."""
    body = {name: BARE_PERSON[name] for name in sorted(BARE_PERSON, key=lambda name: "thigh" not in name)}
    found = as_shown(parents_first(body))
    assert found.feet == ("foot.L", "foot.R")
    assert found.hands == ("hand.L", "hand.R")


def test_ankles_without_names_are_where_legs_bend_as_they_are_shown():
    """At rest nothing bends: toes were taken for feet."""
    name_of = {f"{part}.{side}": f"leg_{side}_{n}" for n, part in enumerate(LEG) for side in "LR"}
    found = as_shown(renamed(BARE_PERSON, lambda name: name_of.get(name, name)))
    assert found.feet == ("leg_L_2", "leg_R_2")


def test_on_all_fours_the_shown_pose_tells_the_legs_and_the_height():
    found = as_shown(both_sides(DOG))
    assert found.feet == ("foot.L", "foot.R", "hand.L", "hand.R")
    assert found.arms == ()
    assert found.height == pytest.approx(describe(both_sides(DOG)).height)


def test_who_gets_up_from_the_ground_keeps_arms():
    """Hands and feet are on the ground, and the body is not level."""
    laid = along_an_axis(both_sides(PERSON))
    shown = {**both_sides(PERSON)}
    for name, (parent, (x, y, z)) in both_sides(PERSON).items():
        if name.startswith(("forearm", "hand", "finger", "thumb")):
            shown[name] = (parent, (0.3 * np.sign(x), y, max(0.0, z - 1.44)))
    shown = bones_of({name: shown[name] for name in laid})
    found = anatomy.as_shown(describe(laid), shown, WORLD)
    assert found.feet == ("foot.L", "foot.R")
    assert found.hands == ("hand.L", "hand.R")


HORSE: Skeleton = {
    "body": (None, (0, 0, 0.3)),
    "back": ("body", (0, 0.5, 1.1)),
    "loin": ("back", (0, 0.2, 1.0)),
    "chest": ("loin", (0, -0.4, 1.0)),
    "neck": ("chest", (0, -0.6, 1.1)),
    "head": ("neck", (0, -0.9, 1.5)),
    "shoulder_b.L": ("back", (0.03, 0.45, 1.03)),
    "leg_b.L": ("shoulder_b.L", (0.15, 0.45, 1.04)),
    "upper_leg_b.L": ("leg_b.L", (0.15, 0.35, 0.77)),
    "lower_leg_b.L": ("upper_leg_b.L", (0.15, 0.65, 0.46)),
    "shoulder_f.L": ("chest", (0.08, -0.48, 0.82)),
    "upper_leg_f.L": ("shoulder_f.L", (0.15, -0.48, 0.83)),
    "lower_leg_f.L": ("upper_leg_f.L", (0.15, -0.49, 0.41)),
    "pole_b.L": ("body", (0.15, -1.3, 0.3)),
    "pole_f.L": ("body", (0.15, -1.1, 0.3)),
    "ik_b.L": (None, (0.15, 0.64, 0.14)),
    "ff_b.L": ("ik_b.L", (0.15, 0.6, 0.05)),
    "ik_f.L": (None, (0.15, -0.46, 0.14)),
    "ff_f.L": ("ik_f.L", (0.15, -0.49, 0.05)),
}


def of_a_mesh(skeleton: Skeleton) -> Bones:
    """All but body and poles move it, as where files are baked."""
    unweighted = ("body", "pole")
    return bones_of(skeleton, weighted=np.array([not name.startswith(unweighted) for name in skeleton], bool))


@pytest.mark.parametrize("name_of", [lambda name: name, None], ids=["named", "numbered"])
def test_feet_that_ik_bones_carry_go_on_with_their_legs(name_of):
    """Legs ended at the hocks, far above the ground, so that nothing stood."""
    horse = parents_first(both_sides(HORSE))
    bones = of_a_mesh(horse)
    if name_of is None:
        name_of = numbered(horse)
        bones = Bones.of(
            list(renamed(horse, name_of)), bones.parents, bones.heads, bones.tails, weighted=bones.weighted
        )
    found = anatomy.describe(bones, WORLD)
    assert found.stands
    assert found.hips == name_of("back")
    assert len(found.legs) == 4
    ends = {leg.bones[-1] for leg in found.legs}
    feet = {name_of(f"{part}_{end}.{side}") for part in ("ik", "ff") for end in "bf" for side in "LR"}
    assert ends <= feet
    assert found.sole < 0.15
    if name_of("back") == "back":
        assert found.legs[0].upper == "leg_b.L"
        assert found.legs[0].lower == "upper_leg_b.L"


@pytest.mark.parametrize("side", ["L", "R"])
def test_what_one_leg_alone_has_at_its_end_hides_no_others(side):
    """It has no partner on the other side, where a foot would have to go on as well."""
    horse = both_sides(HORSE)
    horse[f"brace.{side}"] = (f"lower_leg_b.{side}", (0.15 if side == "L" else -0.15, 0.64, 0.3))
    found = anatomy.describe(of_a_mesh(parents_first(horse)), WORLD)
    legs = {leg.upper for leg in found.legs}
    assert {"upper_leg_f.L", "upper_leg_f.R"} <= legs


def test_what_hangs_from_the_root_elsewhere_is_no_foot():
    """Stirrups, pouches and poles are not where a limb goes on."""
    person = both_sides(PERSON)
    beside = both_sides({"pouch.L": ("hips", (0.2, 0.1, 0.9)), "charm.L": (None, (0.3, 0, 0.6))})
    found = describe({**person, **beside})
    assert found.feet == ("foot.L", "foot.R")
    assert found.hands == ("hand.L", "hand.R")
    assert all("pouch" not in bone and "charm" not in bone for leg in found.legs for bone in leg.bones)


def test_arms_of_two_bones_with_fingers_on_one_hand_alone():
    body = {name: bone for name, bone in both_sides(PERSON).items() if not name.startswith(("hand", "fing"))}
    body = {name: bone for name, bone in body.items() if not name.startswith(("thumb", "clav", "upper"))}
    for side, x in (("L", 1), ("R", -1)):
        body[f"shoulder.{side}"] = ("chest", (0.3 * x, 0, 1.45))
        body[f"forearm.{side}"] = (f"shoulder.{side}", (0.42 * x, 0, 1.45))
    body["thumb_1.L"] = ("forearm.L", (0.8, -0.02, 1.45))
    body["pinky_1.L"] = ("forearm.L", (0.8, 0.02, 1.45))
    body = parents_first(body)
    bones = bones_of(body)
    names = list(body)
    ends = [(names.index(f"forearm.{side}"), (x, 0.02, 1.45)) for side, x in (("L", 0.85), ("R", -0.85))]
    ends += [(row, np.array(place) + 0.01) for row, (_, place) in enumerate(body.values())]
    skin = Skin(np.array([place for _, place in ends], float), np.array([row for row, _ in ends]))
    found = anatomy.describe(bones, WORLD, skin)
    assert [(arm.upper, arm.lower) for arm in found.arms] == [
        ("shoulder.L", "forearm.L"),
        ("shoulder.R", "forearm.R"),
    ]
    assert found.feet == ("foot.L", "foot.R")


def test_of_a_hand_without_a_tree_the_wrist_carries():
    """Tracked hands come with every joint in the world: the first of them was taken for the hips."""
    flat: Skeleton = {name: (None, place) for name, (_, place) in reversed(HAND.items())}
    assert describe(flat).hips == "wrist"
    name_of = numbered(flat)
    heads = {name: np.array(place) for name, (_, place) in renamed(flat, name_of).items()}
    middle = np.mean(list(heads.values()), axis=0)
    nearest = min(heads, key=lambda name: float(np.linalg.norm(heads[name] - middle)))
    assert describe(renamed(flat, name_of)).hips == nearest


def test_leaf_bones_where_tails_were_far_off_tell_nothing():
    """Exporters add them at the tails that an importer has guessed, 20 m away for a soldier of 1.8 m."""
    body = parents_first(both_sides(PERSON))
    last = [name for name in body if name not in {parent for parent, _ in body.values()}]
    leaves = {f"{name}_end": (name, tuple(20.0 * np.array(body[name][1]))) for name in last}
    skeleton = {**body, **leaves}
    places = {name: np.array(place, float) for name, (_, place) in skeleton.items()}
    below = {parent: name for name, (parent, _) in reversed(skeleton.items())}
    tails = np.array([places[below.get(name, name)] for name in skeleton])
    names, plain = list(skeleton), bones_of(skeleton)
    weighted = np.array([name in body for name in names], bool)
    bones = Bones.of(names, plain.parents, plain.heads, tails, weighted=weighted)
    found = anatomy.describe(bones, WORLD)
    assert not found.tails_tell
    assert found.height == pytest.approx(1.8)
    ends = anatomy.ends_without_tails(bones.parents, bones.heads, np.isin(names, found.body))
    lengths = np.linalg.norm(ends - bones.heads, axis=1)[weighted]
    assert lengths.max() < 0.5
