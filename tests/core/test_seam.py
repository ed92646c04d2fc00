# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops fitted round their seam, against a constrained least-squares solver."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import null_space

from core import Fitter
from core.fitting.seam import TRIED, Seam

rng = np.random.default_rng(11)
FRAMES = 48


def periodic(frames, period, channels=5, rng=rng):
    """Waves of whole numbers of turns, with an offset for each round."""
    turns = rng.integers(1, 4, channels)
    waves = np.sin(2 * np.pi * turns * frames[:, None] / period + rng.uniform(0, 6, channels))
    return waves * rng.uniform(0.1, 5, channels) + frames[:, None] * rng.uniform(-0.1, 0.1, channels)


def even_loop():
    frames = np.arange(FRAMES + 1.0)
    return frames, periodic(frames, FRAMES)


def loop_of_a_fractional_period():
    frames = np.append(np.arange(FRAMES), FRAMES - 0.6)
    return frames, periodic(frames, frames[-1])


def looping(values, frames):
    return Fitter(values, frames, loop=(frames[0], frames[-1]))


def slopes_at_the_ends(handles):
    """(2, C) how steeply each curve leaves its first key and arrives at its last."""
    leaves = (handles.right[0, :, 1] - handles.values[0]) / (handles.right[0, :, 0] - handles.frames[0])
    arrives = (handles.values[-1] - handles.left[-1, :, 1]) / (handles.frames[-1] - handles.left[-1, :, 0])
    return leaves, arrives


def squared_error(handles, frames, values):
    return np.sum((handles.evaluate(frames) - values) ** 2, axis=0)


@pytest.mark.parametrize("loop", [even_loop, loop_of_a_fractional_period])
@pytest.mark.parametrize("mode", ["free", "aligned"])
@pytest.mark.parametrize("keys", [[0, 48], [0, 20, 48], [0, 7, 15, 22, 31, 41, 48]])
def test_a_loop_leaves_its_first_key_as_it_arrives_at_its_last(loop, mode, keys):
    frames, values = loop()
    keys = np.minimum(keys, len(frames) - 1)
    leaves, arrives = slopes_at_the_ends(looping(values, frames).fit(keys, mode))
    np.testing.assert_allclose(arrives, leaves, atol=1e-9)


@pytest.mark.parametrize("loop", [even_loop, loop_of_a_fractional_period])
@pytest.mark.parametrize("keys", [[0, 48], [0, 11, 48], [0, 7, 15, 22, 31, 41, 48]])
def test_free_handles_of_a_loop_are_the_best_that_agree_at_the_seam(loop, keys):
    frames, values = loop()
    keys = np.minimum(keys, len(frames) - 1)
    found = squared_error(looping(values, frames).fit(keys, "free"), frames, values)
    for channel in range(values.shape[1]):
        best = best_closed_error(frames, values[:, channel], keys)
        # Slopes that too few frames decide are kept near the fitted ones, by a millionth.
        assert found[channel] == pytest.approx(best, rel=1e-4, abs=1e-9)


def best_closed_error(frames, values, keys, bend=None):
    """The least squared error of cubics through the keys whose slopes agree at the seam, by brute force.

    If `bend` is given, their first step differs from their last by as much.
    """
    count = 2 * (len(keys) - 1)
    columns, fixed = np.zeros((len(frames), count)), np.zeros(len(frames))
    for segment, (a, b) in enumerate(pairwise(keys)):
        rows, length = slice(a, b + 1), frames[b] - frames[a]
        u = (frames[rows] - frames[a]) / length
        fixed[rows] = values[a] * (1 + 2 * u) * (1 - u) ** 2 + values[b] * u * u * (3 - 2 * u)
        columns[rows, 2 * segment] = length * u * (1 - u) ** 2
        columns[rows, 2 * segment + 1] = length * u * u * (u - 1)
    seam, wanted = np.zeros((1, count)), np.zeros(1)
    seam[0, 0], seam[0, -1] = -1.0, 1.0
    if bend is not None:
        steps = np.zeros((1, len(frames)))
        steps[0, [0, 1, -2, -1]] = np.array([-1.0, 1.0, 1.0, -1.0])
        seam, wanted = np.vstack([seam, steps @ columns]), np.append(wanted, bend - steps @ fixed)
    allowed, start = null_space(seam), np.linalg.pinv(seam) @ wanted
    rest = values - fixed - columns @ start
    best = np.linalg.lstsq(columns @ allowed, rest, rcond=None)[0]
    return float(np.sum((columns @ allowed @ best - rest) ** 2))


