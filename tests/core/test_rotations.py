# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversions agree with SciPy; continuous channels describe the same rotations without jumps."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from core import InputError
from core import rotations as r

ORDERS = r.EULER_ORDERS


def scipy_matrices(euler, order):
    """SciPy's small letters turn about the fixed axes, which is Blender's order."""
    letters = [order.index(axis) for axis in "XYZ"]
    in_order = np.empty_like(euler)
    for axis, place in enumerate(letters):
        in_order[:, place] = euler[:, axis]
    return Rotation.from_euler(order.lower(), in_order).as_matrix()


def same_rotations(first, second, atol=1e-9):
    np.testing.assert_allclose(r.quaternion_to_matrix(first), r.quaternion_to_matrix(second), atol=atol)


@pytest.fixture
def random():
    return np.random.default_rng(3)


@pytest.mark.parametrize("order", ORDERS)
def test_euler_agrees_with_scipy_both_ways(random, order):
    euler = random.uniform(-9.0, 9.0, (500, 3))
    matrices = scipy_matrices(euler, order)
    np.testing.assert_allclose(r.euler_to_matrix(euler, order), matrices, atol=1e-12)
    np.testing.assert_allclose(
        r.euler_to_matrix(r.matrix_to_euler(matrices, order), order), matrices, atol=1e-12
    )


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("middle", [np.pi / 2, -np.pi / 2])
def test_euler_survives_gimbal_lock(random, order, middle):
    euler = random.uniform(-3.0, 3.0, (50, 3))
    euler[:, "XYZ".index(order[1])] = middle
    matrices = r.euler_to_matrix(euler, order)
    np.testing.assert_allclose(
        r.euler_to_matrix(r.matrix_to_euler(matrices, order), order), matrices, atol=1e-7
    )


def test_quaternions_agree_with_scipy(random):
    first, second = random.normal(size=(2, 300, 4))
    first, second = r.normalized_quaternion(first), r.normalized_quaternion(second)
    ours = r.quaternion_multiply(first, second)
    theirs = Rotation.from_quat(np.roll(first, -1, 1)) * Rotation.from_quat(np.roll(second, -1, 1))
    np.testing.assert_allclose(r.quaternion_to_matrix(ours), theirs.as_matrix(), atol=1e-12)
    same_rotations(r.matrix_to_quaternion(theirs.as_matrix()), ours)
    same_rotations(r.quaternion_multiply(r.quaternion_inverse(first), ours), second)


def test_matrix_to_quaternion_at_half_turns():
    half_turns = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0.6, 0.8, 0], [1, 0, 0, 0]], float)
    back = r.matrix_to_quaternion(r.quaternion_to_matrix(half_turns))
    same_rotations(back, half_turns)


def test_axis_angle_agrees_with_scipy_both_ways(random):
    axis = random.normal(size=(300, 3))
    angle = random.uniform(-9.0, 9.0, (300, 1))
    unit = axis / np.linalg.norm(axis, axis=1, keepdims=True)
    quaternion = r.axis_angle_to_quaternion(np.concatenate([angle, axis], axis=1))
    np.testing.assert_allclose(
        r.quaternion_to_matrix(quaternion), Rotation.from_rotvec(unit * angle).as_matrix(), atol=1e-12
    )
    same_rotations(r.axis_angle_to_quaternion(r.quaternion_to_axis_angle(quaternion)), quaternion)


def test_no_axis_and_no_length_mean_no_rotation():
    np.testing.assert_array_equal(r.axis_angle_to_quaternion([2.0, 0, 0, 0]), [1, 0, 0, 0])
    np.testing.assert_array_equal(r.normalized_quaternion([0.0, 0, 0, 0]), [1, 0, 0, 0])


def smooth_quaternions(random, frames=400, bones=5):
    """Random tumbling, some 4 degrees a frame, well past full turns."""
    steps = Rotation.from_rotvec(np.cumsum(random.normal(0, 0.01, (frames * bones, 3)), axis=0) * 0.05 + 0.05)
    steps = np.roll(steps.as_quat(), 1, axis=-1).reshape(bones, frames, 4)
    path = np.empty((frames, bones, 4))
    path[0] = [1.0, 0.0, 0.0, 0.0]
    for frame in range(1, frames):
        path[frame] = r.quaternion_multiply(steps[:, frame], path[frame - 1])
    return path


