# SPDX-License-Identifier: GPL-3.0-or-later
"""A character whose only action lies muted in the NLA, as importers leave it: Analyze takes that up."""

import contextlib
import io

import bpy
import numpy as np
import pytest

from tests.blender.panel_recorder import draw


@pytest.fixture
def stashed(distil, swinging):
    """The action is in a muted track, and nothing plays."""
    stash(distil, swinging, swinging.animation_data.action)
    distil.actions.assign(swinging, None)
    return swinging


def stash(distil, rig, action):
    track = rig.animation_data.nla_tracks.new()
    track.mute = True
    strip = track.strips.new(action.name, 1, action)
    if distil.actions.versions.HAS_SLOTS:
        strip.action_slot = action.slots[0]
    return strip


def test_it_is_distilled_and_plays_again_after_restore(distil, stashed):
    [track] = stashed.animation_data.nla_tracks
    source = track.strips[0].action
    assert "the only one that is in its NLA" in " ".join(draw(distil.panels.POSEWRIGHT_PT_distil).split())
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    assert stashed.animation_data.action.posewright.source == source
    stashed.posewright.key_count = 6
    assert {len(curve.keyframe_points) for curve in distil.playing(stashed)} == {1, 6}
    bpy.ops.posewright.restore()
    assert stashed.animation_data.action == source
    assert track.mute
    assert len(track.strips) == 1


def test_a_stopped_analysis_leaves_it_playing_nothing(distil, stashed):
    names = set(bpy.data.actions.keys())
    work = distil.analyse.analyse_in_steps(stashed, bpy.context.scene)
    assert next(share for share in work if share > 0.2)
    assert stashed.animation_data.action is not None
    work.close()
    assert stashed.animation_data.action is None
    assert set(bpy.data.actions.keys()) == names


def test_several_strips_are_a_choice(distil, stashed):
    [track] = stashed.animation_data.nla_tracks
    stash(distil, stashed, track.strips[0].action.copy())
    assert not bpy.ops.posewright.analyze.poll()


def test_a_strip_that_moves_nothing_is_not_taken(distil, stashed):
    [track] = stashed.animation_data.nla_tracks
    action = track.strips[0].action
    for curve in distil.actions.bag_of(action, distil.actions.versions.played_slot(track.strips[0])).fcurves:
        curve.keyframe_points.foreach_set("co", np.tile([1.0, 0.5], len(curve.keyframe_points)))
        curve.update()
    assert not bpy.ops.posewright.analyze.poll()


def test_a_layer_that_was_left_is_not_taken(distil, swinging):
    bpy.ops.posewright.analyze()
    swinging.posewright.detail = 1.0
    assert len(swinging.animation_data.nla_tracks) == 1
    distil.actions.assign(swinging, None)
    assert not bpy.ops.posewright.analyze.poll()


def test_a_gltf_whose_parent_moves_too_is_distilled(distil, swinging, tmp_path):
    """Blender's importer lets the empty play and mutes the armature: these are two animations to glTF."""
    empty = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(empty)
    swinging.parent = empty
    for frame, place in ((1, 0.0), (120, 2.0)):
        empty.location.x = place
        empty.keyframe_insert("location", frame=frame)
    empty.animation_data.action.name = "Parent Moves"
    path = str(tmp_path / "moving.glb")
    with contextlib.redirect_stdout(io.StringIO()):
        bpy.ops.export_scene.gltf(filepath=path, export_animation_mode="ACTIONS")
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        bpy.ops.import_scene.gltf(filepath=path)
    [rig] = [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]
    bpy.context.view_layer.objects.active = rig
    assert rig.animation_data.action is None
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    frames = np.arange(1.0, 121.0)
    rig.posewright.show_original = True
    original = distil.positions(rig, frames)
    rig.posewright.show_original = False
    assert np.ptp(original[:, 0, 0]) > 0.1
    assert distil.error(rig, frames, original) < 0.02
