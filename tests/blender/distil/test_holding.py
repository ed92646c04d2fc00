# SPDX-License-Identifier: GPL-3.0-or-later
"""Hold Feet keeps one contract in its three forms: baked, with pins, and by the controls of rigs with IK."""

from __future__ import annotations

import numpy as np
import pytest

from tests.blender.standing_feet import (
    SLIDES,
    lower_hips,
    shift,
    whole_pose,
    with_controls,
    with_few_keys,
)

FORMS = {"baked": "BAKED", "pins": "PINS", "controls": "PINS"}
ENDS = np.array([30.0, 210.0])


@pytest.fixture(params=FORMS)
def form(request):
    return request.param


@pytest.fixture
def character(form, humanoid, distil):
    rig = humanoid()
    return with_controls(rig) if form == "controls" else rig


@pytest.fixture
def walking(character):
    """Two seconds of a walk with so few keys that its feet slide."""
    return with_few_keys(character)


@pytest.fixture
def held(form, walking):
    return hold(walking, form)


def hold(rig, form):
    rig.posewright.hold = FORMS[form]
    assert rig.posewright.problem == ""
    return rig


def slide_to(rig, count):
    rig.posewright.key_count = count
    assert (rig.posewright.key_count, rig.posewright.problem) == (count, "")


def things_about(rig):
    """What holding may add to a file."""
    import bpy

    data = rig.animation_data
    bones = [len(bone.constraints) for bone in rig.pose.bones]
    return {*bpy.data.objects, *bpy.data.collections}, bones, len(data.drivers), len(data.nla_tracks)


def test_feet_stand_at_every_key_count_and_way_of_keying(feet, form, walking):
    assert feet.slide(walking) > 0.02
    hold(walking, form)
    for count in (3, 6, 12):
        slide_to(walking, count)
        assert feet.slide(walking) < SLIDES
        assert feet.off_place(walking) < SLIDES
    for way in ("LINEAR", "AUTO", "EVERYWHERE", "STEPPED", "FREE"):
        walking.posewright.interpolation = way
        assert walking.posewright.problem == ""
        assert feet.slide(walking) < SLIDES, way


def test_off_and_restore_leave_nothing_behind(distil, form, walking):
    import bpy

    source = walking.posewright.reduced.posewright.source
    pose, things = whole_pose(distil, walking), things_about(walking)
    keys = distil.actions.fingerprint(distil.playing(walking))
    others = [curve for curve in distil.playing(walking) if "_ik" not in curve.data_path]
    few = [len(curve.keyframe_points) for curve in others]
    hold(walking, form)
    assert np.abs(whole_pose(distil, walking) - pose).max() > 0.01
    assert [len(curve.keyframe_points) for curve in others] == few, "its own keys stay as few"
    assert not distil.changes.is_edited(distil.reductions.get(walking))
    slide_to(walking, 6)
    assert not walking.posewright.reduced.posewright.edits
    walking.posewright.hold = "OFF"
    np.testing.assert_allclose(whole_pose(distil, walking), pose, atol=1e-6)
    assert distil.actions.fingerprint(distil.playing(walking)) == keys
    assert things_about(walking) == things
    hold(walking, form)
    bpy.ops.posewright.restore()
    assert walking.animation_data.action == source
    assert set(bpy.data.actions) == {source}
    assert walking.posewright.hold == "OFF"
    assert things_about(walking) == things


def test_detail_on_top_does_not_bring_the_slide_back(feet, held):
    for strength in (0.5, 1.0, 0.0):
        held.posewright.detail = strength
        assert (held.posewright.detail, held.posewright.problem) == (strength, "")
        assert feet.slide(held) < SLIDES


def test_lowered_hips_leave_the_feet_where_they_are(feet, form, held, distil):
    """At once, without anything of ours between; what is baked follows when it is asked again."""
    places, before = feet.places(held), whole_pose(distil, held)
    frame = lower_hips(distil.playing(held))
    if form != "baked":
        assert feet.off_place(held, places) < SLIDES
    assert np.abs(whole_pose(distil, held) - before).max() > 0.08
    lowered = distil.sampling.sample(held, [frame], bones=["head"]).positions
    hold(held, form)
    assert feet.off_place(held, places) < SLIDES
    now = distil.sampling.sample(held, [frame], bones=["head"]).positions
    np.testing.assert_allclose(now, lowered, atol=0.03)
    slide_to(held, 9)
    assert held.posewright.reduced.posewright.edits
    assert feet.off_place(held, places) < SLIDES


