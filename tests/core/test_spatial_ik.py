# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics as Blender's bones follow, and inverse kinematics from the blended pose."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from core import InputError
from core.rotations import euler_to_matrix, matrix_to_euler
from core.spatial import Effector, Inheritance, JointLimits, Skeleton, SpatialKeyframes, solve_ik


def arm(*lengths):
    """Bones along y, each on the end of the one before."""
    rest = np.tile(np.eye(4), (len(lengths), 1, 1))
    rest[:, 1, 3] = np.concatenate(([0.0], np.cumsum(lengths)[:-1]))
    return Skeleton(np.arange(len(lengths)) - 1, rest, lengths)


def random_tree(rng, count):
    parents = np.array([-1] + [rng.integers(0, i) for i in range(1, count)])
    rest = np.tile(np.eye(4), (count, 1, 1))
    rest[:, :3, :3] = Rotation.random(count, random_state=int(rng.integers(1000))).as_matrix()
    rest[:, :3, 3] = rng.normal(size=(count, 3))
    return Skeleton(parents, rest, rng.random(count) + 0.2)


def bends(*degrees):
    return euler_to_matrix(np.radians([[d, 0, 0] for d in degrees]))


def angle_between(a, b):
    return np.degrees(Rotation.from_matrix(a @ np.swapaxes(b, -1, -2)).magnitude())


def no_limits(count):
    return {
        "locked": np.zeros((count, 3), bool),
        "lowest": np.full((count, 3), -np.inf),
        "highest": np.full((count, 3), np.inf),
    }


def test_the_rest_pose_is_the_rest_pose():
    skeleton = random_tree(np.random.default_rng(0), 12)
    pose = skeleton.pose_matrices(np.tile(np.eye(3), (12, 1, 1)))
    np.testing.assert_allclose(pose, skeleton.rest, atol=1e-12)


def test_bones_follow_their_parents_as_in_blender():
    rng = np.random.default_rng(1)
    skeleton = random_tree(rng, 15)
    rotations = Rotation.random(15, random_state=1).as_matrix()
    translations, scales = rng.normal(size=(15, 3)), rng.random((15, 3)) + 0.5
    pose = skeleton.pose_matrices(rotations, translations, scales)
    for bone, parent in enumerate(skeleton.parents):
        basis = np.eye(4)
        basis[:3, :3] = rotations[bone] @ np.diag(scales[bone])
        basis[:3, 3] = translations[bone]
        local = skeleton.rest[bone] @ basis
        if parent >= 0:
            local = pose[parent] @ np.linalg.inv(skeleton.rest[parent]) @ local
        np.testing.assert_allclose(pose[bone], local, atol=1e-9)
        tail = pose[bone] @ [0, skeleton.ends[bone, 1], 0, 1]
        np.testing.assert_allclose(skeleton.tails(pose)[bone], tail[:3], atol=1e-9)


def test_many_poses_at_once_and_any_order_of_bones():
    rng = np.random.default_rng(2)
    skeleton = random_tree(rng, 9)
    rotations = Rotation.random(5 * 9, random_state=2).as_matrix().reshape(5, 9, 3, 3)
    together = skeleton.pose_matrices(rotations)
    np.testing.assert_allclose(together[3], skeleton.pose_matrices(rotations[3]), atol=1e-12)
    order = rng.permutation(9)
    place = np.argsort(order)
    parents = [place[p] if p >= 0 else -1 for p in skeleton.parents[order]]
    shuffled = Skeleton(parents, skeleton.rest[order], skeleton.ends[order, 1])
    np.testing.assert_allclose(shuffled.pose_matrices(rotations[:, order]), together[:, order], atol=1e-10)


@pytest.mark.parametrize("reach", [0.6, 1.0, 1.4, 1.69])
def test_two_bones_agree_with_the_law_of_cosines(reach):
    first, second = 1.0, 0.7
    skeleton = arm(first, second)
    direction = np.array([0.0, np.cos(0.4), np.sin(0.4)])
    found = solve_ik(skeleton, bends(20, -40), [Effector(1, reach * direction)])
    assert found.distances[0] < 1e-6
    elbow = np.degrees(np.arccos((reach**2 - first**2 - second**2) / (2 * first * second)))
    shoulder = np.degrees(0.4 + np.arccos((reach**2 + first**2 - second**2) / (2 * reach * first)))
    # The blended pose bends the elbow to minus, so the solution does too.
    np.testing.assert_allclose(
        np.degrees(matrix_to_euler(found.rotations)[:, 0]), [shoulder, -elbow], atol=1e-3
    )


