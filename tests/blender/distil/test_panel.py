# SPDX-License-Identifier: GPL-3.0-or-later
"""Distil's panels in every state that an armature can be in: they draw, and say what an animator needs."""

import importlib
import itertools

import bpy
import pytest

from tests.blender.panel_recorder import draw


@pytest.fixture
def panels(distil, monkeypatch):
    """Draws all of them; comparisons are finished at the first redraw."""
    monkeypatch.setattr(distil.changes, "LOOK_SECONDS", 10.0)
    classes = [
        each
        for each in (*distil.panels.CLASSES, *distil.settings_panels.CLASSES)
        if issubclass(each, bpy.types.Panel)
    ]

    def draw_all(**about):
        return "\n".join(draw(panel, **about) for panel in classes)

    return draw_all


def words(text):
    """Sentences are wrapped: their words, in order."""
    return " ".join(text.split())


def test_nothing_selected(panels):
    assert "Select an armature that has an action, then press Analyze." in words(panels())


def test_something_else_selected(panels, make_rig):
    make_rig(2)
    bpy.ops.object.empty_add()
    assert "Select an armature" in words(panels())
    assert "posewright.analyze" not in panels()


def test_a_file_whose_motion_is_of_shape_keys_alone(panels):
    """As glTF's animated horses and birds are: there is nothing to select."""
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    cube.shape_key_add(name="Basis")
    cube.shape_key_add(name="gallop").keyframe_insert("value", frame=1)
    text = words(panels())
    assert "There is no armature in this file" in text
    assert "posewright.analyze" not in text


def test_an_armature_without_action(panels, make_rig):
    make_rig(2)
    assert "Give the armature an action first" in words(panels())


def test_before_the_analysis(panels, swinging):
    text = panels()
    assert "Swing" in text
    assert "posewright.analyze: Analyze" in text
    assert "key_count" not in text


def test_after_the_analysis(panels, swinging):
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 12
    text = panels()
    for expected in (
        "key_count",
        "picture",
        "posewright.restore",
        "posewright.apply",
        "posewright.sweet_spot",
    ):
        assert expected in text
    assert "120 → 12  90.0%" in text
    assert "≈" in text
    assert "Analyze Again" in text


def test_a_narrow_sidebar_cuts_no_unit_off(panels, swinging):
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 12
    text = panels(width=190)
    assert "120 → 12\n" in text
    assert "90.0%" not in text


def test_measured_figures_are_not_estimates(panels, swinging):
    bpy.ops.posewright.analyze()
    bpy.ops.posewright.measure()
    assert "≈" not in panels()
    swinging.posewright.interpolation = "FREE"
    assert "≈" in panels(), "what was measured is something else now"


def test_estimates_are_not_shown_where_they_do_not_hold(panels, swinging):
    bpy.ops.posewright.analyze()
    assert "≈" in panels()
    assert "Error over Keys" in panels()
    swinging.posewright.interpolation = "LINEAR"
    assert "≈" not in panels()
    assert "measuring" in panels()
    assert "Error if Fitted" in panels()
    bpy.ops.posewright.measure()
    assert "measuring" not in panels()
    swinging.posewright.interpolation = "SMOOTH"
    swinging.posewright.detail = 0.5
    assert "measuring" in panels()


def test_what_is_not_measured_by_itself_can_be_measured_here(panels, swinging):
    bpy.ops.posewright.analyze()
    swinging.posewright.detail = 0.5
    assert "posewright.measure" not in panels(), "it is under way"
    target = bpy.data.objects.new("Target", None)
    target.parent = swinging
    swinging.pose.bones[2].constraints.new("COPY_LOCATION").target = target
    assert "not measured" in panels()
    assert "posewright.measure" in panels()
    swinging.posewright.show_original = True
    assert "posewright.measure" not in panels(), "there is nothing to compare with"
    swinging.posewright.show_original = False
    bpy.ops.posewright.measure()
    assert "not measured" not in panels()
    assert "posewright.measure" not in panels()


def test_a_small_error_is_not_none(panels, swinging, distil):
    assert [distil.measuring.percent(share) for share in (0.0, 0.00001, 0.0001, 0.0123)] == [
        "0.00%",
        "< 0.01%",
        "0.01%",
        "1.23%",
    ]


@pytest.mark.parametrize("system", ["NONE", "METRIC", "IMPERIAL"])
def test_units_of_the_scene(panels, swinging, system):
    bpy.context.scene.unit_settings.system = system
    bpy.ops.posewright.analyze()
    assert "Mean Error" in panels()


