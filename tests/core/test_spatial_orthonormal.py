# SPDX-License-Identifier: GPL-3.0-or-later
"""Orthonormalisation: the paper's rounds, its second-order property, and what happens where it gives up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.transform import Rotation

from core.spatial import nearest_rotation, orthonormalise


def by_the_paper(matrix):
    """Section 4.2 word for word, one matrix at a time."""
    x, y, z = (matrix / np.linalg.norm(matrix, axis=0)).T
    for _ in range(10):
        if np.dot(x, y) ** 2 + np.dot(y, z) ** 2 + np.dot(z, x) ** 2 < 1e-6:
            break
        u, v, w = np.cross(y, z), np.cross(z, x), np.cross(x, y)
        moved = [(a + b / np.linalg.norm(b)) / 2 for a, b in ((x, u), (y, v), (z, w))]
        x, y, z = (a / np.linalg.norm(a) for a in moved)
    return np.column_stack((x, y, z))


def is_rotation(matrices):
    np.testing.assert_allclose(
        np.swapaxes(matrices, -1, -2) @ matrices, np.broadcast_to(np.eye(3), matrices.shape), atol=1e-10
    )
    np.testing.assert_allclose(np.linalg.det(matrices), 1.0, atol=1e-10)


def angles_between(a, b):
    return np.degrees(Rotation.from_matrix((np.swapaxes(a, -1, -2) @ b).reshape(-1, 3, 3)).magnitude())


def test_follows_the_paper():
    rng = np.random.default_rng(0)
    matrices = Rotation.random(200, random_state=0).as_matrix() + rng.normal(scale=0.3, size=(200, 3, 3))
    matrices = matrices[np.linalg.det(matrices / np.linalg.norm(matrices, axis=1, keepdims=True)) > 0.2]
    matrices = matrices[np.linalg.norm(matrices, axis=1).min(axis=1) > 0.2]
    assert len(matrices) > 150
    result = orthonormalise(matrices)
    is_rotation(result)
    # The paper stops at cosines of a thousandth, here the last digits are worked out too.
    np.testing.assert_allclose(result, [by_the_paper(m) for m in matrices], atol=2e-3)


def test_rotations_stay_as_they_are():
    matrices = Rotation.random(50, random_state=1).as_matrix()
    np.testing.assert_allclose(orthonormalise(matrices), matrices, atol=1e-14)


def test_agrees_to_second_order():
    """Section 4.2: R + t M with M orthogonal to the rotations at R comes back to R, off by t^2."""
    rng = np.random.default_rng(2)
    rotations = Rotation.random(100, random_state=2).as_matrix()
    symmetric = rng.normal(size=(100, 3, 3))
    normal = rotations @ (symmetric + np.swapaxes(symmetric, -1, -2)) / 2
    errors = [
        np.abs(orthonormalise(rotations + t * normal) - rotations).max(axis=(1, 2)) for t in (2e-3, 1e-3)
    ]
    assert errors[0].max() < 20 * 2e-3**2
    ratios = errors[0] / errors[1]
    assert np.median(ratios) == pytest.approx(4.0, abs=0.1)


def test_a_turn_is_kept_to_first_order_where_gram_schmidt_is_not_special():
    """The paper's example: the identity disturbed within the rotations turns, and by the right amount."""
    disturbance = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    result = orthonormalise(np.eye(3) + 0.01 * disturbance)
    np.testing.assert_allclose(result, Rotation.from_rotvec([0, 0, -np.arctan(0.01)]).as_matrix(), atol=1e-12)


def test_no_axis_is_favoured():
    rng = np.random.default_rng(3)
    matrix = np.eye(3) + rng.normal(scale=0.2, size=(3, 3))
    cycle = np.eye(3)[:, [1, 2, 0]]
    np.testing.assert_allclose(orthonormalise(matrix @ cycle), orthonormalise(matrix) @ cycle, atol=1e-12)
    np.testing.assert_allclose(orthonormalise(cycle @ matrix), cycle @ orthonormalise(matrix), atol=1e-12)


@pytest.mark.parametrize(
    "matrix",
    [
        np.zeros((3, 3)),
        -np.eye(3),
        np.diag([1.0, 1.0, 0.0]),
        np.ones((3, 3)),
        np.diag([1.0, 1.0, -1.0]),
        1e-300 * np.eye(3),
    ],
)
def test_degenerate_matrices_give_a_nearest_rotation(matrix):
    result = orthonormalise(matrix)
    is_rotation(result)
    rivals = Rotation.random(3000, random_state=4).as_matrix()
    best = np.linalg.norm(rivals - matrix, axis=(1, 2)).min()
    assert np.linalg.norm(result - matrix) <= best + 1e-9


def test_nearest_rotation_beats_every_other():
    matrices = np.random.default_rng(5).normal(size=(20, 3, 3))
    found = nearest_rotation(matrices)
    is_rotation(found)
    rivals = Rotation.random(2000, random_state=5).as_matrix()
    for matrix, mine in zip(matrices, found, strict=True):
        assert np.linalg.norm(mine - matrix) <= np.linalg.norm(rivals - matrix, axis=(1, 2)).min() + 1e-12


def test_the_fall_back_has_no_seam():
    """Along a path into a degenerate matrix the result moves smoothly, also where the fall-back begins."""
    rng = np.random.default_rng(6)
    for _ in range(20):
        start = Rotation.random(random_state=rng.integers(1000)).as_matrix() + rng.normal(
            scale=0.1, size=(3, 3)
        )
        flat = start.copy()
        flat[:, 2] = 0.6 * start[:, 0] + 0.8 * start[:, 1]
        path = start + np.linspace(0, 0.999, 4000)[:, None, None] * (flat - start)
        result = orthonormalise(path)
        assert angles_between(result[1:], result[:-1]).max() < 1.0


def test_previous_frame_keeps_an_undecided_bone_still():
    previous = Rotation.from_euler("z", 70, degrees=True).as_matrix()
    np.testing.assert_allclose(orthonormalise(np.zeros((3, 3)), previous), previous, atol=1e-12)
    clear = Rotation.from_euler("x", 20, degrees=True).as_matrix()
    np.testing.assert_allclose(orthonormalise(clear, previous), clear, atol=1e-12)


def test_crossing_between_opposite_poses_takes_several_frames():
    """Half-way between 0 and 180 degrees there is no answer; the previous frame spreads the turn out."""
    ends = Rotation.from_euler("z", [[0], [180]], degrees=True).as_matrix()
    shares = np.linspace(0, 1, 241)[:, None, None]
    path = (1 - shares) * ends[0] + shares * ends[1]
    alone = orthonormalise(path)
    assert angles_between(alone[1:], alone[:-1]).max() > 89.0
    shown = [alone[0]]
    for matrix in path[1:]:
        shown.append(orthonormalise(matrix, shown[-1]))
    shown = np.array(shown)
    is_rotation(shown)
    assert angles_between(shown[1:], shown[:-1]).max() < 60.0
    np.testing.assert_allclose(shown[-1], ends[1], atol=1e-9)


@settings(max_examples=200, deadline=None)
@given(hnp.arrays(float, (4, 3, 3), elements=st.floats(-1e6, 1e6)))
def test_whatever_comes_in_rotations_come_out(matrices):
    is_rotation(orthonormalise(matrices))
    is_rotation(orthonormalise(matrices, np.tile(np.eye(3), (4, 1, 1))))
