# SPDX-License-Identifier: GPL-3.0-or-later
"""What users do to files between two presses: nothing breaks, and what cannot work says why."""

import importlib
import subprocess
import sys
import time

import bpy
import numpy as np
import pytest


def test_characters_keep_their_own_state(distil, make_rig):
    first = distil.swing(make_rig(3, name="First", rotation_mode="XYZ"), name="A")
    bpy.ops.posewright.analyze()
    second = distil.swing(make_rig(3, name="Second", rotation_mode="XYZ"), frames=80, name="B")
    bpy.ops.posewright.analyze()
    first.posewright.key_count, second.posewright.key_count = 5, 9
    assert len(distil.playing(first)[0].keyframe_points) == 5
    assert len(distil.playing(second)[0].keyframe_points) == 9
    bpy.ops.posewright.restore()
    assert second.animation_data.action.name == "B"
    assert distil.reductions.find(first) is not None


def test_an_action_shared_by_two_characters(distil, make_rig):
    first = distil.swing(make_rig(3, name="First", rotation_mode="XYZ"), name="Shared")
    second = make_rig(3, name="Second", rotation_mode="XYZ")
    distil.actions.assign(second, first.animation_data.action, distil.actions.slot_of(first))
    bpy.ops.posewright.analyze()
    second.posewright.key_count = 4
    assert first.animation_data.action == second.posewright.reduced.posewright.source
    assert len(distil.playing(first)[0].keyframe_points) == 120


def test_renaming_everything(distil, swinging):
    bpy.ops.posewright.analyze()
    swinging.name, swinging.data.name = "Renamed", "Data"
    swinging.posewright.reduced.posewright.source.name, swinging.posewright.reduced.name = "Source", "Few"
    swinging.posewright.key_count = 7
    assert swinging.posewright.problem == ""
    assert len(distil.playing(swinging)[0].keyframe_points) == 7
    bpy.ops.posewright.restore()
    assert swinging.animation_data.action.name == "Source"


@pytest.mark.parametrize("with_actions", [True, False])
def test_duplicates_do_not_disturb_each_other(distil, swinging, monkeypatch, with_actions):
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 5
    monkeypatch.setattr(bpy.context.preferences.edit, "use_duplicate_action", with_actions)
    bpy.ops.object.duplicate()
    twin = bpy.context.object
    assert twin != swinging
    twin.posewright.key_count = 9
    assert twin.posewright.problem == ""
    assert len(distil.playing(twin)[0].keyframe_points) == 9
    assert len(distil.playing(swinging)[0].keyframe_points) == 5
    assert bpy.ops.posewright.restore() == {"FINISHED"}
    swinging.posewright.key_count = 6
    assert len(distil.playing(swinging)[0].keyframe_points) == 6
    bpy.context.view_layer.objects.active = swinging
    bpy.ops.posewright.restore()
    assert len(distil.playing(swinging)[0].keyframe_points) == 120


def test_duplicates_have_their_own_detail(distil, swinging):
    frames = np.arange(1.0, 121.0)
    original = distil.positions(swinging, frames)
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 5
    swinging.posewright.detail = 1.0
    bpy.ops.object.duplicate()
    twin = bpy.context.object
    twin.posewright.key_count = 3
    for rig in (twin, swinging):
        assert rig.posewright.problem == ""
        np.testing.assert_allclose(distil.positions(rig, frames), original, atol=1e-4)
    bpy.ops.posewright.restore()
    np.testing.assert_allclose(distil.positions(swinging, frames), original, atol=1e-4)
    assert swinging.posewright.reduced.posewright.residual is not None


@pytest.mark.parametrize("verb", ["restore", "analyze"])
def test_a_reduced_action_that_is_used_elsewhere_is_not_removed(distil, swinging, make_rig, verb):
    bpy.ops.posewright.analyze()
    used = swinging.animation_data.action
    strip = swinging.animation_data.nla_tracks.new().strips.new("Mine", 1, used)
    other = make_rig(3, rotation_mode="XYZ", name="Other")
    distil.actions.assign(other, used, distil.actions.slot_of(swinging))
    bpy.context.view_layer.objects.active = swinging
    getattr(bpy.ops.posewright, verb)()
    assert strip.action == used
    assert other.animation_data.action == used
    assert swinging.animation_data.action != used


