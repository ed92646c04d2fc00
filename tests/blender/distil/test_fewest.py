# SPDX-License-Identifier: GPL-3.0-or-later
"""The fewest keys within an error: measured, and one key fewer measured too."""

import bpy
import numpy as np
import pytest


@pytest.fixture
def measuring(distil):
    return distil.measuring


def measured(measuring, rig, count):
    rig.posewright.key_count = count
    return measuring.measure(rig).mean


@pytest.mark.parametrize("share", [0.3, 0.1, 0.03, 0.01])
def test_one_key_fewer_is_not_within(distil, swinging, measuring, share):
    bpy.ops.posewright.analyze()
    wanted = share * distil.sampling.height_of(swinging)
    found = measuring.count_within(swinging, wanted)
    assert found.keys == swinging.posewright.key_count
    assert found.mean <= wanted
    assert measuring.measure(swinging).mean == pytest.approx(found.mean)
    counts = distil.reductions.get(swinging).analysis().solutions.counts
    if found.keys > counts[0]:
        fewer = counts[counts < found.keys][-1]
        assert measured(measuring, swinging, int(fewer)) > wanted


def test_estimates_that_mislead(distil, swinging, measuring, monkeypatch):
    """The answer is measured: however wrong the estimates are, it is the same."""
    bpy.ops.posewright.analyze()
    wanted = 0.02 * distil.sampling.height_of(swinging)
    expected = measuring.count_within(swinging, wanted).keys
    analysis = distil.reductions.get(swinging).analysis()
    truth = analysis.estimated_errors.copy()
    wrong = np.random.default_rng(3).uniform(0.01, 100.0, truth.shape)
    for estimates in (truth * 50.0, truth / 50.0, truth[:, ::-1], wrong, np.zeros_like(truth)):
        analysis.estimated_errors[:] = estimates
        assert measuring.count_within(swinging, wanted).keys == expected
    analysis.estimated_errors[:] = truth


def test_few_measurements_are_needed(distil, swinging, measuring, monkeypatch):
    bpy.ops.posewright.analyze()
    rounds = []
    measure = measuring._compared_in_steps
    monkeypatch.setattr(
        measuring, "_compared_in_steps", lambda *asked: (rounds.append(asked[2]), measure(*asked))[1]
    )
    measuring.count_within(swinging, 0.02 * distil.sampling.height_of(swinging))
    assert len(rounds) == len(set(rounds)) <= 7, rounds


def test_where_nothing_stands_no_slide_can_be_asked_for(swinging):
    """Any two keys would be within it."""
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 9
    swinging.posewright.wanted_what = "SLIDE"
    with pytest.raises(RuntimeError, match="stands still"):
        bpy.ops.posewright.keys_below()
    assert swinging.posewright.key_count == 9


def test_detail_does_not_count(distil, swinging, measuring):
    bpy.ops.posewright.analyze()
    wanted = 0.02 * distil.sampling.height_of(swinging)
    expected = measuring.count_within(swinging, wanted).keys
    swinging.posewright.detail = 1.0
    swinging.posewright.key_count = 4
    assert measuring.count_within(swinging, wanted).keys == expected
    assert swinging.posewright.detail == 1.0
    assert measuring.measure(swinging).mean < 1e-3, "the detail plays again"


@pytest.mark.parametrize("original", [False, True])
def test_stopped_half_way_it_leaves_everything_as_it_was(distil, swinging, measuring, original):
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 9
    curve = distil.playing(swinging)[0]
    curve.keyframe_points[3].co[1] += 0.3
    edited = distil.actions.fingerprint(distil.playing(swinging))
    names = sorted(action.name for action in bpy.data.actions)
    swinging.posewright.show_original = original
    shown = distil.actions.fingerprint(distil.playing(swinging))

    work = measuring.count_within_in_steps(swinging, 0.02 * distil.sampling.height_of(swinging))
    for _ in range(2):
        next(work)
    work.close()

    assert swinging.posewright.key_count == 9
    assert swinging.posewright.show_original == original
    assert distil.actions.fingerprint(distil.playing(swinging)) == shown
    assert sorted(action.name for action in bpy.data.actions) == names
    swinging.posewright.show_original = False
    assert distil.actions.fingerprint(distil.playing(swinging)) == edited