def test_the_blended_pose_decides_which_way_a_limb_bends():
    skeleton = arm(1.0, 1.0)
    for sign in (1, -1):
        found = solve_ik(skeleton, bends(-10 * sign, 20 * sign), [Effector(1, [0, 1.2, 0])])
        assert found.distances[0] < 1e-6
        assert np.sign(matrix_to_euler(found.rotations)[1, 0]) == sign


def test_a_pose_that_is_there_already_stays():
    rng = np.random.default_rng(4)
    skeleton = random_tree(rng, 8)
    rotations = Rotation.random(8, random_state=4).as_matrix()
    there = skeleton.tails(skeleton.pose_matrices(rotations))[7]
    found = solve_ik(skeleton, rotations, [Effector(7, there)])
    np.testing.assert_allclose(found.rotations, rotations, atol=1e-6)


def test_out_of_reach_stretches_towards_the_target():
    found = solve_ik(arm(1.0, 1.0), bends(30, -60), [Effector(1, [3, 4, 0])])
    assert found.distances[0] == pytest.approx(3.0, abs=1e-3)


def test_a_stretched_limb_finds_a_way_to_bend():
    found = solve_ik(arm(1.0, 1.0), bends(0, 0), [Effector(1, [0, 1.3, 0])])
    assert found.distances[0] < 1e-5


def test_several_effectors_and_moved_and_scaled_bones():
    rng = np.random.default_rng(5)
    parents = [-1, 0, 1, 2, 0, 4, 5]
    rest = np.tile(np.eye(4), (7, 1, 1))
    rest[:, :3, 3] = [[0, 0, 0], [1, 0, 1], [1, 1, 1], [1, 2, 1], [-1, 0, 1], [-1, 1, 1], [-1, 2, 1]]
    skeleton = Skeleton(parents, rest, np.ones(7))
    translations = rng.normal(scale=0.2, size=(7, 3))
    scales = np.ones((7, 3)) + rng.uniform(-0.2, 0.2, size=(7, 3))
    start = Rotation.from_rotvec(rng.normal(scale=0.3, size=(7, 3))).as_matrix()
    goal = Rotation.from_rotvec(rng.normal(scale=0.5, size=(7, 3))).as_matrix()
    tails = skeleton.tails(skeleton.pose_matrices(goal, translations, scales))
    effectors = [Effector(3, tails[3]), Effector(6, tails[6])]
    found = solve_ik(skeleton, start, effectors, translations=translations, scales=scales)
    reached = skeleton.tails(skeleton.pose_matrices(found.rotations, translations, scales))
    np.testing.assert_allclose(reached[[3, 6]], tails[[3, 6]], atol=1e-5)
    assert found.distances.max() < 1e-5


def test_bones_scaled_to_nothing_are_no_obstacle():
    scales = np.ones((3, 3))
    scales[1] = 0.0
    found = solve_ik(arm(1, 1, 1), bends(10, 20, 30), [Effector(2, [0.5, 0.5, 0.5])], scales=scales)
    # All that is left is the first bone.
    assert found.distances[0] == pytest.approx(1.0 - np.sqrt(0.75), abs=1e-3)


@pytest.mark.parametrize("favoured", [0, 1])
def test_of_effectors_that_contradict_each_other_the_heavier_comes_closer(favoured):
    """One bone cannot be in two places: with weights w and v it rests where w a = v b for small angles."""
    sides = np.radians([20.0, -20.0])
    targets = np.stack([np.zeros(2), np.cos(sides), np.sin(sides)], axis=1)
    weights = [9.0 if n == favoured else 1.0 for n in range(2)]
    effectors = [Effector(0, target, weight=w) for target, w in zip(targets, weights, strict=True)]
    found = solve_ik(arm(1.0), bends(0), effectors)
    assert found.distances[1 - favoured] > 5.0 * found.distances[favoured]
    heading = matrix_to_euler(found.rotations)[0, 0]
    expected = np.arctan2(np.dot(weights, np.sin(sides)), np.dot(weights, np.cos(sides)))
    assert heading == pytest.approx(expected, abs=1e-4)