def bend_at_the_seam(values):
    """(C,) how much the first step differs from the last."""
    return (values[1] - values[0]) - (values[-1] - values[-2])


@pytest.mark.parametrize("mode", ["free", "aligned", "smooth"])
@pytest.mark.parametrize("keys", [[0, 24, 48], [0, 11, 30, 48], [0, 1, 20, 47, 48]])
def test_a_loop_bends_no_more_at_its_seam_than_its_source(mode, keys):
    """Half of the channels hardly bend there themselves."""
    frames = np.arange(FRAMES + 1.0)
    values = periodic(frames, FRAMES, 8, np.random.default_rng(11))
    u = frames[:, None] / FRAMES
    values[:, :4] += 5.0 * (u * (1.0 - u)) ** 2 * np.cos(20.0 * u)
    fitter = Fitter(values, frames, influence=np.ones(8), loop=(0.0, FRAMES))
    handles = fitter.fit(keys, mode, seen_error=1.0)
    source, played = bend_at_the_seam(values), bend_at_the_seam(handles.evaluate(frames))
    assert np.linalg.norm(played) <= np.linalg.norm(source)
    np.testing.assert_allclose(*slopes_at_the_ends(handles), atol=1e-9)


@pytest.mark.parametrize("mode", ["free", "aligned"])
@pytest.mark.parametrize("keys", [[0, 2, *range(4, 45, 2), 46, 48], [0, 1, *range(3, 46, 2), 46, 48]])
def test_keys_that_follow_a_loop_exactly_bend_as_it_does(mode, keys):
    """With a frame between two keys at most there is no error, and bending less would be one."""
    frames = np.arange(FRAMES + 1.0)
    values = periodic(frames, FRAMES, 8)
    fitter = Fitter(values, frames, influence=np.ones(8), loop=(0.0, FRAMES))
    handles = fitter.fit(keys, mode, seen_error=float(fitter.squared_errors(keys).sum()))
    np.testing.assert_allclose(handles.evaluate(frames), values, atol=1e-5)


@pytest.mark.parametrize("keys", [[0, 6, 13, 20, 27, 34, 41, 48], range(0, 49, 4), [0, 20, 48]])
def test_bending_less_at_most_doubles_the_error_or_costs_a_little_of_the_motion(keys):
    frames = np.arange(FRAMES + 1.0)
    values = periodic(frames, FRAMES, 3, np.random.default_rng(11))
    closed = looping(values, frames).fit(keys)
    bent = Fitter(values, frames, influence=np.ones(3), loop=(0.0, FRAMES)).fit(keys)
    grown = squared_error(bent, frames, values).sum() - squared_error(closed, frames, values).sum()
    doubled = 3.0 * Fitter(values, frames).squared_errors(keys).sum()
    a_little = 0.15**2 * np.sum((values - values.mean(axis=0)) ** 2)
    assert 0.0 <= grown <= max(doubled, a_little) * 1.001


def arm(angles):
    """(P, J, 2) the joints of a chain of bones that each turn by an angle against the one before."""
    turns = np.cumsum(angles, axis=1)
    return np.cumsum(np.stack([np.cos(turns), np.sin(turns)], axis=2), axis=1)


def hitch_of_the_arm(angles):
    """How much the speed of its joints changes at the seam, in the mean."""
    first, second, before, last = arm(angles[[0, 1, -2, -1]])
    return np.linalg.norm((second - first) - (last - before), axis=1).mean()


