# SPDX-License-Identifier: GPL-3.0-or-later
"""A character with several actions, each with an analysis of its own: nothing of one plays on another."""

import bpy
import numpy as np
import pytest

NAMES = ("Survey", "Walk", "Run")
FRAMES = np.arange(1.0, 61.0)


@pytest.fixture
def fox(distil, make_rig):
    """A rig with three actions; it plays the last."""
    rig = make_rig(3, rotation_mode="XYZ", name="Fox")
    for number, name in enumerate(NAMES):
        distil.swing(rig, frames=60 + 7 * number, name=name)
        rig.animation_data.action.use_fake_user = True
        for curve in distil.playing(rig):
            for point in curve.keyframe_points:
                point.co[1] *= 1.0 + 0.3 * number
    return rig


def choose(distil, rig, name):
    action = bpy.data.actions[name]
    distil.actions.assign(rig, action, distil.actions.versions.slots_in(action)[0])
    return action


def bones(rig):
    """As Blender shows them, in the user's own scene."""
    scene, found = bpy.context.scene, []
    for frame in (7, 23, 41):
        scene.frame_set(frame)
        found.append([bone.matrix.copy() for bone in rig.evaluated_get(graph()).pose.bones])
    return np.array(found)


def graph():
    return bpy.context.evaluated_depsgraph_get()


@pytest.fixture
def analysed(distil, fox):
    """All three reduced, to numbers of keys, ways of keying and details of their own."""
    plain = {}
    for name in NAMES:
        choose(distil, fox, name)
        plain[name] = bones(fox)
    for name, count, way, detail in zip(
        NAMES, (5, 8, 11), ("SMOOTH", "LINEAR", "FREE"), (1.0, 0.0, 0.5), strict=True
    ):
        choose(distil, fox, name)
        assert bpy.ops.posewright.analyze() == {"FINISHED"}
        fox.posewright.key_count, fox.posewright.interpolation, fox.posewright.detail = count, way, detail
        assert fox.posewright.problem == ""
    return plain


def told(rig):
    asked = rig.posewright
    return asked.key_count, asked.interpolation, asked.detail, asked.show_original


EXPECTED = {
    "Survey reduced": (5, "SMOOTH", 1.0, False),
    "Walk reduced": (8, "LINEAR", 0.0, False),
    "Run reduced": (11, "FREE", 0.5, False),
}


def test_every_action_has_its_own_panel_keys_and_detail(distil, fox, analysed):
    for name in (*EXPECTED, *reversed(EXPECTED)):
        choose(distil, fox, name)
        assert told(fox) == EXPECTED[name]
        assert distil.reductions.get(fox).source.name == name.removesuffix(" reduced")
    choose(distil, fox, "Survey reduced")
    fox.posewright.key_count = 9
    choose(distil, fox, "Walk reduced")
    assert told(fox) == EXPECTED["Walk reduced"]
    choose(distil, fox, "Survey reduced")
    assert told(fox) == (9, "SMOOTH", 1.0, False)


def test_a_source_that_is_chosen_again_is_shown_as_the_original(distil, fox, analysed):
    choose(distil, fox, "Walk")
    assert told(fox) == (8, "LINEAR", 0.0, True)
    fox.posewright.show_original = False
    assert fox.animation_data.action.name == "Walk reduced"


def test_detail_plays_with_its_own_action_alone(distil, fox, analysed):
    choose(distil, fox, "Survey reduced")
    np.testing.assert_allclose(bones(fox), analysed["Survey"], atol=1e-4)
    for name in ("Walk", "Run", "Survey"):
        choose(distil, fox, name)
        np.testing.assert_allclose(bones(fox), analysed[name], atol=1e-5)


def test_another_action_is_right_at_the_first_update(distil, fox, analysed):
    choose(distil, fox, "Survey reduced")
    bpy.context.scene.frame_set(23)
    choose(distil, fox, "Walk")
    bpy.context.view_layer.update()
    seen = np.array([bone.matrix for bone in fox.evaluated_get(graph()).pose.bones])
    np.testing.assert_allclose(seen, analysed["Walk"][1], atol=1e-5)


def test_without_the_extension_no_detail_plays_on_another_action(distil, fox, analysed, monkeypatch):
    """The gates are plain data: with our handlers taken out of Blender's lists they close by themselves."""
    from bl_ext.user_default.posewright import handlers

    choose(distil, fox, "Survey reduced")
    bpy.context.scene.frame_set(3)
    kept = [(calls, handler) for calls, handler in handlers.HANDLERS if handler in calls]
    for calls, handler in kept:
        calls.remove(handler)
    try:
        choose(distil, fox, "Walk")
        bpy.context.scene.frame_set(2)  # one update, after which drivers are up to date
        np.testing.assert_allclose(bones(fox), analysed["Walk"], atol=1e-5)
        choose(distil, fox, "Survey reduced")
        bpy.context.scene.frame_set(2)
        np.testing.assert_allclose(bones(fox), analysed["Survey"], atol=1e-4)
    finally:
        for calls, handler in kept:
            calls.append(handler)


