# SPDX-License-Identifier: GPL-3.0-or-later
"""`keyposes` against the paper's Algorithm 1 written out, and its joint weights."""

from __future__ import annotations

import numpy as np
import pytest

from core import InputError, Motion, select
from core.anatomy import hips_by_name, limb_of, nine_joints_by_name
from core.selection.keyposes import matched_poses
from core.selection.weights import PRESETS, nine_joint_weights
from core.smooth import smoothed

PARENTS = (-1, 0, 1, 0)


def walk(frames: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(frames, 4, 3)).cumsum(axis=0)


def poses_of(positions, root_weight=5.0, travel=False) -> np.ndarray:
    """Matched poses, as simply as they can be written."""
    root = positions[:, :1]
    place = root[:, 0] if travel else root[:, 0, 2:]
    limbs = (positions - root)[:, 1:].reshape(len(positions), -1)
    return np.concatenate([np.sqrt(root_weight) * place, limbs], axis=1)


def farthest_first(poses, count, given=()) -> tuple[list[int], list[float]]:
    """The paper's algorithm, every distance measured for every key; keys and the longest distance left."""
    distances = np.linalg.norm(poses - poses.mean(axis=0), axis=1)
    keys, left = [], []
    while len(keys) < count:
        key = given[len(keys)] if len(keys) < len(given) else int(np.argmax(distances))
        distances = np.minimum(distances, np.linalg.norm(poses - poses[key], axis=1))
        keys.append(key)
        left.append(float(distances.max()))
    return keys, left