def swinging_arm(seed):
    """(F, 3) the angles of an arm that goes round."""
    frames = np.arange(FRAMES + 1.0)
    angles = periodic(frames, FRAMES, 3, np.random.default_rng(seed)) / 40.0
    return angles - (angles[-1] - angles[0]) * frames[:, None] / FRAMES


MODES = ["free", "aligned", "smooth"]
ARM = {"influence": [3.0, 2.0, 1.0], "loop": (0.0, float(FRAMES)), "joints": arm}


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    inner=st.lists(st.integers(1, FRAMES - 1), min_size=1, max_size=8, unique=True),
    mode=st.sampled_from(MODES),
)
def test_whatever_the_keys_poses_and_slopes_agree_and_bending_less_never_hitches_more(seed, inner, mode):
    angles, keys = swinging_arm(seed), [0, *sorted(inner), FRAMES]
    handles = Fitter(angles, **ARM).fit(keys, mode)
    np.testing.assert_allclose(*slopes_at_the_ends(handles), atol=1e-8)
    np.testing.assert_array_equal(handles.values[[0, -1]], angles[[0, -1]])
    closed = Fitter(angles, loop=ARM["loop"]).fit(keys, mode)
    played, plain = (hitch_of_the_arm(each.evaluate(np.arange(FRAMES + 1.0))) for each in (handles, closed))
    if mode != "aligned":  # which chooses by influence what is smooth
        assert played <= max(hitch_of_the_arm(angles), plain) * (1.0 + 1e-6)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("keys", [[0, 12, 24, 36, 48], [0, 9, 17, 26, 40, 48]])
@pytest.mark.parametrize("seed", range(6))
def test_joints_hitch_no_more_than_those_of_the_source(mode, keys, seed):
    """Not even where turns of several bones add up. Where nothing has to bend less, nothing does."""
    angles, frames = swinging_arm(seed), np.arange(FRAMES + 1.0)
    handles = Fitter(angles, **ARM).fit(keys, mode)
    source = hitch_of_the_arm(angles)
    assert hitch_of_the_arm(handles.evaluate(frames)) <= source
    closed = Fitter(
        angles, influence=ARM["influence"], loop=ARM["loop"], joints=lambda poses: 0.0 * arm(poses)
    )
    closed = closed.fit(keys, mode)
    if hitch_of_the_arm(closed.evaluate(frames)) <= 0.98 * source:
        np.testing.assert_allclose(handles.right, closed.right)


def test_what_bends_too_much_becomes_the_best_that_does_not():
    frames = np.arange(FRAMES + 1.0)
    u = frames[:, None] / FRAMES
    values = np.sin(2.0 * np.pi * u * [1, 2, 3]) * (1.0 - np.exp(-((8.0 * np.sin(np.pi * u)) ** 2)))
    keys = np.array([0, 19, 48])
    plain = looping(values, frames).fit(keys, "free").evaluate(frames)
    bent = Fitter(values, frames, influence=np.ones(3), loop=(0.0, FRAMES)).fit(keys, "free").evaluate(frames)
    assert np.linalg.norm(bend_at_the_seam(plain)) > np.linalg.norm(bend_at_the_seam(values))
    for channel in range(3):
        best = best_closed_error(frames, values[:, channel], keys, bend_at_the_seam(bent)[channel])
        assert np.sum((bent - values)[:, channel] ** 2) == pytest.approx(best, rel=1e-4)


def test_keys_that_are_smooth_stay_so_when_the_seam_closes():
    frames, values = even_loop()
    handles = looping(values, frames).fit([0, 9, 17, 26, 40, 48], "aligned")
    before = handles.values - handles.left[:, :, 1]
    after = handles.right[:, :, 1] - handles.values
    slope_before = before / (handles.frames[:, None] - handles.left[:, :, 0])
    slope_after = after / (handles.right[:, :, 0] - handles.frames[:, None])
    np.testing.assert_allclose(slope_before[~handles.corners], slope_after[~handles.corners], atol=1e-9)


