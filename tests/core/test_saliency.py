# SPDX-License-Identifier: GPL-3.0-or-later
"""`saliency` against the paper's steps written out frame by frame."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from benchmarks.clips import load_clip
from core import InputError, Motion, select
from core.selection.saliency import automatic_sigma, motion_saliency, principal_components

PARENTS = (-1, 0, 1, 0, 3)


def wavy(frames: int = 160, seed: int = 0, fps: float = 120.0, **keywords) -> Motion:
    rng = np.random.default_rng(seed)
    time = np.arange(frames)[:, None, None] / fps
    waves = sum(
        rng.normal(size=(1, 5, 3)) * np.sin(2.0 * np.pi * rng.uniform(0.5, 3.0, (1, 5, 3)) * time + n)
        for n in range(4)
    )
    return Motion(waves, fps=fps, parents=PARENTS, **keywords)


# The paper's steps, as plainly as they can be written


def plain_components(curves, k):
    standard = (curves - curves.mean(axis=0)) / curves.std(axis=0)
    eigenvalues, vectors = np.linalg.eigh(np.cov(standard.T, bias=True))
    strongest = np.argsort(-eigenvalues)[:k]
    return (standard @ vectors[:, strongest]).T, eigenvalues[strongest]


def plain_average(curve, frame, sigma):
    near = [x for x in range(len(curve)) if abs(x - frame) <= 2.0 * sigma]
    weights = np.array([np.exp(-((x - frame) ** 2) / (2.0 * sigma**2)) for x in near])
    return float((weights * curve[near]).sum() / weights.sum())


def plain_saliency(curve, sigma, curvature="standard"):
    frames = range(len(curve))
    slope = np.gradient(curve) if curvature == "standard" else curve
    bend = np.array(
        [curve[max(f - 1, 0)] - 2.0 * curve[f] + curve[min(f + 1, len(curve) - 1)] for f in frames]
    )
    bend[0], bend[-1] = bend[1], bend[-2]
    bent = np.abs(bend) / (1.0 + slope**2) ** 1.5
    maps = []
    for scale in (sigma, 1.5 * sigma, 2.0 * sigma, 2.5 * sigma):
        maps.append(
            np.array(
                [abs(plain_average(bent, f, scale) - plain_average(bent, f, 2.0 * scale)) for f in frames]
            )
        )
    highest = max(each.max() for each in maps)
    total = np.zeros(len(curve))
    for each in maps:
        scaled = each * highest / each.max()
        peaks = [
            scaled[f]
            for f in frames[1:-1]
            if scaled[f] > scaled[f - 1] and scaled[f] >= scaled[f + 1] and scaled[f] < scaled.max()
        ]
        total += scaled * (scaled.max() - (np.mean(peaks) if peaks else 0.0)) ** 2
    return total


def plain_keys(maps, eigenvalues, sigma):
    candidates = [set(np.flatnonzero(each > each.mean()).tolist()) for each in maps]
    everything = sorted(set().union(*candidates))
    runs = np.split(everything, np.flatnonzero(np.diff(everything) > 1) + 1)
    keys = []
    for run in runs:
        parts = -(-len(run) // int(2 * sigma))
        bounds = [len(run) * part // parts for part in range(parts + 1)]
        for first, last in pairwise(bounds):
            cluster = run[first:last]
            pull = [
                sum(eigenvalues[j] for j in range(len(maps)) if frame in candidates[j])
                for frame in cluster.tolist()
            ]
            offsets = cluster - cluster[0]
            keys.append(int(cluster[np.argmin(np.abs(offsets - np.average(offsets, weights=pull)))]))
    return keys


@pytest.mark.parametrize(("sigma", "k"), [(3.0, 10), (4.5, 4), (10.0, 7), (1.0, 1)])
def test_its_own_keys_are_those_of_the_paper(sigma, k):
    motion = wavy()
    curves, eigenvalues = plain_components(motion.positions.reshape(160, -1), k)
    maps = [plain_saliency(curve, sigma) for curve in curves]
    expected = sorted({0, 159, *plain_keys(maps, eigenvalues, sigma)})
    solutions = select(motion, "saliency", sigma=sigma, k=k, max_keys=160)
    assert solutions.own_count == len(expected)
    assert solutions.keys(solutions.own_count).tolist() == expected


@pytest.mark.parametrize("curvature", ["standard", "printed"])
def test_maps_are_those_of_the_paper(curvature):
    motion = wavy(seed=3)
    curves, eigenvalues = plain_components(motion.positions.reshape(160, -1), 5)
    seen = motion_saliency(motion, sigma=3.0, k=5, curvature=curvature)
    expected = np.array([plain_saliency(curve, 3.0, curvature) for curve in curves])
    for ours, theirs in zip(seen.maps, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9 * theirs.max())
    np.testing.assert_allclose(seen.values, eigenvalues @ expected, rtol=1e-6)
    assert np.array_equal(seen.candidates, expected > expected.mean(axis=1, keepdims=True))


def test_the_printed_curvature_gives_other_keys():
    one, other = (select(wavy(), "saliency", curvature=which).ranking for which in ("standard", "printed"))
    assert one.tolist() != other.tolist()


def test_components_are_those_of_the_standardised_curves():
    motion = wavy(seed=4)
    flat = motion.positions.reshape(160, -1)
    expected, eigenvalues = plain_components(flat, 6)
    found = principal_components(flat.copy(), np.ones(15), 6)
    np.testing.assert_allclose(found.eigenvalues, eigenvalues, rtol=1e-9)
    np.testing.assert_allclose(np.abs(found.curves), np.abs(expected), atol=1e-9)


def test_curves_that_hold_still_add_no_noise():
    motion = wavy(seed=4)
    flat = motion.positions.reshape(160, -1)
    still = np.concatenate(
        [flat, np.full((160, 2), 0.1), 1e-7 * np.random.default_rng(0).random((160, 1))], axis=1
    )
    one = principal_components(flat.copy(), np.ones(15), 4)
    other = principal_components(still, np.ones(18), 4)
    np.testing.assert_allclose(one.eigenvalues, other.eigenvalues, rtol=1e-9)


def test_automatic_components_keep_nine_tenths_and_are_at_least_seven():
    rng = np.random.default_rng(5)
    noise = rng.normal(size=(400, 30))
    kept = principal_components(noise.copy(), np.ones(30)).eigenvalues
    everything = principal_components(noise, np.ones(30), 30).eigenvalues
    assert kept.sum() >= 0.9 * everything.sum() > kept[:-1].sum()
    one_way = np.outer(rng.normal(size=400), np.ones(30)) + 1e-3 * rng.normal(size=(400, 30))
    assert len(principal_components(one_way, np.ones(30)).eigenvalues) == 7
    assert len(principal_components(rng.normal(size=(400, 3)), np.ones(3)).eigenvalues) == 3


# The ranking around its own set


def test_its_own_set_is_the_beginning_of_the_ranking():
    solutions = select(wavy(), "saliency", fixed=[77], max_keys=160)
    own = solutions.ranking[: solutions.own_count]
    assert {0, 77, 159} <= set(own.tolist())
    assert sorted(solutions.ranking.tolist()) == list(range(160))


def test_the_own_number_is_told_even_where_fewer_keys_are_offered():
    full = select(wavy(), "saliency", max_keys=160)
    few = select(wavy(), "saliency", max_keys=5)
    assert few.own_count == full.own_count > 5


def test_errors_are_the_saliency_away_from_keys():
    motion = wavy()
    solutions = select(motion, "saliency", sigma=4.0, k=5, max_keys=160)
    curves, eigenvalues = plain_components(motion.positions.reshape(160, -1), 5)
    mass = eigenvalues @ np.array([plain_saliency(curve, 4.0) for curve in curves])
    for k in (2, 3, 10, 40, 160):
        away = np.min(np.abs(np.arange(160)[:, None] - solutions.keys(k)[None]), axis=1) > 4
        assert solutions.error(k) == pytest.approx(mass[away].sum() / mass.sum(), abs=1e-9)
    assert np.all(np.diff(solutions.errors) <= 1e-12)


def test_fewer_keys_stay_spread_over_what_moves():
    solutions = select(wavy(frames=600), "saliency", sigma=3.0, max_keys=600)
    for k in (10, 20, 40):
        assert np.diff(solutions.keys(k)).max() < 4 * 600 / k


def test_a_kink_is_found():
    positions = np.zeros((101, 1, 3))
    positions[:, 0, 0] = np.abs(np.arange(101) - 50.0)
    solutions = select(Motion(positions, fps=120.0), "saliency", sigma=3.0)
    assert np.min(np.abs(solutions.keys(solutions.own_count) - 50)) <= 1


# Parameters


def test_larger_sigma_gives_fewer_keys():
    counts = [select(wavy(frames=900), "saliency", sigma=sigma).own_count or 0 for sigma in (2.0, 5.0, 10.0)]
    assert counts[0] > counts[1] > counts[2] > 0


def test_sigma_scales_with_the_frame_rate():
    slow, fast = automatic_sigma(wavy(frames=600, fps=120.0)), automatic_sigma(wavy(frames=300, fps=60.0))
    assert slow == pytest.approx(2.0 * fast, rel=0.1)


def test_rows_between_frames_count_as_the_time_they_are():
    motion = wavy(frames=600, fps=120.0)
    between = Motion(motion.positions, fps=24.0, frames=np.arange(600) / 5.0, parents=PARENTS)
    assert automatic_sigma(between) == pytest.approx(automatic_sigma(motion))
    assert select(between, "saliency").ranking.tolist() == select(motion, "saliency").ranking.tolist()


def test_sigma_is_small_for_quick_and_large_for_calm_motion():
    time = np.arange(600)[:, None] / 120.0
    quick, calm = np.zeros((600, 2, 3)), np.zeros((600, 2, 3))
    quick[:, 1, :1] = np.sin(2.0 * np.pi * 4.0 * time)
    calm[:, 1, :1] = np.sin(2.0 * np.pi * 0.5 * time)
    assert automatic_sigma(Motion(quick, fps=120.0)) == pytest.approx(3.0)
    assert automatic_sigma(Motion(calm, fps=120.0)) == pytest.approx(10.0)
    assert automatic_sigma(Motion(np.zeros((5, 2, 3)), fps=24.0)) == pytest.approx(2.0)


def test_the_frame_rate_alone_does_not_change_saliency():
    """The same movement sampled twice as often stands out at the same times."""
    slow, fast = wavy(frames=300, fps=60.0), wavy(frames=600, fps=120.0)
    maps = [motion_saliency(motion, sigma=sigma, k=3).maps for motion, sigma in ((slow, 4.0), (fast, 8.0))]
    for one, other in zip(maps[0], maps[1][:, ::2], strict=True):
        assert np.corrcoef(one, other)[0, 1] > 0.97


def test_channels_and_body_coordinates_can_be_looked_at():
    rng = np.random.default_rng(6)
    motion = wavy(channels=rng.normal(size=(160, 7)).cumsum(axis=0))
    by_channels = select(motion, "saliency")
    assert by_channels.ranking.tolist() == select(motion, "saliency", curves="channels").ranking.tolist()
    by_body = select(motion, "saliency", curves="body")
    assert (
        by_body.ranking.tolist()
        == select(motion, "saliency", curves="positions", space="root").ranking.tolist()
    )
    assert by_channels.ranking.tolist() != by_body.ranking.tolist()


@pytest.mark.parametrize("options", [{"sigma": 0.0}, {"k": 0}, {"k": 2.5}, {"sigma": float("inf")}])
def test_parameters_that_make_no_sense_are_refused(options):
    with pytest.raises(InputError, match=next(iter(options))):
        select(wavy(), "saliency", **options)


@pytest.mark.parametrize(
    ("clip", "sigma"), [("02_01", 10.0), ("13_29", 10.0), ("13_18", 3.0), ("06_13", 3.0)]
)
def test_automatic_sigma_is_what_the_paper_chose_by_hand(clip, sigma, mocap_folder):
    assert automatic_sigma(load_clip(clip)) == pytest.approx(sigma, rel=0.05)
