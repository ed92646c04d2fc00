# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparing algorithms on an action: honest numbers, a plot, a table, a CSV, and nothing touched."""

from __future__ import annotations

import csv
import importlib
import io
from dataclasses import fields

import bpy
import numpy as np
import pytest


@pytest.fixture
def waving(make_rig, set_keys):
    """An arm of three bones with a key on each of 90 frames."""
    rig = make_rig(3, rotation_mode="XYZ", name="Arm")
    for number, bone in enumerate(rig.pose.bones):
        turns = {
            frame: (np.sin(frame / (5.0 + number)), 0.3 * np.cos(frame / 11.0) ** 3, 0.0)
            for frame in range(1, 91)
        }
        set_keys(bone, "rotation_euler", turns)
    rig.animation_data.action.name = "Wave"
    return rig


def rows(action="Wave"):
    return list(csv.DictReader(io.StringIO(bpy.data.texts[f"{action} comparison.csv"].as_string())))


def errors(algorithm):
    found = [row for row in rows() if row["algorithm"] == algorithm]
    return {float(row["keys"]): float(row["mean_distance"]) for row in found}


def test_plot_table_and_numbers_of_every_algorithm(waving, posewright):
    assert bpy.ops.posewright.compare() == {"FINISHED"}
    labels = {row["algorithm"] for row in rows()}
    known = {algorithm.label for algorithm in posewright.core.ALGORITHMS.values()}
    assert labels == known | {"Blender Decimate"}
    image = bpy.data.images["Wave comparison"]
    assert image.packed_file is not None
    assert tuple(image.size) == (1200, 720)
    table = bpy.data.texts["Wave comparison.txt"].as_string()
    assert all(label in table for label in labels)
    assert "90 frames" in table


@pytest.mark.parametrize("frames", [3, 4, 8, 11, 12, 15, 16, 17])
def test_short_clips_are_compared_too(make_rig, set_keys, posewright, frames):
    rig = make_rig(2, rotation_mode="XYZ", name="Arm")
    set_keys(
        rig.pose.bones[0], "rotation_euler", {n: (np.sin(n), 0.1 * n, 0.0) for n in range(1, frames + 1)}
    )
    rig.animation_data.action.name = "Wave"
    assert bpy.ops.posewright.compare() == {"FINISHED"}
    known = {algorithm.label for algorithm in posewright.core.ALGORITHMS.values()}
    assert {row["algorithm"] for row in rows()} == known | {"Blender Decimate"}


def test_two_frames_leave_nothing_to_compare(make_rig, set_keys):
    rig = make_rig(2, rotation_mode="XYZ", name="Arm")
    set_keys(rig.pose.bones[0], "rotation_euler", {1: (0, 0, 0), 2: (0, 1, 0)})
    with pytest.raises(RuntimeError, match="no algorithm left an error above zero"):
        bpy.ops.posewright.compare()


@pytest.mark.parametrize("way", ["FREE", "SMOOTH", "AUTO", "LINEAR", "STEPPED"])
def test_the_distance_is_what_blender_plays(waving, posewright, way):
    """The number for 8 keys is that of the action which the slider bakes for 8 keys, keyed alike."""
    waving.posewright.interpolation = way
    bpy.ops.posewright.compare(algorithms={"salient"}, decimate=False)
    label = posewright.core.ALGORITHMS["salient"].label
    found = errors(label)
    count = min(found, key=lambda keys: abs(keys - 8))

    sampling = importlib.import_module(f"{posewright.__name__}.bridge.sampling")
    frames = np.arange(1.0, 91.0)
    original = sampling.sample(waving, frames, sides=True).positions
    waving.posewright.algorithm = "salient"
    bpy.ops.posewright.analyze()
    waving.posewright.key_count = int(count)
    reduced = sampling.sample(waving, frames, sides=True).positions
    expected = posewright.core.metrics.mean_joint_distance(
        original, reduced, height=sampling.height_of(waving)
    )
    assert found[count] == pytest.approx(expected, rel=0.02)
    named = waving.posewright.bl_rna.properties["interpolation"].enum_items[way].name
    assert f"keyed as: {named}" in bpy.data.texts["Wave comparison.txt"].as_string()