def test_deleting_the_reduced_action(distil, swinging):
    """What it knew is gone with it; the source is not."""
    source = swinging.animation_data.action
    bpy.ops.posewright.analyze()
    bpy.data.actions.remove(swinging.posewright.reduced)
    swinging.posewright.key_count = 6
    assert swinging.posewright.problem == ""
    assert swinging.posewright.reduced is None
    assert source.use_fake_user
    distil.actions.assign(swinging, source, distil.actions.versions.slots_in(source)[0])
    assert bpy.ops.posewright.analyze() == {"FINISHED"}


def test_deleting_the_source_action(distil, swinging):
    bpy.ops.posewright.analyze()
    distil.reductions._CACHE.clear()
    bpy.data.actions.remove(swinging.posewright.reduced.posewright.source)
    swinging.posewright.key_count = 6
    assert "has been deleted" in swinging.posewright.problem
    with pytest.raises(RuntimeError, match="has been deleted"):
        bpy.ops.posewright.restore()
    assert bpy.ops.posewright.apply() == {"FINISHED"}
    assert distil.reductions.find(swinging) is None
    assert len(distil.playing(swinging)[0].keyframe_points) > 1


def test_a_channel_removed_from_the_reduced_action_comes_back(distil, swinging):
    bpy.ops.posewright.analyze()
    action = swinging.posewright.reduced
    bag = distil.actions.bag_of(action, distil.actions.slot_of(swinging))
    count = len(bag.fcurves)
    bag.fcurves.remove(bag.fcurves[0])
    swinging.posewright.key_count = 6
    assert swinging.posewright.problem == ""
    assert len(distil.playing(swinging)) == count


def test_a_changed_source_is_stale(distil, swinging, monkeypatch):
    monkeypatch.setattr(distil.changes, "LOOK_SECONDS", 10.0)
    bpy.ops.posewright.analyze()
    assert not distil.changes.is_stale(distil.reductions.get(swinging))
    handles = distil.reductions.get(swinging).handles
    from bl_ext.user_default.posewright.bridge.distil import channels

    curve = channels.curves_in(swinging.posewright.reduced.posewright.source, handles)[0]
    swinging.posewright.show_original = True
    curve.keyframe_points[10].co[1] += 0.5
    bpy.context.view_layer.update()
    assert distil.changes.is_stale(distil.reductions.get(swinging))
    bpy.ops.posewright.analyze()
    assert not distil.changes.is_stale(distil.reductions.get(swinging))


@pytest.mark.parametrize("after", [0.2, 0.9])
def test_a_source_that_was_changed_while_it_was_analysed_is_stale(distil, swinging, monkeypatch, after):
    """By a timer of another add-on for example: events of the window wait."""
    import bpy

    monkeypatch.setattr(distil.changes, "LOOK_SECONDS", 60.0)
    curves = distil.playing(swinging)
    work = distil.analyse.analyse_in_steps(swinging, bpy.context.scene)
    next(share for share in work if share > after)
    curves[1].keyframe_points[3].co.y += 1.0
    curves[1].update()
    for _ in work:
        pass
    assert distil.changes.is_stale(distil.reductions.get(swinging))


@pytest.mark.parametrize("after", [0.01, 0.1, 0.4, 0.9])
def test_a_source_that_loses_channels_while_it_is_analysed(distil, swinging, after):
    """Blender has freed them: whoever looks at them once more lets it crash."""
    import bpy

    source, curves = swinging.animation_data.action, distil.playing(swinging)
    work = distil.analyse.analyse_in_steps(swinging, bpy.context.scene)
    next(share for share in work if share > after)
    time.sleep(0.001)  # the turn of others
    bag = distil.actions.bag_of(source, distil.actions.slot_of(swinging))
    for curve in curves[3:9]:
        bag.fcurves.remove(curve)
    with pytest.raises(distil.core.InputError, match="lost channels"):
        for _ in work:
            pass
    assert swinging.animation_data.action == source


