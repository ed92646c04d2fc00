# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretches that stand still, solutions with keys at both of their ends, and curves that are level there."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from core import Fitter, InputError, Motion, select
from core.holds import LOSS, STRAYS, UNSEEN, find_holds, select_with_holds

HEIGHT = 1.7


def acting(fps=24.0, *, noise=0.0, sway=0.0):
    """A body of three joints that moves for a second, stands for one and moves for one; its positions."""
    times = np.arange(0.0, 3.0 + 1e-9, 1.0 / fps)
    moved = np.clip(times, 0.0, 1.0) + np.clip(times - 2.0, 0.0, 1.0)
    way = 0.4 * np.sin(np.pi * moved)[:, None] * [0.2, 1.0, 0.0] + np.array([0.0, 0.0, 1.0]) * moved[:, None]
    joints = way[:, None] * np.array([1.0, 0.6, 0.3])[:, None] + np.arange(3)[:, None]
    joints += sway * np.sin(2.0 * np.pi * 0.3 * times)[:, None, None]
    return joints + noise * np.random.default_rng(1).standard_normal(joints.shape)


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0, 120.0])
@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_a_stretch_that_stands_still_is_found_at_any_rate_and_size(fps, scale):
    found = find_holds(acting(fps) * scale, height=HEIGHT * scale, fps=fps)
    assert found.tolist() == [[fps, 2.0 * fps]], "from the frame in which it stops to the last before it goes"


@pytest.mark.parametrize("fps", [12.0, 24.0, 120.0])
def test_poses_that_are_held_in_turn_are_holds_from_end_to_end(fps):
    held = round(fps)
    poses = np.random.default_rng(3).normal(size=(4, 5, 3))
    found = find_holds(np.repeat(poses, held, axis=0), height=HEIGHT, fps=fps)
    assert found.tolist() == [[n * held, (n + 1) * held - 1] for n in range(4)]


@pytest.mark.parametrize(("noise", "sway"), [(0.0003, 0.0), (0.0005, 0.0), (0.0003, 0.001)])
def test_noise_and_sway_that_nobody_sees_do_not_hide_it(noise, sway):
    found = find_holds(acting(60.0, noise=noise, sway=sway), height=HEIGHT, fps=60.0)
    assert len(found) == 1
    assert found[0] / 60.0 == pytest.approx([1.0, 2.0], abs=0.12)


def test_who_stands_and_sways_does_not_stand_still():
    assert not len(find_holds(acting(60.0, sway=0.004), height=HEIGHT, fps=60.0))


@pytest.mark.parametrize("sway", [0.0, 0.0005, 0.001, 0.002, 0.003, 0.005])
def test_nothing_in_a_hold_is_farther_from_its_place_than_it_may_be(sway):
    places = acting(60.0, sway=sway)
    for first, last in find_holds(places, height=HEIGHT, fps=60.0):
        inside = places[first : last + 1]
        assert np.linalg.norm(np.ptp(inside, axis=0), axis=1).max() <= 2.0 * np.sqrt(3.0) * STRAYS * HEIGHT


def test_frame_numbers_say_how_much_time_passes():
    found = find_holds(acting(24.0), height=HEIGHT, fps=120.0, frames=np.arange(73) * 5.0 - 40.0)
    assert np.array_equal(found, find_holds(acting(24.0), height=HEIGHT, fps=24.0))


def test_what_moves_all_the_time_however_little_has_no_holds():
    times = np.arange(97) / 24.0
    breathing = np.sin(times * 1.5)[:, None, None] * np.array(
        [[[0.0, 0.0, 0.01]], [[0.0, 0.004, 0.0]]]
    ).swapaxes(0, 1)
    assert not len(find_holds(breathing + 1.0, height=HEIGHT, fps=24.0))
    drifting = times[:, None, None] * np.array([[[0.03, 0.0, 0.0]]])
    assert not len(find_holds(drifting, height=HEIGHT, fps=24.0))
    assert not len(find_holds(100.0 * drifting, height=HEIGHT, fps=24.0))


def test_one_limb_that_moves_is_enough():
    body = acting(24.0)
    body[:, 0, 0] += 0.1 * np.sin(np.arange(len(body)) * 0.6)
    assert not len(find_holds(body, height=HEIGHT, fps=24.0))


def test_a_short_pause_and_a_turning_point_are_no_holds():
    times = np.arange(0.0, 2.0, 1.0 / 60.0)
    swinging = np.sin(np.pi * times)[:, None, None] * [[[0.8, 0.0, 0.0]]]
    assert not len(find_holds(swinging, height=HEIGHT, fps=60.0))


def test_a_motion_that_nearly_begins_with_a_hold_begins_with_it():
    still = np.zeros((40, 1, 3))
    still[:3, 0, 0] = [0.024, 0.016, 0.008]
    still[20:, 0, 0] = 0.1 * np.arange(20)
    (first, last), *others = find_holds(still, height=HEIGHT, fps=24.0).tolist()
    assert (first, others) == (0, [])
    assert 18 <= last <= 20