@pytest.mark.parametrize("frames", [20, 97, 400])
@pytest.mark.parametrize("travel", [False, True])
def test_without_ends_it_is_the_algorithm_of_the_paper(frames, travel):
    positions = walk(frames, frames)
    solutions = select(
        Motion(positions, parents=PARENTS), "keyposes", ends=False, travel=travel, max_keys=frames // 2
    )
    keys, left = farthest_first(poses_of(positions, travel=travel), frames // 2)
    assert solutions.counts[0] == 1
    np.testing.assert_array_equal(solutions.ranking, keys)
    np.testing.assert_allclose(solutions.errors, left, rtol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_poses_that_share_one_line_are_all_looked_at(seed):
    """In one dimension the nearest pose of a block is as close to a key as the radius allows."""
    positions = np.zeros((400, 4, 3))
    positions[:, 0, 2] = np.random.default_rng(seed).uniform(size=400)
    solutions = select(Motion(positions, parents=PARENTS), "keyposes", ends=False, max_keys=200)
    keys, left = farthest_first(poses_of(positions), 200)
    np.testing.assert_array_equal(solutions.ranking, keys)
    np.testing.assert_allclose(solutions.errors, left, rtol=1e-9, atol=1e-12)


def test_one_keypose_is_the_farthest_from_the_mean():
    positions = walk(50, 1)
    poses = poses_of(positions)
    one = select(Motion(positions, parents=PARENTS), "keyposes", ends=False).keys(1)
    assert one.tolist() == [np.argmax(np.linalg.norm(poses - poses.mean(axis=0), axis=1))]


def test_with_ends_and_fixed_frames_these_come_first():
    positions = walk(60, 2)
    solutions = select(Motion(positions, parents=PARENTS), "keyposes", fixed=[30, 10])
    keys, left = farthest_first(poses_of(positions), 30, given=[0, 59, 10, 30])
    np.testing.assert_array_equal(solutions.ranking, keys)
    np.testing.assert_allclose(solutions.errors, left[3:], rtol=1e-9)


def test_without_ends_fixed_frames_are_still_keys():
    motion = Motion(walk(60, 3), parents=PARENTS)
    solutions = select(motion, "keyposes", ends=False, fixed=[25, 59])
    assert solutions.counts[0] == 2
    assert solutions.keys(2).tolist() == [25, 59]


def test_a_cycle_is_shown_once():
    angle = np.linspace(0.0, 10.0 * 2.0 * np.pi, 500, endpoint=False)
    positions = np.zeros((500, 3, 3))
    positions[:, 1] = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    positions[:, 2, 0] = 0.3 * np.cos(2 * angle)
    keys = select(positions, "keyposes", ends=False).keys(4)
    phases = np.sort(angle[keys] % (2.0 * np.pi))
    assert np.min(np.diff(np.append(phases, phases[0] + 2.0 * np.pi))) > 0.5


def test_travel_is_ignored_unless_it_is_kept():
    positions = walk(40, 4)
    way = np.random.default_rng(5).normal(size=(40, 1, 3)).cumsum(axis=0) * [1.0, 1.0, 0.0]
    still, moving = Motion(positions, parents=PARENTS), Motion(positions + way, parents=PARENTS)
    assert select(still, "keyposes").ranking.tolist() == select(moving, "keyposes").ranking.tolist()
    kept = select(moving, "keyposes", travel=True).ranking
    assert kept.tolist() != select(still, "keyposes", travel=True).ranking.tolist()


def test_up_names_the_axis_that_counts():
    positions = walk(40, 6)
    turned = positions[..., [0, 2, 1]]
    one = select(Motion(positions, parents=PARENTS), "keyposes", up="Z").ranking
    other = select(Motion(turned, parents=PARENTS), "keyposes", up="Y").ranking
    np.testing.assert_array_equal(one, other)


def test_root_weight_decides_what_a_jump_is_worth():
    """One pose is lifted, another spread: only the weight of the root tells which is more extreme."""
    positions = np.zeros((30, 3, 3))
    positions[:, 1, 0], positions[:, 2, 0] = 1.0, -1.0
    positions[10, :, 2] += 1.0
    positions[20, 1, 0] += 1.5
    assert select(positions, "keyposes", ends=False, root_weight=0.5).keys(1).tolist() == [20]
    assert select(positions, "keyposes", ends=False, root_weight=5.0).keys(1).tolist() == [10]


def test_matching_roots_removes_their_hidden_weight():
    positions = np.zeros((2, 4, 3))
    positions[1, :, 2] = 1.0
    poses = matched_poses(Motion(positions), root_weight=5.0, travel=False, up="Z")
    assert np.linalg.norm(poses[1] - poses[0]) == pytest.approx(np.sqrt(5.0))


def test_smoothing_keeps_a_glitch_from_being_an_extreme():
    angle = np.linspace(0.0, 2.0 * np.pi, 200)
    positions = np.zeros((200, 2, 3))
    positions[:, 1, 0] = np.sin(angle)
    positions[60, 1, 1] = 5.0
    assert select(positions, "keyposes", ends=False).keys(1).tolist() == [60]
    assert select(positions, "keyposes", ends=False, smooth=20.0).keys(1).tolist() != [60]


def test_smoothing_is_a_gaussian_average_of_the_frames_there_are():
    points = np.random.default_rng(8).normal(size=(50, 3))
    offsets = np.arange(50)[:, None] - np.arange(50)[None]
    kernel = np.where(np.abs(offsets) <= 12, np.exp(-0.5 * (offsets / 3.0) ** 2), 0.0)
    expected = kernel @ points / kernel.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(smoothed(points, 3.0), expected, atol=1e-12)


def test_smoothing_longer_than_the_clip_is_no_trouble():
    points = np.random.default_rng(8).normal(size=(5, 2))
    assert np.ptp(smoothed(points, 1000.0), axis=0) == pytest.approx(0.0, abs=1e-4)


# Joint weights from bone names

RIGS = {
    "CMU": ("Hips", "LeftForeArm", "LeftHand", "RightForeArm", "RightHand", "LeftLeg", "LeftFoot", "RightLeg",
            "RightFoot", "LeftUpLeg", "LeftArm", "LeftHandIndex1", "LThumb", "LHipJoint", "LeftFingerBase"),
    "Mixamo": ("mixamorig:Hips", "mixamorig:LeftForeArm", "mixamorig:LeftHand", "mixamorig:RightForeArm",
               "mixamorig:RightHand", "mixamorig:LeftLeg", "mixamorig:LeftFoot", "mixamorig:RightLeg",
               "mixamorig:RightFoot", "mixamorig:LeftUpLeg", "mixamorig:LeftHandThumb1"),
    "Rigify": ("spine", "forearm.L", "hand.L", "forearm.R", "hand.R", "shin.L", "foot.L", "shin.R", "foot.R",
               "thigh.L", "upper_arm.L", "heel.02.L", "palm.01.L"),
    "Rigify deform": ("DEF-spine", "DEF-forearm.L", "DEF-hand.L", "DEF-forearm.R", "DEF-hand.R", "DEF-shin.L",
                      "DEF-foot.L", "DEF-shin.R", "DEF-foot.R", "DEF-forearm.L.001", "DEF-shin.L.001"),
    "Unreal": ("pelvis", "lowerarm_l", "hand_l", "lowerarm_r", "hand_r", "calf_l", "foot_l", "calf_r",
               "foot_r", "lowerarm_twist_01_l", "upperarm_l", "thigh_r"),
    "humanoid": ("hips", "leftLowerArm", "leftHand", "rightLowerArm", "rightHand", "leftLowerLeg", "leftFoot",
                 "rightLowerLeg", "rightFoot", "leftUpperLeg", "leftUpperArm"),
    "VRM": ("J_Bip_C_Hips", "J_Bip_L_LowerArm", "J_Bip_L_Hand", "J_Bip_R_LowerArm", "J_Bip_R_Hand",
            "J_Bip_L_LowerLeg", "J_Bip_L_Foot", "J_Bip_R_LowerLeg", "J_Bip_R_Foot", "J_Bip_L_UpperLeg"),
    "Biped": ("Bip01 Pelvis", "Bip01 L Forearm", "Bip01 L Hand", "Bip01 R Forearm", "Bip01 R Hand",
              "Bip01 L Calf", "Bip01 L Foot", "Bip01 R Calf", "Bip01 R Foot", "Bip01 L Thigh"),
}  # fmt: skip


@pytest.mark.parametrize("rig", sorted(RIGS))
def test_nine_joints_are_found_by_name(rig):
    bones = RIGS[rig]
    names = [*bones, *(f"{bone} head" for bone in bones)]
    heads = np.arange(len(bones), len(names))  # every bone hangs from the first by a head of its own
    parents = np.concatenate([heads, [-1], np.zeros(len(bones) - 1)])
    motion = Motion(np.zeros((2, len(names), 3)), names=names, parents=parents)
    assert np.flatnonzero(nine_joint_weights(motion)).tolist() == heads[:9].tolist()


def test_a_skeleton_without_limbs_is_told_what_is_missing():
    motion = Motion(np.zeros((2, 3, 3)), names=["Body", "forearm.L", "Tail"])
    with pytest.raises(InputError, match="right elbow"):
        nine_joint_weights(motion)


def test_sides_and_parts():
    assert limb_of("LeftForeArm") == ("left", "elbow")
    assert limb_of("RIGHT_KNEE") == ("right", "knee")
    assert limb_of("Head") is None
    assert limb_of("forearm") is None


def test_presets_weigh_every_joint():
    names = RIGS["CMU"]
    motion = Motion(np.zeros((2, len(names), 3)), names=names)
    for preset in PRESETS.values():
        assert preset(motion).shape == (len(names),)
        assert np.any(preset(motion) > 0.0)


# The joints themselves

HEADED = {  # name: parent, as an armature is sampled: tails, and the heads that are no parent's tail
    "Root head": None, "Root": "Root head",
    "Hips head": "Root", "Hips": "Hips head",
    **{name: parent for side in ("Left", "Right") for name, parent in (
        (f"{side}UpLeg head", "Hips"), (f"{side}UpLeg", f"{side}UpLeg head"), (f"{side}Leg", f"{side}UpLeg"),
        (f"{side}Foot", f"{side}Leg"), (f"{side}Arm head", "Hips"), (f"{side}Arm", f"{side}Arm head"),
        (f"{side}ForeArm", f"{side}Arm"), (f"{side}Hand head", f"{side}ForeArm"),
        (f"{side}Hand", f"{side}Hand head"),
    )},
}  # fmt: skip


def headed_names_and_parents():
    names = tuple(HEADED)
    return names, np.array([-1 if parent is None else names.index(parent) for parent in HEADED.values()])


def test_nine_joints_are_where_bones_begin():
    names, parents = headed_names_and_parents()
    found = {joint: names[row] for joint, row in nine_joints_by_name(names, parents).items()}
    assert found == {
        "hips": "Hips head",
        "left elbow": "LeftArm", "right elbow": "RightArm",
        "left hand": "LeftHand head", "right hand": "RightHand head",
        "left knee": "LeftUpLeg", "right knee": "RightUpLeg",
        "left foot": "LeftLeg", "right foot": "RightLeg",
    }  # fmt: skip


def test_a_description_of_the_character_may_name_the_joints():
    names, parents = headed_names_and_parents()
    motion = Motion(np.zeros((2, len(names), 3)), names=names, parents=parents)
    assert np.flatnonzero(nine_joint_weights(motion, {"hips": 3, "left elbow": 5})).tolist() == [3, 5]


def test_hips_are_what_both_legs_hang_from_not_a_root_that_only_carries():
    names, parents = headed_names_and_parents()
    assert names[hips_by_name(names, parents)] == "Hips head"
    assert hips_by_name(("a", "b"), np.array([-1, 0])) == 0


def test_poses_are_matched_at_the_hips():
    """A root bone that stays behind must not turn the travel of the body into poses."""
    names, parents = headed_names_and_parents()
    still = np.random.default_rng(3).normal(size=(1, len(names), 3)).repeat(20, axis=0)
    travelling = still.copy()
    travelling[:, 2:, 0] += np.arange(20.0)[:, None]
    motion = Motion(travelling, names=names, parents=parents, weights=[0.0] * 2 + [1.0] * (len(names) - 2))
    poses = matched_poses(motion, root_weight=5.0, travel=False, up="Z")
    np.testing.assert_allclose(poses, 0.0, atol=1e-12)


def test_seen_from_its_parent_a_joint_moves_only_by_itself():
    names, parents = headed_names_and_parents()
    rng = np.random.default_rng(4)
    positions = rng.normal(size=(6, len(names), 3))
    seen = Motion(positions, names=names, parents=parents).in_space("parent").positions
    elbow, wrist = names.index("LeftArm"), names.index("LeftForeArm")
    np.testing.assert_allclose(seen[:, wrist], positions[:, wrist] - positions[:, elbow])
    carried = [names.index(name) for name in ("Root head", "Root", "Hips head")]
    assert not seen[:, carried].any(), "the body begins at its hips"
    arm = [names.index(name) for name in ("LeftArm", "LeftForeArm", "LeftHand head", "LeftHand")]
    moved = positions.copy()
    moved[:, arm] += rng.normal(size=(6, 1, 3))
    after = Motion(moved, names=names, parents=parents).in_space("parent").positions
    assert np.flatnonzero(np.abs(after - seen).max(axis=(0, 2)) > 1e-9).tolist() == [elbow]


def test_hips_that_are_known_carry_the_body():
    """Bones that no name tells anything of: a description of the character knows which of them are hips."""
    positions = np.random.default_rng(5).normal(size=(8, 4, 3))
    told = Motion(positions, parents=PARENTS, hips=2)
    assert (told.root, told.between(2, 5).root, Motion(positions, parents=PARENTS).root) == (2, 2, 0)
    np.testing.assert_allclose(told.in_space("root").positions[:, 2], 0.0)
    with pytest.raises(InputError, match="number of a joint"):
        Motion(positions, hips=4)
