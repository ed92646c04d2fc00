# SPDX-License-Identifier: GPL-3.0-or-later
"""Fitted handles against SciPy's solvers and brute force."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.interpolate import BPoly, CubicHermiteSpline
from scipy.optimize import lsq_linear, minimize

from benchmarks.clips import CLIPS, load_clip, replay
from benchmarks.fitting import in_degrees, radians_without_jumps, straying
from benchmarks.quality import millimetres
from core import Fitter, InputError, Motion, channel_influence, fit_handles, select

rng = np.random.default_rng(7)


def wavy(frames, channels=6):
    speed = rng.uniform(0.02, 0.3, channels)
    return np.sin(frames[:, None] * speed + rng.uniform(0, 6, channels)) * rng.uniform(0.1, 5, channels)


def even_motion():
    return np.arange(60.0), wavy(np.arange(60.0))


def uneven_motion():
    frames = np.cumsum(rng.uniform(0.1, 2.0, 60)) - 30.0
    return frames, wavy(frames)


@pytest.mark.parametrize("motion", [even_motion, uneven_motion])
def test_free_handles_are_the_least_squares_cubic(motion):
    frames, values = motion()
    keys = np.array([0, 7, 8, 30, 59])
    handles = fit_handles(values, keys, "free", frames=frames)
    for segment, (a, b) in enumerate(pairwise(keys)):
        if b - a < 3:
            continue
        u = (frames[a : b + 1] - frames[a]) / (frames[b] - frames[a])
        bernstein = np.stack([(1 - u) ** 3, 3 * u * (1 - u) ** 2, 3 * u * u * (1 - u), u**3], axis=1)
        for channel in range(values.shape[1]):
            fixed = bernstein[:, 0] * values[a, channel] + bernstein[:, 3] * values[b, channel]
            best = lsq_linear(bernstein[:, 1:3], values[a : b + 1, channel] - fixed).x
            assert handles.right[segment, channel, 1] == pytest.approx(best[0], abs=1e-9)
            assert handles.left[segment + 1, channel, 1] == pytest.approx(best[1], abs=1e-9)


@pytest.mark.parametrize("mode", ["free", "aligned", "smooth"])
def test_handles_stay_inside_their_segment(mode):
    frames, values = uneven_motion()
    handles = fit_handles(values, [0, 1, 9, 10, 35, 59], mode, frames=frames)
    key_frames = handles.frames[:, None]
    assert np.all(handles.right[:-1, :, 0] <= key_frames[1:])
    assert np.all(handles.right[:-1, :, 0] >= key_frames[:-1])
    assert np.all(handles.left[1:, :, 0] >= key_frames[:-1])
    assert np.all(handles.left[1:, :, 0] <= key_frames[1:])


def test_playing_thirds_handles_is_scipys_bernstein_polynomial():
    _, values = even_motion()
    handles = fit_handles(values, [0, 11, 40, 59], "free")
    at = np.linspace(0, 59, 301)
    for channel in range(values.shape[1]):
        control = np.stack(
            [
                handles.values[:-1, channel],
                handles.right[:-1, channel, 1],
                handles.left[1:, channel, 1],
                handles.values[1:, channel],
            ]
        )
        np.testing.assert_allclose(
            handles.evaluate(at)[:, channel], BPoly(control, handles.frames)(at), atol=1e-12
        )


@pytest.mark.parametrize("mode", ["free", "aligned", "smooth"])
def test_a_cubic_is_met_exactly(mode):
    frames = np.arange(41.0) - 20.0
    values = np.stack([1e-3 * frames**3 - 0.1 * frames, 2.0 + 0 * frames, 5 * frames], axis=1)
    handles = fit_handles(values, [0, 13, 40], mode, frames=frames)
    np.testing.assert_allclose(handles.evaluate(frames), values, atol=1e-9)


@pytest.mark.parametrize("mode", ["free", "aligned", "smooth"])
def test_neighbouring_keys_and_every_frame_a_key_play_the_motion(mode):
    frames, values = even_motion()
    everything = fit_handles(values, np.arange(60), mode)
    np.testing.assert_allclose(everything.evaluate(frames), values, atol=1e-12)
    two = fit_handles(values[:2], [0, 1], mode)
    np.testing.assert_allclose(two.evaluate(np.array([0.0, 0.5, 1.0]))[1], values[:2].mean(axis=0))


@pytest.mark.parametrize("mode", ["free", "aligned", "smooth"])
def test_a_huge_offset_and_another_scale_change_nothing(mode):
    frames, values = even_motion()
    keys = [0, 9, 33, 59]
    plain = fit_handles(values, keys, mode).evaluate(frames)
    offset = fit_handles(values + 1e7, keys, mode).evaluate(frames) - 1e7
    np.testing.assert_allclose(offset, plain, atol=1e-6)
    scaled = fit_handles(values * 1e-4, keys, mode).evaluate(frames) * 1e4
    np.testing.assert_allclose(scaled, plain, atol=1e-9)
    later = fit_handles(values, keys, mode, frames=frames * 5 + 1e5).evaluate(frames * 5 + 1e5)
    np.testing.assert_allclose(later, plain, atol=1e-6)


@pytest.mark.parametrize("mode", ["free", "aligned", "smooth"])
def test_reversing_time_mirrors_the_fit(mode):
    frames, values = even_motion()
    forth = fit_handles(values, [0, 9, 33, 59], mode).evaluate(frames)
    back = fit_handles(values[::-1], [0, 26, 50, 59], mode).evaluate(frames)[::-1]
    np.testing.assert_allclose(back, forth, atol=1e-6)


@pytest.mark.parametrize("mode", ["free", "aligned", "smooth"])
def test_a_motionless_channel_stays_flat(mode):
    values = np.full((50, 3), 0.7)
    handles = fit_handles(values, [0, 20, 49], mode)
    assert np.all(handles.left[..., 1] == 0.7)
    assert np.all(handles.right[..., 1] == 0.7)
    assert not np.any(handles.corners[[0, -1]])


def test_one_key_holds():
    frames, values = even_motion()
    np.testing.assert_array_equal(
        fit_handles(values, [5]).evaluate(frames), np.repeat(values[5:6], 60, axis=0)
    )


def test_a_fitter_gives_the_same_again_and_again():
    frames, values = even_motion()
    fitter = Fitter(values, frames)
    for keys in ([0, 59], [0, 10, 20, 59], [0, 59]):
        np.testing.assert_array_equal(fitter.fit(keys).left, fit_handles(values, keys).left)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((np.zeros(5), [0, 4]), "Values must have the shape"),
        ((np.full((5, 1), np.nan), [0, 4]), "finite"),
        (("a walk", [0, 4]), "array of numbers"),
        ((np.zeros((5, 1)), [0, np.nan]), "finite"),
        ((np.zeros((5, 1)), [0, 5]), "from 0 to 4"),
        ((np.zeros((5, 1)), [0, 2, 2, 4]), "ascend"),
        ((np.zeros((5, 1)), []), "at least one"),
        ((np.zeros((5, 1)), [0.5, 4]), "row number"),
        ((np.zeros((5, 1)), [0, 4], "magic"), "free, aligned"),
    ],
)
def test_bad_input_is_told(arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        fit_handles(*arguments)


def kinks(handles):
    """(K - 2, C) difference of the slopes on both sides of the inner keys."""
    before = handles.values[1:-1] - handles.left[1:-1, :, 1]
    after = handles.right[1:-1, :, 1] - handles.values[1:-1]
    back = handles.frames[1:-1, None] - handles.left[1:-1, :, 0]
    ahead = handles.right[1:-1, :, 0] - handles.frames[1:-1, None]
    return after / ahead - before / back


@pytest.mark.parametrize("motion", [even_motion, uneven_motion])
def test_aligned_handles_lie_on_one_line_except_at_corners(motion):
    frames, values = motion()
    handles = fit_handles(values, [0, 7, 8, 22, 41, 59], "aligned", frames=frames)
    smooth = ~handles.corners[1:-1]
    assert smooth.any()
    np.testing.assert_allclose(kinks(handles)[smooth], 0.0, atol=1e-9)


def best_possible_with_these_corners(frames, values, keys, corners):
    """Least squares by SciPy over one slope a smooth key and two a corner, one channel."""
    columns = []
    for key in range(len(keys)):
        sides = [(-1,), (1,)] if corners[key] else [(-1, 1)]
        for side in sides:
            column = np.zeros(len(frames))
            for step in side:
                if not 0 <= key + step < len(keys):
                    continue
                a, b = sorted((keys[key], keys[key + step]))
                u = (frames[a : b + 1] - frames[a]) / (frames[b] - frames[a])
                shape = u * (1 - u) ** 2 if step > 0 else -(u**2) * (1 - u)
                column[a : b + 1] += shape * (frames[b] - frames[a])
            if column.any():
                columns.append(column)
    flat = CubicHermiteSpline(frames[keys], values[keys], np.zeros(len(keys)))(frames)
    basis = np.stack(columns, axis=1)
    return 2.0 * lsq_linear(basis, values - flat).cost


@pytest.mark.parametrize("motion", [even_motion, uneven_motion])
def test_aligned_slopes_are_the_best_for_their_corners(motion):
    frames, values = motion()
    keys = np.array([0, 9, 20, 33, 47, 59])
    handles = fit_handles(values, keys, "aligned", frames=frames)
    errors = np.sum((handles.evaluate(frames) - values) ** 2, axis=0)
    for channel, error in enumerate(errors):
        best = best_possible_with_these_corners(frames, values[:, channel], keys, handles.corners[:, channel])
        # A trace of pull towards the free slopes keeps undecided ones calm.
        assert best * (1 - 1e-9) <= error <= best * (1 + 1e-4) + 1e-12


def test_a_real_corner_stays_and_a_smooth_motion_has_none():
    frames = np.arange(41.0)
    bounce = np.abs(frames - 20.0) + 0.02 * np.sin(frames)
    arc = np.sin(frames / 12.0)
    handles = fit_handles(np.stack([bounce, arc], axis=1), [0, 10, 20, 30, 40], "aligned")
    assert handles.corners[2, 0]
    assert abs(kinks(handles)[1, 0]) > 1.5


def test_smoothness_stays_within_its_allowance():
    frames, values = even_motion()
    values = values + 0.01 * rng.normal(size=values.shape)
    keys = [*range(0, 60, 5), 59]
    fitter = Fitter(values, frames, influence=np.ones(values.shape[1]))
    seen = fitter.squared_errors(keys).sum()
    errors = [
        np.sum((fitter.fit(keys, mode, seen_error=seen).evaluate(frames) - values) ** 2)
        for mode in ("free", "aligned")
    ]
    assert errors[0] == pytest.approx(seen)
    assert errors[0] < errors[1] <= 1.3 * errors[0] * 1.0001


def test_channels_that_matter_more_keep_more_corners():
    frames = np.arange(60.0)
    motion = wavy(frames, 1) + 0.05 * rng.normal(size=(60, 1))
    values = np.repeat(motion, 2, axis=1)
    keys = np.arange(0, 60, 6)
    fitter = Fitter(values, frames, influence=[1.0, 0.01])
    seen = Fitter(motion, frames).squared_errors(keys).sum()
    corners = fitter.fit(keys, "aligned", seen_error=seen).corners.sum(axis=0)
    assert corners[0] > corners[1]


def test_kinks_of_rounding_are_no_corners():
    frames = np.arange(31.0)
    cubic = (frames**3 - 20.0 * frames**2)[:, None]
    fitter = Fitter(cubic, frames, influence=[1.0])
    keys = [0, 10, 20, 30]
    for seen_error in (None, 0.0):
        handles = fitter.fit(keys, "aligned", seen_error=seen_error)
        np.testing.assert_allclose(handles.evaluate(frames), cubic, atol=1e-6)
        assert not handles.corners.any()


@pytest.mark.parametrize("seen_error", [None, 0.0])
def test_a_corner_of_a_motion_that_is_met_exactly_stays(seen_error):
    frames = np.arange(31.0)
    bounce = np.abs(frames - 10.0)[:, None]
    handles = Fitter(bounce, frames, influence=[1.0]).fit([0, 10, 30], "aligned", seen_error=seen_error)
    assert handles.corners[1, 0]
    np.testing.assert_allclose(handles.evaluate(frames), bounce, atol=1e-9)


def test_channels_without_influence_count_by_their_own_error():
    frames, values = even_motion()
    values = values + 0.01 * rng.normal(size=values.shape)
    keys = np.arange(0, 60, 6)
    own = Fitter(values, frames).fit(keys, "aligned")
    none = Fitter(values, frames, influence=np.zeros(values.shape[1])).fit(keys, "aligned", seen_error=3.0)
    np.testing.assert_array_equal(own.corners, none.corners)


def noisy(count=3):
    frames = np.arange(60.0)
    noise = np.random.default_rng(11).normal(size=(60, count))
    return frames, wavy(frames, count) + 0.05 * noise


@pytest.mark.parametrize("seen_error", [None, 0.4])
def test_the_unit_of_a_channel_changes_no_corners(seen_error):
    """In degrees a channel has 57 times the values that it has in radians, and 1/57^2 the influence."""
    frames, values = noisy()
    units = np.array([1.0, 57.3, 1e-3])
    influence = np.array([1.0, 0.3, 0.0])
    keys = np.arange(0, 60, 6)
    one = Fitter(values, frames, influence=influence).fit(keys, "aligned", seen_error=seen_error)
    other = Fitter(values * units, frames, influence=influence / units**2).fit(
        keys, "aligned", seen_error=seen_error
    )
    assert 0 < one.corners.sum() < 3 * (len(keys) - 2)
    np.testing.assert_array_equal(one.corners, other.corners)
    np.testing.assert_allclose(one.right[..., 1], other.right[..., 1] / units, atol=1e-9)


def test_what_smoothness_may_cost_is_shared_by_channels_that_count_by_their_own_error():
    """The squared errors, each as a share of its channel's own, grow by three tenths on average at most."""
    frames, values = noisy(12)
    keys = np.arange(0, 60, 4)
    fitter = Fitter(values, frames)
    free, aligned = (fitter.fit(keys, mode).evaluate(frames) for mode in ("free", "aligned"))
    growth = np.sum((aligned - values) ** 2, axis=0) / np.sum((free - values) ** 2, axis=0) - 1.0
    assert 0.05 < growth.mean() <= 0.3 + 1e-6


