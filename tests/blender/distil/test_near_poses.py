# SPDX-License-Identifier: GPL-3.0-or-later
"""With curves that are smooth everywhere no key pose leaves the motion by more than a millimetre a metre."""

import bpy
import numpy as np
import pytest

from tests.blender.distil.test_edits import columns


def moved(distil, rig):
    """(K,) how far Blender plays the poses at keys from where they are in the original, in heights."""
    frames = columns(distil, rig)
    paths = {curve.data_path for curve in distil.playing(rig)}
    bones = [bone.name for bone in rig.data.bones if any(f'"{bone.name}"' in path for path in paths)]
    both = []
    for original in (True, False):
        rig.posewright.show_original = original
        both.append(distil.sampling.sample(rig, frames, bones=bones, sides=True).positions)
    squares = np.sum((both[0] - both[1]) ** 2, axis=2)
    return np.sqrt(squares.mean(axis=1)) / distil.sampling.height_of(rig)


def smooth_everywhere(rig, count):
    bpy.ops.posewright.analyze()
    rig.posewright.interpolation = "EVERYWHERE"
    rig.posewright.key_count = count
    assert (rig.posewright.problem, rig.posewright.interpolation) == ("", "EVERYWHERE")


def test_captured_poses_stay_near(distil, mocap):
    rig = mocap("02_01")
    rig.posewright.range_from, rig.posewright.range_start, rig.posewright.range_end = "NUMBERS", 1, 250
    smooth_everywhere(rig, 10)
    assert 0.9e-3 < moved(distil, rig).max() <= 1.001e-3


@pytest.mark.parametrize("file", ["Fox.glb", "Samba_Dancing.fbx"])
def test_poses_of_characters_stay_near(distil, import_character, file):
    rig = import_character(file)
    bpy.context.view_layer.objects.active = rig
    smooth_everywhere(rig, 8)
    assert 0.9e-3 < moved(distil, rig).max() <= 1.001e-3


def test_an_armature_that_moves_itself_stays_near(distil, swinging):
    for frame in range(1, 121):
        swinging.location.x, swinging.rotation_euler.z = 0.1 * frame, np.sin(0.2 * frame)
        swinging.keyframe_insert("location", index=0, frame=frame)
        swinging.keyframe_insert("rotation_euler", index=2, frame=frame)
    swinging.scale = 2.0, 2.0, 2.0
    bpy.context.view_layer.update()
    smooth_everywhere(swinging, 12)
    assert 0.9e-3 < moved(distil, swinging).max() <= 1.001e-3


def test_an_armature_that_is_scaled_to_nothing_at_first_stays_near(distil, swinging, set_keys):
    """As where a character is made to appear: no way leads back from there, and the slider did nothing."""
    set_keys(swinging, "scale", {1: (0.0,) * 3, 30: (0.0,) * 3, 31: (1.0,) * 3})
    bpy.context.scene.frame_set(60)
    smooth_everywhere(swinging, 12)
    shown = columns(distil, swinging) > 30
    assert moved(distil, swinging)[shown].max() <= 1.001e-3


def test_fixed_and_edited_poses_stay_where_they_are(distil, swinging):
    swinging.posewright.fixed_frames.add().frame = 33
    smooth_everywhere(swinging, 9)
    curve = distil.playing(swinging)[2]
    curve.keyframe_points.insert(70.0, 0.4)
    swinging.posewright.key_count = 14
    far = dict(zip(columns(distil, swinging).tolist(), moved(distil, swinging), strict=True))
    assert max(far[frame] for frame in (1.0, 33.0, 120.0)) < 1e-6
    assert curve.evaluate(70.0) == pytest.approx(0.4, abs=1e-6)


def test_what_else_the_armature_shows_makes_no_edit(distil, swinging):
    """The same keys are found at any time, so nothing but an edit is taken for one."""
    smooth_everywhere(swinging, 9)
    swinging.scale, swinging.location = (3.0, 3.0, 3.0), (5.0, 0.0, 1.0)
    bpy.context.scene.frame_set(40)
    distil.playing(swinging)[0].keyframe_points.insert(50.0, 0.2)
    swinging.posewright.key_count = 10
    assert distil.reductions.get(swinging).edits.keyed_frames.tolist() == [50.0]


def test_keys_that_an_earlier_version_has_let_go_are_no_edits(distil, swinging):
    smooth_everywhere(swinging, 9)
    reduction = distil.reductions.get(swinging)
    stored = distil.reductions.storage.unpack(reduction.state.stored)
    stored[1]["height"] = np.array(0.0)
    distil.reductions.restore_stored(reduction, distil.reductions.storage.pack(*stored))
    swinging.posewright.key_count = 10
    swinging.posewright.key_count = 9
    assert moved(distil, swinging).max() > 1.1e-3
    assert not distil.capture.edits_now(reduction).keyed.size
