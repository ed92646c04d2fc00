# SPDX-License-Identifier: GPL-3.0-or-later
"""What Analyze does with channels of every kind, beside the ones that pose bones."""

import numpy as np
import pytest


def test_custom_properties_come_along(distil, swinging):
    import bpy

    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 12
    curve = next(curve for curve in distil.playing(swinging) if curve.data_path == '["mood"]')
    assert len(curve.keyframe_points) == 12


def test_shape_keys_of_the_same_action_come_along(distil, swinging, smiling):
    import bpy

    keys, slot = smiling
    source = swinging.animation_data.action
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 9
    assert keys.animation_data.action == swinging.posewright.reduced
    assert [len(curve.keyframe_points) for curve in distil.actions.curves_of(keys)] == [9]
    bpy.ops.posewright.restore()
    assert keys.animation_data.action == source
    assert keys.animation_data.action_slot == slot
    assert [len(curve.keyframe_points) for curve in distil.actions.curves_of(keys)] == [120]


@pytest.mark.parametrize("detail", [0.0, 1.0])
def test_shape_keys_come_along_when_it_is_analysed_again(distil, swinging, smiling, detail):
    import bpy

    keys, _slot = smiling
    source, before = swinging.animation_data.action, set(bpy.data.actions.keys())
    bpy.ops.posewright.analyze()
    swinging.posewright.detail = detail
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 9
    assert keys.animation_data.action == swinging.animation_data.action
    assert [len(curve.keyframe_points) for curve in distil.actions.curves_of(keys)] == [9]
    bpy.ops.posewright.restore()
    assert keys.animation_data.action == source
    assert not keys.animation_data.nla_tracks
    assert not keys.animation_data.drivers
    assert set(bpy.data.actions.keys()) == before


def test_meshes_that_share_a_slot_come_along(distil, swinging, smiling):
    import bpy

    keys, slot = smiling
    twin = keys.user.copy()  # and its shape keys, which play the same slot
    other = bpy.data.objects.new("Twin", twin)
    other.parent = swinging
    bpy.context.scene.collection.objects.link(other)
    assert twin.shape_keys.animation_data.action_slot == slot
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 9
    for face in (keys, twin.shape_keys):
        assert face.animation_data.action == swinging.posewright.reduced
        assert [len(curve.keyframe_points) for curve in distil.actions.curves_of(face)] == [9]


def test_muted_channels_stay_as_they_were(distil, swinging):
    import bpy

    distil.playing(swinging)[0].mute = True
    bpy.ops.posewright.analyze()
    curve = distil.playing(swinging)[0]
    assert curve.mute
    assert len(curve.keyframe_points) == 120


def test_a_component_that_is_not_there_stays_as_it_was(distil, swinging):
    import bpy

    bag = distil.actions.bag_of(swinging.animation_data.action, distil.actions.slot_of(swinging))
    extra = bag.fcurves.new('pose.bones["bone 0"].rotation_euler', index=3)
    for frame, value in ((1, 0.0), (60, 2.0), (120, -1.0)):
        extra.keyframe_points.insert(frame, value)
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 9
    swinging.posewright.detail = 0.5
    assert swinging.posewright.problem == ""
    [kept] = [curve for curve in distil.playing(swinging) if curve.array_index == 3]
    assert [tuple(key.co) for key in kept.keyframe_points] == [(1, 0), (60, 2), (120, -1)]


def test_locked_channels_are_reduced_and_stay_locked(distil, swinging):
    import bpy

    distil.playing(swinging)[0].lock = True
    bpy.ops.posewright.analyze()
    curve = distil.playing(swinging)[0]
    assert curve.lock
    assert len(curve.keyframe_points) == swinging.posewright.key_count


def test_the_face_of_an_armature_deleted_meanwhile_plays_the_source_again(distil, swinging, smiling):
    import bpy

    keys, slot = smiling
    distil.delete_while_measuring(swinging)
    assert keys.animation_data.action == bpy.data.actions["Swing"]
    assert keys.animation_data.action_slot == slot