def test_what_smoothness_may_cost_counts_as_it_is_seen():
    """With influences the allowance is a share of the seen error, and the cheapest ties to see are made."""
    frames, values = noisy(12)
    keys = np.arange(0, 60, 4)
    influence = np.geomspace(0.01, 10.0, 12)
    fitter = Fitter(values, frames, influence=influence)
    free, aligned = (fitter.fit(keys, mode, seen_error=0.5).evaluate(frames) for mode in ("free", "aligned"))
    added = (np.sum((aligned - values) ** 2, axis=0) - np.sum((free - values) ** 2, axis=0)) @ influence
    assert 0.1 < added <= 0.15 + 1e-9


def test_influences_that_do_not_fit_are_told():
    with pytest.raises(InputError, match="one influence for each of the 2 channels"):
        Fitter(np.zeros((5, 2)), influence=np.ones(3))


@settings(max_examples=60, deadline=None)
@given(
    st.data(),
    arrays(np.float64, st.tuples(st.integers(2, 25), st.integers(1, 3)), elements=st.floats(-1e6, 1e6)),
    st.sampled_from(["free", "aligned"]),
)
def test_any_motion_gives_finite_curves_through_its_keys(data, values, mode):
    count = len(values)
    inner = data.draw(st.sets(st.integers(1, count - 1)))
    keys = sorted({0, *inner})
    steps = data.draw(arrays(np.float64, count, elements=st.floats(1e-2, 10.0)))
    frames = np.cumsum(steps)
    handles = fit_handles(values, keys, mode, frames=frames)
    played = handles.evaluate(frames)
    size = max(1.0, np.abs(values).max())
    assert np.all(np.isfinite(handles.left))
    assert np.all(np.isfinite(handles.right))
    np.testing.assert_allclose(played[keys], values[keys], atol=1e-9 * size)