@pytest.mark.parametrize("loop", [even_loop, loop_of_a_fractional_period])
@pytest.mark.parametrize("few", [3, 4, 6])
def test_closing_the_seam_counts_among_what_smooth_keys_may_cost(loop, few):
    """With few keys most of it: ties hand on to all others what closing does to one."""
    frames, values = loop()
    keys = np.linspace(0, len(frames) - 1, few).round().astype(int)
    fitter = Fitter(
        values,
        frames,
        influence=np.ones(values.shape[1]),
        loop=(frames[0], frames[-1]),
        joints=lambda poses: np.zeros((len(poses), 1, 3)),  # nobody sees a hitch
    )
    seen = float(fitter.squared_errors(keys).sum())
    free, aligned = (
        squared_error(fitter.fit(keys, mode, seen_error=seen), frames, values).sum()
        for mode in ("free", "aligned")
    )
    assert aligned - free <= 0.3 * seen * 1.001


def test_outer_handles_are_those_of_the_other_end():
    """So that a Cycles modifier, or whoever copies keys for another round, finds them in place."""
    frames, values = even_loop()
    handles = looping(values, frames).fit([0, 14, 30, 48], "aligned")
    rise = handles.values[-1] - handles.values[0]
    np.testing.assert_allclose(handles.left[0, :, 0], handles.left[-1, :, 0] - FRAMES)
    np.testing.assert_allclose(handles.left[0, :, 1], handles.left[-1, :, 1] - rise)
    np.testing.assert_allclose(handles.right[-1, :, 0], handles.right[0, :, 0] + FRAMES)
    np.testing.assert_allclose(handles.right[-1, :, 1], handles.right[0, :, 1] + rise)


def test_a_kink_of_the_source_at_its_seam_stays_and_grows_no_further():
    """A ball that bounces at the seam, beside a channel that is smooth there."""
    frames = np.arange(FRAMES + 1.0)
    u = frames / FRAMES
    values = np.stack([4.0 * u * (1.0 - u), np.sin(2 * np.pi * u)], axis=1)
    for mode in ("free", "aligned"):
        handles = looping(values, frames).fit([0, 24, 48], mode)
        leaves, arrives = slopes_at_the_ends(handles)
        steps = np.diff(values[:, 0])
        assert leaves[0] - arrives[0] == pytest.approx(steps[0] - steps[-1])
        assert arrives[1] == pytest.approx(leaves[1], abs=1e-9)
        assert handles.corners[[0, -1]].tolist() == [[True, False], [True, False]]


def test_keys_inside_a_loop_are_fitted_as_ever():
    """A fit that does not span the loop has no seam to close."""
    frames, values = even_loop()
    keys = [3, 20, 40]
    closed, plain = looping(values, frames).fit(keys), Fitter(values, frames).fit(keys)
    np.testing.assert_array_equal(closed.left, plain.left)
    np.testing.assert_array_equal(closed.right, plain.right)


def test_where_the_last_row_shows_an_earlier_end_no_kink_is_seen():
    """As of a loop of 47.4 frames whose last pose is shown on frame 48: its last step is only shorter."""
    moments, values = loop_of_a_fractional_period()
    frames = np.arange(len(moments), dtype=float)
    rounded = Fitter(values, frames, loop=(0.0, float(moments[-1]))).fit([0, 16, 32, 48], "aligned")
    assert not rounded.corners[[0, -1]].any()
    leaves, arrives = slopes_at_the_ends(rounded)
    np.testing.assert_allclose(arrives, leaves, atol=1e-9)


def test_no_more_of_a_change_is_made_than_joints_need():
    class Hitching(Seam):
        def _hitches(self, speeds):
            return 1.53 - speeds[:, 0, 0]

    nothing = np.zeros((2, 1))
    seam = Hitching(nothing[0], nothing, nothing, nothing, nothing[0], 1.0, lambda poses: poses)
    share, hitch = seam._least_share(nothing, np.ones((2, 1)), 1.0)
    assert 0.53 <= share <= 0.53 + 1.0 / (TRIED - 1) ** 2
    assert hitch == pytest.approx(1.53 - share)
    assert seam._least_share(nothing, np.ones((2, 1)), 0.3) == pytest.approx((0.3, 1.23)), "the best there is"
