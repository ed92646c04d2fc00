# SPDX-License-Identifier: GPL-3.0-or-later
"""The adapter over legacy and slotted actions, and bulk reading."""

import numpy as np
import pytest


@pytest.fixture
def actions(clean_blender):
    from bl_ext.user_default.posewright.bridge import actions

    return actions


@pytest.fixture
def swinging(make_rig):
    rig = make_rig(2, rotation_mode="XYZ")
    for bone in rig.pose.bones:
        for frame, value in {-3: (0, 0, 0), 4.5: (1, 0, 2), 20: (0, 0.5, 0)}.items():
            bone.rotation_euler = value
            bone.keyframe_insert("rotation_euler", frame=frame, group=bone.name)
    return rig


def test_curves_of_an_armature(actions, swinging):
    curves = actions.curves_of(swinging)
    assert len(curves) == 6
    assert actions.channel_of(curves[0]) == actions.Channel(
        'pose.bones["bone 0"].rotation_euler', 0, "bone 0"
    )
    np.testing.assert_allclose(actions.key_frames(curves), [-3, 4.5, 20])


def test_nothing_animated_gives_no_curves(actions, make_rig):
    rig = make_rig(1)
    assert actions.curves_of(rig) == []
    rig.animation_data_create()
    assert actions.curves_of(rig) == []


def test_values_are_what_blender_plays(actions, swinging):
    curves = actions.curves_of(swinging)
    curves[1].modifiers.new("NOISE")
    frames = np.arange(-8.0, 30.0, 0.5)
    values = actions.read_values(curves, frames)
    assert values.shape == (76, 6)
    np.testing.assert_allclose(values[:, 1], [curves[1].evaluate(f) for f in frames])
    np.testing.assert_allclose(values[:, 2], [curves[2].evaluate(f) for f in frames])


def test_values_at_keys_skip_evaluation_and_agree(actions, swinging):
    curves = actions.curves_of(swinging)
    dense = np.arange(0.0, 50.0)
    curve = curves[0]
    curve.keyframe_points.clear()
    curve.keyframe_points.add(50)
    points = np.stack([dense, np.sin(dense)], axis=1)
    curve.keyframe_points.foreach_set("co", points.astype(np.float32).ravel())
    curve.update()
    for frames in (dense, dense[5:20], dense[::3]):
        np.testing.assert_allclose(actions.read_values(curves, frames)[:, 0], np.sin(frames), atol=1e-6)


@pytest.mark.parametrize("kind", ["CONSTANT", "LINEAR", "BEZIER", "ELASTIC"])
@pytest.mark.parametrize("handle", [0.25, 3.0])
def test_values_of_keys_that_are_all_the_same_are_what_blender_plays(actions, swinging, kind, handle):
    """Curves that stand still are not asked; one that leaves its keys' value between them is."""
    curve = actions.curves_of(swinging)[0]
    for key in curve.keyframe_points:
        key.co[1], key.interpolation = 0.25, kind
        key.handle_left_type = key.handle_right_type = "FREE"
        key.handle_left[1], key.handle_right[1] = 0.25, handle
        key.amplitude, key.period = 1.0, 3.0
    frames = np.arange(-8.0, 30.0, 0.5)
    played = [curve.evaluate(frame) for frame in frames]
    moves = kind == "ELASTIC" or (kind == "BEZIER" and handle != 0.25)
    assert (np.ptp(played) > 0.0) == moves
    np.testing.assert_array_equal(actions.read_values([curve], frames)[:, 0], played)


