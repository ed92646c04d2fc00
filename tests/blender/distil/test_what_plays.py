# SPDX-License-Identifier: GPL-3.0-or-later
"""A character whose animation is in strips of the NLA alone is baked, distilled, and given back."""

import numpy as np
import pytest

FRAMES = np.arange(1.0, 141.0)


@pytest.fixture
def in_strips(distil, swinging):
    """Two strips that overlap, one of them half as strong, on two tracks; a third track is muted."""
    source = swinging.animation_data.action
    for name, start, influence in (("below", 1, 1.0), ("above", 21, 0.5), ("muted", 1, 1.0)):
        track = swinging.animation_data.nla_tracks.new()
        track.name = name
        track.mute = name == "muted"
        strip = track.strips.new(name, start, source)
        strip.influence = influence
        if distil.actions.versions.HAS_SLOTS:
            strip.action_slot = distil.actions.slot_of(swinging)
    distil.actions.assign(swinging, None)
    return swinging


def state_of(rig):
    data = rig.animation_data
    tracks = [(track.name, track.mute, track.is_solo, len(track.strips)) for track in data.nla_tracks]
    return data.action, tracks


def test_what_strips_play_together_is_distilled(distil, in_strips):
    import bpy

    original = distil.positions(in_strips, FRAMES)
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    assert state_of(in_strips)[1] == [
        ("below", True, False, 1),
        ("above", True, False, 1),
        ("muted", True, False, 1),
    ]
    in_strips.posewright.show_original = True
    assert np.abs(distil.positions(in_strips, FRAMES) - original).max() < 1e-5
    in_strips.posewright.show_original = False
    in_strips.posewright.key_count = 60
    assert distil.error(in_strips, FRAMES, original) < 0.02
    in_strips.posewright.key_count = 6
    assert {len(curve.keyframe_points) for curve in distil.playing(in_strips)} == {1, 6}


@pytest.mark.parametrize("solo", [False, True])
def test_restore_brings_the_strips_back(distil, in_strips, solo):
    import bpy

    in_strips.animation_data.nla_tracks["below"].is_solo = solo
    before, actions = state_of(in_strips), set(bpy.data.actions.keys())
    original = distil.positions(in_strips, FRAMES)
    bpy.ops.posewright.analyze()
    bpy.ops.posewright.analyze()
    in_strips.posewright.show_original = True
    assert np.abs(distil.positions(in_strips, FRAMES) - original).max() < 1e-5
    bpy.ops.posewright.restore()
    assert state_of(in_strips) == before
    assert set(bpy.data.actions.keys()) == actions
    assert np.abs(distil.positions(in_strips, FRAMES) - original).max() < 1e-6


def test_a_stopped_analysis_leaves_the_strips_as_they_were(distil, in_strips):
    import bpy

    before, actions = state_of(in_strips), set(bpy.data.actions.keys())
    shares = []
    for stop_after in (0.1, 0.5, 0.9):
        work = distil.analyse.analyse_in_steps(in_strips, bpy.context.scene)
        shares.append(next(share for share in work if share > stop_after))
        work.close()
        assert state_of(in_strips) == before
        assert set(bpy.data.actions.keys()) == actions
    assert shares == sorted(shares)


def test_constraints_and_switches_in_strips_come_along(distil, make_rig):
    """What an action does to more than bones is baked too, before constraints do their work."""
    import bpy

    rig = distil.swing(make_rig(3, rotation_mode="XYZ"))
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = (2.0, 1.0, 0.0)
    constraint = rig.pose.bones["bone 2"].constraints.new("DAMPED_TRACK")
    constraint.target = target
    rig["level"] = 0
    for frame, influence, level in ((1, 0.0, 0), (60, 0.0, 3), (61, 1.0, 7)):
        constraint.influence, rig["level"] = influence, level
        constraint.keyframe_insert("influence", frame=frame)
        rig.keyframe_insert('["level"]', frame=frame)
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.object.mode_set(mode="OBJECT")
    track = rig.animation_data.nla_tracks.new()
    strip = track.strips.new("All", 1, rig.animation_data.action)
    if distil.actions.versions.HAS_SLOTS:
        strip.action_slot = distil.actions.slot_of(rig)
    distil.actions.assign(rig, None)
    frames = np.arange(1.0, 121.0)
    original = distil.positions(rig, frames)
    bpy.ops.posewright.analyze()
    rig.posewright.show_original = True
    assert np.abs(distil.positions(rig, frames) - original).max() < 1e-5
    rig.posewright.show_original = False
    influence = next(each for each in distil.playing(rig) if each.data_path.endswith("influence"))
    assert [influence.evaluate(frame) for frame in (1, 60, 61, 120)] == [0.0, 0.0, 1.0, 1.0]