def test_the_free_fit_has_the_error_that_salient_promised():
    motion = Motion(np.cumsum(rng.normal(size=(40, 2, 3)), axis=0))
    solutions = select(motion, "salient", objective="curve", max_keys=14)
    points = motion.points()
    for count in solutions.counts:
        played = fit_handles(points, solutions.keys(count)).evaluate(motion.frames)
        assert np.sum((played - points) ** 2) == pytest.approx(solutions.error(count), abs=1e-8)


@pytest.mark.parametrize("mode", ["free", "aligned", "smooth"])
def test_no_channels_are_no_trouble(mode):
    assert fit_handles(np.zeros((9, 0)), [0, 4, 8], mode).evaluate(np.arange(9.0)).shape == (9, 0)


@pytest.mark.parametrize("name", ["02_01", "13_11"])
def test_smooth_keys_of_real_motion_stay_within_a_fifth_of_the_free_error(name, mocap_folder):
    motion = load_clip(name)
    values = radians_without_jumps(motion)
    kinds = ["location"] * 3 + ["euler"] * (values.shape[1] - 3)
    fitter = Fitter(values, motion.frames, influence=channel_influence(motion, motion.owners, kinds))
    for share in (0.04, 0.1):
        keys = select(motion, max_keys=round(share * len(motion))).keys(round(share * len(motion)))
        seen = Fitter(motion.points(), motion.frames).squared_errors(keys).sum()
        free, aligned = (fitter.fit(keys, mode, seen_error=seen) for mode in ("free", "aligned"))
        errors = [
            millimetres(motion, replay(name, in_degrees(handles.evaluate(motion.frames)))).mean()
            for handles in (free, aligned)
        ]
        assert errors[1] < 1.2 * errors[0]
        assert aligned.corners[1:-1].mean() < 0.4


