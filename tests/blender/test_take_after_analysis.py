# SPDX-License-Identifier: GPL-3.0-or-later
"""A take over what Distil is at work on: the take stays, the source is untouched, and the panel tells."""

from __future__ import annotations

import importlib
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from tests.blender.panel_recorder import draw
from tests.blender.spatial_bear import bear_with_five_keys, cursor

FIRST = {1: (0.0, -1.5, 2.0), 15: (1.2, -1.1, 2.4), 28: (-0.9, -1.0, 1.3), 41: (0.2, -1.6, 2.9)}
SECOND = {1: (0.2, -1.4, 2.8), 20: (-1.2, -1.1, 1.4), 41: (1.0, -1.2, 2.1)}


@pytest.fixture
def parts(posewright):
    panels = importlib.import_module(f"{posewright.__name__}.panels.distil")
    bridge = posewright.bridge
    return SimpleNamespace(actions=bridge.actions, sampling=bridge.sampling, panels=panels)


@pytest.fixture
def analysed(make_rig, set_keys, parts):
    """A bear with a first take that was analysed, and a second one ready to be baked."""
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 41
    bear = bear_with_five_keys(make_rig)
    set_keys(cursor(bear), "location", FIRST)
    bpy.ops.posewright.bake_cursor()
    bpy.ops.posewright.analyze()
    bear.posewright.key_count = 5
    cursor(bear).animation_data_clear()
    set_keys(cursor(bear), "location", SECOND)
    return bear


def keys_of(action, parts):
    curves = [curve for _, bag in parts.actions.bags_in(action) for curve in bag.fcurves]
    return parts.actions.fingerprint(curves)


def joints(rig, parts):
    return parts.sampling.sample(rig, np.arange(1.0, 42.0)).positions


def panel(parts):
    return " ".join(draw(parts.panels.POSEWRIGHT_PT_distil).split())


def take(rig):
    """Bake the second take; the action that it went to."""
    bpy.ops.posewright.bake_cursor()
    return rig.animation_data.action


@pytest.mark.parametrize("shown", ["reduced", "source"])
def test_the_take_gets_an_action_of_its_own(analysed, parts, shown):
    analysed.posewright.show_original = shown == "source"
    kept = [analysed.posewright.reduced.posewright.source, analysed.posewright.reduced]
    before = [keys_of(action, parts) for action in kept]
    taken = take(analysed)
    assert taken not in kept
    assert [keys_of(action, parts) for action in kept] == before
    assert take(analysed) == taken, "the next take goes on in it"


@pytest.mark.parametrize("shown", ["reduced", "source"])
def test_back_to_keys_leaves_the_take_in_the_file(analysed, parts, shown, tmp_path):
    reduced = analysed.posewright.reduced.name
    before = keys_of(analysed.posewright.reduced, parts)
    analysed.posewright.show_original = shown == "source"
    taken = take(analysed).name
    performed = keys_of(bpy.data.actions[taken], parts)
    assert bpy.ops.posewright.back_to_keys() == {"FINISHED"}
    assert analysed.animation_data.action.name == reduced
    path = str(tmp_path / "back.blend")
    bpy.data.actions[taken].use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert keys_of(bpy.data.actions[reduced], parts) == before
    assert keys_of(bpy.data.actions[taken], parts) == performed


def test_the_slider_leaves_the_take_alone_and_the_panel_says_why(analysed, parts):
    assert "key_count" in panel(parts)
    taken = take(analysed)
    performed = keys_of(taken, parts)
    text = panel(parts)
    assert "posewright.analyze" in text
    assert "posewright.back_to_keys" in text
    assert "key_count" not in text, "a slider that does nothing"
    analysed.posewright.key_count = 9
    assert f"now plays {taken.name}, which was not analysed: press Analyze" in analysed.posewright.problem
    assert analysed.animation_data.action == taken
    assert keys_of(taken, parts) == performed
    assert not bpy.ops.posewright.measure.poll()


def test_analyze_goes_on_with_the_take(analysed, parts):
    first = analysed.posewright.reduced.posewright.source
    before = keys_of(first, parts)
    taken = take(analysed)
    bpy.ops.posewright.analyze()
    assert analysed.posewright.reduced.posewright.source == taken
    assert "key_count" in panel(parts)
    assert first.use_fake_user
    assert keys_of(first, parts) == before


def test_what_was_applied_is_no_take(analysed, parts):
    """Otherwise the next take would write over the keys that somebody chose to keep."""
    bpy.ops.posewright.apply()
    applied = analysed.animation_data.action
    before = keys_of(applied, parts)
    assert take(analysed) != applied
    assert keys_of(applied, parts) == before


def test_no_detail_is_added_to_a_take(analysed, parts):
    reference = take(analysed)
    plays = joints(analysed, parts)
    analysed.animation_data.action = None
    bpy.data.actions.remove(reference)
    analysed.posewright.key_count = 4
    analysed.posewright.detail = 1.0
    take(analysed)
    np.testing.assert_allclose(joints(analysed, parts), plays, atol=1e-5)
    bpy.ops.posewright.back_to_keys()
    bpy.ops.posewright.restore()
    assert not analysed.animation_data.nla_tracks


def test_the_source_of_another_character_is_no_place_for_a_take(analysed, parts, make_rig, set_keys):
    bpy.ops.posewright.restore()
    source = analysed.animation_data.action
    slot = parts.actions.slot_of(analysed)
    bpy.ops.posewright.analyze()
    before = keys_of(source, parts)
    twin = bear_with_five_keys(make_rig)
    parts.actions.assign(twin, source, slot)
    set_keys(cursor(twin), "location", SECOND)
    assert take(twin) != source
    assert keys_of(source, parts) == before