def test_what_is_told_of_feet_is_what_measure_says(humanoid, posewright):
    rig = humanoid()
    bpy.ops.posewright.compare(algorithms={"salient"}, decimate=False)
    table, values = (
        next(text for text in bpy.data.texts if text.name.endswith(ending)).as_string()
        for ending in (".txt", ".csv")
    )
    found = list(csv.DictReader(io.StringIO(values)))[3]
    assert "worst (mm)" in table
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = int(float(found["keys"]))
    measuring = importlib.import_module(f"{posewright.__name__}.bridge.distil.measuring")
    figures = measuring.measure(rig)
    quality, scale = figures.quality, 1.7 / figures.height
    for name, expected in (
        ("slide", quality.slide),
        ("worst_slide", quality.worst_slide),
        ("sinking", quality.sinking),
        ("flight_error", quality.flight_error),
        ("added_jerk", quality.added_jerk),
        ("beside_95th", quality.beside[1]),
    ):
        assert float(found[name]) == pytest.approx(scale * expected, rel=0.02, abs=1e-5), name
    assert quality.worst_slide > 0.0


def test_feet_that_do_not_stand_by_what_was_marked_do_not_slide(humanoid):
    humanoid()
    bpy.ops.posewright.analyze()
    for bone in ("foot.L", "foot.R"):
        bpy.ops.posewright.mark_contact(bone=bone, first=1, last=1000, stands=False)
    bpy.ops.posewright.compare(algorithms={"salient"}, decimate=False)
    assert all(float(row["worst_slide"]) == 0.0 for row in rows("Character capture"))


def test_more_keys_follow_the_motion_more_closely(waving):
    bpy.ops.posewright.compare(algorithms={"salient"}, decimate=True)
    for algorithm in {row["algorithm"] for row in rows()}:
        by_keys = [error for _, error in sorted(errors(algorithm).items())]
        assert by_keys[-1] < 0.2 * by_keys[0]


def test_salient_beats_decimate_at_the_same_number_of_keys(waving, posewright):
    bpy.ops.posewright.compare(algorithms={"salient"})
    ours = errors(posewright.core.ALGORITHMS["salient"].label)
    theirs = errors("Blender Decimate")
    for keys, error in theirs.items():
        same = [ours[each] for each in ours if each <= keys + 0.5]
        if same and 4 <= keys <= 15:
            assert min(same) < error


def test_files_go_where_the_user_says(waving, tmp_path):
    bpy.ops.posewright.compare(algorithms={"greedy"}, decimate=False, filepath=str(tmp_path / "wave.png"))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["wave.csv", "wave.png"]
    assert (tmp_path / "wave.csv").read_text() == bpy.data.texts["Wave comparison.csv"].as_string()


def test_everything_else_is_as_it_was(waving, posewright):
    actions = importlib.import_module(f"{posewright.__name__}.bridge.actions")
    before = actions.fingerprint(actions.curves_of(waving))
    kept = (bpy.data.actions, bpy.data.objects, bpy.data.scenes, bpy.data.armatures)
    counts = [len(each) for each in kept]
    bpy.context.scene.frame_set(33)
    areas = [[area.ui_type for area in screen.areas] for screen in bpy.data.screens]
    bpy.ops.posewright.compare()
    assert actions.fingerprint(actions.curves_of(waving)) == before
    assert [len(each) for each in kept] == counts
    assert bpy.context.scene.frame_current == 33
    assert [[area.ui_type for area in screen.areas] for screen in bpy.data.screens] == areas
    assert waving.animation_data.action.name == "Wave"


def test_a_reduced_armature_is_compared_by_its_source(waving):
    bpy.ops.posewright.analyze()
    assert waving.animation_data.action.name != "Wave"
    bpy.ops.posewright.compare(algorithms={"greedy"}, decimate=False)
    assert len(rows()) > 3
    assert waving.animation_data.action.name != "Wave"


def test_bad_requests_get_a_sentence(waving):
    with pytest.raises(RuntimeError, match="at least one algorithm"):
        bpy.ops.posewright.compare(algorithms=set(), decimate=False)
    for bone in waving.pose.bones:
        bone.rotation_euler = (0, 0, 0)
    waving.animation_data_clear()
    assert not bpy.ops.posewright.compare.poll()