def test_quaternion_signs_are_mended(random):
    smooth = smooth_quaternions(random)
    flipped = smooth * random.choice([-1.0, 1.0], (*smooth.shape[:-1], 1))
    mended = r.continuous_quaternion(flipped)
    same_rotations(mended, smooth)
    assert np.abs(np.diff(mended, axis=0)).max() < 0.2
    np.testing.assert_allclose(mended[0], flipped[0])


@pytest.mark.parametrize("order", ORDERS)
def test_euler_jumps_are_mended(random, order):
    # Away from gimbal lock smooth angles exist: build them, then wrap and mirror at random.
    time = np.linspace(0.0, 1.0, 600)[:, None, None]
    smooth = np.concatenate([time * 30.0, np.sin(time * 20.0), time * -25.0], axis=2)
    smooth = np.repeat(smooth, 3, axis=1) + random.uniform(-0.2, 0.2, (1, 3, 3))
    middle = "XYZ".index(order[1])
    smooth[..., [1, middle]] = smooth[..., [middle, 1]]
    mirrored = smooth + np.pi
    mirrored[..., middle] = np.pi - smooth[..., middle]
    jumpy = np.where(random.random((600, 3, 1)) < 0.4, mirrored, smooth)
    jumpy += 2.0 * np.pi * random.integers(-2, 3, jumpy.shape)
    jumpy[0] = smooth[0]
    np.testing.assert_allclose(r.continuous_euler(jumpy, order), smooth, atol=1e-9)


@pytest.mark.parametrize("order", ORDERS)
def test_euler_from_quaternions_is_continuous_and_exact(random, order):
    smooth = smooth_quaternions(random)
    euler = r.continuous_euler(r.quaternion_to_euler(smooth, order), order)
    same_rotations(r.euler_to_quaternion(euler, order), smooth)


def test_turns_past_360_degrees_are_kept():
    angle = np.linspace(0.0, 6.0 * np.pi, 200)
    euler = np.stack([angle, np.zeros(200), np.zeros(200)], axis=1)
    np.testing.assert_allclose(r.continuous_euler(euler), euler)
    about_z = np.stack([angle, np.zeros(200), np.zeros(200), np.ones(200)], axis=1)
    np.testing.assert_allclose(r.continuous_axis_angle(about_z), about_z)
    # The turns come back from what lost them.
    np.testing.assert_allclose(
        r.continuous_euler(r.quaternion_to_euler(r.euler_to_quaternion(euler))), euler, atol=1e-9
    )
    through = r.quaternion_to_axis_angle(r.axis_angle_to_quaternion(about_z))
    through[0, 1:] = about_z[0, 1:]
    np.testing.assert_allclose(r.continuous_axis_angle(through), about_z, atol=1e-9)


def test_axis_flips_and_missing_axes_are_mended(random):
    angle = np.sin(np.linspace(0.0, 9.0, 300)) * 2.0
    smooth = np.stack([angle, *np.repeat([[0.6], [0.0], [0.8]], 300, axis=1)], axis=1)
    flipped = smooth * random.choice([-1.0, 1.0], (300, 1))
    flipped[0] = smooth[0]
    flipped[:, 0] += 2.0 * np.pi * random.integers(-1, 2, 300)
    flipped[0, 0] = smooth[0, 0]
    np.testing.assert_allclose(r.continuous_axis_angle(flipped), smooth, atol=1e-9)
    gap = smooth.copy()
    gap[100:110, 1:] = 0.0
    mended = r.continuous_axis_angle(gap)
    same_rotations(r.axis_angle_to_quaternion(mended), r.axis_angle_to_quaternion(gap))
    np.testing.assert_allclose(mended[:, 1:], smooth[:, 1:])


@pytest.mark.parametrize("name", ["continuous_quaternion", "continuous_axis_angle"])
def test_one_frame_is_enough(name):
    np.testing.assert_allclose(getattr(r, name)([[0.0, 1.0, 0.0, 0.0]]), [[0.0, 1.0, 0.0, 0.0]])
    np.testing.assert_allclose(r.continuous_euler([[0.1, 0.2, 7.0]]), [[0.1, 0.2, 7.0]])


def test_unknown_order_is_a_sentence():
    with pytest.raises(InputError, match="no Euler order called 'XXY'"):
        r.euler_to_matrix([0.0, 0.0, 0.0], "XXY")
