# SPDX-License-Identifier: GPL-3.0-or-later
"""Two bones reach their place, keep their lengths, and bend no other way than before."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from core.feet.two_bone import reach_for


def limbs(count: int = 500, seed: int = 1) -> tuple[np.ndarray, ...]:
    random = np.random.default_rng(seed)
    start, upper, lower = random.normal(size=(3, count, 3))
    middle, end = start + upper, start + upper + lower
    long, short = np.linalg.norm(upper, axis=1), np.linalg.norm(lower, axis=1)
    way = random.normal(size=(count, 3))
    far = np.abs(long - short) + random.uniform(0.02, 0.98, count) * (long + short - np.abs(long - short))
    return start, middle, end, start + far[:, None] * way / np.linalg.norm(way, axis=1, keepdims=True)


def played(start, middle, end, turns) -> tuple[np.ndarray, np.ndarray]:
    knee = start + np.einsum("fij,fj->fi", turns.upper, middle - start)
    return knee, knee + np.einsum("fij,fj->fi", turns.lower, end - middle)


def test_the_place_is_reached_by_rotations():
    start, middle, end, target = limbs()
    turns = reach_for(start, middle, end, target, np.zeros((500, 3)))
    np.testing.assert_allclose(played(start, middle, end, turns)[1], target, atol=1e-9)
    for each in turns:
        np.testing.assert_allclose(each @ each.swapaxes(1, 2) - np.eye(3), 0.0, atol=1e-9)
        np.testing.assert_allclose(np.linalg.det(each), 1.0)


def test_where_it_is_nothing_turns():
    start, middle, end, _ = limbs()
    for each in reach_for(start, middle, end, end, np.zeros((500, 3))):
        np.testing.assert_allclose(each - np.eye(3), 0.0, atol=1e-6)


def test_a_nearer_place_only_bends_the_knee_in_its_plane():
    start, middle, end, _ = limbs()
    target = start + 0.95 * (end - start)
    turns = reach_for(start, middle, end, target, np.zeros((500, 3)))
    normal = np.cross(middle - start, end - middle)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    knee, ankle = played(start, middle, end, turns)
    after = np.cross(knee - start, ankle - knee)
    after /= np.linalg.norm(after, axis=1, keepdims=True)
    np.testing.assert_allclose(after, normal, atol=1e-6)
    for each in turns:  # about the axis of the knee alone
        np.testing.assert_allclose(np.einsum("fij,fj->fi", each, normal), normal, atol=1e-6)


def test_a_place_as_far_away_turns_the_limb_as_a_whole_the_short_way():
    """Nothing twists: the knee keeps its direction as seen along the way to the ankle."""
    start, middle, end, target = limbs()
    far = np.linalg.norm(end - start, axis=1, keepdims=True)
    before, after = (end - start) / far, target - start
    after = after / np.linalg.norm(after, axis=1, keepdims=True)
    across = np.cross(before, after)
    sine = np.linalg.norm(across, axis=1, keepdims=True)
    angles = np.arctan2(sine[:, 0], np.sum(before * after, axis=1))
    turned = Rotation.from_rotvec(across / sine * angles[:, None]).as_matrix()
    for each in reach_for(start, middle, end, start + far * after, np.zeros((500, 3))):
        np.testing.assert_allclose(each, turned, atol=1e-6)


def test_what_is_out_of_reach_is_pointed_at():
    start, middle, end, target = limbs()
    far = start + 100.0 * (target - start)
    _, ankle = played(start, middle, end, reach_for(start, middle, end, far, np.zeros((500, 3))))
    way, wanted = ankle - start, far - start
    cosine = np.sum(way * wanted, axis=1) / np.linalg.norm(way, axis=1) / np.linalg.norm(wanted, axis=1)
    np.testing.assert_allclose(cosine, 1.0)
    lengths = np.linalg.norm(middle - start, axis=1) + np.linalg.norm(end - middle, axis=1)
    np.testing.assert_allclose(np.linalg.norm(way, axis=1), lengths, rtol=1e-3)


def test_a_straight_limb_bends_the_way_it_is_told():
    start = np.zeros((1, 3))
    middle, end = np.array([[0.0, 0.0, -1.0]]), np.array([[0.0, 0.0, -2.0]])
    turns = reach_for(start, middle, end, np.array([[0.0, 0.0, -1.5]]), np.array([[1.0, 0.0, 0.0]]))
    knee, ankle = played(start, middle, end, turns)
    np.testing.assert_allclose(ankle, [[0.0, 0.0, -1.5]], atol=1e-9)
    assert abs(knee[0, 0]) < 1e-9
    # Turning about X from -Z by a positive angle goes towards +Y, so the shin goes there and the knee to -Y.
    assert knee[0, 1] < -0.5


def test_a_limb_that_bends_a_little_the_wrong_way_bends_the_right_way():
    """What was reduced overshoots: a knee that was straight must not bend back by more."""
    wrong, bend = np.radians(np.linspace(0.0, 8.0, 60)), np.tile([1.0, 0.0, 0.0], (60, 1))
    start, middle = np.zeros((60, 3)), np.tile([0.0, 0.0, -1.0], (60, 1))
    end = middle + np.stack([0.0 * wrong, -np.sin(wrong), -np.cos(wrong)], axis=1)
    knee, ankle = played(start, middle, end, reach_for(start, middle, end, 0.9 * end, bend))
    np.testing.assert_allclose(ankle, 0.9 * end, atol=1e-9)
    assert np.all(np.cross(knee, ankle - knee)[:, 0] > 0.1)
    there = reach_for(start, middle, end, end, bend).upper
    np.testing.assert_allclose(there[22:] - np.eye(3), 0.0, atol=1e-9)


@pytest.mark.parametrize("degrees", [5.0, 6.0, 9.0, 15.0, 30.0])
def test_a_knee_that_is_bent_back_by_far_swings_round(degrees: float):
    """Being straight would lift the foot off its place, and turning over at once is seen as a jump."""
    back, count = np.radians(degrees), 20_000
    bend, start, middle = (np.tile(each, (count, 1)) for each in ([1.0, 0, 0], [0.0, 0, 0], [0, 0, -0.42]))
    end = middle - 0.42 * np.array([0.0, np.sin(back), np.cos(back)])
    lengths = 0.84 * np.cos(np.radians(np.linspace(0.5 * degrees, 1.5 * degrees, count)))
    target = end / np.linalg.norm(end, axis=1, keepdims=True) * lengths[:, None]
    knee, ankle = played(start, middle, end, reach_for(start, middle, end, target, bend))
    sides = np.cross(knee, ankle - knee)[:, 0]
    assert sides[0] < 0.0 < sides[-1]
    assert np.linalg.norm(np.diff(knee, axis=0), axis=1).max() < 0.004
    assert np.linalg.norm(ankle - target, axis=1).max() < 0.0035


@pytest.mark.parametrize("degrees", [2.0, 3.0, 5.0])
def test_a_knee_that_is_bent_back_comes_to_its_own_side_through_being_straight(degrees: float):
    """Not at once, which moved it by three centimetres from one frame to the next."""
    back, count = np.radians(degrees), 1000
    bend, start, middle = (np.tile(each, (count, 1)) for each in ([1.0, 0, 0], [0.0, 0, 0], [0, 0, -0.42]))
    end = middle - 0.42 * np.array([0.0, np.sin(back), np.cos(back)])
    lengths = 0.84 * np.cos(np.radians(np.linspace(0.5 * degrees, 10.0, count)))
    target = end / np.linalg.norm(end, axis=1, keepdims=True) * lengths[:, None]
    knee, ankle = played(start, middle, end, reach_for(start, middle, end, target, bend))
    sides = np.cross(knee, ankle - knee)[:, 0]
    assert sides[0] < 0.0 < sides[-1]
    assert np.linalg.norm(np.diff(knee, axis=0), axis=1).max() < 0.002
    assert np.linalg.norm(ankle - target, axis=1).max() < 0.002


@pytest.mark.parametrize("seed", range(3))
def test_it_turns_along_with_the_world(seed: int):
    start, middle, end, target = limbs(50, seed)
    whole = Rotation.random(random_state=seed).as_matrix()
    here = reach_for(start, middle, end, target, np.zeros((50, 3)))
    there = reach_for(*(each @ whole.T for each in (start, middle, end, target)), np.zeros((50, 3)))
    for first, second in zip(here, there, strict=True):
        np.testing.assert_allclose(whole @ first @ whole.T, second, atol=1e-7)
