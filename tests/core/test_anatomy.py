# SPDX-License-Identifier: GPL-3.0-or-later
"""People are told by their bones' places in any pose, scale, convention and language."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from core import InputError, Motion, anatomy
from core.anatomy import Character

from .bone_names import CONVENTIONS
from .skeletons import (
    BODY,
    PERSON,
    SNAKE,
    Skeleton,
    below,
    between,
    bones_of,
    both_sides,
    describe,
    numbered,
    parents_first,
    renamed,
    turned,
)


def check_person(found: Character, name_of: Callable[[str], str]) -> None:
    assert (found.hips, found.head) == (name_of("hips"), name_of("head"))
    assert found.spine == tuple(map(name_of, ("spine", "chest", "neck")))
    assert found.feet == (name_of("foot.L"), name_of("foot.R"))
    assert found.toes == (name_of("toe.L"), name_of("toe.R"))
    assert found.hands == (name_of("hand.L"), name_of("hand.R"))
    for limb, side in zip(found.legs, "LR", strict=True):
        assert (limb.upper, limb.lower) == (name_of(f"thigh.{side}"), name_of(f"shin.{side}"))
    for limb, side in zip(found.arms, "LR", strict=True):
        assert (limb.upper, limb.lower) == (name_of(f"upper_arm.{side}"), name_of(f"forearm.{side}"))
    assert [limb.side for limb in (*found.legs, *found.arms)] == ["left", "right"] * 2
    assert found.mirror_of(name_of("shin.R")) == name_of("shin.L")
    assert found.mirror_of(name_of("chest")) is None
    assert found.stands


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_a_person_is_told_whatever_its_bones_are_called(convention: str):
    name_of = CONVENTIONS[convention]
    found = describe(renamed(BODY, name_of))
    check_person(found, name_of)
    assert found.height == pytest.approx(1.8)
    assert found.ground == pytest.approx(0.0)
    np.testing.assert_allclose(found.front, (0, -1, 0), atol=1e-9)
    np.testing.assert_allclose(found.up, (0, 0, 1))


def test_a_person_is_told_by_place_alone():
    name_of = numbered(BODY)
    found = describe(renamed(BODY, name_of))
    # Without names nothing tells a head from what marks its end.
    assert found.head in (name_of("head"), name_of("head_top"))
    assert found.feet == (name_of("foot.L"), name_of("foot.R"))
    assert found.hands == (name_of("hand.L"), name_of("hand.R"))
    assert found.hips == name_of("hips")
    np.testing.assert_allclose(found.front, (0, -1, 0), atol=1e-9)
    assert len(found.pairs) == 13


@pytest.mark.parametrize("names", ["Blender", "Unreal", "numbered"])
@pytest.mark.parametrize(
    ("matrix", "up", "front", "height"),
    [
        (turned(scale=0.01), (0, 0, 1), (0, -1, 0), 0.018),
        (turned(z=90.0), (0, 0, 1), (1, 0, 0), 1.8),
        (turned(z=37.0), (0, 0, 1), (np.sin(np.radians(37.0)), -np.cos(np.radians(37.0)), 0), 1.8),
        (turned(x=-90.0), (0, 1, 0), (0, 0, 1), 1.8),
        (turned(x=90.0, scale=100.0), (0, -1, 0), (0, 0, -1), 180.0),
    ],
    ids=["small", "facing X", "askew", "on its back", "on its face"],
)
def test_turned_and_scaled(names: str, matrix: np.ndarray, up, front, height: float):
    name_of = numbered(BODY) if names == "numbered" else CONVENTIONS[names]
    found = describe(renamed(BODY, name_of), matrix)
    np.testing.assert_allclose(found.up, up, atol=1e-9)
    np.testing.assert_allclose(found.front, front, atol=1e-6)
    assert found.height == pytest.approx(height)
    assert found.feet == (name_of("foot.L"), name_of("foot.R"))


def test_bones_above_the_hips_are_not_the_body():
    """Unreal has a root on the ground, capture may have one far away, and IK bones hang from it."""
    name_of = CONVENTIONS["Unreal"]
    skeleton = below(renamed(BODY, name_of), root=(30.0, 5.0, -2.0))
    skeleton |= {
        "ik_foot_root": ("root", (0, 0, 0)),
        "ik_foot_l": ("ik_foot_root", BODY["foot.L"][1]),
        "ik_foot_r": ("ik_foot_root", BODY["foot.R"][1]),
        "ik_hand_root": ("root", (0, 0, 0)),
        "ik_hand_gun": ("ik_hand_root", BODY["hand.R"][1]),
        "ik_hand_l": ("ik_hand_gun", BODY["hand.L"][1]),
        "ik_hand_r": ("ik_hand_gun", BODY["hand.R"][1]),
    }
    found = describe(skeleton)
    check_person(found, name_of)
    assert found.height == pytest.approx(1.8)
    assert not {"ik_foot_l", "ik_hand_gun"} & set(found.body)
    assert found.carriers == ("root",)
    assert "root" not in found.figure


def test_twist_bones_toes_and_cloaks_do_not_mislead():
    skeleton = both_sides(
        PERSON
        | {
            "thigh_twist_01.L": ("thigh.L", (0.1, 0, 0.7)),
            "forearm_twist_01.L": ("forearm.L", (0.6, 0, 1.45)),
            "cape.L": ("chest", (0.1, 0.1, 1.4)),
            "cape_2.L": ("cape.L", (0.1, 0.12, 0.8)),
            "cape_3.L": ("cape_2.L", (0.1, 0.15, 0.0)),
            "little_toe.L": ("foot.L", (0.14, -0.1, 0.02)),
        }
    )
    check_person(describe(skeleton), lambda name: name)


def test_legs_in_pieces_have_one_knee():
    """Rigs that bend limbs softly split thigh and shin."""
    split = dict(PERSON)
    split["thigh_b.L"] = ("thigh.L", (0.1, -0.005, 0.735))
    split["shin.L"] = ("thigh_b.L", PERSON["shin.L"][1])
    split["shin_b.L"] = ("shin.L", (0.1, 0.01, 0.3))
    split["foot.L"] = ("shin_b.L", PERSON["foot.L"][1])
    body = parents_first(both_sides(split))
    check_person(describe(body), lambda name: name)
    name_of = numbered(body)
    legs = describe(renamed(body, name_of)).legs
    assert [(leg.upper, leg.lower, leg.end) for leg in legs] == [
        tuple(name_of(f"{part}.{side}") for part in ("thigh", "shin", "foot")) for side in "LR"
    ]


def test_feet_that_hang_from_the_root_are_found():
    """They are where IK pulls the leg to, and moved by themselves."""
    loose = below(dict(BODY), root=(0, 0, 0))
    for side in "LR":
        loose[f"foot.{side}"] = ("root", BODY[f"foot.{side}"][1])
    found = describe(loose)
    assert found.feet == ("foot.L", "foot.R")
    assert found.hips == "hips"
    assert found.height == pytest.approx(1.8)


def test_what_hangs_from_a_loose_foot_is_no_leg_for_it():
    """A pole nearer to it than the shin, or a leg that goes up from the ground: it went round in circles."""
    loose = below(dict(BODY), root=(0, 0, 0))
    for side, x in (("L", 0.1), ("R", -0.1)):
        loose[f"foot.{side}"] = ("root", BODY[f"foot.{side}"][1])
        loose[f"leg_pole.{side}"] = (f"foot.{side}", (x, -0.1, 0.2))
    assert describe(loose).feet == ("foot.L", "foot.R")
    goes_up = below(dict(BODY), root=(0, 0, 0))
    for side in "LR":
        for name, parent in (("foot", "root"), ("shin", f"foot.{side}"), ("thigh", f"shin.{side}")):
            goes_up[f"{name}.{side}"] = (parent, BODY[f"{name}.{side}"][1])
    assert len(describe(parents_first(goes_up)).legs) == 2


def test_a_deforming_skeleton_whose_parts_hang_from_controls():
    """As a control rig has it: deforming bones lie where hidden bones of a mechanism do."""
    skeleton: Skeleton = {"root": (None, (0, 0, 0))}
    for name, (parent, place) in BODY.items():
        skeleton[f"ORG-{name}"] = (f"ORG-{parent}" if parent else "root", place)
    skeleton |= {
        f"DEF-{name}": (f"ORG-{parent}" if parent else "root", place)
        for name, (parent, place) in BODY.items()
    }
    names = list(skeleton)
    deforms = np.array([name.startswith("DEF-") for name in names])
    shaped = np.array([name == "root" for name in names])
    found = describe(skeleton, deforms=deforms, shaped=shaped)
    check_person(found, lambda name: f"DEF-{name}")
    assert found.controls == ("root",)
    assert set(found.mechanism) == {name for name in names if name.startswith("ORG-")}


def test_what_hangs_down_a_back_is_no_head_and_does_not_stand():
    flaps = {
        "flap.L": ("chest", (0.15, 0.1, 1.4)),
        "flap_2.L": ("flap.L", (0.2, 0.2, 0.8)),
        "flap_3.L": ("flap_2.L", (0.2, 0.25, 0.1)),
    }
    check_person(describe(both_sides(PERSON | flaps)), lambda name: name)
    middle = {
        name.removesuffix(".L"): (above.removesuffix(".L"), (0.0, y, z))
        for name, (above, (_, y, z)) in flaps.items()
    }
    skeleton = both_sides(PERSON) | middle
    name_of = numbered(skeleton)
    assert describe(renamed(skeleton, name_of)).head == describe(renamed(BODY, name_of)).head


def test_names_that_count_from_the_hand_on_one_side_do_not_mislead():
    chain = ["upper_arm", "forearm", "hand"]
    names = {f"{part}.L": f"arm_joint_L__{4 - n}_" for n, part in enumerate(chain)}
    names |= {f"{part}.R": f"arm_joint_R__{n + 2}_" for n, part in enumerate(chain)}
    names |= {
        f"{part}.{side}": f"leg_joint_{side}_{n}"
        for n, part in enumerate(("thigh", "shin", "foot", "toe"))
        for side in "LR"
    }
    bones = {"hips", "spine", "chest", "neck", "head", *names}
    few = {
        name: ("chest" if parent and "clavicle" in parent else parent, place)
        for name, (parent, place) in BODY.items()
        if name in bones
    }
    found = describe(renamed(few, lambda name: names.get(name, name)))
    assert found.mirror_of("arm_joint_L__4_") == "arm_joint_R__2_"
    assert found.mirror_of("arm_joint_L__3_") == "arm_joint_R__3_"
    assert found.hands == ("arm_joint_L__2_", "arm_joint_R__4_")
    assert found.feet == ("leg_joint_L_2", "leg_joint_R_2")
    assert [leg.lower for leg in found.legs] == ["leg_joint_L_1", "leg_joint_R_1"]


def test_joints_named_after_joints():
    """As capture often has it: the bone that begins at the knee is the knee."""
    table = {
        "thigh": "Hip", "shin": "Knee", "foot": "Ankle", "toe": "Toe", "toe_end": "ToeEnd",
        "clavicle": "Collar", "upper_arm": "Shoulder", "forearm": "Elbow", "hand": "Wrist",
    }  # fmt: skip

    def name_of(name: str) -> str:
        base, _dot, side = name.partition(".")
        return {"L": "Left", "R": "Right", "": ""}[side] + table.get(base, base.capitalize())

    check_person(describe(renamed(BODY, name_of)), name_of)


def test_names_without_equal_numbers_are_pairs():
    names = ["b_Hip_01", "b_LeftArm_09", "b_LeftLeg01_015", "b_RightArm_06", "b_RightLeg01_019"]
    partners = anatomy.names.pairs_by_name(names)
    assert partners == {1: 3, 3: 1, 2: 4, 4: 2}


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("hand.L", "hand.R"),
        ("hand_l", "hand_r"),
        ("L_Hand", "R_Hand"),
        ("l_hand", "r_hand"),
        ("LeftHand", "RightHand"),
        ("hand left", "hand right"),
        ("HAND_LEFT", "HAND_RIGHT"),
        ("mixamorig:LeftHand", "mixamorig:RightHand"),
        ("mixamorig1_LeftHand", "mixamorig1_RightHand"),
        ("Bip01 L Hand", "Bip01 R Hand"),
        ("J_Bip_L_Hand", "J_Bip_R_Hand"),
        ("LHipJoint", "RHipJoint"),
        ("lShldrBend", "rShldrBend"),
        ("HandL", "HandR"),
        ("DEF-hand.L.001", "DEF-hand.R.001"),
        ("hand-l", "hand-r"),
        ("左手首", "右手首"),
    ],
)
def test_conventions_of_sides(left: str, right: str):
    names = [left, "spine", right, "bright", "clavicle"]
    assert anatomy.names.pairs_by_name(names) == {0: 2, 2: 0}
    assert [anatomy.names.side_of(name) for name in names[:3]] == [
        anatomy.names.LEFT,
        anatomy.names.CENTRE,
        anatomy.names.RIGHT,
    ]


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("LEFTFOREARM", "forearm"),
        ("leftupleg", "thigh"),
        ("handright", "hand"),
        ("HINDHOOF_L", "foot"),
        ("frontleg1_L", "leg"),
        ("Fist.L", "hand"),
        ("Skull", "head"),
        ("bright", None),
    ],
)
def test_parts_in_names_without_capitals(name: str, part: str | None):
    assert anatomy.names.part_of(name) == part


def test_bones_without_weight_beside_the_body_help():
    skeleton = below(dict(BODY), root=(0, 0, 0)) | {"kneeIK.L": ("root", (0.1, -0.6, 0.5))}
    weighted = np.array([name not in ("root", "kneeIK.L", "head_top") for name in skeleton])
    found = describe(skeleton, weighted=weighted)
    assert found.mechanism == ("kneeIK.L",)
    assert "head_top" not in found.deform
    assert "kneeIK.L" not in found.controls
    assert {"root", "hips", "head_top"} <= set(found.controls)


def test_left_may_be_called_right_as_on_a_stage():
    swapped = {"L": "R", "R": "L"}

    def name_of(name: str) -> str:
        return name[:-1] + swapped[name[-1]] if name[-2:] in (".L", ".R") else name

    found = describe(renamed(BODY, name_of))
    np.testing.assert_allclose(found.front, (0, -1, 0), atol=1e-9)
    assert not found.left_is_left


def test_where_it_looks_in_a_pose_and_where_its_ground_is():
    found = describe(BODY)
    heads = np.stack([bones_of(BODY, turned(z=angle)).heads + np.array([5, 5, 3]) for angle in (0.0, 90.0)])
    looks = anatomy.facing(found, list(BODY), heads)
    np.testing.assert_allclose(looks, [(0, -1, 0), (1, 0, 0)], atol=1e-9)
    assert anatomy.ground_below(found, list(BODY), heads) == pytest.approx(3.0, abs=0.03)


def motion_of(skeleton: Skeleton) -> Motion:
    """Its heads and far-off tails, as sampling names them."""
    bones = bones_of(skeleton)
    names = [name for bone in bones.names for name in (f"{bone} head", bone)]
    parents = []
    for row, above in enumerate(bones.parents.tolist()):
        parents += [2 * above + 1 if above >= 0 else -1, 2 * row]
    positions = np.stack([bones.heads, bones.tails], axis=1).reshape(1, -1, 3)
    return Motion(positions, names=names, parents=parents)


def test_nine_joints_are_where_bones_begin():
    found = describe(below(dict(BODY), root=(0, 0, 0)))
    motion = motion_of(below(dict(BODY), root=(0, 0, 0)))
    rows = anatomy.nine_joints(motion.names, motion.parents, found)
    bones = ["hips", "shin.L", "foot.L", "shin.R", "foot.R", "forearm.L", "hand.L", "forearm.R", "hand.R"]
    assert [motion.names[row] for row in rows.values()] == [f"{bone} head" for bone in bones]
    assert list(rows)[:3] == ["hips", "left knee", "left foot"]
    assert motion.names[anatomy.hips_joint(motion.names, motion.parents, found)] == "hips head"


def test_nine_joints_need_limbs():
    with pytest.raises(InputError, match="No legs were found"):
        anatomy.nine_joints(motion_of(SNAKE).names, motion_of(SNAKE).parents, describe(SNAKE))


def test_a_foot_in_pieces_has_its_toes_where_they_are_called_so():
    """As Daz has it, and Rigify's animals."""
    found = describe(between(BODY, "metatarsals", "toe", (0.1, -0.02, 0.05)))
    assert (found.feet, found.toes) == (("foot.L", "foot.R"), ("toe.L", "toe.R"))
    assert [leg.sole for leg in found.legs] == ["metatarsals.L", "metatarsals.R"]