def test_what_drifts_on_and_on_stands_nowhere():
    """It is near its middle for long enough to be a hold, but for a small part of its way only."""
    share = np.linspace(0.0, 1.0, 180)
    drift = 0.03 * (share + 0.05 * np.sin(2.0 * np.pi * share))  # slowest in the middle
    way = np.concatenate([drift, np.linspace(0.03, 1.0, 30)])[:, None, None] * np.array([1.0, 0.0, 0.0])
    assert not len(find_holds(way, height=1.0, fps=60.0))
    way[:180] = 0.0
    assert len(find_holds(way, height=1.0, fps=60.0)) == 1


def test_what_is_no_body_is_refused():
    with pytest.raises(InputError, match="shape"):
        find_holds(np.zeros((5, 3)), height=1.0, fps=24.0)
    with pytest.raises(InputError, match="height"):
        find_holds(np.zeros((5, 1, 3)), height=0.0, fps=24.0)
    assert find_holds(np.zeros((2, 1, 3)), height=1.0, fps=24.0).shape == (0, 2)


def chosen(positions, holds, most, **options):
    return select_with_holds(
        Motion(positions), "salient", holds=np.array(holds), max_keys=most, objective="chord", **options
    )


def chord_error(points, keys):
    rows = np.arange(len(points))
    played = np.stack([np.interp(rows, keys, column[list(keys)]) for column in points.T], axis=1)
    return float(np.sum((points - played) ** 2))


def best_chord(points, count, needed):
    """The least error of so many keys with some rows among them, by looking at all sets."""
    last = len(points) - 1
    sets = (inner for inner in combinations(range(1, last), count - 2) if needed <= set(inner))
    return min((chord_error(points, (0, *inner, last)) for inner in sets), default=np.inf)


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 2**16))
def test_for_every_number_of_keys_they_are_the_best_with_the_ends_of_its_holds(seed):
    points = np.random.default_rng(seed).standard_normal((12, 2, 3)).cumsum(axis=0)
    found = chosen(points, [(2, 4), (6, 9)], 9)
    assert found.counts.tolist() == list(range(2, 10))
    flat = points.reshape(12, -1)
    plain = {count: best_chord(flat, count, set()) for count in range(2, 10)}
    enough = 10
    expected = plain.copy()
    for needed in ({2, 4, 6, 9}, {6, 9}):  # all, and the longest
        best = {count: best_chord(flat, count, needed) for count in range(2, enough)}
        little = {k: best[k] <= LOSS**2 * plain[k] + UNSEEN**2 * plain[2] for k in best}
        fewest = next((k for k in best if all(little[n] for n in best if k <= n <= 1.5 * k)), enough)
        for count in range(fewest, enough):
            expected[count] = best[count]
            assert needed <= set(found.keys(count).tolist())
        enough = min(enough, fewest)
    for count in range(2, 10):
        assert found.error(count) == pytest.approx(expected[count], rel=1e-9, abs=1e-9)


def test_with_few_keys_the_rest_of_a_motion_does_not_lack_those_of_its_holds():
    points = np.random.default_rng(3).standard_normal((90, 1, 3)).cumsum(axis=0)
    holds = [(5, 8), (12, 20), (30, 35)]
    for row, end in holds:
        points[row:end] = points[end]
    found, plain = chosen(points, holds, 45), select(Motion(points), max_keys=45, objective="chord")
    assert found.counts.tolist() == plain.counts.tolist()
    held = [[each for each in holds if set(each) <= set(found.keys(k).tolist())] for k in range(2, 46)]
    assert held[:4] == [[]] * 4
    assert [(12, 20)] in held, "the longest comes first"
    assert held[14:] == [holds] * 30
    assert np.all(found.errors <= LOSS**2 * plain.errors + UNSEEN**2 * plain.errors[0])


def test_what_nobody_sees_is_no_reason_to_leave_a_hold_out():
    """Straight lines are exact with four keys; those of a hold a little inside of it are nearly so."""
    points = np.interp(np.arange(90.0), [0, 30, 60, 89], [0.0, 10.0, 10.0, 10.2])[:, None, None] * np.ones(3)
    plain = select(Motion(points), max_keys=8, objective="chord")
    assert plain.keys(4).tolist() == [0, 30, 60, 89]
    assert plain.error(4) == pytest.approx(0.0, abs=1e-12)
    assert chosen(points, [(30, 59)], 8).keys(4).tolist() == [0, 30, 59, 89]
    assert chosen(points, [(40, 50)], 8).keys(4).tolist() == [0, 30, 60, 89]


def test_without_holds_nothing_is_different_and_a_largest_gap_is_kept():
    points = np.random.default_rng(4).standard_normal((40, 1, 3)).cumsum(axis=0)
    plain = select(Motion(points), max_keys=15, objective="chord")
    found = chosen(points, np.empty((0, 2), int), 15)
    assert all(np.array_equal(found.keys(k), plain.keys(k)) for k in plain.counts.tolist())
    apart = chosen(points, [(10, 20)], 15, largest_gap=6.0)
    assert apart.counts[0] >= 8
    assert all(np.diff(apart.keys(k)).max() <= 10 for k in apart.counts.tolist())


