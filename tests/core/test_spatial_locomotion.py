# SPDX-License-Identifier: GPL-3.0-or-later
"""Locomotion: the contact never slides, the air keeps the speed, and small dips do not waddle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from core import InputError
from core.spatial import Ground, Locomotion, walk


def treadmill(frames=120, stride=0.6, lift=0.15, dip=None):
    """Two feet of a character that walks on the spot towards +x: one on the ground moves back, one swings."""
    time = np.arange(frames) / 24.0
    points = np.zeros((frames, 2, 3))
    for foot in (0, 1):
        phase = (time + 0.5 * foot) % 1.0
        stance = phase < 0.5
        share = np.where(stance, phase / 0.5, (phase - 0.5) / 0.5)
        points[:, foot, 0] = np.where(stance, 0.5 - share, share - 0.5) * stride
        points[:, foot, 1] = 0.2 * (foot - 0.5)
        swing = lift * np.sin(np.pi * share)
        if dip is not None:
            swing[np.abs(share - 0.5) < 0.2] = -dip
        points[:, foot, 2] = np.where(stance, 0.0, swing)
    return points


def slides(points, result):
    """How far the contact moves over the ground wherever it is the contact in two frames running."""
    placed = points + result.offsets[:, None]
    rows = np.flatnonzero((result.contacts[1:] == result.contacts[:-1]) & (result.contacts[1:] >= 0))
    kept = result.contacts[rows]
    return np.linalg.norm((placed[rows + 1, kept] - placed[rows, kept])[:, :2], axis=1)


def test_no_foot_slides_while_it_is_the_contact():
    points = treadmill()
    result = walk(points, 24)
    moved = slides(points, result)
    assert len(moved) > 100
    assert moved.max() < 1e-12


def test_walking_goes_forward_by_a_stride_each_step():
    result = walk(treadmill(frames=24 * 10 + 1), 24)
    assert result.offsets[-1, 0] == pytest.approx(10 * 2 * 0.6)
    assert np.diff(result.offsets[:, 0]).min() > -1e-9
    assert np.abs(result.offsets[:, 2]).max() == 0.0


def test_without_margin_a_dipping_foot_waddles_and_with_it_does_not():
    points = treadmill(dip=0.004)
    waddling = np.diff(walk(points, 24, Ground(margin=0.0)).offsets[:, 0])
    steady = np.diff(walk(points, 24, Ground(margin=0.01)).offsets[:, 0])
    assert waddling.min() < -1e-3
    assert steady.min() > -1e-9
    assert slides(points, walk(points, 24, Ground(margin=0.01))).max() < 1e-12


def contact_at(height, ground):
    """Who holds after the only foot stood and then rose to a height."""
    locomotion = Locomotion(ground)
    for z in (0.0, height):
        locomotion.step([[0, 0, z]], 0.1)
    return locomotion.contact


def test_a_contact_lets_go_where_it_has_risen_the_margin_above_touching():
    ground = Ground(touch=0.02, margin=0.01)
    assert contact_at(0.029, ground) == 0
    assert contact_at(0.031, ground) == -1


def test_a_foot_in_the_air_touches_only_without_the_margin():
    ground = Ground(touch=0.02, margin=0.01)
    for height, contact in ((0.019, 0), (0.021, -1)):
        locomotion = Locomotion(ground)
        locomotion.step([[0, 0, height]], 0.1)
        assert locomotion.contact == contact


def test_a_contact_gives_way_to_a_foot_that_is_lower_by_more_than_the_margin():
    ground = Ground(touch=0.02, margin=0.01)
    for lower, contact in ((0.009, 0), (0.011, 1)):
        locomotion = Locomotion(ground)
        locomotion.step([[0, 0, 0], [1, 0, 0.5]], 0.1)
        locomotion.step([[0, 0, 0.015], [1, 0, 0.015 - lower]], 0.1)
        assert locomotion.contact == contact


def test_a_lifted_contact_holds_on_though_a_lower_foot_does_not_touch():
    ground = Ground(touch=0.02, margin=0.01)
    locomotion = Locomotion(ground)
    locomotion.step([[0, 0, 0], [1, 0, 0.5]], 0.1)
    locomotion.step([[0, 0, 0.0295], [1, 0, 0.0205]], 0.1)
    assert locomotion.contact == 0
    little_margin = Locomotion(Ground(touch=0.02, margin=0.005))
    little_margin.step([[0, 0, 0], [1, 0, 0.5]], 0.1)
    little_margin.step([[0, 0, 0.0249], [1, 0, 0.0151]], 0.1)
    assert little_margin.contact == 1


def test_while_both_feet_are_down_the_one_that_held_goes_on_holding():
    """The contact changes in the second frame, but until then the base slid with the first foot."""
    locomotion = Locomotion(Ground(touch=0.02, margin=0.01))
    locomotion.step([[0, 0, 0.0], [1, 0, 0.015]], 0.1)
    offset = locomotion.step([[-0.3, 0, 0.02], [0.9, 0, 0.0]], 0.1)
    assert locomotion.contact == 1
    assert offset[0] == pytest.approx(0.3)


def test_in_the_air_the_speed_is_kept():
    frames = 40
    points = np.zeros((frames, 1, 3))
    points[:, 0, 0] = -0.1 * np.arange(frames)
    points[15:25, 0, 2] = 0.5
    result = walk(points, 24)
    np.testing.assert_array_equal(result.contacts[15:25], -1)
    np.testing.assert_allclose(np.diff(result.offsets[:, 0]), 0.1, atol=1e-12)
    # The speed of take-off, whatever the limbs do in the air.
    points[16:24, 0, 0] += np.random.default_rng(0).normal(size=8)
    np.testing.assert_allclose(np.diff(walk(points, 24).offsets[:25, 0]), 0.1, atol=1e-12)


def test_in_the_air_nothing_that_steps_back_brakes():
    points = np.zeros((30, 2, 3))
    points[:, 0, 0] = -0.1 * np.arange(30)
    points[:, 1, 2] = 0.5
    points[15:, :, 2] = 0.5
    points[15:, 1, 0] = 0.2 * np.arange(15)  # a leg that swings forward
    gone = walk(points, 24, Ground(steady_speed=0.1)).offsets[:, 0]
    np.testing.assert_allclose(np.diff(gone), 0.1, atol=1e-12)


def test_speed_is_by_the_second_not_by_the_step():
    locomotion = Locomotion()
    for x, seconds in ((0.0, 0.1), (-0.2, 0.1)):
        locomotion.step([[x, 0, 0]], seconds)
    flying = locomotion.step([[0, 0, 1]], 0.5)
    assert flying[0] == pytest.approx(0.2 + 2.0 * 0.5)


def test_nothing_to_hold_on_to_stays_where_it_is():
    points = np.random.default_rng(1).normal(loc=50.0, size=(20, 3, 3))
    np.testing.assert_array_equal(
        walk(points, 24, offset=[1, 2, 0]).offsets, np.tile([1.0, 2.0, 0.0], (20, 1))
    )
    np.testing.assert_array_equal(walk(np.empty((5, 0, 3)), 24).offsets, 0.0)


def test_the_height_of_the_ground_counts():
    points = treadmill() + np.array([0, 0, 3.0])
    assert (walk(points, 24).contacts == -1).all()
    np.testing.assert_allclose(
        walk(points, 24, Ground(height=3.0)).offsets, walk(treadmill(), 24).offsets, atol=1e-12
    )


def test_solid_ground_lets_nothing_sink():
    points = treadmill() - [0, 0, 0.3]
    result = walk(points, 24, Ground(solid=True))
    assert (points + result.offsets[:, None])[..., 2].min() == pytest.approx(0.0)
    assert slides(points, result).max() < 1e-12


def test_solid_ground_counts_from_where_the_feet_are_lifted_to():
    """A toe that is above the other foot is above the ground as well, and does not hold."""
    points = np.zeros((20, 2, 3))
    points[:, 0, 2] = -0.1  # stands, once it is lifted
    points[:, 1, 0] = np.linspace(0.0, 1.0, 20)
    points[:, 1, 2] = 0.01
    result = walk(points, 24, Ground(solid=True))
    assert (result.contacts == 0).all()
    np.testing.assert_allclose(result.offsets, [[0.0, 0.0, 0.1]] * 20)


def hasty(frames=120, high=0.07, early=0.3):
    """The treadmill of one who sets a foot down while it still swings, the rear toe high up by then."""
    points = treadmill(frames)
    time = np.arange(frames) / 24.0
    for foot in (0, 1):
        phase = (time + 0.5 * foot) % 1.0
        landing = phase > 1.0 - early / 2.0
        points[landing, foot, 2] = 0.0
        leaving = (phase > 0.5 - early / 2.0) & (phase < 0.5)
        points[leaving, foot, 2] = high * (phase[leaving] - 0.5 + early / 2.0) / (early / 2.0)
    return points


@pytest.mark.parametrize("way", [1, -1], ids=["forward", "backward"])
def test_a_foot_that_is_set_down_too_early_does_not_push_back(way):
    points = hasty()[::way]
    plain = way * np.diff(walk(points, 24).offsets[:, 0])
    assert (plain < -1e-6).sum() >= 14, "this is the waddle"
    result = walk(points, 24, Ground(steady_speed=0.1))
    gone = way * result.offsets[:, 0]
    assert np.diff(gone)[24:].min() > -1e-9, "once it is under way"
    assert gone[-1] > way * walk(points, 24).offsets[-1, 0]
    assert slides(points, result).max() < 1e-12


def test_who_has_just_begun_to_run_does_not_step_back():
    """The first foot stands for two frames only; the next is set down while it still swings forward."""
    points = np.zeros((8, 2, 3))
    points[:, 0, 0] = -0.1 * np.arange(8)
    points[3:, 0, 2] = 0.5
    points[:3, 1, 2] = 0.5
    points[:, 1, 0] = 0.0, 0.2, 0.4, 0.6, 0.76, 0.66, 0.56, 0.46
    assert np.diff(walk(points, 24).offsets[:, 0]).min() < -0.1, "this is the step back"
    for known in (True, False):
        gone = walk(points, 24, Ground(steady_speed=0.1), looks_ahead=known).offsets[:, 0]
        assert np.diff(gone).min() > -1e-9
        assert gone[-1] > 0.5


def dragging(frames=120, dip=0.004, heel=0.15):
    """The treadmill with two points a foot: swinging toes dip below the standing foot, heels are high."""
    toes = treadmill(frames)
    heels = toes - [0.1, 0.0, 0.0]
    swings = toes[..., 2] > 0.0
    heels[swings, 2] = heel
    toes[swings, 2] = -dip
    return np.stack([toes, heels], axis=2).reshape(frames, 4, 3), [0, 0, 1, 1]


def test_a_toe_that_drags_below_the_foot_that_stands_does_not_say_where_it_goes():
    points, feet = dragging()
    ground = Ground(steady_speed=0.1)
    assert walk(points, 24, ground).offsets[-1, 0] < -1.0, "by the lowest points alone it goes backward"
    result = walk(points, 24, ground, feet=feet)
    assert np.diff(result.offsets[:, 0]).min() > 0.0
    assert result.offsets[-1, 0] == pytest.approx(2 * 0.6 * 119 / 24)
    assert slides(points, result).max() < 1e-12


def test_a_foot_that_is_lowest_but_off_the_ground_says_nothing():
    """Both are equally low on the whole when the one that pushed off lets go: the toe that is left swings."""
    points, feet = np.zeros((4, 4, 3)), [0, 0, 1, 1]
    points[:, :2, 0] = -0.1 * np.arange(4)[:, None]
    points[:, 2:, 0] = 0.3 * np.arange(4)[:, None]
    points[:, :, 2] = [[0, 0, 0.1, 0.1], [0, 0, 0.1, 0.1], [0.04, 0.04, 0.0, 0.1], [0.04, 0.04, 0.0, 0.1]]
    gone = walk(points, 24, Ground(steady_speed=0.1), feet=feet).offsets[:, 0]
    assert np.diff(gone).min() > 0.0


@pytest.mark.parametrize("moment", ["landing", "lifting"])
def test_a_foot_that_lands_or_lifts_says_nothing(moment):
    """It swings forward until it is down, or from then on; what it says then would be the way back."""
    lands = moment == "landing"
    points = np.zeros((6, 2, 3))
    points[:, 0, 0] = [-0.4, 0.0, -0.1, -0.2, -0.3, -0.4] if lands else [0.0, 0.4, 0.8, 1.2, 1.6, 2.0]
    points[:, 0, 2] = [0.5, 0, 0, 0, 0, 0] if lands else [0, 0.5, 0.5, 0.5, 0.5, 0.5]
    points[:, 1, 0] = -0.1 * np.arange(6)
    points[:, 1, 2] = 0.6 if lands else [0.6, 0, 0, 0, 0, 0]
    for known in (True, False):
        gone = walk(points, 24, Ground(steady_speed=0.1), looks_ahead=known).offsets[:, 0]
        np.testing.assert_allclose(gone[1:] - gone[1], 0.1 * np.arange(5), atol=1e-12)


def test_no_time_says_nothing():
    locomotion = Locomotion(Ground(steady_speed=0.1))
    for x in (0.0, 0.3):
        locomotion.step([[x, 0, 0]], 0.0)
    assert locomotion.step([[0.2, 0, 0]], 0.1)[0] == pytest.approx(-0.2)


def test_a_motion_that_is_known_sets_out_to_where_it_goes():
    """It begins while the toe that pushed off still drags: step by step that is seen too late."""
    points, feet = dragging(60)
    points[:4, 2, 2] = 0.0
    points[:4, 3, 2] = 0.005
    points[:4, :2, 2] = [[0.012, 0.06], [0.009, 0.04], [0.006, 0.02], [0.003, 0.01]]
    ground = Ground(steady_speed=0.1)
    live = Locomotion(ground, feet)
    shown = np.array([live.step(placed, 1 / 24) for placed in points])
    assert np.diff(shown[:, 0]).min() < -1e-3
    assert np.diff(walk(points, 24, ground, feet=feet).offsets[:, 0]).min() > -1e-9


def test_who_turns_round_goes_back():
    there = treadmill(72)
    points = np.concatenate([there, there[::-1]])
    gone = walk(points, 24, Ground(steady_speed=0.1)).offsets[:, 0]
    assert gone[71] > 1.5
    assert gone[-1] < 0.5 * gone[71]


def test_swaying_in_place_is_no_step():
    """Below the speed nothing is held back: both feet stand and the hips sway."""
    sway = 0.01 * np.sin(np.arange(60) / 5.0)
    points = np.zeros((60, 2, 3))
    points[:, :, 0] = sway[:, None]
    for ground in (Ground(), Ground(steady_speed=0.1)):
        np.testing.assert_allclose(walk(points, 24, ground).offsets[:, 0], sway[0] - sway, atol=1e-12)


def test_turning_the_world_turns_the_way():
    points = treadmill()
    angle = 0.7
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    np.testing.assert_allclose(
        walk(points @ turn.T, 24).offsets, walk(points, 24).offsets @ turn.T, atol=1e-12
    )


def test_stepping_equals_the_whole_way_and_reset_begins_again():
    points = treadmill(30)
    locomotion = Locomotion()
    for _ in range(2):
        stepped = [locomotion.step(p, 1 / 24) for p in points]
        np.testing.assert_array_equal(stepped, walk(points, 24).offsets)
        locomotion.reset()


@settings(max_examples=100, deadline=None)
@given(
    hnp.arrays(
        float, st.tuples(st.integers(1, 30), st.integers(1, 4), st.just(3)), elements=st.floats(-0.1, 0.1)
    )
)
def test_the_contact_never_slides_whatever_the_limbs_do(points):
    moved = slides(points, walk(points, 30))
    assert len(moved) == 0 or moved.max() < 1e-12


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Ground(margin=-1), "margin"),
        (lambda: Ground(height=np.nan), "height"),
        (lambda: walk(np.zeros((3, 2)), 24), "shape"),
        (lambda: walk(np.zeros((3, 2, 3)), 0), "frame rate"),
        (lambda: Locomotion().step([[0, 0, 0]], -1), "time"),
        (lambda: walk(np.zeros((3, 2, 3)), 24, feet=[0, 0.5]), "feet must be whole"),
        (lambda: walk(np.zeros((3, 2, 3)), 24, feet=[0, 0, 1]), "shape"),
    ],
)
def test_bad_input_gets_a_sentence(call, words):
    with pytest.raises(InputError, match=words):
        call()


def test_changing_the_points_needs_a_reset():
    locomotion = Locomotion()
    locomotion.step(np.zeros((2, 3)), 0.1)
    with pytest.raises(InputError, match="reset"):
        locomotion.step(np.zeros((3, 3)), 0.1)


def test_rounding_does_not_choose_between_points_that_are_equally_low():
    feet = np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    for lower in (0, 1):
        rounded = feet.copy()
        rounded[lower, 2] -= 1e-7
        locomotion = Locomotion(Ground(touch=0.02))
        locomotion.step(rounded, 0.0)
        assert locomotion.contact == 0
