# SPDX-License-Identifier: GPL-3.0-or-later
"""What people see first in reduced motion, each measured on a motion whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.spatial.transform import Rotation

from core import InputError, metrics
from core.feet.contacts import Contact, contact_at


def contact(points: np.ndarray, first: int, last: int, point: int = 0) -> Contact:
    return contact_at(points[:, point], point, first, last)


def test_slide_is_the_farthest_two_places_level():
    points = np.random.default_rng(3).normal(size=(60, 2, 3))
    points[..., 2] *= 50.0  # up and down does not slide
    contacts = [contact(points, 0, 29), contact(points, 20, 59, 1)]
    found = metrics.slides(points, contacts)
    exact = [pdist(points[:30, 0, :2]).max(), pdist(points[20:, 1, :2]).max()]
    assert np.all(found <= exact)
    np.testing.assert_allclose(found, exact, rtol=0.006)


def test_slide_is_the_same_for_another_up():
    points = np.random.default_rng(4).normal(size=(40, 1, 3))
    turn = Rotation.from_euler("xyz", [40, 20, 70], degrees=True).as_matrix()
    there = metrics.slides(points @ turn.T, [contact(points, 0, 39)], turn @ [0.0, 0.0, 1.0])
    np.testing.assert_allclose(there, metrics.slides(points, [contact(points, 0, 39)]), rtol=0.012)


def test_sinking_counts_from_what_each_foot_stands_on():
    original = np.zeros((90, 1, 3))
    original[60:, 0, 2] = 0.2  # a step up
    original[30:60, 0, 2] = 0.3
    contacts = [contact(original, 0, 29), contact(original, 60, 89)]
    other = original.copy()
    other[70, 0, 2] = 0.17
    other[45, 0, 2] = 0.12  # higher than the stairs are there: that is no sinking
    assert metrics.sinking(original, other, contacts) == pytest.approx(0.03)
    assert metrics.sinking(original, original - [0.0, 0.0, 0.01], contacts) == pytest.approx(0.01)
    assert metrics.sinking(original, original, contacts) == 0.0
    assert metrics.sinking(original, other, []) == 0.0


def test_flight_error_is_a_change_of_level_speed_in_the_air():
    times = np.arange(90) / 30.0
    body = np.zeros((90, 3, 3))
    body[:, :, 0] = 2.0 * times[:, None]
    body[:, 1:, 2] = 0.9, 1.7
    body[30:60, :, 2] += 0.2  # in the air
    contacts = [contact(body, 0, 29), contact(body, 60, 89)]
    swerving = body.copy()
    swerving[:, :, 1] += 0.1 * times[:, None]
    assert metrics.flight_error(body, body, contacts, times) == pytest.approx(0.0, abs=1e-9)
    assert metrics.flight_error(body, swerving, contacts, times) == pytest.approx(0.1)
    assert metrics.flight_error(body, swerving, [contact(body, 0, 89)], times) == 0.0
    assert metrics.flight_error(body, swerving, [], times) == 0.0


@pytest.mark.parametrize("start", range(0, 100, 7))
def test_a_flight_of_a_tenth_of_a_second_counts_wherever_it_begins(start):
    body = np.zeros((12, 3, 3))
    body[:, 1:, 2] = 0.9, 1.7
    body[4:8, :, 2] += 0.2
    swerving = body.copy()
    swerving[:, :, 1] += 0.01 * np.arange(12)[:, None]
    contacts = [contact(body, 0, 3), contact(body, 8, 11)]
    times = (start + np.arange(12)) / 30.0
    assert metrics.flight_error(body, swerving, contacts, times) == pytest.approx(0.3)


def test_who_sits_down_does_not_fly():
    """The feet slide along the ground while the body comes to rest: that is no change of speed in the air."""
    times = np.arange(90) / 30.0
    body = np.zeros((90, 3, 3))
    body[:, 1:, 2] = 0.9, 1.7
    body[30:60, :, 0] = 0.6 * np.linspace(0.0, 1.0, 30)[:, None] ** 2
    body[60:, :, 0] = 0.6
    contacts = [contact(body, 0, 29), contact(body, 60, 89)]
    assert metrics.flight_error(body, body, contacts, times) == 0.0
    body[40:50, :, 2] += 0.1
    assert metrics.flight_error(body, body, contacts, times) > 0.3


def test_added_jerk():
    times = np.linspace(0.0, 2.0, 400)
    calm = np.zeros((400, 1, 3))
    cubic = calm.copy()
    cubic[:, 0, 0] = times**3
    assert metrics.added_jerk(calm, cubic, times) == pytest.approx(6.0, rel=0.02)
    assert metrics.added_jerk(cubic, calm, times) == 0.0
    assert metrics.added_jerk(calm[:3], cubic[:3], times[:3]) == 0.0


def test_error_beside_bones_sees_a_turn_that_heads_do_not():
    still = np.tile(np.eye(4), (5, 2, 1, 1)) * [2.0, 2.0, 2.0, 1.0]  # the scale of a bone does not count
    turned = still.copy()
    angle = 0.3
    turned[:, 1, :3, :3] = 2.0 * Rotation.from_rotvec([0.0, angle, 0.0]).as_matrix()
    moved = still.copy()
    moved[:, 0, :3, 3] += [0.0, 0.0, 0.5]
    found = metrics.errors_beside_bones(still, turned, 0.03)
    np.testing.assert_allclose(found[:, 0], 0.0)
    np.testing.assert_allclose(found[:, 1], 2.0 * 0.03 * np.sin(angle / 2.0))
    np.testing.assert_allclose(metrics.errors_beside_bones(still, moved, 0.03)[:, 0], 0.5)
    with pytest.raises(InputError, match="Matrices"):
        metrics.errors_beside_bones(np.zeros((2, 3)), np.zeros((2, 3)), 0.03)