@pytest.mark.parametrize("ends", ["CONSTANT", "LINEAR"])
@pytest.mark.parametrize("kind", ["LINEAR", "BEZIER", "CONSTANT", "BOUNCE"])
def test_values_between_keys_are_blenders_to_the_last_bit(actions, make_rig, kind, ends):
    action, slot = actions.new_action("Straight", rig := make_rig(1))
    actions.assign(rig, action, slot)
    bag = actions.bag_of(action, slot, create=True)
    curve = actions.ensure_curves(bag, [actions.Channel('pose.bones["bone 0"].location', 0)])[0]
    rng = np.random.default_rng(7)
    for frame, value in zip(np.cumsum(rng.uniform(0.1, 3.0, 40)), rng.normal(size=40), strict=True):
        curve.keyframe_points.insert(frame - 20.0, value).interpolation = kind
    curve.extrapolation = ends
    curve.update()
    keyed = actions.key_points(curve)[:, 0]
    beside = [keyed + off for off in (-2e-4, -5e-5, 5e-5, 2e-4)]  # so near Blender plays the key itself
    frames = np.sort(np.concatenate([rng.uniform(-30.0, 60.0, 500), keyed, *beside])).astype(np.float32)
    asked = [curve.evaluate(frame) for frame in frames.tolist()]
    np.testing.assert_array_equal(actions.read_values([curve], frames.astype(np.float64))[:, 0], asked)


@pytest.mark.parametrize("reach", [0.3, 1.0, 1.7])
def test_bezier_curves_are_told_but_for_rounding(actions, make_rig, monkeypatch, reach):
    """Blender is asked only where it shortens a handle; what it would round is not kept for others."""
    from bl_ext.user_default.posewright.bridge import curve_keys, told_by_keys
    from bl_ext.user_default.posewright.bridge.steps import run

    action, slot = actions.new_action("Bent", rig := make_rig(1))
    actions.assign(rig, action, slot)
    bag = actions.bag_of(action, slot, create=True)
    channels = [actions.Channel('pose.bones["bone 0"].location', index) for index in range(3)]
    curves = actions.ensure_curves(bag, channels)
    rng = np.random.default_rng(3)
    times = np.cumsum(rng.uniform(1.0, 6.0, 8))
    for curve in curves:
        for time in times:
            key = curve.keyframe_points.insert(time, rng.normal())
            key.interpolation, key.handle_left_type, key.handle_right_type = "BEZIER", "FREE", "FREE"
        for key, before, after in zip(
            curve.keyframe_points, np.diff(times, prepend=0.0), np.diff(times, append=99.0), strict=True
        ):
            key.handle_left = key.co.x - before * rng.uniform(0.0, reach), rng.normal()
            key.handle_right = key.co.x + after * rng.uniform(0.0, reach), rng.normal()
    told: list[bool] = []
    nearly = told_by_keys.nearly_told_by_keys

    def tell(*args):
        found = nearly(*args)
        told.extend(found[0].tolist())
        return found

    monkeypatch.setattr(told_by_keys, "nearly_told_by_keys", tell)
    frames = np.concatenate([rng.uniform(-3.0, 40.0, 300), times, times + 5e-5])
    played = np.array([[curve.evaluate(frame) for curve in curves] for frame in frames.tolist()])
    with curve_keys.read_once(action, curves):
        found = run(actions.read_values_in_steps(curves, frames, exactly=False))
        assert told == [reach <= 1.0] * 3
        np.testing.assert_allclose(found, played, atol=2e-5)  # it rounds moments, too
        np.testing.assert_array_equal(actions.read_values(curves, frames), played)


def test_curves_with_keys_on_other_frames_are_read_beside_each_other(actions, make_rig):
    """Those that have their keys on the same frames are read together, whatever lies between them."""
    action, slot = actions.new_action("Several", rig := make_rig(1))
    actions.assign(rig, action, slot)
    bag = actions.bag_of(action, slot, create=True)
    channels = [actions.Channel(f'pose.bones["bone 0"].{name}', 0) for name in ("location", "scale")]
    channels += [actions.Channel(channels[0].path, index) for index in (1, 2)]
    keys = [([1, 5, 9], "LINEAR"), ([1, 5, 9], "BEZIER"), ([1, 5.5, 9], "LINEAR"), ([3], "LINEAR")]
    curves = actions.ensure_curves(bag, channels)
    for number, (curve, (times, kind)) in enumerate(zip(curves, keys, strict=True)):
        for time in times:
            curve.keyframe_points.insert(time, np.sin(time) + number).interpolation = kind
        curve.update()
    for frames in (np.arange(0.0, 10.0), np.array([5.0, 9.0]), np.array([3.3])):
        asked = [[curve.evaluate(frame) for curve in curves] for frame in frames.tolist()]
        np.testing.assert_array_equal(actions.read_values(curves, frames), asked)


