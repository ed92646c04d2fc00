# SPDX-License-Identifier: GPL-3.0-or-later
"""Which frames become keys: what was fixed, what counts, and what must not be overlooked."""

import numpy as np
import pytest


def test_fixed_frames_are_keys(distil, swinging):
    import bpy

    swinging.posewright.fixed_frames.add().frame = 33
    bpy.context.scene.timeline_markers.new("mark", frame=71)
    swinging.posewright.fix_markers = True
    bpy.ops.posewright.analyze()
    for count in (5, 8, 20):
        swinging.posewright.key_count = count
        assert {33.0, 71.0} <= set(distil.actions.key_frames(distil.playing(swinging)))


def test_selected_keys_can_be_fixed(distil, swinging):
    import bpy

    for curve in distil.playing(swinging):
        for key in curve.keyframe_points:
            key.select_control_point = False
    distil.playing(swinging)[3].keyframe_points[41].select_control_point = True
    swinging.posewright.fix_selected_keys = True
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 5
    assert 42.0 in set(distil.actions.key_frames(distil.playing(swinging)))


def test_keys_selected_in_the_reduced_action_can_be_fixed(distil, swinging):
    import bpy

    bpy.ops.posewright.analyze()  # the source is as it was imported, all its keys selected
    swinging.posewright.key_count = 8
    shown = distil.playing(swinging)
    assert not any(key.select_control_point for curve in shown for key in curve.keyframe_points)
    chosen = shown[0].keyframe_points[3]
    chosen.select_control_point = True
    frame = chosen.co.x
    swinging.posewright.fix_selected_keys = True
    bpy.ops.posewright.analyze()
    for count in (3, 4, 5):
        swinging.posewright.key_count = count
        assert frame in distil.actions.key_frames(distil.playing(swinging))
        assert len(distil.actions.key_frames(distil.playing(swinging))) == count


def test_all_keys_selected_is_no_choice(distil, swinging):
    import bpy

    for curve in distil.playing(swinging):
        for key in curve.keyframe_points:
            key.select_control_point = True
    swinging.posewright.fix_selected_keys = True
    with pytest.raises(RuntimeError, match=r"frames are to be keys.*Alt A"):
        bpy.ops.posewright.analyze()
    assert swinging.posewright.reduced is None


def test_weights_change_what_is_chosen(distil, swinging):
    import bpy

    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 6
    before = distil.actions.key_frames(distil.playing(swinging)).tolist()
    for name in ("bone 1", "bone 2"):
        each = swinging.posewright.bone_weights.add()
        each.name, each.weight = name, 0.0
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 6
    assert distil.actions.key_frames(distil.playing(swinging)).tolist() != before


def test_every_algorithm_works(distil, swinging, posewright):
    import bpy

    for algorithm in posewright.core.ALGORITHMS:
        swinging.posewright.algorithm = algorithm
        assert bpy.ops.posewright.analyze() == {"FINISHED"}
        assert distil.reductions.get(swinging).analysis().solutions.algorithm == algorithm


def test_gimbal_lock_gets_keys(distil, mocap, monkeypatch):
    """This clip's hips pass near gimbal lock: joints stay calm there, but the angles' curves need keys."""
    import bpy

    rig = mocap("131_03")
    time = np.arange(1.0, 1103.0)
    reference = distil.positions(rig, time)
    errors = []
    for share in (0.0, distil.analysis.CHANNEL_SHARE):
        monkeypatch.setattr(distil.analysis, "CHANNEL_SHARE", share)
        bpy.ops.posewright.analyze()
        rig.posewright.key_count = 44
        errors.append(distil.error(rig, time, reference))
    assert errors[1] < 0.85 * errors[0]


def test_a_head_that_is_only_shaken_is_not_taken_for_still(distil, make_rig):
    """Turning about its own axis moves neither end of a bone."""
    import bpy
    from bl_ext.user_default.posewright.bridge.distil import measuring

    rig = make_rig({"body": ((0, 0, 0), (0, 0, 1), None), "head": ((0, 0, 1), (0, 0, 1.3), "body")})
    head = rig.pose.bones["head"]
    head.rotation_mode = "XYZ"
    for frame in range(1, 62):
        head.rotation_euler.y = 0.7 * np.sin(frame / 5.0)
        head.keyframe_insert("rotation_euler", frame=frame)
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 9
    bpy.context.scene.frame_set(8)
    shown = [head.rotation_euler.y]
    bpy.context.scene.frame_set(24)
    shown.append(head.rotation_euler.y)
    np.testing.assert_allclose(shown, [0.7 * np.sin(8 / 5), 0.7 * np.sin(24 / 5)], atol=0.03)
    rig.posewright.key_count = 2
    assert measuring.measure(rig).largest > 0.05, "that the shake is lost shows in the figures"


def scaled_as_object(_distil, rig, scale):
    rig.scale = (scale,) * 3


def scaled_by_the_importer(distil, rig, scale):
    from mathutils import Matrix

    rig.data.transform(Matrix.Scale(scale, 4))
    for curve in distil.playing(rig):
        if curve.data_path.endswith("location"):
            for key in curve.keyframe_points:
                key.co_ui[1] *= scale


@pytest.mark.parametrize("scaled", [scaled_as_object, scaled_by_the_importer])
def test_decimation_does_not_depend_on_the_scale(distil, humanoid, scaled):
    """Angles and the way of the root are added up, so one has to be measured by the other."""
    import bpy

    chosen = []
    for scale in (1.0, 0.01):
        rig = humanoid(1.0)
        scaled(distil, rig, scale)
        rig.posewright.algorithm = "decimation"
        bpy.ops.posewright.analyze()
        rig.posewright.key_count = 24
        chosen.append(distil.actions.key_frames(distil.playing(rig)).tolist())
    assert chosen[0] == chosen[1]