def test_an_error_that_is_none_has_no_row_of_zeros(clean_blender, posewright):
    bpy.context.scene.unit_settings.system = "METRIC"
    length = importlib.import_module(f"{posewright.__name__}.bridge.lengths").length
    written = [length(bpy.context, metres) for metres in (0.0, 1e-6, 0.00036, 0.19)]
    assert written == ["0 m", "0 m", "0.36 mm", "19 cm"]


def source_curves(distil, rig):
    reduction = distil.reductions.get(rig)
    slot = distil.actions.slot_with_handle(reduction.source, reduction.handles[0])
    return distil.actions.bag_of(reduction.source, slot).fcurves


def test_a_changed_source(panels, distil, swinging):
    bpy.ops.posewright.analyze()
    swinging.posewright.show_original = True
    assert "changed" not in words(panels())
    source_curves(distil, swinging)[0].keyframe_points[5].co[1] += 1.0
    bpy.context.view_layer.update()
    assert "You changed the original, not your keys." in words(panels())
    swinging.posewright.show_original = False
    assert "The source action was changed since it was analyzed." in words(panels())


def test_edited_keys(panels, distil, swinging):
    bpy.ops.posewright.analyze()
    assert "none" in panels()
    curve = distil.playing(swinging)[0]
    curve.keyframe_points[1].co[1] += 0.2
    bpy.context.view_layer.update()
    assert "new" in panels()
    swinging.posewright.key_count += 1
    assert "1 key" in panels()
    assert "Frame" in words(panels())
    bpy.ops.posewright.release_edits()
    assert "none" in panels()


def test_no_redraw_looks_at_all_keys_of_a_long_action(distil, swinging, monkeypatch):
    bpy.ops.posewright.analyze()
    looked = []
    seen = distil.actions.add_to_digest
    monkeypatch.setattr(
        distil.actions, "add_to_digest", lambda digest, curve: (looked.append(1), seen(digest, curve))
    )
    clock = itertools.count()
    monkeypatch.setattr(distil.changes.time, "perf_counter", lambda: next(clock) * 0.0003)
    curves = len(distil.playing(swinging))
    assert not distil.changes.is_stale(distil.reductions.get(swinging))
    assert 0 < len(looked) < curves
    source_curves(distil, swinging)[-1].keyframe_points[0].co[1] += 1.0
    distil.changes.forget()
    answers = [distil.changes.is_stale(distil.reductions.get(swinging)) for _ in range(2 * curves)]
    assert answers[-1], "found after some redraws"
    looked.clear()
    assert distil.changes.is_stale(distil.reductions.get(swinging))
    assert not looked, "and looked at no more"


def test_a_deleted_source(panels, swinging):
    bpy.ops.posewright.analyze()
    bpy.data.actions.remove(swinging.posewright.reduced.posewright.source)
    importlib.import_module("bl_ext.user_default.posewright.bridge.distil.reductions")._CACHE.clear()
    text = words(panels())
    assert "has been deleted: press Apply to keep the reduced one." in text
    assert "posewright.apply" in text


def test_a_deleted_reduced_action(panels, swinging):
    bpy.ops.posewright.analyze()
    bpy.data.actions.remove(swinging.posewright.reduced)
    assert "Give the armature an action first" in words(panels())


def test_a_problem_is_shown(panels, swinging):
    bpy.ops.posewright.analyze()
    swinging.posewright.problem = "Something is wrong: do something about it."
    assert "Something is wrong: do something about it." in words(panels())


def test_extremes(panels, swinging):
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 5
    assert "posewright.lock_extremes" in panels()
    bpy.ops.posewright.lock_extremes()
    swinging.posewright.key_count = 9
    assert "5 extremes, 4 breakdowns" in panels()
    assert "posewright.unlock_extremes" in panels()


def test_every_algorithm_shows_its_options(panels, swinging, posewright):
    for name, algorithm in posewright.core.ALGORITHMS.items():
        swinging.posewright.algorithm = name
        text = panels()
        assert all(f"{option}: None" in text for option in algorithm.options)
        assert ("objective" in text) == (len(algorithm.objectives) > 1)


def test_lists(panels, swinging):
    bpy.ops.posewright.bone_weights(preset="hierarchy")
    bpy.ops.posewright.fixed_frame_add(frames="10, 20")
    swinging.posewright.range_from = "NUMBERS"
    text = panels()
    assert "bone 2" in text
    assert text.count("frame: ") == 2
    assert "range_start" in text


@pytest.fixture
def under_way(monkeypatch):
    """Work that does nothing."""
    jobs = importlib.import_module("bl_ext.user_default.posewright.operators.background_job")
    job = object.__new__(jobs.Job)
    job.label, job.share, job.open, job.esc = "Analyzing", 0.42, True, "Cancel"
    busy = importlib.import_module("bl_ext.user_default.posewright.handlers.busy")
    return lambda: monkeypatch.setattr(busy, "_under_way", [job])