def test_saved_reopened_and_undone(distil, fox, analysed, tmp_path):
    path = str(tmp_path / "fox.blend")
    choose(distil, fox, "Walk reduced")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    distil.reductions._CACHE.clear()
    bpy.ops.wm.open_mainfile(filepath=path)
    fox = bpy.data.objects["Fox"]
    bpy.context.view_layer.objects.active = fox
    for name in EXPECTED:
        choose(distil, fox, name)
        assert told(fox) == EXPECTED[name]
    choose(distil, fox, "Survey reduced")
    np.testing.assert_allclose(bones(fox), analysed["Survey"], atol=1e-4)
    choose(distil, fox, "Walk")
    np.testing.assert_allclose(bones(fox), analysed["Walk"], atol=1e-5)
    choose(distil, fox, "Run reduced")
    bpy.ops.ed.undo_push(message="before")
    fox.posewright.key_count = 20
    bpy.ops.ed.undo_push(message="slid")
    bpy.ops.ed.undo()
    fox = bpy.data.objects["Fox"]
    assert told(fox) == EXPECTED["Run reduced"]
    assert len(distil.playing(fox)[0].keyframe_points) == 11


def test_restore_ends_one_reduction_and_leaves_the_others(distil, fox, analysed):
    choose(distil, fox, "Survey reduced")
    assert bpy.ops.posewright.restore() == {"FINISHED"}
    assert fox.animation_data.action.name == "Survey"
    np.testing.assert_allclose(bones(fox), analysed["Survey"], atol=1e-5)
    assert "Survey reduced" not in bpy.data.actions
    choose(distil, fox, "Run reduced")
    assert told(fox) == EXPECTED["Run reduced"]
    assert bpy.ops.posewright.restore() == {"FINISHED"}
    assert not fox.animation_data.nla_tracks
    assert not fox.animation_data.drivers
    assert fox.animation_data.action_blend_type == "REPLACE"


def test_applied_detail_still_plays_with_its_action_alone(distil, fox, analysed):
    choose(distil, fox, "Survey reduced")
    assert bpy.ops.posewright.apply() == {"FINISHED"}
    np.testing.assert_allclose(bones(fox), analysed["Survey"], atol=1e-4)
    assert distil.reductions.find(fox) is None
    choose(distil, fox, "Walk")
    np.testing.assert_allclose(bones(fox), analysed["Walk"], atol=1e-5)


def test_a_duplicated_action_is_adjusted_by_itself(distil, fox, analysed):
    choose(distil, fox, "Survey reduced")
    copy = bpy.data.actions["Survey reduced"].copy()
    copy.name = "Variation"
    choose(distil, fox, "Variation")
    assert told(fox) == EXPECTED["Survey reduced"]
    fox.posewright.key_count = 12
    np.testing.assert_allclose(bones(fox), analysed["Survey"], atol=1e-4)
    choose(distil, fox, "Survey reduced")
    assert told(fox) == EXPECTED["Survey reduced"]
    np.testing.assert_allclose(bones(fox), analysed["Survey"], atol=1e-4)


def test_in_the_nlas_tweak_mode_no_detail_plays_on_the_strip(distil, fox, analysed):
    choose(distil, fox, "Survey reduced")
    data = fox.animation_data
    track = data.nla_tracks.new()
    strip = track.strips.new("Walk", 1, bpy.data.actions["Walk"])
    track.is_solo = False
    data.action = None
    for each in data.nla_tracks:
        each.select = False
    track.select = strip.select = True
    data.nla_tracks.active = track
    data.use_tweak_mode = True
    assert data.use_tweak_mode
    np.testing.assert_allclose(bones(fox), analysed["Walk"], atol=1e-5)
    data.use_tweak_mode = False
    np.testing.assert_allclose(bones(fox), analysed["Walk"], atol=1e-5)


def test_a_face_comes_along_to_a_duplicate_of_the_reduced_action(distil, swinging, smiling):
    """The armature was given the duplicate in the Action Editor, which tells no face."""
    face, _ = smiling
    source = swinging.animation_data.action
    bpy.ops.posewright.analyze()
    first = swinging.animation_data.action
    copy = first.copy()
    handle = distil.actions.slot_handle(distil.actions.slot_of(swinging))
    distil.actions.assign(swinging, copy, distil.actions.slot_with_handle(copy, handle))
    swinging.posewright.key_count = 5
    assert face.animation_data.action == copy
    assert bpy.ops.posewright.restore() == {"FINISHED"}
    assert swinging.animation_data.action == face.animation_data.action == source
    assert [action.name for action in bpy.data.actions if action.posewright.source] == ["Swing reduced"]
