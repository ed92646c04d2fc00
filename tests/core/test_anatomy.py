# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters are told by their bones' places in any pose, scale, convention and language."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from core import InputError, Motion, anatomy
from core.anatomy import Character, Skin

from .skeletons import (
    CONVENTIONS,
    CRATE,
    DOG,
    PERSON,
    SNAKE,
    SPIDER,
    Skeleton,
    below,
    bones_of,
    both_sides,
    naming,
    numbered,
    parents_first,
    renamed,
)

WORLD = np.eye(3)
BODY = both_sides(PERSON)


def turned(x: float = 0.0, z: float = 0.0, scale: float = 1.0) -> np.ndarray:
    """Degrees about X, then about Z."""
    a, b = np.radians([x, z])
    about_x = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    about_z = np.array([[np.cos(b), -np.sin(b), 0], [np.sin(b), np.cos(b), 0], [0, 0, 1]])
    return scale * about_z @ about_x


def describe(skeleton: Skeleton, matrix: np.ndarray | None = None, **flags) -> Character:
    axes = WORLD if matrix is None else (matrix / np.linalg.norm(matrix, axis=0)).T
    return anatomy.describe(bones_of(skeleton, matrix, **flags), axes)


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


def test_a_mesh_of_a_part_alone_does_not_hide_the_rest():
    hat = np.array([name == "head" for name in BODY])
    points = np.array([(0.0, 0.0, 1.6), (0.0, 0.0, 1.9)])
    owners = np.full(2, list(BODY).index("head"))
    found = anatomy.describe(bones_of(BODY, weighted=hat), WORLD, Skin(points, owners))
    assert found.feet == ("foot.L", "foot.R")
    assert found.height == pytest.approx(1.8)
    assert found.deform == ("head",)


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
    "skeleton", [SNAKE, CRATE, both_sides(SPIDER), {"only": (None, (0.0, 0.0, 0.0))}, {}], ids=str
)
def test_what_is_no_person_is_described_all_the_same(skeleton: Skeleton):
    found = describe(skeleton)
    assert not found.arms
    assert np.isfinite(found.height)
    if skeleton is SNAKE:
        assert found.height == pytest.approx(1.9)
        assert (found.hips, found.head, found.legs) == ("b0", None, ())


def test_a_spider_stands_on_all_its_legs():
    assert len(describe(both_sides(SPIDER)).legs) == 8


def test_the_mesh_says_how_high_it_is_without_what_it_holds():
    bones = bones_of(BODY)
    rows = list(BODY)
    points = np.array([(0, 0, -0.02), (0, 0, 1.85), (0.8, 0, 0.5), (0.8, 0, 2.9)])
    owners = np.array([rows.index(name) for name in ("foot.L", "head", "finger.L", "finger.L")])
    found = anatomy.describe(bones, WORLD, Skin(points, owners))
    assert found.height == pytest.approx(1.87)
    assert found.ground == pytest.approx(-0.02)
    assert found.sole == pytest.approx(0.04)


def test_a_mesh_in_another_scale_is_not_believed():
    points = np.array([(0, 0, 0), (0, 0, 180.0)])
    found = anatomy.describe(bones_of(BODY), WORLD, Skin(points, np.array([-1, -1])))
    assert found.height == pytest.approx(1.8)


@pytest.mark.parametrize("tail", [0.01, 8.0])
def test_the_mesh_of_a_single_bone_is_believed_wherever_its_importer_put_the_tail(tail: float):
    bones = anatomy.Bones.of(["sword"], [-1], [(0, 0, 0)], [(0, 0, tail)])
    points = np.array([(0, 0, -0.2), (0, 0, 0.9)])
    assert anatomy.describe(bones, WORLD, Skin(points, np.array([0, 0]))).height == pytest.approx(1.1)


def test_bones_without_weight_beside_the_body_help():
    skeleton = below(dict(BODY), root=(0, 0, 0)) | {"kneeIK.L": ("root", (0.1, -0.6, 0.5))}
    weighted = np.array([name not in ("root", "kneeIK.L", "head_top") for name in skeleton])
    found = describe(skeleton, weighted=weighted)
    assert found.mechanism == ("kneeIK.L",)
    assert "head_top" not in found.deform
    assert "kneeIK.L" not in found.controls
    assert {"root", "hips", "head_top"} <= set(found.controls)