def test_what_work_lets_an_action_play_is_no_edit(panels, distil, swinging, under_way):
    bpy.ops.posewright.analyze()
    distil.playing(swinging)[0].keyframe_points[1].co[1] += 0.2
    bpy.context.view_layer.update()
    under_way()
    assert "new" not in panels()


def test_while_work_is_under_way(panels, swinging, under_way):
    under_way()
    assert "Analyzing 42%" in panels()
    assert not bpy.ops.posewright.analyze.poll(), "one at a time"
    bpy.ops.object.empty_add()
    assert "Analyzing 42%" in panels()


def test_showing_the_original(panels, swinging):
    bpy.ops.posewright.analyze()
    swinging.posewright.show_original = True
    assert "Showing the Original" in panels()


def test_a_slider_for_every_range(distil, swinging):
    """Declared outside of drawing only, and all gone with the add-on (the lifecycle test sees to that)."""
    slider = importlib.import_module("bl_ext.user_default.posewright.properties.slider")
    bpy.ops.posewright.analyze()
    assert slider.name_for(2, 60, 90) == "key_count"
    slider._declare_wanted()
    name = slider.name_for(2, 60, 90)
    try:
        limits = swinging.posewright.bl_rna.properties[name]
        assert (limits.hard_min, limits.soft_max, limits.hard_max) == (2, 60, 90)
        setattr(swinging.posewright, name, 17)
        assert swinging.posewright.key_count == 17
        assert len(distil.playing(swinging)[0].keyframe_points) == 17
        swinging.posewright.key_count = 9
        assert getattr(swinging.posewright, name) == 9
    finally:
        slider.unregister()
    assert name not in swinging.posewright.bl_rna.properties


def test_the_menu_has_what_f3_should_find(distil, swinging):
    from bl_ext.user_default.posewright.panels import menu

    text = draw(menu.POSEWRIGHT_MT_posewright)
    verbs = {name for name in dir(bpy.ops.posewright) if not name.startswith("_")}
    elsewhere = {
        "help",
        "fixed_frame_remove",
        "character_pair_remove",
        "spatial_reach_remove",
        "spatial_contact_remove",
        "choose_frames",
        "distil_preset_add",
        "go_to_find",
        "retime_pose",
        "spatial_grab",
        "spatial_take_choose",
        "spatial_take_delete",
        "spatial_test",
    }
    missing = {verb for verb in verbs if f"posewright.{verb}: " not in text}
    assert missing <= elsewhere, (
        "what needs a row of a list or a tool, is in Blender's own menus, or follows by itself"
    )
    for words in ("Next Sweet Spot", "Record Performance", "Key the Switch to Active Set"):
        assert words in text


def test_f3_finds_settings_that_are_no_buttons(panels, swinging):
    from bl_ext.user_default.posewright.panels import menu

    before = draw(menu.POSEWRIGHT_MT_posewright)
    assert "Show Character in Viewport" in before
    assert "hold: " not in before, "there is nothing to hold yet"
    bpy.ops.posewright.analyze()
    after = draw(menu.POSEWRIGHT_MT_posewright)
    assert "hold: Hold Feet (No Foot Sliding)" in after
    assert "interpolation: " in after


@pytest.mark.parametrize(("width", "columns"), [(280, 1), (420, 2)])
def test_names_of_what_stands_are_not_cut_off(panels, swinging, monkeypatch, width, columns):
    from bl_ext.user_default.posewright.panels import distil as shown

    bpy.ops.posewright.analyze()
    found = {f"mixamorig:{side}FootWithToes": [(1.0, 20.0)] for side in ("Left", "Right")}
    monkeypatch.setattr(shown.stances, "frames_of", lambda _reduction: found)
    monkeypatch.setattr(shown.plot_preview, "contact_icons", lambda *_: [])
    text = draw(shown.POSEWRIGHT_PT_distil_contacts, width=width)
    assert "LeftFootWithToes" in text
    assert "mixamorig" not in text, "what they all begin with leaves no room for what tells them apart"
    assert f"columns={columns}" in text
    assert "stands still" not in " ".join(text.split())


@pytest.mark.parametrize("found", [{}, {"LeftFoot": [], "RightFoot": []}])
def test_a_strip_without_contacts_says_so(panels, swinging, monkeypatch, found):
    from bl_ext.user_default.posewright.panels import distil as shown

    bpy.ops.posewright.analyze()
    monkeypatch.setattr(shown.stances, "frames_of", lambda _reduction: found)
    monkeypatch.setattr(shown.plot_preview, "contact_icons", lambda *_: [])
    assert "No foot or hand stands still" in " ".join(draw(shown.POSEWRIGHT_PT_distil_contacts).split())