def test_an_effector_without_weight_pulls_nothing():
    effectors = [Effector(0, [0, 0, 1], weight=0.0), Effector(0, [0, 1, 0])]
    found = solve_ik(arm(1.0), bends(10), effectors)
    assert found.distances[1] < 1e-5


def test_equal_limits_hold_an_axis_and_huge_ones_do_not():
    limits = no_limits(2)
    limits["lowest"][1], limits["highest"][1] = np.radians([30, -0.0, 0.0]), np.radians([30, 0.0, 0.0])
    limits["lowest"][0], limits["highest"][0] = -1e9, 1e9
    found = solve_ik(arm(1, 1), bends(0, 0), [Effector(1, [0, 1.0, 1.0])], limits=JointLimits(**limits))
    np.testing.assert_allclose(matrix_to_euler(found.rotations)[1], [np.radians(30), 0, 0], atol=1e-9)


def test_infinite_limits_are_none():
    reaching = [Effector(1, [0.4, 0.9, 0.6])]
    free = solve_ik(arm(1, 1), bends(10, 40), reaching)
    unlimited = solve_ik(arm(1, 1), bends(10, 40), reaching, limits=JointLimits(**no_limits(2)))
    np.testing.assert_array_equal(unlimited.rotations, free.rotations)


def test_only_the_chain_turns():
    skeleton = arm(1, 1, 1, 1)
    start = bends(10, 10, 10, 10)
    found = solve_ik(skeleton, start, [Effector(3, [0.3, 2.5, 1.2], chain=2)])
    np.testing.assert_array_equal(found.rotations[:2], start[:2])
    assert angle_between(found.rotations[2:], start[2:]).max() > 1.0


def test_a_point_of_the_bone_can_be_the_effector():
    skeleton = arm(1, 1)
    found = solve_ik(skeleton, bends(20, -40), [Effector(1, [0.2, 1.0, 0.3], point=[0.1, 0.5, 0.0])])
    point = skeleton.pose_matrices(found.rotations)[1] @ [0.1, 0.5, 0.0, 1.0]
    np.testing.assert_allclose(point[:3], [0.2, 1.0, 0.3], atol=1e-6)


def test_limits_and_locks_hold_and_the_others_make_up():
    skeleton = arm(1.0, 1.0, 0.5)
    limits = no_limits(3)
    limits["locked"][1] = [False, True, True]
    limits["lowest"][1, 0], limits["highest"][1, 0] = np.radians([-150, 0])
    limits["lowest"][2], limits["highest"][2] = np.radians([-30] * 3), np.radians([30] * 3)
    start = euler_to_matrix(np.radians([[20, 0, 0], [-40, 5, -7], [10, 0, 0]]))
    rng = np.random.default_rng(6)
    met = 0
    for _ in range(25):
        target = rng.normal(size=3)
        target *= rng.uniform(0.8, 2.2) / np.linalg.norm(target)
        found = solve_ik(skeleton, start, [Effector(2, target)], limits=JointLimits(**limits))
        angles = np.degrees(matrix_to_euler(found.rotations))
        np.testing.assert_allclose(angles[1, 1:], [5, -7], atol=1e-6)
        assert -150 - 1e-6 <= angles[1, 0] <= 1e-6
        assert np.abs(angles[2]).max() <= 30 + 1e-6
        met += found.distances[0] < 1e-4
    assert met >= 22


def test_a_blended_pose_outside_the_limits_is_brought_inside():
    limits = no_limits(2)
    limits["lowest"][1, 0], limits["highest"][1, 0] = np.radians([0, 90])
    found = solve_ik(arm(1, 1), bends(0, -30), [Effector(1, [0, 1.6, 0])], limits=JointLimits(**limits))
    assert found.distances[0] < 1e-5
    assert 0.0 <= matrix_to_euler(found.rotations)[1, 0] <= np.pi / 2


def test_the_result_depends_on_the_cursor_alone_and_follows_it_smoothly():
    rng = np.random.default_rng(7)
    skeleton = arm(1.0, 0.8, 0.6)
    places = np.array([[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.0, 2.0, 0.5], [0.3, 0.5, -0.4]])
    poses = Rotation.from_rotvec(rng.normal(scale=0.4, size=(15, 3))).as_matrix().reshape(5, 3, 3, 3)
    keys = SpatialKeyframes(places, poses)
    path = np.column_stack((np.linspace(-1, 1, 300), np.full(300, 1.1), np.linspace(0.5, 0.3, 300)))
    found = [solve_ik(skeleton, keys.pose(p)[0], [Effector(2, p)]) for p in path]
    assert max(f.distances[0] for f in found) < 1e-4
    turned = np.array([f.rotations for f in found])
    steps = angle_between(turned[1:].reshape(-1, 3, 3), turned[:-1].reshape(-1, 3, 3))
    assert steps.max() < 5.0
    backwards = solve_ik(skeleton, keys.pose(path[140])[0], [Effector(2, path[140])])
    np.testing.assert_array_equal(backwards.rotations, found[140].rotations)