def test_a_motionless_action_is_refused(make_rig, set_keys):
    rig = make_rig(1)
    set_keys(rig.pose.bones[0], "location", {1: (0, 0, 0), 20: (0, 0, 0)})
    with pytest.raises(RuntimeError, match="Nothing moves"):
        bpy.ops.posewright.compare()


def test_decimate_is_left_out_of_long_actions_and_says_so(waving, posewright, monkeypatch):
    comparison = importlib.import_module(f"{posewright.__name__}.bridge.pictures.comparison")
    monkeypatch.setattr(comparison, "DECIMATE_SECONDS", 0.0)
    bpy.ops.posewright.compare(algorithms={"greedy"})
    assert "left out" in bpy.data.texts["Wave comparison.txt"].as_string()
    assert not errors("Blender Decimate")


@pytest.mark.parametrize("frames", [30, 344, 810, 1500, 4906])
def test_decimate_gets_its_time_and_no_more(posewright, frames):
    comparison = importlib.import_module(f"{posewright.__name__}.bridge.pictures.comparison")
    nothing = dict.fromkeys(each.name for each in fields(comparison._Clip))
    known = {"frames": np.arange(float(frames)), "moves": np.ones(96, bool)}
    clip = comparison._Clip(**(nothing | known))
    counts, chosen = clip.counts(), clip.affordable_counts()
    assert set(chosen) <= set(counts)
    assert len(chosen) * clip.decimate_seconds() <= comparison.DECIMATE_SECONDS
    assert len(chosen) == {30: 4, 344: 5, 810: 2, 1500: 1, 4906: 0}[frames]
    if len(chosen) == 1:
        assert counts[0] < chosen[0] < counts[-1], "one alone says most in the middle"


def test_one_scene_is_made_for_the_whole_comparison(waving, posewright, monkeypatch):
    """Making one takes as long as many frames, and lets the user's scene be drawn anew."""
    stages = importlib.import_module(f"{posewright.__name__}.bridge.stages")
    made, make = [], stages.new_scene
    monkeypatch.setattr(stages, "new_scene", lambda: (made.append(1), make())[1])
    bpy.ops.posewright.compare(algorithms={"greedy", "decimation"}, decimate=False)
    assert len(made) == 1


def test_decimate_in_many_steps_leaves_what_it_leaves_at_once(posewright, monkeypatch):
    decimate = importlib.import_module(f"{posewright.__name__}.bridge.decimate")
    run = importlib.import_module(f"{posewright.__name__}.bridge.steps").run
    frames = np.arange(1.0, 61.0)
    values = np.stack([np.sin(frames / (4.0 + number)) for number in range(5)], axis=1)
    at_once = run(decimate.decimated_in_steps(values, frames, 9))
    monkeypatch.setattr(decimate, "STEP_SECONDS", 0.0)
    steps = []
    one_by_one = run(decimate.decimated_in_steps(values, frames, 9), steps.append)
    assert steps == [0.0, 0.2, 0.4, 0.6, 0.8]
    assert one_by_one.keys == at_once.keys == pytest.approx(9, abs=1)
    np.testing.assert_array_equal(one_by_one.values, at_once.values)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.55, 0.8, 0.95])
def test_stopped_on_its_way_nothing_is_left(waving, posewright, share):
    comparison = importlib.import_module(f"{posewright.__name__}.bridge.pictures.comparison")
    kept = (bpy.data.actions, bpy.data.objects, bpy.data.scenes, bpy.data.armatures)
    before = [sorted(each.keys()) for each in kept]
    areas = [[area.ui_type for area in screen.areas] for screen in bpy.data.screens]
    work = comparison.compare_in_steps(waving, bpy.context.scene, ["greedy"], with_decimate=True)
    while next(work) < share:
        pass
    work.close()
    assert [sorted(each.keys()) for each in kept] == before
    assert [[area.ui_type for area in screen.areas] for screen in bpy.data.screens] == areas


def test_a_real_clip(mocap, tmp_path):
    rig = mocap("02_01")
    rig.animation_data.action.name = "Wave"
    bpy.ops.posewright.compare(decimate=False, filepath=str(tmp_path / "clip"))
    best = min(rows(), key=lambda row: float(row["mean_distance"]))
    assert 0.0 < float(best["mean_distance"]) < 0.005