def test_a_changed_modifier_of_the_source_is_stale(distil, swinging, monkeypatch):
    monkeypatch.setattr(distil.changes, "LOOK_SECONDS", 1.0)
    modifier = distil.playing(swinging)[0].modifiers.new("NOISE")
    bpy.ops.posewright.analyze()
    assert not distil.changes.is_stale(distil.reductions.get(swinging))
    swinging.posewright.show_original = True
    modifier.strength = 2.0
    bpy.context.view_layer.update()
    assert distil.changes.is_stale(distil.reductions.get(swinging))


def test_a_shared_source_stays_after_one_is_applied_and_the_other_restored(distil, make_rig):
    first = distil.swing(make_rig(3, rotation_mode="XYZ", name="First"))
    source = first.animation_data.action
    source.use_fake_user = False
    second = make_rig(3, rotation_mode="XYZ", name="Second")
    distil.actions.assign(second, source, distil.actions.slot_of(first))
    for rig in (first, second):
        bpy.context.view_layer.objects.active = rig
        bpy.ops.posewright.analyze()
    bpy.ops.posewright.apply()
    bpy.context.view_layer.objects.active = first
    bpy.ops.posewright.restore()
    assert source.use_fake_user


def test_another_action_is_not_taken_away(distil, swinging):
    bpy.ops.posewright.analyze()
    reduced = swinging.posewright.reduced
    other = distil.swing(swinging, frames=50, name="Other").animation_data.action
    swinging.posewright.key_count = 6
    assert "now plays Other, which was not analysed" in swinging.posewright.problem
    assert swinging.animation_data.action == other
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    assert swinging.posewright.reduced.posewright.source == other
    assert reduced.use_fake_user, "what was reduced before is kept"
    assert reduced.posewright.source.name == "Swing", "and knows where it came from"


def test_nla_tweak_mode(distil, swinging):
    bpy.ops.posewright.analyze()
    data = swinging.animation_data
    action = data.action
    track = data.nla_tracks.new()
    strip = track.strips.new("Strip", 1, swinging.posewright.reduced.posewright.source)
    data.action = None
    track.select = strip.select = True
    data.nla_tracks.active = track
    data.use_tweak_mode = True
    assert data.use_tweak_mode
    for verb in ("analyze", "restore", "apply"):
        with pytest.raises(RuntimeError, match="NLA's tweak mode"):
            getattr(bpy.ops.posewright, verb)()
    swinging.posewright.key_count = 6
    assert "NLA's tweak mode" in swinging.posewright.problem
    data.use_tweak_mode = False
    assert action is not None


def test_no_animation_and_nothing_that_moves(distil, make_rig, set_keys):
    rig = make_rig(1)
    assert not bpy.ops.posewright.analyze.poll()
    rig.animation_data_create().action = bpy.data.actions.new("Empty")
    with pytest.raises(RuntimeError, match="Rig has no animation: give it an action with keys"):
        bpy.ops.posewright.analyze()
    set_keys(rig.pose.bones[0], "location", {1: (1, 2, 3), 20: (1, 2, 3)})
    with pytest.raises(RuntimeError, match="Nothing moves in"):
        bpy.ops.posewright.analyze()
    assert distil.reductions.find(rig) is None


def test_one_key_only(distil, make_rig, set_keys):
    rig = make_rig(1)
    set_keys(rig.pose.bones[0], "location", {1: (1, 2, 3)})
    with pytest.raises(RuntimeError, match="All keys of the action are on frame 1: there is no motion"):
        bpy.ops.posewright.analyze()