def test_apply_keeps_what_plays(held, distil):
    import bpy

    frames = distil.reductions.get(held).analysis().frames
    played = distil.positions(held, frames)
    bpy.ops.posewright.apply()
    np.testing.assert_allclose(distil.positions(held, frames), played, atol=1e-6)


def test_saved_and_read_again(feet, form, held, distil, tmp_path):
    import bpy

    before, name = whole_pose(distil, held), held.name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "held.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "held.blend"))
    rig = bpy.data.objects[name]
    np.testing.assert_allclose(whole_pose(distil, rig), before, atol=1e-6)
    assert rig.posewright.hold == FORMS[form]
    slide_to(rig, 9)
    assert feet.slide(rig) < SLIDES


def test_undo_and_redo(feet, form, walking, distil):
    import bpy

    name = walking.name
    bpy.ops.ed.undo_push(message="start")
    plain = whole_pose(distil, walking)
    hold(walking, form)
    bpy.ops.ed.undo_push(message="held")
    held = whole_pose(distil, walking)
    bpy.ops.ed.undo()
    np.testing.assert_allclose(whole_pose(distil, bpy.data.objects[name]), plain, atol=1e-6)
    assert bpy.data.objects[name].posewright.hold == "OFF"
    bpy.ops.ed.redo()
    rig = bpy.data.objects[name]
    np.testing.assert_allclose(whole_pose(distil, rig), held, atol=1e-6)
    slide_to(rig, 9)
    assert feet.slide(rig) < SLIDES


def test_a_duplicate_has_feet_of_its_own(feet, held, distil):
    import bpy

    before = whole_pose(distil, held)
    bpy.ops.object.duplicate()
    other = bpy.context.object
    other.location.x += 2.0
    bpy.context.view_layer.update()
    slide_to(other, 4)
    assert feet.slide(other) < SLIDES
    assert feet.off_place(other) < SLIDES
    np.testing.assert_allclose(whole_pose(distil, held), before, atol=1e-6)
    bpy.ops.posewright.restore()
    np.testing.assert_allclose(whole_pose(distil, held), before, atol=1e-6)


def test_analyze_again_goes_on_holding(feet, form, held):
    import bpy

    things = things_about(held)
    bpy.ops.posewright.analyze()
    assert held.posewright.hold == FORMS[form]
    assert feet.slide(held) < SLIDES
    assert things_about(held) == things


def test_retiming_takes_what_holds_along(feet, held, distil):
    curves = distil.playing(held)
    hips = [curve for curve in curves if "hips" in curve.data_path]
    columns = sorted({key.co[0] for curve in hips for key in curve.keyframe_points})
    before = feet.contacts(held)["foot.R"]
    for curve in curves:
        shift(curve, 10.0, columns[3], axis=0)
    slide_to(held, 9)
    edits, after = distil.reductions.get(held).edits, feet.contacts(held)["foot.R"]
    assert not edits.warp.is_none
    assert not len(edits.paths), "moving keys in time is no pose"
    assert after[0].first == before[0].first
    assert after[0].last - before[0].last <= 10
    assert after[-1].last == before[-1].last + 10
    assert feet.slide(held) < SLIDES


def test_a_contact_that_is_marked_is_held(feet, held):
    import bpy

    some = feet.contacts(held)["foot.L"]
    bpy.ops.posewright.mark_contact(bone="foot.L", first=some[0].last + 8, last=some[0].last + 20)
    assert held.posewright.problem == ""
    assert len(feet.contacts(held)["foot.L"]) == len(some) + 1
    assert feet.slide(held) < SLIDES


def test_a_part_of_an_action_meets_the_rest(feet, form, character, distil):
    """At its ends nothing is held, so that it goes on from where the rest is."""
    source = distil.positions(character, ENDS)
    asked = character.posewright
    asked.range_from = "NUMBERS"
    asked.range_start, asked.range_end = ENDS.astype(int).tolist()
    hold(with_few_keys(character), form)
    now = whole_pose(distil, character)
    np.testing.assert_allclose(now[[0, -1]], source, atol=2e-4)
    assert np.linalg.norm(np.diff(now, axis=0), axis=2).max() < 0.05
    points = feet.points(character)
    inner = [each for each in feet.all_contacts(character) if each.first > 0 and each.last < len(points) - 1]
    assert inner
    for each in inner:
        assert np.ptp(points[each.rows, each.point], axis=0).max() < SLIDES