def test_the_panel_says_what_will_be_done(distil, in_strips):
    from tests.blender.panel_recorder import draw

    said = " ".join(draw(distil.panels.POSEWRIGHT_PT_distil).split())
    assert "baked into a new action" in said
    assert "Restore brings them back" in said


def test_muted_strips_play_nothing(distil, in_strips):
    import bpy

    for track in in_strips.animation_data.nla_tracks:
        track.mute = True
    assert not bpy.ops.posewright.analyze.poll()


def test_strips_of_a_knight(distil, import_character):
    import bpy

    knight = import_character("Knight.glb")
    distil.actions.assign(knight, None)
    knight.animation_data.nla_tracks["Walking_A"].mute = False
    before = state_of(knight)
    bpy.context.view_layer.objects.active = knight
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    assert distil.measuring.measure(knight).mean_share < 0.01
    bpy.ops.posewright.restore()
    assert state_of(knight) == before


@pytest.fixture
def retargeted(distil, swinging, make_rig):
    """A second chain, without an action, whose bones copy the swinging one; it stands beside it."""
    import bpy

    copy = make_rig(4, name="Copy", rotation_mode="QUATERNION", location=(3.0, 0.0, 0.0))
    copy.pose.bones["bone 1"].rotation_mode = "XYZ"
    for name in ("bone 0", "bone 1", "bone 2"):
        constraint = copy.pose.bones[name].constraints.new("COPY_ROTATION")
        constraint.target, constraint.subtarget = swinging, name
    inside = copy.pose.bones["bone 3"].constraints.new("COPY_ROTATION")
    inside.target, inside.subtarget = copy, "bone 1"
    added = copy.pose.bones["bone 2"]
    added.location.x, added.rotation_quaternion = 0.125, (0.8, 0.6, 0.0, 0.0)
    added.constraints[0].mix_mode, added.constraints[0].influence = "BEFORE", 0.5
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 120
    bpy.context.scene.frame_set(17)
    return copy


def rig_state(rig):
    import bpy

    muted = [each.mute for bone in rig.pose.bones for each in bone.constraints]
    posed = [(*bone.location, *bone.rotation_quaternion, *bone.rotation_euler) for bone in rig.pose.bones]
    selected = [(bone if hasattr(bone, "select") else bone.bone).select for bone in rig.pose.bones]
    return muted, posed, selected, bpy.context.scene.frame_current, set(bpy.data.actions.keys())


def test_what_constraints_do_is_distilled(distil, retargeted):
    import bpy

    frames = np.arange(1.0, 121.0)
    original, before = distil.positions(retargeted, frames), rig_state(retargeted)
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    muted = [each.mute for bone in retargeted.pose.bones for each in bone.constraints]
    assert muted == [True, True, True, False], "what the rig does itself it goes on doing"
    assert not any("bone 3" in curve.data_path for curve in distil.playing(retargeted))
    retargeted.posewright.show_original = True
    assert np.abs(distil.positions(retargeted, frames) - original).max() < 1e-4
    retargeted.posewright.show_original = False
    retargeted.posewright.key_count = 50
    assert distil.error(retargeted, frames, original) < 0.03
    bpy.ops.posewright.restore()
    bpy.context.scene.frame_set(17)
    assert retargeted.animation_data.action is None
    assert rig_state(retargeted) == before
    assert np.abs(distil.positions(retargeted, frames) - original).max() < 1e-5