def test_a_rest_pose_that_nobody_stands_in_gives_the_length_from_head_to_toe():
    """BVH may have all bones along one axis at rest."""
    stretched: Skeleton = {}
    for name, (parent, place) in BODY.items():
        if parent is None:
            stretched[name] = (None, place)
            continue
        length = float(np.linalg.norm(np.subtract(place, BODY[parent][1])))
        side = -1.0 if name.endswith(".R") else 1.0
        x, y, z = stretched[parent][1]
        stretched[name] = (parent, (x + side * length, y, z))
    found = describe(stretched)
    assert not found.stands
    assert found.height == pytest.approx(1.8, rel=0.1)
    assert found.feet == ("foot.L", "foot.R")


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


def test_what_the_user_says_counts():
    found = anatomy.corrected(
        describe(BODY),
        {
            "height": 2.0,
            "front": (0, 3, 0),
            "hips": "spine",
            "feet": [None, "toe.R"],
            "pairs": [("hips", "neck")],
        },
    )
    assert (found.height, found.hips) == (2.0, "spine")
    np.testing.assert_allclose(found.front, (0, 1, 0))
    assert not found.left_is_left
    assert found.feet == ("foot.L", "toe.R")
    assert found.mirror_of("neck") == "hips"
    assert found.mirror_of("shin.L") == "shin.R"


def test_hips_that_are_said_leave_carriers_above_and_a_spine_below():
    skeleton = below(dict(BODY), root=(0, 0, 0))
    parents = {name: parent for name, (parent, _) in skeleton.items()}
    found = anatomy.corrected(describe(skeleton), {"hips": "spine"}, parents)
    assert found.carriers == ("root", "hips")
    assert found.spine == ("chest", "neck")
    assert "hips" not in found.figure


def test_a_limb_that_was_not_found_is_said():
    parents = {name: parent for name, (parent, _) in SNAKE.items()}
    names = list(SNAKE)
    found = anatomy.corrected(describe(SNAKE), {"feet": [names[3], names[5]]}, parents)
    assert found.feet == (names[3], names[5])
    assert [(leg.side, leg.upper, leg.lower) for leg in found.legs] == [
        ("left", names[1], names[2]),
        ("right", names[3], names[4]),
    ]


@pytest.mark.parametrize("said", [(1, 0, 0), (0, 1, 0), (-1, -1, 0), (-1, 1, 0)])
def test_a_front_that_is_said_turns_with_the_body(said):
    """A quarter turn of the body turns what it is said to look at by as much."""
    found = anatomy.corrected(describe(BODY), {"front": said})
    heads = np.stack([bones_of(BODY, turned(z=angle)).heads for angle in (0.0, 90.0)])
    front = np.array(said) / np.linalg.norm(said)
    looks = anatomy.facing(found, list(BODY), heads)
    np.testing.assert_allclose(looks, [front, (-front[1], front[0], 0)], atol=1e-9)


def test_the_ground_that_is_said_is_the_ground():
    found = anatomy.corrected(describe(BODY), {"ground": 0.25})
    assert anatomy.ground_below(found, list(BODY), bones_of(BODY).heads[None] + 3.0) == 0.25


def test_bones_on_one_side_without_a_counterpart():
    alone = {name: bone for name, bone in BODY.items() if name not in ("finger_2.R", "toe_end.L")}
    found = describe(alone)
    assert set(found.unpaired) == {"finger_2.L", "toe_end.R"}
    assert describe(BODY).unpaired == ()
    said = anatomy.corrected(found, {"pairs": [("finger_2.L", "toe_end.R")]})
    assert said.unpaired == ()
    said = anatomy.corrected(describe(BODY), {"pairs": [("shin.L", "thigh.R")]})
    assert set(said.unpaired) == {"shin.R", "thigh.L"}


@pytest.mark.parametrize(
    "wrong",
    [{"size": 2.0}, {"height": 0.0}, {"front": (0, 0, 0)}, {"hips": "nobody"}, {"feet": ["toe.L"] * 3}],
)
def test_corrections_that_say_nothing_are_refused(wrong):
    with pytest.raises(InputError):
        anatomy.corrected(describe(BODY), wrong)