def test_no_bones_that_count(distil, swinging):
    for bone in swinging.data.bones:
        bone.use_deform = False
    swinging.posewright.bones_from = "DEFORM"
    with pytest.raises(RuntimeError, match="No bone of Rig deforms: let all bones count"):
        bpy.ops.posewright.analyze()


def test_selected_bones_only(distil, swinging):
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="DESELECT")
    swinging.posewright.bones_from = "SELECTED"
    with pytest.raises(RuntimeError, match="select some in Pose Mode"):
        bpy.ops.posewright.analyze()
    bpy.ops.pose.select_all(action="SELECT")
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    assert bpy.context.mode == "POSE"


@pytest.mark.parametrize("verb", ["analyze", "compare", "pose_sheet", "motion_thumbnail", "leading_parts"])
def test_edit_mode(distil, swinging, verb):
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="Rig is in Edit Mode"):
        getattr(bpy.ops.posewright, verb)()
    assert swinging.animation_data.action.name == "Swing"


def test_slider_before_any_analysis_is_harmless(distil, swinging):
    swinging.posewright.key_count = 12
    swinging.posewright.detail = 0.5
    swinging.posewright.show_original = True
    assert swinging.posewright.problem == ""
    assert swinging.animation_data.action.name == "Swing"


@pytest.fixture
def library(distil, swinging, tmp_path):
    """A file with the character, saved and closed."""
    path = tmp_path / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return path


def link(path, *, override=False):
    with bpy.data.libraries.load(str(path), link=True) as (_, into):
        into.objects = ["Rig"]
    rig = into.objects[0]
    bpy.context.scene.collection.objects.link(rig)
    if override:
        rig = rig.override_create(remap_local_usages=True)
        rig.override_library.is_system_override = False
    bpy.context.view_layer.objects.active = rig
    return rig


def test_a_linked_armature_says_what_to_do(distil, library):
    link(library)
    with pytest.raises(RuntimeError, match="linked from another file: make a library override"):
        bpy.ops.posewright.analyze()


def test_an_override_can_be_reduced(distil, library, tmp_path):
    rig = link(library, override=True)
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    rig.posewright.key_count = 6
    assert rig.posewright.problem == ""
    assert len(distil.playing(rig)[0].keyframe_points) == 6
    assert rig.posewright.reduced.posewright.source.library is not None
    path = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    rig = next(each for each in bpy.data.objects if each.override_library is not None)
    bpy.context.view_layer.objects.active = rig
    assert rig.posewright.key_count == 6
    rig.posewright.key_count = 8
    assert rig.posewright.problem == ""
    assert len(distil.playing(rig)[0].keyframe_points) == 8
    assert bpy.ops.posewright.restore() == {"FINISHED"}
    assert np.isclose(len(distil.playing(rig)[0].keyframe_points), 120)


def test_the_slider_of_an_override_can_be_moved(distil, library, tmp_path, capfd):
    """Of an override Blender lets only be changed what may be: the slider was grey."""
    slider = importlib.import_module("bl_ext.user_default.posewright.properties.slider")
    rig = link(library, override=True)
    bpy.ops.posewright.analyze()
    offered = distil.reductions.get(rig).analysis().offered
    slider.name_for(*offered)
    slider._declare_wanted()
    try:
        name = slider.name_for(*offered)
        assert name != "key_count"
        assert rig.posewright.is_property_overridable_library(name)
        setattr(rig.posewright, name, 6)
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    finally:
        slider.unregister()
    capfd.readouterr()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))  # which knows nothing of it
    rig = next(each for each in bpy.data.objects if each.override_library is not None)
    assert rig.posewright.key_count == 6
    assert "RNA" not in "".join(capfd.readouterr())