@pytest.mark.parametrize("scene_range", [(1, 250), (1, 60)], ids=["longer", "shorter"])
def test_a_retarget_is_as_long_as_what_moves_it(distil, retargeted, scene_range):
    """Still frames of a long scene made the mean small and the keys few; a short one cut the dance off."""
    import bpy

    bpy.context.scene.frame_start, bpy.context.scene.frame_end = scene_range
    original = distil.positions(retargeted, np.arange(1.0, 121.0))
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    keyed = distil.actions.key_frames(distil.playing(retargeted))
    assert (keyed[0], keyed[-1]) == (1.0, 120.0)
    retargeted.posewright.detail = 1.0
    assert np.abs(distil.positions(retargeted, np.arange(1.0, 121.0)) - original).max() < 1e-4


def test_what_moves_for_ever_is_as_long_as_the_scene(distil, retargeted, swinging):
    import bpy

    distil.playing(swinging)[0].modifiers.new("CYCLES")
    bpy.context.scene.frame_end = 200
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    assert distil.actions.key_frames(distil.playing(retargeted))[-1] == 200.0


def test_what_moves_something_that_moves_it_counts(distil, make_rig):
    """An empty that a parent carries, with the scene ending long before."""
    import bpy

    rig, carrier, target = make_rig(2), *(bpy.data.objects.new(name, None) for name in ("Carrier", "Target"))
    for thing in (carrier, target):
        bpy.context.scene.collection.objects.link(thing)
    target.parent = carrier
    for frame in range(1, 91):
        carrier.location.x = np.sin(frame / 9.0)
        carrier.keyframe_insert("location", index=0, frame=frame)
    rig.pose.bones[0].constraints.new("COPY_LOCATION").target = target
    bpy.context.scene.frame_end = 30
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    assert distil.actions.key_frames(distil.playing(rig))[-1] == 90.0


def test_a_stopped_bake_leaves_constraints_and_pose(distil, retargeted):
    import bpy

    before = rig_state(retargeted)
    for stop_after in (0.1, 0.6):
        work = distil.analyse.analyse_in_steps(retargeted, bpy.context.scene)
        assert next(share for share in work if share > stop_after)
        work.close()
        assert retargeted.animation_data is None or retargeted.animation_data.action is None
        after = rig_state(retargeted)
        assert after[0] == before[0]
        assert after[2:] == before[2:]
        np.testing.assert_allclose(after[1], before[1], atol=1e-6)


def test_a_rig_that_only_its_own_constraints_hold_plays_nothing(distil, make_rig):
    import bpy

    rig = make_rig(2)
    constraint = rig.pose.bones["bone 1"].constraints.new("COPY_ROTATION")
    constraint.target, constraint.subtarget = rig, "bone 0"
    assert not bpy.ops.posewright.analyze.poll()


@pytest.fixture
def driven(distil, make_rig):
    """One bone turns with time, another with an object that moves; a third with a bone of its own rig."""
    import bpy

    rig = make_rig(3, rotation_mode="XYZ")
    ball = bpy.data.objects.new("Ball", None)
    bpy.context.scene.collection.objects.link(ball)
    for frame, place in ((1, 0.0), (30, 1.0), (60, -0.5)):
        ball.location.x = place
        ball.keyframe_insert("location", frame=frame)
    drive(rig, "bone 0", "0.4 * sin(frame / 6)")
    drive(rig, "bone 1", "x", ball, "location.x")
    drive(rig, "bone 2", "x / 2", rig, 'pose.bones["bone 1"].rotation_euler[0]')
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 60
    bpy.context.scene.frame_set(1)
    return rig


def drive(rig, bone, expression, target=None, path=""):
    driver = rig.pose.bones[bone].driver_add("rotation_euler", 0).driver
    driver.type = "SCRIPTED"
    if target is not None:
        variable = driver.variables.new()
        variable.name = "x"
        variable.targets[0].id, variable.targets[0].data_path = target, path
    driver.expression = expression