def test_place_and_rotation_are_both_met():
    limb = arm(1.0, 0.8, 0.3)
    wanted = Rotation.from_euler("xyz", [60, 10, -20], degrees=True).as_matrix()
    target = np.array([0.2, 1.1, 0.7])
    found = solve_ik(limb, bends(20, 40, 10), [Effector(2, target, rotation=wanted)])
    pose = limb.pose_matrices(found.rotations)
    np.testing.assert_allclose(limb.tails(pose)[2], target, atol=1e-5)
    assert angle_between(pose[2, :3, :3], wanted) < 1e-2
    assert found.angles[0] < 1e-4


def test_where_place_and_rotation_contradict_each_other_the_place_counts_more():
    bone = arm(1.0)
    wanted = Rotation.from_euler("x", 90, degrees=True).as_matrix()
    found = solve_ik(bone, bends(0), [Effector(0, (0.0, 1.0, 0.0), rotation=wanted)])
    assert found.distances[0] < 0.15
    assert found.angles[0] > np.radians(80)


def test_the_hand_keeps_its_rotation_while_the_target_moves_smoothly():
    """From the blended pose each time: going there another way gives the same pose."""
    limb = arm(1.0, 0.8, 0.3)
    wanted = Rotation.from_euler("x", 90, degrees=True).as_matrix()
    angles = np.linspace(0.0, np.pi, 60)
    targets = np.stack([0.3 * np.sin(angles), 1.2 + 0.2 * np.cos(angles), 0.5 + 0.2 * np.sin(angles)], axis=1)

    def solved(target):
        return solve_ik(limb, bends(20, 50, 30), [Effector(2, target, rotation=wanted)]).rotations

    there = np.array([solved(target) for target in targets])
    back = np.array([solved(target) for target in targets[::-1]])[::-1]
    np.testing.assert_array_equal(there, back)
    assert max(angle_between(a, b).max() for a, b in zip(there[1:], there[:-1], strict=True)) < 12.0
    shown = np.array([limb.pose_matrices(pose)[2, :3, :3] for pose in there])
    assert angle_between(shown, wanted).max() < 0.05


def test_what_is_measured_agrees_with_the_closed_form():
    """A bone that would move along its parent's axes, and is not moved, is the usual bone by another name."""
    usual = arm(1.0, 0.8, 0.5)
    count = len(usual)
    moves = Inheritance(np.ones(count, bool), np.array(["FULL"] * count), np.zeros(count, bool))
    measured = Skeleton(usual.parents, usual.rest, usual.ends[:, 1], moves)
    limits = no_limits(3)
    limits["lowest"][1], limits["highest"][1] = np.radians([-5, -30, -10]), np.radians([150, 30, 10])
    for target in ((0.3, 1.0, 0.8), (-0.4, 0.9, 0.5), (0.0, 3.0, 1.0)):
        one, other = (
            solve_ik(skeleton, bends(10, 30, 20), [Effector(2, target)], limits=JointLimits(**limits))
            for skeleton in (usual, measured)
        )
        np.testing.assert_allclose(one.rotations, other.rotations, atol=1e-4)


def test_an_unknown_way_to_inherit_scale_is_told():
    with pytest.raises(InputError, match="not as HALF"):
        Inheritance(np.ones(1, bool), np.array(["HALF"]), np.ones(1, bool))


def limited(*names_and_values):
    """An arm whose second bone has unusual limits about its last axis, everything else being in order."""
    limits = no_limits(2)
    limits["locked"] = limits["locked"].astype(float)
    for name, value in zip(names_and_values[::2], names_and_values[1::2], strict=True):
        limits[name][1, 2] = value
    return solve_ik(arm(1, 1), bends(0, 0), [Effector(1, [0, 1, 1])], limits=JointLimits(**limits))