def test_detail_plays_on_an_override(distil, library, tmp_path, capfd):
    rig = link(library, override=True)
    frames = np.arange(1.0, 121.0)
    original = distil.positions(rig, frames)
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 5
    assert distil.error(rig, frames, original) > 1e-3
    rig.posewright.detail = 1.0
    np.testing.assert_allclose(distil.positions(rig, frames), original, atol=1e-4)
    path = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    rig = next(each for each in bpy.data.objects if each.override_library is not None)
    assert (rig.posewright.detail, rig.posewright.key_count) == (1.0, 5)
    np.testing.assert_allclose(distil.positions(rig, frames), original, atol=1e-4)
    assert "Traceback" not in "".join(capfd.readouterr()), "reading a file does no work of ours"


def test_edits_of_an_override_stay_with_it(distil, library, tmp_path):
    rig = link(library, override=True)
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 9
    curve = distil.playing(rig)[1]
    point = curve.keyframe_points[4]
    at, keyed = point.co.x, point.co.y + 0.5
    for part in ("co", "handle_left", "handle_right"):
        getattr(point, part).y += 0.5
    curve.update()
    path = str(tmp_path / "shot.blend")
    for count in (15, 6):
        rig.posewright.key_count = count
        assert rig.posewright.problem == ""
        bpy.ops.wm.save_as_mainfile(filepath=path)
        bpy.ops.wm.open_mainfile(filepath=path)
        rig = next(each for each in bpy.data.objects if each.override_library is not None)
        bpy.context.view_layer.objects.active = rig
        edited = distil.playing(rig)[1]
        assert at in {point.co.x for point in edited.keyframe_points}
        assert edited.evaluate(at) == pytest.approx(keyed, abs=1e-5)
    bpy.ops.posewright.release_edits(what="ALL")
    assert distil.reductions.get(rig).edits.is_none


def test_an_override_keeps_its_lists(distil, library, tmp_path):
    asked = link(library, override=True).posewright
    bpy.ops.posewright.fixed_frame_add(frames="70, 33")
    bpy.ops.posewright.fixed_frame_add(frames="50")
    bpy.ops.posewright.bone_weights(preset="equal")
    asked.bone_weights["bone 1"].weight = 4.0
    asked.options.salient.largest_gap = 15
    path = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    asked = next(each for each in bpy.data.objects if each.override_library is not None).posewright
    assert [each.frame for each in asked.fixed_frames] == [33, 50, 70]
    assert [each.weight for each in asked.bone_weights] == [1, 4, 1]
    assert asked.options.salient.largest_gap == 15


def test_an_override_of_a_file_that_never_knew_the_extension(distil, tmp_path, capfd):
    """From Blender 5.0 on such groups could not be read again."""
    library, shot = str(tmp_path / "plain.blend"), str(tmp_path / "shot.blend")
    plain = (
        f"import bpy; bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True);"
        "rig = bpy.data.objects.new('Rig', bpy.data.armatures.new('Rig'));"
        "bpy.context.scene.collection.objects.link(rig);"
        f"bpy.ops.wm.save_as_mainfile(filepath={library!r})"
    )
    blender = bpy.app.binary_path
    start = [blender, "--background", "--python-expr"] if blender else [sys.executable, "-c"]
    subprocess.run([*start, plain], check=True, stdout=subprocess.DEVNULL)
    asked = link(library, override=True).posewright
    asked.wanted_error, asked.options.salient.largest_gap, asked.character.height = 1.5, 15, 2.5
    bpy.ops.wm.save_as_mainfile(filepath=shot)
    capfd.readouterr()
    bpy.ops.wm.open_mainfile(filepath=shot)
    asked = next(each for each in bpy.data.objects if each.override_library is not None).posewright
    assert (asked.wanted_error, asked.options.salient.largest_gap, asked.character.height) == (1.5, 15, 2.5)
    assert "RNA" not in "".join(capfd.readouterr())