@pytest.mark.parametrize("columns", [1, 2])
def test_a_cape_without_names_is_no_arm(columns):
    cape = {
        f"cape_{column}_{row}.L": (
            f"cape_{column}_{row - 1}.L" if row else "chest",
            (0.05 + 0.1 * column, 0.15 + 0.02 * row, 1.4 - 0.2 * row),
        )
        for column in range(columns)
        for row in range(7)
    }
    skeleton = both_sides(dict(PERSON) | cape)
    names = {name: f"j{number}" for number, name in enumerate(skeleton)}
    found = describe(renamed(skeleton, names.__getitem__))
    assert set(found.hands) == {names["hand.L"], names["hand.R"]}
    assert set(found.feet) == {names["foot.L"], names["foot.R"]}


def test_a_hoof_is_what_stands_below_the_toes():
    skeleton = dict(PERSON) | {
        "hoof.L": ("toe.L", (0, -0.17, 0.01)),
        "hoof_end.L": ("hoof.L", (0, -0.2, 0.0)),
    }
    [leg, _] = describe(both_sides(skeleton)).legs
    assert (leg.end, leg.sole, leg.tip) == ("foot.L", "toe.L", "hoof.L")


def test_legs_that_hang_from_the_spine_leave_the_pelvis_the_hips():
    """As in Biped."""
    biped = {
        **{name: ("spine" if "thigh" in name else above, place) for name, (above, place) in BODY.items()},
        "hips": ("Bip01", (0, 0, 1.0)),
    }
    found = describe(parents_first({"Bip01": (None, (0, 0, 1.0)), **biped}))
    assert (found.hips, found.carriers) == ("hips", ("Bip01",))