def one_scaled(count):
    matrices = np.tile(np.eye(3), (count, 1, 1))
    matrices[-1] *= 1.1
    return matrices


def one_mirrored(count):
    matrices = np.tile(np.eye(3), (count, 1, 1))
    matrices[-1, 0, 0] = -1.0
    return matrices


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Skeleton([1, 0], np.tile(np.eye(4), (2, 1, 1))), "circle"),
        (lambda: Skeleton([-1, 5], np.tile(np.eye(4), (2, 1, 1))), "bone numbers"),
        (lambda: Skeleton([-1, 0.5], np.tile(np.eye(4), (2, 1, 1))), "instead of 0.5"),
        (lambda: solve_ik(arm(1, 1), bends(0, 0), [Effector(0.5, [0, 0, 0])]), "instead of 0.5"),
        (lambda: solve_ik(arm(1, 1), bends(0, 0), [Effector(1, [0, 0, 0], chain=1.5)]), "instead of 1.5"),
        (lambda: Skeleton([-1], np.zeros((1, 4, 4))), "inverted"),
        (lambda: solve_ik(arm(1, 1), bends(0, 0), [Effector(7, [0, 0, 0])]), "bone 7"),
        (lambda: solve_ik(arm(1, 1), bends(0, 0), [Effector(1, [0, np.inf, 0])]), "target"),
        (lambda: solve_ik(arm(1, 1), bends(0, 0), [Effector(1, [0, 0, 0], chain=-1)]), "chain"),
        (lambda: solve_ik(arm(1, 1), bends(0, 0), [Effector(1, [0, 0, 0], weight=-1)]), "weight"),
        (lambda: solve_ik(arm(1, 1), 2 * bends(0, 0), [Effector(1, [0, 0, 0])]), "pure rotation"),
        (
            lambda: solve_ik(
                arm(1, 1),
                bends(0, 0),
                [Effector(1, [0, 0, 0])],
                limits=JointLimits(np.zeros((2, 3)), np.ones((2, 3)), np.zeros((2, 3))),
            ),
            "above its upper limit",
        ),
        (lambda: solve_ik(arm(1, 1), bends(0, 0), [Effector(2, [0, 0, 0])]), "bone 2"),
        (lambda: solve_ik(arm(1, 1), bends(0, 0), [Effector(-1, [0, 0, 0])]), "bone -1"),
        (lambda: limited("lowest", 0.2, "highest", 0.1), "bone 1, axis Z, is above its upper limit"),
        (lambda: limited("lowest", np.nan), "lower limits"),
        (lambda: limited("highest", np.nan), "upper limits"),
        (lambda: limited("locked", np.nan), "locks"),
        (lambda: solve_ik(arm(1, 1), one_scaled(2), [Effector(1, [0, 0, 0])]), r"at \(1,\) is not a pure"),
        (lambda: solve_ik(arm(1, 1), one_mirrored(2), [Effector(1, [0, 0, 0])]), r"at \(1,\) is not a pure"),
        (lambda: Skeleton([-1, 2, 1], np.tile(np.eye(4), (3, 1, 1))), "circle"),
        (lambda: Skeleton([-1, 0], np.stack([np.eye(4), np.zeros((4, 4))])), "inverted"),
    ],
)
def test_bad_input_gets_a_sentence(call, words):
    with pytest.raises(InputError, match=words):
        call()


def test_whole_numbers_may_come_as_floats():
    """From a text file or a numpy array, bone 1 may well be 1.0."""
    target = [0, 1.2, 0.3]
    plain = solve_ik(arm(1, 1), bends(-10, 20), [Effector(1, target, chain=1)])
    floats = solve_ik(arm(1, 1), bends(-10, 20), [Effector(np.float64(1.0), target, chain=1.0)])
    np.testing.assert_array_equal(floats.rotations, plain.rotations)


def test_a_part_of_a_skeleton_has_all_that_is_above_its_bones():
    """In whatever order bones come: parents may be after their children."""
    parents = [2, 0, -1, 2, 3, -1]
    skeleton = Skeleton(parents, np.tile(np.eye(4), (6, 1, 1)))
    assert skeleton.with_all_above(np.array([1])).tolist() == [0, 1, 2]
    assert skeleton.with_all_above(np.array([4, 5])).tolist() == [2, 3, 4, 5]
    assert skeleton.part(skeleton.with_all_above(np.array([1]))).parents.tolist() == [2, 0, -1]