def test_what_drivers_alone_do_is_distilled(distil, driven):
    import bpy

    frames = np.arange(1.0, 61.0)
    original, actions = distil.positions(driven, frames), set(bpy.data.actions.keys())
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    assert [curve.mute for curve in driven.animation_data.drivers] == [True, True, False]
    keyed = {curve.data_path.split('"')[1] for curve in distil.playing(driven)}
    assert keyed == {"bone 0", "bone 1"}, "what the rig does itself it goes on doing"
    driven.posewright.show_original = True
    assert np.abs(distil.positions(driven, frames) - original).max() < 1e-4
    driven.posewright.show_original = False
    driven.posewright.key_count = 25
    assert distil.error(driven, frames, original) < 0.02
    bpy.ops.posewright.restore()
    assert driven.animation_data.action is None
    assert not any(curve.mute for curve in driven.animation_data.drivers)
    assert set(bpy.data.actions.keys()) == actions
    assert np.abs(distil.positions(driven, frames) - original).max() < 1e-5


def test_a_stopped_bake_leaves_drivers_working(distil, driven):
    import bpy

    for stop_after in (0.1, 0.6):
        work = distil.analyse.analyse_in_steps(driven, bpy.context.scene)
        assert next(share for share in work if share > stop_after)
        work.close()
        assert driven.animation_data.action is None
        assert not any(curve.mute for curve in driven.animation_data.drivers)


def test_the_drivers_of_a_control_rig_play_nothing(distil, make_rig):
    import bpy

    rig = make_rig(2, rotation_mode="XYZ")
    drive(rig, "bone 1", "x", rig, 'pose.bones["bone 0"].rotation_euler[0]')
    assert not bpy.ops.posewright.analyze.poll()


def on_legs(make_rig, **options):
    """A chain of two bones with a target beside it that swings."""
    import bpy

    rig = make_rig(3, name="Legs", rotation_mode="QUATERNION")
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    for frame in range(1, 41):
        target.location = (0.8 * np.sin(frame / 6.0), 0.3, 1.6 + 0.3 * np.cos(frame / 5.0))
        target.keyframe_insert("location", frame=frame)
    constraint = rig.pose.bones["bone 1"].constraints.new("IK")
    constraint.target = target
    for name, value in options.items():
        setattr(constraint, name, value)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 40
    return rig


@pytest.mark.parametrize("options", [{"chain_count": 2}, {"chain_count": 0}, {"use_tail": False}])
def test_the_whole_chain_of_inverse_kinematics_is_distilled(distil, make_rig, options):
    import bpy

    rig, frames = on_legs(make_rig, **options), np.arange(1.0, 41.0)
    original = distil.positions(rig, frames)
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    rig.posewright.detail = 1.0
    assert np.abs(distil.positions(rig, frames) - original).max() < 1e-4
    bpy.ops.posewright.restore()
    assert np.abs(distil.positions(rig, frames) - original).max() < 1e-5


def test_an_action_that_holds_a_pose_does_not_hide_what_moves(distil, retargeted, tmp_path):
    """As the T-pose that a character was imported with, below the constraints of a retarget."""
    import bpy

    action, slot = distil.actions.new_action("T-pose", retargeted)
    distil.actions.assign(retargeted, action, slot)
    for bone in retargeted.pose.bones:
        bone.keyframe_insert("location", frame=1)
        bone.keyframe_insert("rotation_quaternion", frame=1)
    retargeted.animation_data.action_influence = 0.5
    frames = np.arange(1.0, 121.0)
    original = distil.positions(retargeted, frames)
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    retargeted.posewright.detail = 1.0
    assert np.abs(distil.positions(retargeted, frames) - original).max() < 1e-4
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "baked.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "baked.blend"))
    rig = bpy.data.objects["Copy"]
    bpy.ops.posewright.restore()
    assert rig.animation_data.action.name == "T-pose"
    assert rig.animation_data.action_influence == 0.5
    assert np.abs(distil.positions(rig, frames) - original).max() < 1e-5