def test_a_group_that_carries_nothing_but_legs_is_no_hips():
    chicken = both_sides(
        {
            "root": (None, (0, 0, 0)),
            "main": ("root", (0, 0.06, 0.25)),
            "body": ("main", (0, 0.06, 0.25)),
            "beak": ("body", (0, -0.25, 0.69)),
            "tail": ("body", (0, 0.37, 0.56)),
            "legs": ("main", (0, 0.06, 0.25)),
            "leg.L": ("legs", (0.14, 0.12, 0.19)),
            "foot.L": ("leg.L", (0.14, 0.12, 0.0)),
        }
    )
    found = describe(chicken)
    assert found.hips == "main"
    assert found.feet == ("foot.L", "foot.R")
    assert found.height == pytest.approx(0.69)


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
    aeroplane = {
        "hull": (None, (0.0, 0.0, 0.5)),
        "nose": ("hull", (0.0, 1.5, 0.5)),
        "engine": ("hull", (0.0, -0.9, 0.5)),
        "blade_a": ("engine", (0.1, -1.0, 0.5)),
        "blade_a_end": ("blade_a", (0.1, -1.4, 0.5)),
        "blade_b": ("engine", (-0.1, -1.0, 0.5)),
        "blade_b_end": ("blade_b", (-0.1, -1.4, 0.5)),
    }
    found = describe(aeroplane)
    assert found.legs == ()
    np.testing.assert_allclose(found.up, (0, 0, 1))


def test_what_hands_hold_is_no_arm_where_arms_are_single_bones():
    hunter = {
        "hips": (None, (0, 0, 0.44)),
        "head": ("hips", (0, 0, 1.06)),
        "arm.L": ("hips", (0.25, 0, 1.06)),
        "arm.R": ("hips", (-0.25, 0, 1.06)),
        "bow": ("arm.R", (-0.3, -0.1, 0.62)),
        "limb.L": ("bow", (0.03, -0.83, 0.64)),
        "string.L": ("limb.L", (0.31, -0.67, 0.78)),
        "limb.R": ("bow", (-0.66, -0.83, 0.64)),
        "string.R": ("limb.R", (-0.94, -0.67, 0.78)),
        "leg.L": ("hips", (0.16, 0, 0.44)),
        "shin.L": ("leg.L", (0.14, 0, 0.23)),
        "foot.L": ("shin.L", (0.14, 0, 0.0)),
        "leg.R": ("hips", (-0.16, 0, 0.44)),
        "shin.R": ("leg.R", (-0.14, 0, 0.23)),
        "foot.R": ("shin.R", (-0.14, 0, 0.0)),
    }
    found = describe(hunter)
    assert found.feet == ("foot.L", "foot.R")
    assert found.hands == ()


def test_a_body_may_be_a_block_around_few_joints():
    blob = {
        "root": (None, (0, 0, 0)),
        "body": ("root", (0, 0, 0.05)),
        "fin.L": ("body", (0.2, 0, 0.1)),
        "fin.R": ("body", (-0.2, 0, 0.1)),
    }
    bones = bones_of(blob)
    corners = np.array(np.meshgrid([-0.4, 0.4], [-0.4, 0.4], [0.0, 1.5])).reshape(3, -1).T
    found = anatomy.describe(bones, WORLD, Skin(corners, np.full(len(corners), 1)))
    assert found.height == pytest.approx(1.5)


def test_what_hands_hold_does_not_make_a_skeleton_higher():
    lance = {"lance": ("hand.R", (-0.75, 0.0, 1.45)), "lance_tip": ("lance", (-0.75, 0.0, 4.0))}
    assert describe({**BODY, **lance}).height == pytest.approx(1.8)


def between(skeleton: Skeleton, name: str, below: str, place: tuple[float, float, float]) -> Skeleton:
    """With one more bone on either side, above another one."""
    found = dict(skeleton)
    for side, x in (("L", place[0]), ("R", -place[0])):
        above, there = found[f"{below}.{side}"]
        found[f"{name}.{side}"] = above, (x, *place[1:])
        found[f"{below}.{side}"] = f"{name}.{side}", there
    return parents_first(found)


def test_a_foot_in_pieces_has_its_toes_where_they_are_called_so():
    """As Daz has it, and Rigify's animals."""
    found = describe(between(BODY, "metatarsals", "toe", (0.1, -0.02, 0.05)))
    assert (found.feet, found.toes) == (("foot.L", "foot.R"), ("toe.L", "toe.R"))


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


