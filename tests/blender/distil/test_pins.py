# SPDX-License-Identifier: GPL-3.0-or-later
"""Hold Feet as pins: empties and IK that keep feet where they stand, whatever is done to the hips."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from tests.blender.standing_feet import SLIDES, lower_hips, shift, whole_pose


@pytest.fixture
def pinned(walking):
    walking.posewright.hold = "PINS"
    assert walking.posewright.problem == ""
    return walking


def pins_of(rig):
    import bpy

    return {thing.name: thing for thing in bpy.data.objects if thing.type == "EMPTY" and "pin" in thing.name}


def test_another_action_is_not_held(distil, pinned):
    """Neither the original nor what else is chosen, and without a look of ours at it."""
    original = distil.sampling.sample(pinned, [30.0, 50.0]).positions
    source = pinned.posewright.reduced.posewright.source
    with_pins = pinned.animation_data.action
    wanted = whole_pose(distil, pinned)
    pinned.animation_data.action = source
    plain = distil.sampling.sample(pinned, [30.0, 50.0]).positions
    pinned.posewright.hold = "OFF"
    pinned.animation_data.action = source
    np.testing.assert_allclose(distil.sampling.sample(pinned, [30.0, 50.0]).positions, plain, atol=1e-6)
    pinned.animation_data.action = with_pins
    pinned.posewright.hold = "PINS"
    pinned.animation_data.action = None
    bare = distil.sampling.sample(pinned, [30.0, 50.0]).positions
    np.testing.assert_allclose(bare[0], bare[1], atol=1e-6)
    assert np.abs(original - plain).max() > 1e-3
    pinned.animation_data.action = with_pins
    np.testing.assert_allclose(whole_pose(distil, pinned), wanted, atol=1e-5)


@pytest.mark.parametrize("count", [3, 6])
def test_feet_in_the_air_do_not_go_below_the_ground(feet, walking, count):
    walking.posewright.key_count = count
    assert feet.sinking(walking) > 0.005
    walking.posewright.hold = "PINS"
    assert feet.sinking(walking) < 0.002


def test_feet_in_the_air_are_lifted_as_soon_as_hips_that_were_lowered_are_let_go(feet, pinned, distil):
    import bpy
    from bl_ext.user_default.posewright.handlers import following_edits

    lower_hips(distil.playing(pinned))
    assert feet.sinking(pinned) > 0.02
    bpy.context.view_layer.update()
    following_edits.follow()
    assert feet.sinking(pinned) < 0.002
    assert feet.off_place(pinned) < SLIDES


def test_feet_come_and_go_softly_and_swing_as_before(feet, walking, distil):
    """No jump in the ankles' speed that was not there, and no pull while the foot is in the air."""
    frames = distil.reductions.get(walking).analysis().frames

    def ankles():
        return distil.sampling.sample(walking, frames, bones=["shin.L", "shin.R"]).positions

    before = ankles()
    walking.posewright.hold = "PINS"
    after = ankles()
    jerk = [np.abs(np.diff(each, 2, axis=0)).max() for each in (before, after)]
    assert jerk[1] < jerk[0] + 0.003
    assert np.abs(after - before).max() < 0.15


def test_knees_keep_their_direction(walking, distil):
    frames = distil.reductions.get(walking).analysis().frames

    def directions():
        from bl_ext.user_default.posewright.bridge.posed_bones import world_matrices

        heads = world_matrices(walking, frames, ["thigh.L", "shin.L", "foot.L"])[:, :, :3, 3]
        along = heads[:, 2] - heads[:, 0]
        along /= np.linalg.norm(along, axis=1, keepdims=True)
        knee = heads[:, 1] - heads[:, 0]
        aside = knee - np.sum(knee * along, axis=1, keepdims=True) * along
        return aside / np.linalg.norm(aside, axis=1, keepdims=True)

    before = directions()
    walking.posewright.hold = "PINS"
    for lowered in (False, True):
        if lowered:
            lower_hips(distil.playing(walking))
        angles = np.degrees(np.arccos(np.clip(np.sum(before * directions(), axis=1), -1.0, 1.0)))
        assert angles.max() < 15.0


