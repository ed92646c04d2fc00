# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits are released one by one, and edited parts of an action leave the rest alone."""

import bpy
import numpy as np
import pytest

from tests.blender.distil.test_edits import columns, move_column, pose, source_values
from tests.blender.distil.test_part import AFTER, BEFORE, FIRST, LAST, analyse_part, values


@pytest.fixture
def rig(distil, swinging):
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 9
    return swinging


def wanted(distil, rig):
    return distil.reductions.get(rig).analysis().values


def test_one_key_is_released_and_the_other_stays(distil, rig):
    one, other = columns(distil, rig)[[2, 6]]
    pose(distil, rig, 1, 0.5, one)
    pose(distil, rig, 2, -0.4, other)
    rig.posewright.key_count = 9
    kept = distil.playing(rig)[2].evaluate(other)
    bpy.ops.posewright.release_edits(what="KEY", frame=one + 1.0)
    edits = distil.reductions.get(rig).edits
    assert edits.keyed_frames.tolist() == [other]
    np.testing.assert_allclose(wanted(distil, rig)[:, 1], source_values(distil, rig)[:, 1], atol=1e-5)
    for count in (5, 20):
        rig.posewright.key_count = count
        assert other in columns(distil, rig)
        assert distil.playing(rig)[2].evaluate(other) == pytest.approx(kept, abs=1e-5)
    bpy.ops.posewright.release_edits(what="KEY", frame=other)
    assert distil.reductions.get(rig).edits.is_none
    np.testing.assert_allclose(wanted(distil, rig), source_values(distil, rig), atol=1e-5)


def test_a_key_beside_an_edited_one_fades_out_towards_it(distil, rig):
    one, other = columns(distil, rig)[[3, 4]]
    pose(distil, rig, 1, 0.5, one)
    pose(distil, rig, 1, 0.5, other)
    rig.posewright.key_count = 9
    kept = distil.playing(rig)[1].evaluate(other)
    bpy.ops.posewright.release_edits(what="KEY", frame=one)
    assert distil.playing(rig)[1].evaluate(other) == pytest.approx(kept, abs=1e-5)
    change = (wanted(distil, rig) - source_values(distil, rig))[:, 1]
    assert abs(change[int(one) - 1]) < 1e-5
    assert np.all(np.diff(change[int(one) - 1 : int(other)]) >= -1e-5), "it grows towards the other"


def test_the_timing_is_released_and_the_poses_stay(distil, rig):
    before = columns(distil, rig)
    pose(distil, rig, 1, 0.5, before[6])
    rig.posewright.key_count = 9
    keyed = distil.playing(rig)[1].evaluate(before[6])
    move_column(distil, rig, before[6], 5.0)
    rig.posewright.key_count = 9
    assert before[6] + 5.0 in columns(distil, rig)
    bpy.ops.posewright.release_edits(what="TIMING")
    assert before[6] in columns(distil, rig)
    assert before[6] + 5.0 not in columns(distil, rig)
    assert distil.playing(rig)[1].evaluate(before[6]) == pytest.approx(keyed, abs=1e-5)


@pytest.mark.parametrize("moved", [4, -1], ids=["in the middle", "the end"])
def test_all_is_released_after_edits_were_analysed_again(distil, rig, moved):
    """Keys that were found for the retimed motion were taken for rows of the source."""
    move_column(distil, rig, columns(distil, rig)[moved], 6.0)
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 20
    bpy.ops.posewright.release_edits(what="ALL")
    reduction = distil.reductions.get(rig)
    assert reduction.edits.is_none

    def found():
        analysis, source = reduction.analysis(), distil.reductions.source_of(reduction)
        assert source.target is None
        return analysis.frames[analysis.keys(20)].tolist()

    baked = columns(distil, rig).tolist()
    assert baked == found()
    distil.reductions._CACHE.clear()
    assert baked == found() == found()
    np.testing.assert_allclose(wanted(distil, rig), source_values(distil, rig), atol=1e-5)
    rig.posewright.detail = 1.0
    rig.posewright.key_count = 12
    assert rig.posewright.problem == ""


def test_releasing_is_one_step_of_undo(distil, rig):
    at = columns(distil, rig)[4]
    pose(distil, rig, 1, 0.5, at)
    rig.posewright.key_count = 12
    bpy.ops.ed.undo_push(message="edited")
    bpy.ops.posewright.release_edits(what="KEY", frame=at)
    bpy.ops.ed.undo_push(message="released")
    bpy.ops.ed.undo()
    rig = bpy.context.view_layer.objects.active
    assert distil.reductions.get(rig).edits.keyed_frames.tolist() == [at]


def test_an_edited_part_leaves_the_rest_alone(distil, swinging):
    before, after = values(distil, swinging, BEFORE), values(distil, swinging, AFTER)
    analyse_part(swinging)
    swinging.posewright.key_count = 6
    inside = [frame for frame in columns(distil, swinging) if FIRST <= frame <= LAST]
    posed, moved = inside[2], inside[4]
    pose(distil, swinging, 1, 0.5, posed)
    keyed = distil.playing(swinging)[1].evaluate(posed)
    move_column(distil, swinging, moved, 2.0)
    for count in (8, 5, 12):
        swinging.posewright.key_count = count
        assert swinging.posewright.problem == ""
        assert posed in columns(distil, swinging)
        assert distil.playing(swinging)[1].evaluate(posed) == pytest.approx(keyed, abs=1e-5)
        np.testing.assert_allclose(values(distil, swinging, BEFORE), before, atol=1e-6)
        np.testing.assert_allclose(values(distil, swinging, AFTER), after, atol=1e-6)
    bpy.ops.posewright.release_edits(what="KEY", frame=posed)
    bpy.ops.posewright.release_edits(what="TIMING")
    np.testing.assert_allclose(values(distil, swinging, BEFORE), before, atol=1e-6)
    assert distil.reductions.get(swinging).edits.is_none