@pytest.mark.parametrize("keyed", [False, True])
def test_a_still_action_on_top_does_not_hide_strips(distil, in_strips, keyed):
    import bpy

    action, slot = distil.actions.new_action("Still", in_strips)
    distil.actions.assign(in_strips, action, slot)
    in_strips.animation_data.action_blend_type = "COMBINE"
    if keyed:
        bone = in_strips.pose.bones["bone 1"]
        bone.location.x = 0.25
        bone.keyframe_insert("location", frame=1)
    frames = np.arange(1.0, 121.0)
    original = distil.positions(in_strips, frames)
    before = state_of(in_strips)
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    in_strips.posewright.detail = 1.0
    assert np.abs(distil.positions(in_strips, frames) - original).max() < 1e-4
    bpy.ops.posewright.restore()
    assert state_of(in_strips) == before
    assert in_strips.animation_data.action == action
    assert np.abs(distil.positions(in_strips, frames) - original).max() < 1e-5


def test_a_strip_that_holds_a_pose_does_not_hide_what_moves(distil, retargeted):
    """As when the T-pose of an import was pushed down before the retarget was made."""

    action, slot = distil.actions.new_action("T-pose", retargeted)
    distil.actions.assign(retargeted, action, slot)
    for bone in retargeted.pose.bones:
        bone.location.y = 0.125
        bone.keyframe_insert("location", frame=1)
    strip = retargeted.animation_data.nla_tracks.new().strips.new("T-pose", 1, action)
    if distil.actions.versions.HAS_SLOTS:
        strip.action_slot = slot
    distil.actions.assign(retargeted, None)
    check_that_it_is_distilled_and_given_back(distil, retargeted)


def check_that_it_is_distilled_and_given_back(distil, rig, frames=FRAMES[:120]):
    import bpy

    bpy.context.view_layer.objects.active = rig
    bpy.context.scene.frame_set(int(frames[0]))
    original, before = distil.positions(rig, frames), everything_of(rig)
    assert np.ptp(original, axis=0).max() > 0.1
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    clean = distil.positions(rig, frames)
    assert 0.0 < np.abs(clean - original).max() < 0.3
    rig.posewright.detail = 1.0
    assert np.abs(distil.positions(rig, frames) - original).max() < 1e-4
    rig.posewright.detail = 0.0
    np.testing.assert_array_equal(distil.positions(rig, frames), clean)
    bpy.ops.posewright.restore()
    bpy.context.scene.frame_set(int(frames[0]))
    assert everything_of(rig) == before
    assert np.abs(distil.positions(rig, frames) - original).max() < 1e-5


def everything_of(rig):
    data = rig.animation_data
    things = (rig, *rig.pose.bones)
    mutes = [(each.name, each.mute) for thing in things for each in thing.constraints]
    drivers = [(each.data_path, each.array_index, each.mute) for each in data.drivers] if data else []
    tracks = [(each.name, each.mute, each.is_solo) for each in data.nla_tracks] if data else []
    posed = [np.round((*each.location, *each.scale), 6).tolist() for each in things]
    return data and data.action, mutes, drivers, tracks, posed, *rig_state(rig)[2:]


@pytest.mark.parametrize("keys", [{1: 0.0, 30: 1.0}, {1: 0.0, 30: 1.0, 50: 0.25}], ids=["once", "and goes"])
def test_a_retarget_that_comes_is_what_plays(distil, retargeted, keys):
    """An action that fades constraints in moves nothing itself, and at first these do not work at all."""
    for bone in retargeted.pose.bones:
        for constraint in bone.constraints:
            for frame, influence in keys.items():
                constraint.influence = influence
                constraint.keyframe_insert("influence", frame=frame)
    check_that_it_is_distilled_and_given_back(distil, retargeted)


def test_what_an_action_switches_beside_a_retarget_comes_along(distil, retargeted):
    import bpy

    retargeted["level"] = 0
    retargeted.pose.bones["bone 3"].keyframe_insert("location", frame=-30)
    for frame, level in ((5, 0), (20, 3), (40, 1)):
        retargeted["level"] = level
        retargeted.keyframe_insert('["level"]', frame=frame)
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    curves = distil.playing(retargeted)
    assert distil.actions.key_frames(curves)[[0, -1]].tolist() == [1.0, 120.0], "not the T-pose before it"
    [curve] = [each for each in curves if each.data_path == '["level"]']
    assert [curve.evaluate(frame) for frame in (1, 5, 20, 40, 120)] == [0, 0, 3, 1, 1]