def scipys_smooth_curve(frames, values, keys, held):
    """One channel by plain least squares over values and slopes of all keys: what it plays, and the keys."""
    inner = [key for key in range(len(keys)) if keys[key] not in held]
    at = frames[keys]

    def played(numbers):
        key_values = values[keys].copy()
        key_values[inner] = numbers[: len(inner)]
        return CubicHermiteSpline(at, key_values, numbers[len(inner) :])(frames)

    count = len(inner) + len(keys)
    still = played(np.zeros(count))
    columns = np.stack([played(each) - still for each in np.eye(count)], axis=1)
    best = lsq_linear(columns, values - still).x
    return played(best)


@pytest.mark.parametrize("motion", [even_motion, uneven_motion])
@pytest.mark.parametrize("held", [(), (18,), (7, 30)])
def test_smooth_keys_are_the_least_squares_of_values_and_slopes(motion, held):
    frames, values = motion()
    keys = np.array([0, 7, 18, 30, 44, 59])
    handles = Fitter(values, frames).fit(keys, "smooth", held=held)
    fixed = {0, 59, *held}
    for channel in range(values.shape[1]):
        expected = scipys_smooth_curve(frames, values[:, channel], keys, fixed)
        size = np.ptp(values[:, channel])
        np.testing.assert_allclose(handles.evaluate(frames)[:, channel], expected, atol=2e-5 * size)
    kept = np.isin(keys, list(fixed))
    np.testing.assert_array_equal(handles.values[kept], values[keys[kept]])
    assert np.all(handles.values[~kept] != values[keys[~kept]])