def test_rotations_that_jump_are_mended_before_fitting(distil, make_rig):
    import bpy

    rig = make_rig(1, rotation_mode="QUATERNION")
    actions = distil.actions
    action, slot = actions.new_action("Spin", rig)
    actions.assign(rig, action, slot)
    channels = [actions.Channel('pose.bones["bone 0"].rotation_quaternion', i, "bone 0") for i in range(4)]
    time = np.arange(1.0, 81.0)
    angle = time * 0.2
    values = np.stack([np.cos(angle / 2), np.sin(angle / 2), 0 * time, 0 * time], axis=1)
    values[values[:, 0] < 0] *= -1
    distil.write(actions.ensure_curves(actions.bag_of(action, slot, create=True), channels), time, values)
    reference = distil.positions(rig, time)
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 20
    assert distil.error(rig, time, reference) < 0.01


@pytest.mark.parametrize("part", [False, True])
def test_switches_change_where_they_did(distil, swinging, set_keys, part):
    import bpy

    swinging["legs"] = 0
    set_keys(swinging, "hide_render", {1: False, 50: True, 70: False, 90: True})
    for frame, legs in ((1, 0), (45, 2), (80, 1)):
        swinging["legs"] = legs
        swinging.keyframe_insert('["legs"]', frame=frame)

    def switches():
        curves = {curve.data_path: curve for curve in distil.playing(swinging)}
        return [
            [curves[path].evaluate(frame) for frame in range(1, 121)] for path in ("hide_render", '["legs"]')
        ]

    before = switches()
    asked = swinging.posewright
    if part:
        asked.range_from, asked.range_start, asked.range_end = "NUMBERS", 20, 60
    bpy.ops.posewright.analyze()
    for count in (3, 8):
        asked.key_count = count
        assert switches() == before
    asked.detail = 0.5
    assert switches() == before
    bpy.ops.posewright.lock_extremes()
    assert switches() == before


def test_a_switch_with_a_key_on_every_frame_keeps_those_where_it_changes(distil, swinging, set_keys):
    import bpy

    set_keys(swinging, "hide_render", {frame: 40 <= frame < 60 for frame in range(1, 121)})
    bpy.ops.posewright.analyze()
    curve = next(curve for curve in distil.playing(swinging) if curve.data_path == "hide_render")
    assert distil.actions.key_points(curve)[:, 0].tolist() == [1, 39, 40, 59, 60, 120]
    assert [curve.evaluate(frame) for frame in (39, 40, 59, 60)] == [0, 1, 1, 0]


def add_property(distil, rig, name, frames, values, interpolation="LINEAR"):
    """A custom property of the armature with keys in the action that plays; its curve."""
    rig[name] = 0.0
    bag = distil.actions.bag_of(rig.animation_data.action, distil.actions.slot_of(rig))
    curve = distil.actions.ensure_curves(bag, [distil.actions.Channel(f'["{name}"]', 0)])[0]
    distil.write([curve], np.array(frames, float), np.array(values, float)[:, None])
    for point in curve.keyframe_points:
        point.interpolation = interpolation
    return curve


def curve_of(distil, rig, path, index=0):
    return next(
        curve for curve in distil.playing(rig) if (curve.data_path, curve.array_index) == (path, index)
    )


def curves_of(distil, rig, path):
    return [curve for curve in distil.playing(rig) if curve.data_path == path]


ROTATION, LOCATION = 'pose.bones["bone 1"].rotation_euler', 'pose.bones["bone 0"].location'
STILL = 'pose.bones["bone 2"].scale'