def test_a_ride_on_a_path_by_a_keyed_offset_is_distilled(distil, make_rig):
    import bpy

    curve = bpy.data.curves.new("Path", "CURVE")
    curve.dimensions, curve.use_path = "3D", True  # set, or Blender does not look for the way along it
    spline = curve.splines.new("BEZIER")
    spline.bezier_points.add(3)
    for number, point in enumerate(spline.bezier_points):
        point.co = (2.0 * number, 2.0 * np.sin(number), 0.0)
    path = bpy.data.objects.new("Path", curve)
    bpy.context.scene.collection.objects.link(path)
    rig = make_rig(2)
    constraint = rig.constraints.new("FOLLOW_PATH")
    constraint.target = path
    for frame, offset in ((1, 0.0), (60, -60.0)):
        constraint.offset = offset
        constraint.keyframe_insert("offset", frame=frame)
    check_that_it_is_distilled_and_given_back(distil, rig, FRAMES[:60])


def test_controls_that_something_else_drives_get_keys(distil, make_rig):
    """As by sliders on an object of their own: the rig goes on making poses of them."""
    import bpy

    rig = make_rig(3, rotation_mode="XYZ")
    slider = bpy.data.objects.new("Slider", None)
    bpy.context.scene.collection.objects.link(slider)
    for frame in range(1, 61):
        slider.location = (np.sin(frame / 9.0), 0.0, 0.5 - 0.5 * np.cos(frame / 7.0))
        slider.keyframe_insert("location", frame=frame)
    rig["bend"], rig["steps"], rig["unread"] = 0.0, 0, 0.0
    inner = rig.pose.bones["bone 2"].constraints.new("COPY_ROTATION")
    inner.target, inner.subtarget = rig, "bone 0"
    read_by(rig, '["bend"]', slider, "location.x")
    read_by(rig, '["unread"]', slider, "location.x")
    read_by(rig, '["steps"]', slider, "location.x", "6 * x")
    read_by(inner, "influence", slider, "location.z")
    drive(rig, "bone 0", "x", rig, '["bend"]')
    drive(rig, "bone 1", "x / 20", rig, '["steps"]')
    bpy.context.scene.frame_set(1)
    steps = [rig["steps"] for frame in range(1, 61) if bpy.context.scene.frame_set(frame) is None]
    check_that_it_is_distilled_and_given_back(distil, rig, FRAMES[:60])
    bpy.ops.posewright.analyze()
    keyed = {each.data_path: each for each in distil.playing(rig)}
    assert set(keyed) == {'["bend"]', '["steps"]', inner.path_from_id("influence")}
    assert [round(keyed['["steps"]'].evaluate(frame)) for frame in range(1, 61)] == steps


def test_what_drives_bones_from_the_animated_data_of_the_armature_is_distilled(distil, make_rig):
    rig = make_rig(2, rotation_mode="XYZ")
    rig.data["bend"] = 0.0
    drive(rig, "bone 0", "x")
    variable = rig.animation_data.drivers[0].driver.variables.new()
    variable.name, variable.targets[0].id_type, variable.targets[0].id = "x", "ARMATURE", rig.data
    variable.targets[0].data_path = '["bend"]'
    for frame in range(1, 61):
        rig.data["bend"] = np.sin(frame / 7.0)
        rig.data.keyframe_insert('["bend"]', frame=frame)
    check_that_it_is_distilled_and_given_back(distil, rig, FRAMES[:60])


def read_by(owner, path, target, target_path, expression="x"):
    """A driver that takes a value from somewhere else."""
    driver = owner.driver_add(path).driver
    variable = driver.variables.new()
    variable.name = "x"
    variable.targets[0].id, variable.targets[0].data_path = target, target_path
    driver.expression = expression