def test_a_hand_that_ends_the_palm_of_a_wrist():
    """As SMPL has it, whose upper arm is a shoulder besides."""
    names = {"upper_arm": "shoulder", "forearm": "elbow", "hand": "wrist", "finger": "hand"}
    few = {name: bone for name, bone in BODY.items() if "thumb" not in name and "finger_2" not in name}

    def name_of(name: str) -> str:
        base, _dot, side = name.partition(".")
        return {"L": "left_", "R": "right_", "": ""}[side] + names.get(base, base)

    found = describe(renamed(few, name_of))
    assert [arm.upper for arm in found.arms] == ["left_shoulder", "right_shoulder"]
    assert found.hands == ("left_wrist", "right_wrist")


def skirt(ends: float) -> Skeleton:
    """Three chains on either side from the hips down to some height."""
    places = [(turn, part / 2.0) for turn in np.radians([-60.0, 0.0, 60.0]) for part in range(3)]
    return {
        f"cloth {n}.L": (
            f"cloth {n - 1}.L" if part else "hips",
            (
                (0.14 + 0.12 * part) * np.cos(turn),
                (0.14 + 0.12 * part) * np.sin(turn),
                0.95 + part * (ends - 0.95),
            ),
        )
        for n, (turn, part) in enumerate(places)
    }