def test_smooth_keys_have_no_corner():
    frames, values = uneven_motion()
    handles = Fitter(values, frames).fit([0, 7, 8, 30, 44, 59], "smooth")
    assert not np.any(handles.corners)
    before = (handles.values - handles.left[:, :, 1]) / (handles.frames[:, None] - handles.left[:, :, 0])
    after = (handles.right[:, :, 1] - handles.values) / (handles.right[:, :, 0] - handles.frames[:, None])
    np.testing.assert_allclose(before, after, atol=1e-9 * np.abs(before).max())


def test_moving_keys_never_costs():
    frames, values = uneven_motion()
    keys = [0, 9, 21, 33, 46, 59]
    fitter = Fitter(values, frames)

    def error(held):
        return np.sum((fitter.fit(keys, "smooth", held=held).evaluate(frames) - values) ** 2, axis=0)

    assert np.all(error(()) <= error((21,)) * (1 + 1e-9))
    assert np.all(error((21,)) <= error(keys) * (1 + 1e-9))


def test_a_smooth_motion_keeps_its_keys():
    frames = np.arange(40.0)
    values = np.stack([(frames / 10) ** 3 - frames, frames**2 / 50], axis=1)
    keys = [0, 11, 25, 39]
    handles = Fitter(values, frames).fit(keys, "smooth")
    np.testing.assert_allclose(handles.values, values[keys], atol=1e-8)
    np.testing.assert_allclose(handles.evaluate(frames), values, atol=1e-8)


