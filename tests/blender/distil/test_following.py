# SPDX-License-Identifier: GPL-3.0-or-later
"""Detail follows the keys as soon as they are edited, and at 1 it is the warped original with the change.

What is expected is worked out here from the source's curves and SciPy alone.
"""

import bpy
import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

from tests.blender.distil.test_edits import (
    FRAMES,
    columns,
    move_column,
    played,
    pose,
    positions_of,
    source_values,
)

POSED = 1


@pytest.fixture
def rig(distil, swinging):
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 9
    swinging.posewright.detail = 1.0
    bpy.context.view_layer.update()
    return swinging


def let_go(following):
    """What the window does once the mouse is released."""
    bpy.context.view_layer.update()
    following.follow()


def off(distil, rig, values):
    wanted = positions_of(distil, rig, values)
    return np.abs(distil.positions(rig, FRAMES) - wanted).max() / distil.sampling.height_of(rig)


def test_a_column_that_is_dragged_takes_the_detail_along_at_once(distil, rig, following):
    before = columns(distil, rig)
    after = before.copy()
    after[4] += 6.0
    move_column(distil, rig, before[4], 6.0)
    expected = source_values(distil, rig, PchipInterpolator(after, before)(FRAMES))
    assert off(distil, rig, expected) > 1e-2
    curves, edits = played(distil, rig), rig.posewright.reduced.posewright.edits
    let_go(following)
    assert off(distil, rig, expected) < 1e-4
    np.testing.assert_array_equal(played(distil, rig), curves)
    assert rig.posewright.reduced.posewright.edits == edits
    for count in (15, 9):
        rig.posewright.key_count = count
        assert off(distil, rig, expected) < 1e-4


def test_an_edited_and_retimed_motion_with_all_detail_is_the_warped_original_with_the_change(
    distil, rig, following
):
    before = columns(distil, rig)
    after = before.copy()
    after[4] += 6.0
    move_column(distil, rig, before[4], 6.0)
    only_moved = played(distil, rig)[:, POSED]
    pose(distil, rig, POSED, 0.5, after[6])
    shape = played(distil, rig)[:, POSED] - only_moved
    warp = PchipInterpolator(after, before)
    expected = source_values(distil, rig, warp(FRAMES))
    at = int(np.flatnonzero(after[6] == FRAMES)[0])
    keyed = distil.playing(rig)[POSED].evaluate(after[6])
    pin = np.where(after == after[6], keyed - expected[at, POSED] - shape[at], 0.0)
    expected[:, POSED] += shape + PchipInterpolator(after, pin)(FRAMES)
    let_go(following)
    assert off(distil, rig, expected) < 1e-4
    for count in (5, 30):
        rig.posewright.key_count = count
        for way in ("SMOOTH", "EVERYWHERE", "STEPPED"):
            rig.posewright.interpolation = way
            assert off(distil, rig, expected) < 1e-4


def test_undo_takes_the_detail_back(distil, rig, following):
    expected = source_values(distil, rig)
    bpy.ops.ed.undo_push(message="before")
    move_column(distil, rig, columns(distil, rig)[4], 6.0)
    bpy.ops.ed.undo_push(message="dragged")
    let_go(following)
    assert off(distil, rig, expected) > 1e-2
    bpy.ops.ed.undo()
    rig = bpy.context.view_layer.objects.active
    let_go(following)
    assert off(distil, rig, expected) < 1e-4


def test_nothing_is_done_where_nothing_was_edited(distil, rig, following):
    layer = rig.posewright.reduced.posewright.residual
    curve = next(distil.actions.bags_in(layer))[1].fcurves[0]
    curve.keyframe_points[3].co.y += 1.0
    let_go(following)
    assert abs(curve.evaluate(curve.keyframe_points[3].co.x)) > 0.5
    rig.posewright.show_original = True
    let_go(following)
    assert rig.posewright.show_original


def test_keys_that_cannot_be_read_are_left_to_the_slider(distil, rig, following):
    state = rig.posewright.reduced.posewright
    state.edits, state.token = "nonsense", "another"
    pose(distil, rig, POSED, 0.5, columns(distil, rig)[4])
    let_go(following)
    rig.posewright.key_count = 7
    assert "damaged" in rig.posewright.problem