def test_floats_that_only_jump_keep_their_own_keys(distil, swinging):
    import bpy

    dense = np.repeat([0.0, 1.0, 0.25], 40)
    add_property(distil, swinging, "IK_FK", np.arange(1, 121), dense)
    add_property(distil, swinging, "held", [1, 31, 77], [0.2, 0.9, 0.4], "CONSTANT")
    frames = range(1, 121)
    paths = ['["IK_FK"]', '["held"]']
    before = [[curve_of(distil, swinging, path).evaluate(frame) for frame in frames] for path in paths]
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 5
    after = [[curve_of(distil, swinging, path).evaluate(frame) for frame in frames] for path in paths]
    assert np.array_equal(before, after)
    assert len(curve_of(distil, swinging, '["IK_FK"]').keyframe_points) == 6


def test_switches_and_influences_are_the_same_with_every_number_of_keys_in_every_way(distil, swinging):
    import bpy
    from bl_ext.user_default.posewright.bridge.distil.ways import WAYS

    held = swinging.pose.bones["bone 2"].constraints.new("LIMIT_ROTATION")
    bag = distil.actions.bag_of(swinging.animation_data.action, distil.actions.slot_of(swinging))
    influence = f'pose.bones["bone 2"].constraints["{held.name}"].influence'
    curve = distil.actions.ensure_curves(bag, [distil.actions.Channel(influence, 0)])[0]
    distil.write([curve], np.array([1.0, 30.0, 37.0, 80.0, 84.0]), np.array([[0.0, 0.0, 1.0, 1.0, 0.0]]).T)
    for point in curve.keyframe_points:
        point.interpolation = "BEZIER"
    add_property(distil, swinging, "IK_FK", [1, 30, 31, 77, 78], [1.0, 1.0, 0.0, 0.0, 1.0], "BEZIER")
    add_property(distil, swinging, "parent", [1, 50, 90], [0.0, 2.0, 1.0], "CONSTANT")
    paths, frames = (influence, '["IK_FK"]', '["parent"]'), np.arange(1.0, 120.0, 0.5)

    def played():
        return [[curve_of(distil, swinging, path).evaluate(frame) for frame in frames] for path in paths]

    def kinds():
        points = [point for path in paths for point in curve_of(distil, swinging, path).keyframe_points]
        return [(point.co.x, point.interpolation) for point in points]

    before, kinds_before = played(), kinds()
    bpy.ops.posewright.analyze()
    for way in WAYS:
        swinging.posewright.interpolation = way
        for count in (2, 7, 40):
            swinging.posewright.key_count = count
            assert kinds() == kinds_before
            np.testing.assert_array_equal(played(), before, err_msg=f"{way} {count}")


def test_floats_that_glide_are_keyed_with_the_poses(distil, swinging):
    import bpy

    add_property(distil, swinging, "fade", [1, 60, 120], [0.0, 1.0, 0.0])
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 7
    assert len(curve_of(distil, swinging, '["fade"]').keyframe_points) == 7


def test_held_poses_are_poses_and_not_switches(distil, swinging):
    import bpy

    for curve in distil.playing(swinging):
        for point in curve.keyframe_points:
            point.interpolation = "CONSTANT"
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 7
    assert len(distil.playing(swinging)[0].keyframe_points) == 7


@pytest.mark.parametrize("size", [0.01, 1.0, 100.0])
def test_noise_is_no_movement(distil, swinging, size):
    import bpy

    swinging.scale = (size, size, size)
    bpy.context.view_layer.update()
    noise = np.random.default_rng(3).uniform(-2e-8, 2e-8, 120)
    for path in (ROTATION, LOCATION):
        for curve in curves_of(distil, swinging, path):
            distil.write([curve], np.arange(1.0, 121.0), noise[:, None])
    bpy.ops.posewright.analyze()
    for path in (ROTATION, LOCATION):
        assert {len(curve.keyframe_points) for curve in curves_of(distil, swinging, path)} == {1}