@pytest.mark.parametrize("degrees", [0.0, 3.0, -3.0])
@pytest.mark.parametrize("hold", ["PINS", "BAKED"])
def test_knees_that_are_straight_or_bent_back_do_not_snap(feet, humanoid, distil, hold, degrees):
    """IK leaves a straight leg straight, so it is bent a little beforehand, and that softly."""
    import bpy

    rig = humanoid()
    assert rig.pose.bones["shin.L"].rotation_mode == "QUATERNION"
    frames = np.arange(1.0, 122.0)
    sinks = -0.03 * np.sin((frames - 1.0) / 120.0 * np.pi)
    shin = [np.cos(np.radians(degrees) / 2.0), np.sin(np.radians(degrees) / 2.0), 0.0, 0.0]
    for curve in list(distil.playing(rig)):
        values = np.full(121, curve.evaluate(1.0))
        if "shin" in curve.data_path:
            values[:] = shin[curve.array_index]
        elif (curve.data_path, curve.array_index) == ('pose.bones["hips"].location', 1):
            values += sinks
        distil.write([curve], frames, values[:, None])
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 5
    for foot in ("foot.L", "foot.R"):
        bpy.ops.posewright.mark_contact(bone=foot, first=1, last=121, stands=False)
    bpy.ops.posewright.mark_contact(bone="foot.L", first=40, last=80)

    def jerk():
        knee = feet.stances.posed_now(rig, frames, ["shin.L"]).head("shin.L")
        return np.abs(np.diff(knee, 2, axis=0)).max()

    before = jerk()
    rig.posewright.hold = hold
    assert rig.posewright.problem == ""
    assert feet.slide(rig) < SLIDES
    assert jerk() < before + 0.01


def test_a_moved_pin_takes_the_foot_along_and_stays(feet, pinned, distil):
    places = feet.places(pinned)
    pin = next(thing for name, thing in pins_of(pinned).items() if "foot.L" in name)
    contact = feet.contacts(pinned)["foot.L"][0]
    frames = distil.reductions.get(pinned).analysis().frames
    for curve in distil.actions.curves_of(pin):
        if (curve.data_path, curve.array_index) == ("location", 0):
            shift(curve, 0.05, *frames[[contact.first, contact.last]])
    places[0] += np.array(pinned.matrix_world)[:3, 0] * 0.05
    assert feet.off_place(pinned, places) < SLIDES
    pinned.posewright.key_count = 9
    assert feet.off_place(pinned, places) < SLIDES


def test_pins_that_were_moved_are_work_that_restore_asks_about(pinned, distil):
    from bl_ext.user_default.posewright.bridge.distil.feet import pins

    def moved():
        return pins.are_moved(distil.reductions.get(pinned))

    assert not moved()
    pinned.posewright.key_count = 9
    assert not moved()
    pin = next(iter(pins_of(pinned).values()))
    curve = next(iter(distil.actions.curves_of(pin)))
    curve.keyframe_points[0].co[1] += 0.05
    curve.update()
    assert moved()
    pinned.posewright.key_count = 6
    assert moved(), "also after the slider was used"
    pinned.posewright.hold = "OFF"
    assert not moved()


def test_a_pin_that_is_moved_makes_the_figures_old(pinned, distil):
    import bpy

    bpy.ops.posewright.measure()
    reduction = distil.reductions.get(pinned)
    assert distil.changes.is_measured(reduction)
    pin = next(iter(pins_of(pinned).values()))
    curve = next(iter(distil.actions.curves_of(pin)))
    shift(curve, 0.05)
    pin.animation_data.action.update_tag()
    bpy.context.view_layer.update()
    assert not distil.changes.is_measured(reduction)
    bpy.ops.posewright.measure()
    assert distil.changes.is_measured(reduction)


def test_figures_of_pinned_feet_are_those_of_the_armature_itself(pinned, distil, monkeypatch):
    """Copies of the armature are held by its own pins, which hang from it."""
    from bl_ext.user_default.posewright.bridge.distil import actors
    from bl_ext.user_default.posewright.handlers import background_measuring

    assert all(pin.parent == pinned for pin in pins_of(pinned).values())
    assert background_measuring.ask(distil.reductions.get(pinned))
    background_measuring.unregister()
    found = distil.measuring.measure(pinned)
    monkeypatch.setattr(actors, "follows_itself", lambda armature: True)
    expected = distil.measuring.measure(pinned)
    assert found.quality.added_slide < 0.003 * found.height
    for name in ("mean", "largest"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), abs=1e-5 * found.height)
    assert found.quality.slide == pytest.approx(expected.quality.slide, abs=1e-5 * found.height)


