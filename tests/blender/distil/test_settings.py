# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists, presets and markers that go with an analysis."""

import bpy
import pytest

HUMAN = {
    "Hips": ((0, 0, 1), (0, 0, 1.2), None),
    "Spine": ((0, 0, 1.2), (0, 0, 1.5), "Hips"),
    "LeftArm": ((0.2, 0, 1.5), (0.5, 0, 1.5), "Spine"),
    "LeftForeArm": ((0.5, 0, 1.5), (0.8, 0, 1.5), "LeftArm"),
    "LeftHand": ((0.8, 0, 1.5), (0.9, 0, 1.5), "LeftForeArm"),
    "LeftThumb": ((0.9, 0, 1.5), (0.95, 0, 1.5), "LeftHand"),
}


def listed(rig):
    return {each.name: each.weight for each in rig.posewright.bone_weights}


def test_weight_presets(make_rig):
    rig = make_rig(HUMAN)
    bpy.ops.posewright.bone_weights(preset="hand")
    assert listed(rig) == {name: 4.0 if name in ("LeftHand", "LeftThumb") else 1.0 for name in HUMAN}
    bpy.ops.posewright.bone_weights(preset="equal")
    assert listed(rig) == dict.fromkeys(HUMAN, 1.0)
    bpy.ops.posewright.bone_weights(preset="hierarchy")
    weights = listed(rig)
    assert weights["Hips"] > weights["Spine"] > weights["LeftHand"] > weights["LeftThumb"]
    with pytest.raises(RuntimeError, match="No bone of Rig looks like a foot"):
        bpy.ops.posewright.bone_weights(preset="foot")
    with pytest.raises(RuntimeError, match="were found, which nine joints need"):
        bpy.ops.posewright.bone_weights(preset="nine joints")
    assert listed(rig) == weights, "a preset that does not fit changes nothing"


def test_nine_joints_weigh_joints_and_not_bone_tails(mocap, posewright):
    rig = mocap("13_11")
    bpy.ops.posewright.bone_weights(preset="nine joints")
    counting = {name for name, weight in listed(rig).items() if weight}
    limbs = {f"{side}{bone}" for side in ("Left", "Right") for bone in ("Arm", "ForeArm", "UpLeg", "Leg")}
    assert counting == {"Hips head", *limbs}, "the tail of an upper arm is the elbow, and so on"


@pytest.mark.parametrize("preset", ["equal", "nine joints"])
def test_the_weight_of_the_root_changes_the_key_poses(mocap, posewright, preset):
    rig = mocap("13_11")
    bpy.ops.posewright.bone_weights(preset=preset)
    rig.posewright.algorithm = "keyposes"
    rig.posewright.max_keys = 10
    chosen = []
    for weight in (0.0, 5.0, 1000.0):
        rig.posewright.options.keyposes.root_weight = weight
        bpy.ops.posewright.analyze()
        rig.posewright.key_count = 8
        chosen.append({key.co[0] for key in posewright.bridge.actions.curves_of(rig)[0].keyframe_points})
        bpy.ops.posewright.restore()
    assert chosen[0] != chosen[1] != chosen[2] != chosen[0]


def test_fixed_frames_are_kept_in_order(make_rig):
    rig = make_rig(1)

    def frames():
        return [each.frame for each in rig.posewright.fixed_frames]

    bpy.ops.posewright.fixed_frame_add(frames="40, 12 55.5;12")
    assert frames() == [12, 40, 55.5]
    bpy.context.scene.frame_set(20)
    bpy.ops.posewright.fixed_frame_add()
    assert frames() == [12, 20, 40, 55.5]
    bpy.ops.posewright.fixed_frame_remove(index=2)
    assert frames() == [12, 20, 55.5]
    with pytest.raises(RuntimeError, match="'abc' is no frame number"):
        bpy.ops.posewright.fixed_frame_add(frames="3 abc")
    with pytest.raises(RuntimeError, match="'inf' is no frame number"):
        bpy.ops.posewright.fixed_frame_add(frames="inf")
    with pytest.raises(RuntimeError, match="The list has 3 frames: choose one of them"):
        bpy.ops.posewright.fixed_frame_remove(index=9)
    for _ in range(3):
        bpy.ops.posewright.fixed_frame_remove()
    assert not bpy.ops.posewright.fixed_frame_remove.poll()


def test_markers_follow_the_keys_and_leave_others_alone(distil, swinging):
    scene = bpy.context.scene
    scene.timeline_markers.new("mine", frame=33)
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 6
    assert [marker.name for marker in scene.timeline_markers] == ["mine"]

    def marked():
        return sorted(marker.frame for marker in scene.timeline_markers if marker.name == "Pose Rig")

    swinging.posewright.show_markers = True
    for count in (6, 9):
        swinging.posewright.key_count = count
        assert marked() == distil.actions.key_frames(distil.playing(swinging)).tolist()
    swinging.name = "Renamed"
    swinging.posewright.key_count = 5
    assert marked() == []
    assert len(scene.timeline_markers) == 6
    swinging.posewright.fix_markers = True
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 2
    assert swinging.posewright.key_count == 3, "its own markers are not fixed frames, the user's is"
    bpy.ops.posewright.restore()
    assert [marker.name for marker in scene.timeline_markers] == ["mine"]


def test_markers_of_a_long_name_do_not_pile_up(distil, swinging):
    swinging.name = "R" * 63
    bpy.ops.posewright.analyze()
    swinging.posewright.show_markers = True
    for count in (5, 9, 6):
        swinging.posewright.key_count = count
    assert len(bpy.context.scene.timeline_markers) == 6


def test_markers_of_the_user_may_be_called_anything(distil, swinging):
    markers = bpy.context.scene.timeline_markers
    markers.new("Pose 1", frame=33)
    markers.new("nameless", frame=70).name = ""
    swinging.posewright.fix_markers = True
    bpy.ops.posewright.analyze()
    swinging.posewright.show_markers = True
    swinging.posewright.key_count = 2
    assert distil.actions.key_frames(distil.playing(swinging)).tolist() == [1, 33, 70, 120]
    bpy.ops.posewright.restore()
    assert sorted(marker.name for marker in markers) == ["", "Pose 1"]


def test_options_of_algorithms_reach_the_solver(distil, swinging):
    swinging.posewright.options.salient.largest_gap = 20
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 2
    frames = distil.actions.key_frames(distil.playing(swinging))
    assert max(frames[1:] - frames[:-1]) <= 20