@pytest.mark.parametrize("kind", ["LINEAR", "BEZIER", "CONSTANT"])
@pytest.mark.parametrize(
    "times", [[1, 1, 3, 5], [1, 3, 3, 5], [1, 3, 5, 5], [1, 1.00005, 3, 5], [1, 3, 3.00015, 5]]
)
def test_keys_on_one_frame_are_asked_for(actions, make_rig, kind, times):
    """Importers leave them; which of them plays Blender alone knows."""
    action, slot = actions.new_action("Doubled", rig := make_rig(1))
    actions.assign(rig, action, slot)
    bag = actions.bag_of(action, slot, create=True)
    curve = actions.ensure_curves(bag, [actions.Channel('pose.bones["bone 0"].location', 0)])[0]
    import bpy

    way = bpy.types.Keyframe.bl_rna.properties["interpolation"].enum_items[kind].value
    values = [0.5, -1.0, 2.0, 0.0]
    keys = curve.keyframe_points
    keys.add(len(times))
    keys.foreach_set("interpolation", [way] * len(times))
    for attribute, off in (("co", 0.0), ("handle_left", -0.1), ("handle_right", 0.1)):
        points = [(time + off, value) for time, value in zip(times, values, strict=True)]
        keys.foreach_set(attribute, np.ravel(points))
    assert len(curve.keyframe_points) == 4  # it is not updated, which would leave one
    keyed = actions.key_points(curve)[:, 0]
    for frames in (np.unique(keyed), np.arange(0.0, 7.0), keyed + 5e-5, np.arange(0.0, 7.0, 0.25)):
        asked = [[curve.evaluate(frame)] for frame in frames.tolist()]
        np.testing.assert_array_equal(actions.read_values([curve], frames), asked)
        found = actions.run(actions.read_values_in_steps([curve], frames, exactly=False))
        np.testing.assert_allclose(found, asked, atol=1e-5)


def test_new_action_animates_after_assign(actions, swinging):
    import bpy

    action, slot = actions.new_action("Made", swinging)
    bag = actions.bag_of(action, slot, create=True)
    channels = [actions.Channel('pose.bones["bone 0"].location', index, "bone 0") for index in range(3)]
    curves = actions.ensure_curves(bag, channels)
    assert actions.ensure_curves(bag, channels) == curves
    assert [actions.channel_of(curve) for curve in curves] == channels
    curves[1].keyframe_points.insert(1, 7.0)
    actions.assign(swinging, action, slot)
    bpy.context.scene.frame_set(10)
    assert swinging.pose.bones["bone 0"].location[1] == 7.0
    assert len(actions.curves_of(swinging)) == 3


def test_copy_keeps_groups_and_leaves_the_source(actions, swinging):
    source = swinging.animation_data.action
    before = actions.fingerprint(actions.curves_of(swinging))
    handle = actions.slot_handle(actions.slot_of(swinging))
    copy = actions.copy_slots(source, [handle], "Copy")
    slot = actions.slot_with_handle(copy, handle)
    curves = list(actions.bag_of(copy, slot).fcurves)
    assert [actions.channel_of(c) for c in curves] == [
        actions.channel_of(c) for c in actions.curves_of(swinging)
    ]
    curves[0].keyframe_points[0].co[1] = 9.0
    assert actions.fingerprint(actions.curves_of(swinging)) == before
    assert actions.fingerprint(curves) != before