def test_a_pin_keyed_in_the_middle_of_a_step_moves_all_of_it_when_contacts_are_renewed(feet, pinned, distil):
    import bpy

    place = feet.places(pinned)[0]
    pin = next(thing for name, thing in pins_of(pinned).items() if "foot.L" in name)
    contact = feet.contacts(pinned)["foot.L"][0]
    frames = distil.reductions.get(pinned).analysis().frames
    middle = int(frames[(contact.first + contact.last) // 2])
    bpy.context.scene.frame_set(middle)
    pin.location.x += 0.04
    pin.keyframe_insert("location", frame=middle)
    last = float(frames[-1])
    bpy.ops.posewright.mark_contact(bone="foot.L", first=last - 8, last=last)
    assert pinned.posewright.problem == ""
    place += np.array(pinned.matrix_world)[:3, 0] * 0.04
    found = feet.contacts(pinned)["foot.L"][0]
    now = feet.points(pinned)[found.rows, found.point]
    assert np.linalg.norm(now - place, axis=1).max() < SLIDES


def test_apply_keeps_the_pins_as_plain_data(feet, pinned, distil):
    import bpy

    frames = distil.reductions.get(pinned).analysis().frames
    held = distil.positions(pinned, frames)
    bpy.ops.posewright.apply()
    np.testing.assert_allclose(distil.positions(pinned, frames), held, atol=1e-6)
    assert len(pins_of(pinned)) == 2
    with pytest.raises(RuntimeError, match="was applied with"):
        bpy.ops.posewright.analyze()


def test_feet_are_held_in_a_blender_without_the_extension(feet, pinned, tmp_path):
    """Another process, with factory settings, tells where the feet are."""
    import bpy

    path, told = tmp_path / "pinned.blend", tmp_path / "told.json"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    contact = feet.contacts(pinned)["foot.L"][0]
    frames = list(range(contact.first + 1, contact.last + 2))  # the walk begins on frame 1
    plain = (
        "import bpy, json\n"
        "bpy.ops.wm.read_factory_settings()\n"
        f"bpy.ops.wm.open_mainfile(filepath={str(path)!r})\n"
        "assert not hasattr(bpy.types.Object, 'posewright')\n"
        f"rig, places = bpy.data.objects[{pinned.name!r}], []\n"
        f"for frame in {frames!r}:\n"
        "    bpy.context.scene.frame_set(frame)\n"
        "    seen = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())\n"
        "    places.append([*(rig.matrix_world @ seen.pose.bones['foot.L'].tail)])\n"
        f"with open({str(told)!r}, 'w') as file:\n    file.write(json.dumps(places))\n"
        "import os\nos._exit(0)\n"  # where Blender as a module crashes in its own end
    )
    blender = bpy.app.binary_path
    start = (
        [blender, "--background", "--factory-startup", "--python-expr"] if blender else [sys.executable, "-c"]
    )
    subprocess.run([*start, plain], check=True, stdout=subprocess.DEVNULL)
    assert np.ptp(json.loads(told.read_text()), axis=0).max() < SLIDES


def test_a_duplicate_gets_pins_of_its_own(pinned):
    import bpy

    bpy.ops.object.duplicate()
    bpy.context.object.posewright.key_count = 4
    assert len(pins_of(pinned)) == 4
    bpy.ops.posewright.restore()
    assert len(pins_of(pinned)) == 2


@pytest.mark.parametrize("with_actions", [True, False])
def test_a_duplicate_that_is_moved_takes_its_feet_along_before_its_slider_is_used(
    feet, pinned, distil, monkeypatch, with_actions
):
    """Also where Blender's preferences say that duplicates share actions."""
    import bpy
    from bl_ext.user_default.posewright.handlers import following_edits

    before = whole_pose(distil, pinned)
    monkeypatch.setattr(bpy.context.preferences.edit, "use_duplicate_action", with_actions)
    bpy.ops.object.duplicate()
    other = bpy.context.object
    other.location.x += 2.0
    bpy.context.view_layer.update()
    following_edits.follow()
    assert feet.off_place(other) < SLIDES
    assert len(pins_of(pinned)) == 4
    np.testing.assert_allclose(whole_pose(distil, pinned), before, atol=1e-6)
    following_edits.after_undo()
    following_edits.follow()
    assert len(pins_of(pinned)) == 4, "once is enough"


@pytest.mark.parametrize("with_actions", [True, False])
@pytest.mark.parametrize("with_targets", [False, True])
def test_a_character_duplicated_with_its_pins_hangs_on_those_of_the_copy(
    feet, pinned, distil, monkeypatch, with_actions, with_targets
):
    """Targets cannot be clicked, so Select All leaves them out; the Outliner can select them nevertheless."""
    import bpy
    from bl_ext.user_default.posewright.handlers import following_edits

    before = whole_pose(distil, pinned)
    monkeypatch.setattr(bpy.context.preferences.edit, "use_duplicate_action", with_actions)
    for thing in pinned.pose.bones["foot.L"].constraints[0].target.users_collection[0].objects:
        thing.hide_select = thing.hide_select and not with_targets
        thing.select_set(True)
    bpy.ops.object.duplicate()
    other = bpy.context.object
    other.location.x += 2.0
    bpy.context.view_layer.update()
    following_edits.follow()
    assert feet.off_place(other) < SLIDES
    other.posewright.key_count = 4
    assert other.posewright.problem == ""
    assert feet.off_place(other) < SLIDES
    assert len(pins_of(pinned)) == 4, "no pin that holds nothing is left about"
    np.testing.assert_allclose(whole_pose(distil, pinned), before, atol=1e-6)
    bpy.ops.posewright.restore()
    assert len(pins_of(pinned)) == 2
    np.testing.assert_allclose(whole_pose(distil, pinned), before, atol=1e-6)


def test_baked_and_pins_follow_each_other(feet, pinned):
    pinned.posewright.hold = "BAKED"
    assert feet.slide(pinned) < SLIDES
    assert not pins_of(pinned)
    pinned.posewright.hold = "PINS"
    assert feet.slide(pinned) < SLIDES


def test_a_pin_that_was_deleted_is_made_again(feet, pinned):
    import bpy

    for thing in list(pins_of(pinned).values()):
        bpy.data.objects.remove(thing)
    pinned.posewright.key_count = 9
    assert pinned.posewright.problem == ""
    assert feet.slide(pinned) < SLIDES


def test_feet_that_do_not_hang_from_the_legs_are_held_by_their_own_keys(import_character, distil):
    import bpy
    from bl_ext.user_default.posewright.bridge.distil.feet import stances

    rig = import_character("RobotExpressive.glb", "WalkJump")
    bpy.ops.posewright.analyze()
    rig.posewright.hold = "PINS"
    assert rig.posewright.problem == ""
    assert not pins_of(rig)
    reduction = distil.reductions.get(rig)
    contacts = {bone: some for bone, some in stances.contacts_of(reduction).items() if some}
    assert contacts
    now = stances.posed_now(rig, reduction.analysis().frames, list(contacts))
    for bone, some in contacts.items():
        for each in some:
            assert np.ptp(now.end(rig, bone)[each.rows], axis=0).max() < SLIDES


@pytest.mark.parametrize(("file", "action"), [("Soldier.glb", "Idle"), ("Fox.glb", "Survey")])
def test_bones_that_end_anywhere_are_pinned_as_well(import_character, distil, file, action):
    """Importers put tails a hundred times too far away, or across: hips may go down all the same."""
    import bpy
    from bl_ext.user_default.posewright.bridge import character
    from bl_ext.user_default.posewright.bridge.distil.feet import stances

    rig = import_character(file, action)
    bpy.ops.posewright.analyze()
    rig.posewright.hold = "PINS"
    assert rig.posewright.problem == ""
    reduction = distil.reductions.get(rig)
    contacts = {bone: some for bone, some in stances.contacts_of(reduction).items() if some}
    height, hips = character.height_of(rig), character.describe(rig).hips
    lowering = np.array(rig.matrix_world @ rig.data.bones[hips].matrix_local)[:3, :3]
    step = np.linalg.solve(lowering, [0.0, 0.0, -0.06 * height])
    for curve in distil.playing(rig):
        if curve.data_path == f'pose.bones["{hips}"].location':
            for key in curve.keyframe_points:
                for each in (key.co, key.handle_left, key.handle_right):
                    each[1] += step[curve.array_index]
            curve.update()
    now = stances.posed_now(rig, reduction.analysis().frames, list(contacts))
    for bone, some in contacts.items():
        for each in some:
            places = now.end(rig, bone)[each.rows]
            assert np.linalg.norm(places - each.place, axis=1).max() < 0.003 * height


def test_what_goes_round_is_held_in_every_round(feet, humanoid, distil):
    """Feet that stand all along a loop stand in its later rounds, too."""
    import bpy

    rig = humanoid()
    hips = 'pose.bones["hips"].location'
    for curve in list(distil.playing(rig)):
        frames = np.arange(1.0, 122.0)
        sway = (
            0.02 * np.sin((frames - 1.0) / 120.0 * 2.0 * np.pi) if curve.data_path == hips else 0.0 * frames
        )
        distil.write([curve], frames, (curve.evaluate(1.0) + sway)[:, None])
        curve.modifiers.new("CYCLES")
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 4
    rig.posewright.hold = "PINS"
    assert rig.posewright.problem == ""
    first = distil.positions(rig, np.arange(1.0, 121.0, 10.0))
    later = distil.positions(rig, np.arange(121.0, 241.0, 10.0))
    np.testing.assert_allclose(later, first, atol=1e-4)


def test_a_walk_that_goes_on_is_held_in_later_rounds(feet, walking, distil):
    """It travels: in every round the feet stand a step further on."""
    import bpy

    source = walking.posewright.reduced.posewright.source
    bpy.ops.posewright.restore()
    assert walking.animation_data.action == source
    for curve in distil.playing(walking):
        cycles = curve.modifiers.new("CYCLES")
        if "location" in curve.data_path:
            cycles.mode_before = cycles.mode_after = "REPEAT_OFFSET"
    bpy.ops.posewright.analyze()
    walking.posewright.key_count = 6
    walking.posewright.hold = "PINS"
    assert walking.posewright.problem == ""
    frames = distil.reductions.get(walking).analysis().frames
    length = frames[-1] - frames[0]
    points = feet.points(walking, later=length)
    inner = [each for each in feet.all_contacts(walking) if each.first > 30 and each.last < length - 30]
    assert inner
    for each in inner:
        assert np.ptp(points[each.rows, each.point], axis=0)[:2].max() < SLIDES


def test_esc_in_locking_leaves_the_pins_as_they_were(feet, pinned, distil):
    """Locking takes a moved column in first, and the pins with it."""
    import bpy

    def keyed():
        return [distil.actions.fingerprint(distil.playing(pin)) for pin in pins_of(pinned).values()]

    for curve in distil.playing(pinned):
        for point in curve.keyframe_points[2:3] if len(curve.keyframe_points) > 1 else ():
            for each in (point.co, point.handle_left, point.handle_right):
                each[0] += 3.0
        curve.update()
    before, state = keyed(), pinned.posewright.reduced.posewright.pins
    steps = distil.extremes.lock_in_steps(pinned, bpy.context.scene)
    next(steps)
    assert keyed() != before
    steps.close()
    assert keyed() == before
    assert pinned.posewright.reduced.posewright.pins == state


def test_an_override_says_that_it_cannot_be_pinned(walking, distil, tmp_path):
    """Blender does not keep drivers on overrides, so its feet would be held all the time."""
    import bpy

    bpy.ops.posewright.restore()
    path, name = str(tmp_path / "library.blend"), walking.name
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, into):
        into.objects = [name]
    bpy.context.scene.collection.objects.link(into.objects[0])
    rig = into.objects[0].override_create(remap_local_usages=True)
    rig.override_library.is_system_override = False
    bpy.context.view_layer.objects.active = rig
    bpy.ops.posewright.analyze()
    rig.posewright.hold = "PINS"
    assert "is an override, and nothing could let go of its feet: choose Baked" in rig.posewright.problem
    assert rig.posewright.hold == "OFF"
    assert not any(bone.constraints for bone in rig.pose.bones)
    rig.posewright.hold = "BAKED"
    assert rig.posewright.problem == ""


@pytest.mark.parametrize("accident", ["a pin is deleted", "a target is deleted", "a bone is renamed"])
def test_restore_takes_away_what_is_left_of_pins(pinned, accident):
    import bpy

    if accident == "a pin is deleted":
        bpy.data.objects.remove(next(iter(pins_of(pinned).values())))
    elif accident == "a target is deleted":
        bpy.data.objects.remove(next(iter(pins_of(pinned).values())).children[0])
    else:
        pinned.data.bones["foot.L"].name = "left foot"
    bpy.context.view_layer.update()
    bpy.ops.posewright.restore()
    assert not any(bone.constraints for bone in pinned.pose.bones)
    assert not pinned.animation_data.drivers
    assert not [thing for thing in bpy.data.objects if thing.type == "EMPTY"]
    assert not bpy.data.collections


def test_pins_stay_the_same_while_what_keys_are_fitted_to_plays_somewhere(pinned, distil):
    """As it does while figures of an armature that moves as a whole are measured in the background."""
    from bl_ext.user_default.posewright.bridge.distil import playing

    lower_hips(distil.playing(pinned))
    pinned.posewright.key_count = 9  # takes the edit in
    before, reduction = set(pins_of(pinned)), distil.reductions.get(pinned)
    with playing.target_action(reduction, reduction.analysis()) as target:
        assert target != reduction.source
        pinned.posewright.key_count = 12
        assert pinned.posewright.problem == ""
        assert set(pins_of(pinned)) == before