def test_a_renamed_bone_is_told_and_the_keys_stay(distil, swinging, tmp_path):
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 6
    renamed = swinging.pose.bones[-1].name
    swinging.data.bones[renamed].name = "fresh"
    before = distil.actions.fingerprint(distil.playing(swinging))
    for _ in range(2):
        swinging.posewright.key_count = 9
        assert f'Bone "{renamed}" was renamed' in swinging.posewright.problem
        assert distil.actions.fingerprint(distil.playing(swinging)) == before
        path = str(tmp_path / "saved.blend")
        bpy.ops.wm.save_as_mainfile(filepath=path)
        distil.reductions._CACHE.clear()
        bpy.ops.wm.open_mainfile(filepath=path)
        swinging = bpy.data.objects["Rig"]
    swinging.data.bones["fresh"].name = renamed
    swinging.posewright.key_count = 8
    assert swinging.posewright.problem == ""


@pytest.mark.parametrize("detail", [0.0, 1.0])
def test_keys_that_were_pushed_down_are_left_there(distil, swinging, detail):
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 6
    swinging.posewright.detail = detail
    data, reduced = swinging.animation_data, swinging.posewright.reduced
    track = data.nla_tracks.new()
    track.strips.new("keys", 1, reduced)
    data.action = None
    before = distil.actions.fingerprint(distil.reductions.Reduction(swinging, reduced).curves)
    swinging.posewright.key_count = 9
    assert "plays no action now" in swinging.posewright.problem
    assert data.action is None
    assert reduced in [strip.action for track in data.nla_tracks for strip in track.strips]
    assert distil.actions.fingerprint(distil.reductions.Reduction(swinging, reduced).curves) == before
    assert bpy.ops.posewright.back_to_keys() == {"FINISHED"}
    assert data.action == reduced
    assert swinging.posewright.detail == detail


@pytest.mark.parametrize(
    "name", ["detail", "key_count", "show_original", "interpolation", "algorithm", "wanted_error"]
)
def test_settings_that_no_frame_looks_at_cannot_be_animated(distil, swinging, name):
    bpy.ops.posewright.analyze()
    with pytest.raises(TypeError, match="not animatable"):
        swinging.posewright.keyframe_insert(name)


def test_a_duplicate_leaves_the_markers_of_the_original(distil, swinging):
    swinging.posewright.show_markers = True
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 6
    markers = bpy.context.scene.timeline_markers
    before = sorted((marker.name, marker.frame) for marker in markers)
    copy = swinging.copy()
    bpy.context.scene.collection.objects.link(copy)
    copy.posewright.key_count = 4
    assert len(markers) == 10
    assert set(before) <= {(marker.name, marker.frame) for marker in markers}
    bpy.context.view_layer.objects.active = copy
    bpy.ops.posewright.restore()
    assert sorted((marker.name, marker.frame) for marker in markers) == before


@pytest.mark.parametrize("verb", ["detail", "hold", "lock", "in a window"])
def test_a_duplicate_gets_one_action_of_its_own_and_plays_it(distil, swinging, verb, monkeypatch):
    import bpy

    bpy.ops.posewright.analyze()
    shared = swinging.animation_data.action
    copy = swinging.copy()
    bpy.context.collection.objects.link(copy)
    bpy.context.view_layer.objects.active = copy
    if verb == "detail":
        copy.posewright.detail = 0.5
        assert (copy.posewright.detail, swinging.posewright.detail) == (0.5, 0.0)
    elif verb == "hold":
        copy.posewright.hold = "OFF"
    elif verb == "lock":
        bpy.ops.posewright.lock_extremes()
    else:
        from bl_ext.user_default.posewright.handlers import wishes

        monkeypatch.setattr(wishes, "can_wait", lambda: True)
        copy.posewright.key_count = 12
    assert copy.posewright.problem == ""
    reduced = [action for action in bpy.data.actions if distil.reductions.is_reduced(action)]
    assert len(reduced) == 2
    assert set(reduced) == {shared, copy.animation_data.action}
    assert swinging.animation_data.action == shared


def test_what_was_asked_for_is_forgotten_with_the_file(distil, swinging):
    import bpy
    from bl_ext.user_default.posewright.handlers import wishes

    bpy.ops.posewright.analyze()
    wishes.ask(swinging, 40)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert not wishes._asked
    assert wishes._begin() is None