def test_several_slots_in_one_action(actions, make_rig, set_keys):
    if not actions.versions.HAS_SLOTS:
        pytest.skip("actions have slots from Blender 4.4 on")
    first, second = make_rig(1, name="First"), make_rig(1, name="Second")
    set_keys(first.pose.bones[0], "location", {1: (1, 0, 0)})
    action = first.animation_data.action
    second.animation_data_create()
    actions.assign(second, action, action.slots.new(id_type="OBJECT", name="Second"))
    set_keys(second.pose.bones[0], "location", {1: (2, 0, 0)})
    assert actions.slot_handle(actions.slot_of(first)) != actions.slot_handle(actions.slot_of(second))
    assert actions.read_values(actions.curves_of(first), np.ones(1))[0, 0] == 1.0
    assert actions.read_values(actions.curves_of(second), np.ones(1))[0, 0] == 2.0
    handle = actions.slot_handle(actions.slot_of(second))
    copy = actions.copy_slots(action, [handle], "Copy")
    slot = actions.slot_with_handle(copy, handle)
    assert len(copy.slots) == 1
    assert len(action.slots) == 2
    assert actions.read_values(list(actions.bag_of(copy, slot).fcurves), np.ones(1))[0, 0] == 2.0


def test_actions_shared_by_objects(actions, make_rig, set_keys):
    first, second = make_rig(1, name="First"), make_rig(1, name="Second")
    set_keys(first.pose.bones[0], "location", {1: (1, 0, 0)})
    actions.assign(second, first.animation_data.action, actions.slot_of(first))
    assert actions.curves_of(first) == actions.curves_of(second) != []


def test_fingerprint_sees_every_kind_of_edit(actions, swinging):
    curves = actions.curves_of(swinging)
    seen = [actions.fingerprint(curves)]
    assert actions.fingerprint(curves) == seen[0]

    def changed():
        seen.append(actions.fingerprint(actions.curves_of(swinging)))
        assert len(set(seen)) == len(seen)

    curves[0].keyframe_points[1].co[1] += 0.01
    changed()
    curves[3].keyframe_points[1].handle_right_type = "FREE"
    curves[3].keyframe_points[1].handle_right[1] += 0.5
    changed()
    curves[0].keyframe_points[2].interpolation = "CONSTANT"
    changed()
    curves[0].keyframe_points[2].easing = "EASE_IN"
    changed()
    curves[2].mute = True
    changed()
    curves[5].keyframe_points.insert(7, 0.0)
    changed()
    actions.bag_of(swinging.animation_data.action, actions.slot_of(swinging)).fcurves.remove(curves[1])
    changed()


def test_fingerprint_sees_what_shapes_keys_and_envelopes(actions, swinging):
    curve = actions.curves_of(swinging)[0]
    key, points = curve.keyframe_points[1], curve.modifiers.new("ENVELOPE").control_points
    points.add(3)
    seen = [actions.fingerprint([curve])]

    def is_changed():
        seen.append(actions.fingerprint([curve]))
        return seen[-1] not in seen[:-1]

    key.amplitude = 0.7
    assert not is_changed()  # nothing plays it
    for interpolation, name in (("ELASTIC", "amplitude"), ("ELASTIC", "period"), ("BACK", "back")):
        key.interpolation = interpolation
        is_changed()
        setattr(key, name, 1.3)
        assert is_changed()
    points.add(5)
    assert is_changed()
    points.foreach_set("max", [2.0, 3.0])
    assert is_changed()


def test_muted_groups_count_as_muted(actions, swinging):
    curves = actions.curves_of(swinging)
    assert not any(map(actions.is_muted, curves))
    curves[0].group.mute = True
    assert [actions.is_muted(curve) for curve in curves] == [True] * 3 + [False] * 3