HELD_ASIDE: Skeleton = {
    "a": ("hand.R", (-0.8, 0, 1.45)),
    "b": ("a", (-1.4, 0, 1.45)),
    "c": ("b", (-2, 0, 1.45)),
}
HELD_AHEAD: Skeleton = {
    "a": ("hand.R", (-0.8, 0, 1.45)),
    "b": ("a", (-0.8, -0.6, 1.45)),
    "c": ("b", (-0.8, -1.2, 1.45)),
}


@pytest.mark.parametrize(
    "skeleton",
    [
        *({**BODY, **both_sides(skirt(ends))} for ends in (0.5, 0.35, 0.2, 0.06)),
        {**BODY, **HELD_ASIDE},
        {**BODY, **HELD_AHEAD},
        between(BODY, "pelvis", "thigh", (0.0, 0.0, 1.0)),
    ],
    ids=[
        *(f"skirt to {ends}" for ends in (0.5, 0.35, 0.2, 0.06)),
        "held aside",
        "held ahead",
        "halves of hips",
    ],
)
def test_what_is_worn_and_held_is_told_from_limbs_without_names(skeleton: Skeleton):
    skeleton = parents_first(skeleton)
    name_of = numbered(skeleton)
    found = describe(renamed(skeleton, name_of))
    assert found.feet == (name_of("foot.L"), name_of("foot.R"))
    assert found.hands == (name_of("hand.L"), name_of("hand.R"))
    assert [limb.upper for limb in (*found.legs, *found.arms)] == [
        name_of(f"{part}.{side}") for part in ("thigh", "upper_arm") for side in "LR"
    ]
    assert found.height == pytest.approx(1.8)
    np.testing.assert_allclose(found.front, (0, -1, 0), atol=1e-9)


