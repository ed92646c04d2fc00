# SPDX-License-Identifier: GPL-3.0-or-later
"""Orthonormalisation: the paper's rounds, its second-order property, and what happens where it gives up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.transform import Rotation

from core.spatial import nearest_rotation, orthonormal, orthonormalise
from core.spatial.orthonormal import Orthonormaliser


def turned(rng, count):
    return Rotation.random(count, random_state=int(rng.integers(1000))).as_matrix()


def trusted(spread, count):
    """Rotations disturbed by `spread` that do not come near to where the rounds are not trusted in full."""
    rng = np.random.default_rng(int(1000 * spread))
    matrices = turned(rng, count) + rng.normal(scale=spread, size=(count, 3, 3))
    lengths = np.linalg.norm(matrices, axis=1)
    return matrices[np.minimum(lengths.min(axis=1), np.linalg.det(matrices) / lengths.prod(axis=1)) > 0.21]


def by_the_paper(matrix, residual=1e-6):
    """Section 4.2 word for word, one matrix at a time."""
    x, y, z = (matrix / np.linalg.norm(matrix, axis=0)).T
    for _ in range(10):
        if np.dot(x, y) ** 2 + np.dot(y, z) ** 2 + np.dot(z, x) ** 2 < residual:
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


@pytest.mark.parametrize("spread", [0.02, 0.1, 0.3])
def test_goes_where_the_rounds_of_the_paper_would_go_if_they_never_ended(spread):
    matrices = trusted(spread, 300)
    found = orthonormalise(matrices)
    is_rotation(found)
    np.testing.assert_allclose(found, [by_the_paper(m, residual=0.0) for m in matrices], atol=2e-12)


def test_three_rounds_suffice(monkeypatch):
    matrices = np.concatenate([trusted(spread, 2000) for spread in (0.02, 0.1, 0.3, 0.5)])
    expected = orthonormalise(matrices)
    monkeypatch.setattr(orthonormal, "ROUNDS", 3)
    np.testing.assert_array_equal(orthonormalise(matrices), expected)


# What may come at once: mild and wild blends, turned inside out, flat, without length, rotations as they are.
KINDS = {
    "mild": lambda rng, n: turned(rng, n) + rng.normal(scale=0.02, size=(n, 3, 3)),
    "wild": lambda rng, n: turned(rng, n) + rng.normal(scale=0.4, size=(n, 3, 3)),
    "mirrored": lambda rng, n: turned(rng, n) * [1, 1, -1] + rng.normal(scale=0.1, size=(n, 3, 3)),
    "nearly flat": lambda rng, n: turned(rng, n) @ np.diag([1.0, 0.8, 1e-5]) @ turned(rng, n),
    "nearly nothing": lambda rng, n: 1e-4 * rng.normal(size=(n, 3, 3)),
    "nothing": lambda rng, n: np.zeros((n, 3, 3)),
    "rotations": lambda rng, n: turned(rng, n),
}


@pytest.mark.parametrize("with_previous", [False, True])
@pytest.mark.parametrize("kinds", [*([kind] for kind in KINDS), ["mild", "wild"], list(KINDS)], ids="+".join)
def test_many_at_once_equal_each_alone(kinds, with_previous):
    """The rounds go on with just those that need more: nobody's result may depend on the company."""
    rng = np.random.default_rng(7)
    matrices = np.concatenate([KINDS[kind](rng, 3000) for kind in kinds])
    matrices = matrices[rng.permutation(len(matrices))]
    previous = turned(rng, len(matrices)) if with_previous else None
    together = orthonormalise(matrices, previous)
    is_rotation(together)
    for i in range(0, len(matrices), len(matrices) // 150):
        alone = orthonormalise(matrices[i], None if previous is None else previous[i])
        np.testing.assert_allclose(together[i], alone, atol=2e-12)


def test_room_that_was_used_before_is_as_good_as_new():
    rng = np.random.default_rng(8)
    room = Orthonormaliser(500)
    for kind in ("wild", "nothing", "mild", "mirrored", "rotations"):
        matrices = KINDS[kind](rng, 500)
        room.entries[...] = np.moveaxis(matrices, 0, -1)
        again = np.moveaxis(room.rotations()[0], -1, 0)
        np.testing.assert_array_equal(again, orthonormalise(matrices))


def trusted_in_single_precision(matrices):
    room = Orthonormaliser(len(matrices), np.float32)
    room.entries[...] = np.moveaxis(matrices, 0, -1)
    rotations, left_out = room.trusted_rotations()
    return np.moveaxis(rotations, -1, 0), left_out


@pytest.mark.parametrize("size", [1.0, 10.0, 1e5])
@pytest.mark.parametrize("spread", [0.02, 0.1, 0.3, 0.5])
def test_single_precision_comes_to_the_same(spread, size):
    matrices = trusted(spread, 5000)
    found, left_out = trusted_in_single_precision(size * matrices)
    assert found.dtype == np.float32
    assert len(left_out) == 0
    np.testing.assert_allclose(found, orthonormalise(matrices), atol=5e-7)


@pytest.mark.parametrize("kind", ["mirrored", "nearly flat", "nearly nothing", "nothing"])
def test_single_precision_leaves_out_what_it_cannot_do(kind):
    rng = np.random.default_rng(9)
    matrices = trusted(0.1, 200)
    found, left_out = trusted_in_single_precision(np.concatenate((matrices, KINDS[kind](rng, 50))))
    np.testing.assert_array_equal(left_out, np.arange(len(matrices), len(matrices) + 50))
    np.testing.assert_allclose(found[: len(matrices)], orthonormalise(matrices), atol=5e-7)
    np.testing.assert_allclose(found[len(matrices) :], np.tile(np.eye(3), (50, 1, 1)), atol=1e-12)


def test_doubt_is_about_short_axes_and_little_volume():
    matrices = np.stack([np.diag([1, 1, size]) for size in (0.21, 0.19, -1.0)] + [np.eye(3)] * 2)
    # The sine of the angle to the second axis is the volume that is left.
    matrices[3, :, 0] = [np.sin(0.19), np.cos(0.19), 0.0]
    matrices[4, :, 0] = [np.sin(0.21), np.cos(0.21), 0.0]
    room = Orthonormaliser(5)
    room.entries[...] = np.moveaxis(matrices, 0, -1)
    np.testing.assert_array_equal(room.rotations()[1], [1, 2, 3])


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


@pytest.mark.parametrize("odd", [0.1 * np.eye(3), np.diag([1.0, 1.0, 0.1]), np.diag([1.0, 1.0, -1.0])])
def test_one_doubtful_matrix_among_many_is_left_out(odd):
    room = Orthonormaliser(50, np.float32)
    room.entries[...] = np.eye(3)[..., None]
    room.entries[:, :, 17] = odd
    assert room.trusted_rotations()[1].tolist() == [17]


def test_matrices_that_are_all_short_are_all_left_out():
    room = Orthonormaliser(50, np.float32)
    room.entries[...] = 0.1 * np.eye(3)[..., None]
    assert len(room.trusted_rotations()[1]) == 50