def test_a_last_decimal_that_flickers_is_no_movement(distil, swinging):
    """Captures say angles with four decimals of a degree."""
    import bpy

    degrees = 30.0 + 1e-4 * np.random.default_rng(3).integers(0, 3, 120)
    for curve in curves_of(distil, swinging, ROTATION):
        distil.write([curve], np.arange(1.0, 121.0), np.radians(degrees)[:, None])
    bpy.ops.posewright.analyze()
    assert {len(curve.keyframe_points) for curve in curves_of(distil, swinging, ROTATION)} == {1}


def test_what_stands_still_in_a_part_has_keys_at_its_ends_alone(distil, swinging):
    import bpy

    still = curve_of(distil, swinging, STILL)
    for point in still.keyframe_points:
        point.handle_left_type = point.handle_right_type = "AUTO"
        point.interpolation = "BEZIER"
        if point.co.x < 30.0:
            point.co.y += 0.1 * (30.0 - point.co.x)
    still.update()
    frames = np.arange(1.0, 120.25, 0.25)
    before = [still.evaluate(frame) for frame in frames]
    asked = swinging.posewright
    asked.range_from, asked.range_start, asked.range_end = "NUMBERS", 40.0, 90.0
    bpy.ops.posewright.analyze()
    curve = curve_of(distil, swinging, STILL)
    times = distil.actions.key_points(curve)[:, 0]
    assert times[(times >= 40.0) & (times <= 90.0)].tolist() == [40.0, 90.0]
    assert np.allclose([curve.evaluate(frame) for frame in frames], before, atol=1e-6)


def mood_of(distil, rig, values, step=1.0, interpolation="LINEAR"):
    """A curve of the rig with such values, each so many frames after the one before."""
    from bl_ext.user_default.posewright.bridge import baking

    action, slot = distil.actions.new_action("Mood", rig)
    distil.actions.assign(rig, action, slot)
    rig["mood"] = 0.0
    bag = distil.actions.bag_of(action, slot, create=True)
    curves = distil.actions.ensure_curves(bag, [distil.actions.Channel('["mood"]', 0)])
    frames = 1.0 + step * np.arange(len(values))
    keys = baking.Keys(frames, np.array(values, float)[:, None], interpolation=interpolation)
    baking.write_keys(curves, keys)
    return curves[0]


@pytest.mark.parametrize(
    ("values", "jumps"),
    [([0, 0, 1, 1, 2, 2, 5], True), ([0, 0, 1, 2, 2, 2, 5], False)],
    ids=["steps", "ramp"],
)
@pytest.mark.parametrize("step", [1.0, 2.0])
def test_what_only_jumps_is_a_switch_at_any_rate(distil, make_rig, values, jumps, step):
    from bl_ext.user_default.posewright.bridge.distil import channels

    rig = make_rig(1)
    assert channels.is_switch(rig, mood_of(distil, rig, values, step)) == jumps


@pytest.mark.parametrize(
    ("turned", "bends"),
    [(lambda v: v, 1.0), (lambda v: -v, -1.0), (lambda v: 0.1 * v, 0.0)],
    ids=["with-it", "against-it", "weakly"],
)
def test_between_frames_curves_bend_as_they_do_unless_they_jump(distil, make_rig, turned, bends):
    """Values that were made continuous may be the other way round, or go another way than the curve."""
    from bl_ext.user_default.posewright.bridge.distil import channels

    curve = mood_of(distil, make_rig(1), [0.0, 3.0, 1.0, 4.0], interpolation="BEZIER")
    frames, moments = np.arange(1.0, 5.0), np.array([1.25, 2.25, 3.6])
    played = distil.actions.read_values([curve], frames)
    values = turned(played)
    straight = np.array([np.interp(moments, frames, each[:, 0]) for each in (played, values)])
    bent = distil.actions.read_values([curve], moments)[:, 0] - straight[0]
    assert np.abs(bent).min() > 0.01
    found = channels.read_between([curve], frames, values, moments, lambda each: each)[:, 0]
    np.testing.assert_allclose(found, straight[1] + bends * bent, atol=1e-5)