def test_two_people_are_no_left_and_right():
    pair: Skeleton = {
        f"{who} {name}": (above and f"{who} {above}", (x + aside, y, z))
        for who, aside in (("A", -1.0), ("B", 1.0))
        for name, (above, (x, y, z)) in BODY.items()
    }
    found = describe(parents_first(pair))
    assert found.mirror_of("A hips") is None
    assert all(left.removesuffix(".L") == right.removesuffix(".R") for left, right in found.pairs)
    assert found.feet == ("A foot.L", "A foot.R", "B foot.L", "B foot.R")


def test_a_hand_below_a_wrist_that_holds_fingers_is_the_hand():
    found = describe(between(BODY, "wrist", "hand", (0.69, 0.0, 1.45)))
    assert found.hands == ("hand.L", "hand.R")


def test_targets_of_ik_beside_feet_take_no_part_in_the_legs():
    """Also where they are somewhere else, as where a pose has been left."""
    targets = {f"foot_goal.{side}": ("root", (x, -0.6, 0.4)) for side, x in (("L", 0.1), ("R", -0.1))}
    found = describe({**below(dict(BODY), root=(0, 0, 0)), **targets})
    assert [leg.bones for leg in found.legs] == [
        tuple(f"{part}.{side}" for part in ("thigh", "shin", "foot", "toe")) for side in "LR"
    ]