def test_poses_that_would_go_too_far_are_held_back():
    frames, values = uneven_motion()
    keys = np.array([0, 7, 18, 30, 44, 59])
    fitter = Fitter(values, frames)

    def error(**asked):
        return np.sum((fitter.fit(keys, "smooth", **asked).evaluate(frames) - values) ** 2)

    def moved(key_values):
        return np.linalg.norm(key_values - values[keys], axis=1)

    free = moved(fitter.fit(keys, "smooth").values)
    limit = np.median(free[1:-1])
    bounded = moved(fitter.fit(keys, "smooth", strays=lambda changed: moved(changed) / limit).values)
    assert 0.9 * limit < bounded.max() <= limit
    assert error() < error(strays=lambda changed: moved(changed) / limit) < error(held=keys)


def test_scipy_finds_no_better_poses_that_go_only_so_far():
    frames, values = even_motion()
    keys = np.array([0, 12, 30, 47, 59])
    fitter, unit, none = Fitter(values, frames), np.eye(5), np.zeros((5, 5))
    of_values = CubicHermiteSpline(frames[keys], unit, none)(frames)
    of_slopes = CubicHermiteSpline(frames[keys], none, unit)(frames)
    without_slopes = np.eye(60) - of_slopes @ np.linalg.pinv(of_slopes)

    def error(moved):
        moved = np.pad(moved.reshape(3, -1), ((1, 1), (0, 0)))
        return np.sum((without_slopes @ (values - of_values @ (values[keys] + moved))) ** 2)

    def far(moved):
        return np.linalg.norm(moved.reshape(3, -1), axis=1)

    free = fitter.fit(keys, "smooth").values - values[keys]
    limit = 0.5 * far(free[1:-1]).min()
    room = {"type": "ineq", "fun": lambda moved: limit - far(moved)}
    start = 0.1 * free[1:-1].ravel()
    best = minimize(error, start, constraints=[room], method="SLSQP", options={"maxiter": 300})

    def strays(key_values):
        return np.linalg.norm(key_values - values[keys], axis=1) / limit

    ours = (fitter.fit(keys, "smooth", strays=strays).values - values[keys])[1:-1]
    assert error(start) > 1.02 * error(best.x)
    assert error(ours.ravel()) <= 1.001 * error(best.x)


@pytest.mark.parametrize("name", CLIPS)
def test_no_pose_of_captured_motion_goes_farther_than_a_millimetre_a_metre(mocap_folder, name):
    motion = load_clip(name).at(slice(0, 500))
    fitter, solutions = Fitter(radians_without_jumps(motion), motion.frames), select(motion, max_keys=50)
    for count in (20, 50):
        keys = solutions.keys(min(count, solutions.counts[-1]))
        strays = straying(name, motion, keys)
        handles = fitter.fit(keys, "smooth", strays=strays)
        assert 0.5 < strays(handles.values).max() <= 1.0