LIZARD = both_sides(
    {
        "hips": (None, (0, 0.3, 0.12)),
        "spine": ("hips", (0, 0, 0.13)),
        "chest": ("spine", (0, -0.3, 0.13)),
        "head": ("chest", (0, -0.5, 0.15)),
        "tail": ("hips", (0, 0.5, 0.1)),
        "tail_2": ("tail", (0, 1.1, 0.03)),
        "thigh.L": ("hips", (0.06, 0.3, 0.11)),
        "shin.L": ("thigh.L", (0.2, 0.27, 0.12)),
        "foot.L": ("shin.L", (0.24, 0.35, 0.02)),
        "toe.L": ("foot.L", (0.28, 0.28, 0)),
        "upper_arm.L": ("chest", (0.06, -0.3, 0.11)),
        "forearm.L": ("upper_arm.L", (0.2, -0.27, 0.12)),
        "hand.L": ("forearm.L", (0.24, -0.33, 0.02)),
        "finger.L": ("hand.L", (0.28, -0.38, 0)),
    }
)
SPIDER_WITH_HEAD: Skeleton = parents_first(
    {**both_sides(SPIDER), "head": ("body", (0, -0.2, 0.35)), "fang": ("head", (0, -0.3, 0.3))}
)


def octopus() -> Skeleton:
    found: Skeleton = {"mantle": (None, (0, 0, 0.6)), "crown": ("mantle", (0, 0, 1.0))}
    for number in range(8):
        angle, above = np.pi * (0.125 + 0.25 * number), "mantle"
        for place in range(6):
            away, name = 0.2 + 0.3 * place, f"t{number}_{place}"
            found[name] = (
                above,
                (float(away * np.cos(angle)), float(away * np.sin(angle)), max(0.0, 0.5 - 0.15 * place)),
            )
            above = name
    return parents_first(found)


@pytest.mark.parametrize(
    ("skeleton", "legs", "height"),
    [
        (LIZARD, 4, 0.15),
        (renamed(LIZARD, numbered(LIZARD)), 4, 0.15),
        (SPIDER_WITH_HEAD, 8, 0.6),
        (octopus(), 8, 1.0),
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


def test_arms_may_be_short_where_names_tell_them():
    tyrannosaur = both_sides(
        {
            "pelvis": (None, (0, 0.2, 2.0)),
            "spine": ("pelvis", (0, -0.4, 2.2)),
            "chest": ("spine", (0, -1.0, 2.5)),
            "neck": ("chest", (0, -1.4, 2.9)),
            "head": ("neck", (0, -1.8, 3.5)),
            "tail": ("pelvis", (0, 0.8, 2.0)),
            "tail_2": ("tail", (0, 3.4, 1.8)),
            "thigh.L": ("pelvis", (0.4, 0.2, 1.9)),
            "shin.L": ("thigh.L", (0.4, -0.3, 1.2)),
            "foot.L": ("shin.L", (0.4, 0.4, 0.5)),
            "toe.L": ("foot.L", (0.4, 0.0, 0.0)),
            "upper_arm.L": ("chest", (0.4, -1.2, 2.2)),
            "forearm.L": ("upper_arm.L", (0.4, -1.2, 1.95)),
            "hand.L": ("forearm.L", (0.4, -1.4, 1.85)),
        }
    )
    found = describe(tyrannosaur)
    assert found.hands == ("hand.L", "hand.R")
    assert found.feet == ("foot.L", "foot.R")


def test_feet_without_legs_stand_on_the_worlds_ground():
    penguin = both_sides(
        {
            "body": (None, (0, 0, 0.3)),
            "chest": ("body", (0, 0, 0.5)),
            "head": ("chest", (0, 0, 0.8)),
            "beak": ("head", (0, -0.15, 0.8)),
            "foot.L": ("body", (0.1, 0, 0.05)),
            "toe.L": ("foot.L", (0.1, -0.12, 0.01)),
        }
    )
    found = describe(penguin)
    np.testing.assert_allclose(found.up, (0, 0, 1))
    np.testing.assert_allclose(found.front, (0, -1, 0), atol=1e-9)
    assert found.height == pytest.approx(0.79)


def test_hind_legs_come_first_though_front_legs_are_as_near_to_the_hips():
    animal = {"body": (None, (0.0, 0.0, 0.6)), **both_sides(DOG)}
    animal |= {"hips": ("body", DOG["hips"][1]), "chest": ("body", DOG["chest"][1])}
    del animal["spine"]
    front_first = sorted(animal, key=lambda name: not name.startswith(("chest", "upper_arm")))
    found = describe(parents_first({name: animal[name] for name in front_first}))
    assert found.hips == "body"
    assert found.feet == ("foot.L", "foot.R", "hand.L", "hand.R")