def moving(frames=40, channels=3):
    random = np.random.default_rng(7)
    return np.cumsum(random.standard_normal((frames, channels)), axis=0) * 0.1


@pytest.mark.parametrize("mode", ["free", "aligned", "smooth"])
def test_curves_are_level_at_level_keys_which_keep_their_values(mode):
    values, rows, level = moving(), [0, 8, 15, 24, 33, 39], [8, 15]
    fitted = Fitter(values).fit(rows, mode, level=level)
    at = np.isin(rows, level)
    assert np.array_equal(fitted.left[at, :, 1], values[level])
    assert np.array_equal(fitted.right[at, :, 1], values[level])
    others = fitted.right[:-1, :, 1][~at[:-1]] - fitted.values[:-1][~at[:-1]]
    assert np.all(np.abs(others) > 1e-9)


def held_between(before, after):
    """Stands still on rows 12 to 28; 12 frames before and after are given, both from the hold on."""
    still = np.zeros(17)
    return np.concatenate([np.asarray(before)[::-1], still, np.asarray(after)])[:, None] * [1.0, -0.4, 0.3]


@pytest.mark.parametrize("mode", ["free", "aligned"])
def test_what_leaves_a_hold_at_once_does_not_ease_out_of_it(mode):
    """A strip of the NLA that begins, or a cut: with many keys level curves were far off, too."""
    steps = np.arange(1.0, 13.0)
    jump, straight, eased = 2.0 + 0.3 * np.sin(steps), 0.2 * steps, 0.02 * steps**2
    rows, level = [0, 6, 9, 12, 28, 31, 34, 40], [12, 28]
    for before, after in ((eased, jump), (jump, eased), (straight, straight), (jump, jump)):
        values = held_between(before, after)
        fitted = Fitter(values).fit(rows, mode, level=level)
        assert np.abs(fitted.evaluate(np.arange(41.0)) - values).max() < 0.1
        for row, key, outer, motion in ((12, 3, "left", before), (28, 4, "right", after)):
            inner = "right" if outer == "left" else "left"
            np.testing.assert_array_equal(getattr(fitted, inner)[key, :, 1], values[row])
            is_level = np.array_equal(getattr(fitted, outer)[key, :, 1], values[row])
            assert is_level == (motion is eased)
            assert np.all(fitted.corners[key]) or is_level


def test_the_other_handles_of_a_free_fit_are_the_best_then():
    values, rows = moving(), [0, 10, 39]
    fitted = Fitter(values).fit(rows, "free", level=[10])
    u = np.arange(29) / 29.0
    start, end, near_end = values[10], values[39], 3.0 * u * u * (1.0 - u)
    base = np.outer(1.0 - u * u * (3.0 - 2.0 * u), start) + np.outer(u * u * (3.0 - 2.0 * u), end)
    for channel in range(3):
        best = lsq_linear(near_end[:, None], values[10:39, channel] - base[:, channel]).x[0]
        assert fitted.left[2, channel, 1] - end[channel] == pytest.approx(best, abs=1e-4)


def test_smooth_curves_that_are_level_somewhere_have_the_least_error():
    values, rows, level = moving(), np.array([0, 8, 15, 24, 33, 39]), [8, 15]
    fitted = Fitter(values).fit(rows, "smooth", level=level)
    frames = np.arange(40.0)
    basis = []
    for key, row in enumerate(rows):  # Hermite splines: a value and a slope for each key
        for slope in (False, True):
            if (slope and row in level) or (not slope and row in (*level, 0, 39)):
                continue
            column = np.zeros(40)
            for other, sign in ((key - 1, -1.0), (key + 1, 1.0)):
                if 0 <= other < len(rows):
                    length = abs(rows[other] - row)
                    u = sign * (frames - row) / length
                    inside = (u >= 0.0) & (u <= 1.0)
                    part = sign * u * (1.0 - u) ** 2 * length if slope else (1.0 + 2.0 * u) * (1.0 - u) ** 2
                    column[inside] = part[inside]
            basis.append(column)
    basis = np.stack(basis, axis=1)
    played = fitted.evaluate(frames)
    for channel in range(3):
        fixed = values[:, channel] - played[:, channel]
        left = fixed - basis @ np.linalg.lstsq(basis, fixed, rcond=None)[0]
        assert np.sum(fixed**2) == pytest.approx(np.sum(left**2), rel=1e-3)


def test_a_loop_that_is_level_where_it_begins_is_so_where_it_ends():
    turn = np.arange(41) / 40.0 * 2.0 * np.pi
    values = np.stack([np.sin(turn), np.cos(turn)], axis=1)
    fitted = Fitter(values, loop=(0.0, 40.0)).fit([0, 10, 22, 40], "aligned", level=[0, 10])
    assert fitted.right[0, :, 1] == pytest.approx(fitted.values[0], abs=1e-9)
    assert fitted.left[-1, :, 1] == pytest.approx(fitted.values[-1], abs=1e-9)
