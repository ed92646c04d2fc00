# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings for the next time: preferences that new characters begin with, and presets."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import bpy
import pytest

PACKAGE = "bl_ext.user_default.posewright"


@pytest.fixture
def preferred(clean_blender: Any) -> Iterator[Any]:
    preferences = importlib.import_module(f"{PACKAGE}.bridge.preferred").preferences()
    yield preferences
    for name in ("wanted_error", "sub_frames", "first_interpolation", "early", "late"):
        preferences.property_unset(name)


def test_a_new_character_begins_with_what_is_preferred(distil: Any, swinging: Any, preferred: Any):
    preferred.wanted_error, preferred.first_interpolation = 5.0, "LINEAR"
    few = distil.analyse.analyse(swinging, bpy.context.scene).state
    assert swinging.posewright.interpolation == few.interpolation == "LINEAR"
    assert swinging.posewright.wanted_error == 5.0
    coarse = few.key_count
    swinging.posewright.wanted_error = 0.05
    assert distil.analyse.analyse(swinging, bpy.context.scene).state.key_count > coarse


def test_what_a_character_was_given_is_not_overruled(distil: Any, swinging: Any, preferred: Any):
    swinging.posewright.wanted_error = 0.2
    preferred.wanted_error = 5.0
    distil.analyse.analyse(swinging, bpy.context.scene)
    assert swinging.posewright.wanted_error == pytest.approx(0.2)


def test_nothing_is_written_where_the_preference_is_the_usual(distil: Any, swinging: Any, preferred: Any):
    distil.analyse.analyse(swinging, bpy.context.scene)
    assert not swinging.posewright.is_property_set("sub_frames")
    assert not swinging.posewright.is_property_set("wanted_error")


def test_ghosts_have_the_preferred_colours(distil: Any, swinging: Any, preferred: Any):
    ghosts = importlib.import_module(f"{PACKAGE}.bridge.pictures.ghosts")
    overlay = importlib.import_module(f"{PACKAGE}.drawing.ghost_overlay")
    settings = bpy.context.scene.posewright.ghosts
    assert overlay.wanted_for(swinging, settings).colours is None
    preferred.early, preferred.late = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    shown = ghosts.gather(swinging, overlay.wanted_for(swinging, settings))
    assert tuple(shown.colours[0]) == (1.0, 0.0, 0.0)
    assert tuple(shown.colours[-1]) == (0.0, 0.0, 1.0)


def test_a_preset_brings_its_settings_to_another_character(
    distil: Any, swinging: Any, make_rig: Any, monkeypatch: Any
):
    # Blender calls the menu after the preset that was chosen last, and is to forget it.
    menu: Any = bpy.types.Panel.bl_rna_get_subclass_py("POSEWRIGHT_PT_distil_presets")
    monkeypatch.setattr(menu, "bl_label", menu.bl_label)
    asked = swinging.posewright
    asked.algorithm, asked.wanted_error, asked.sub_frames = "greedy", 1.25, True
    asked.interpolation = "STEPPED"
    bpy.context.view_layer.objects.active = swinging
    written = bpy.utils.user_resource("SCRIPTS", path="presets/posewright/distil/Mine.py")
    bpy.ops.posewright.distil_preset_add(name="Mine")
    try:
        other = make_rig(2)
        bpy.context.view_layer.objects.active = other
        bpy.ops.script.execute_preset(filepath=written, menu_idname="POSEWRIGHT_PT_distil_presets")
    finally:
        bpy.ops.posewright.distil_preset_add(name="Mine", remove_name=True)
    got = other.posewright
    assert (got.algorithm, got.wanted_error, got.sub_frames) == ("greedy", 1.25, True)
    assert got.interpolation == "STEPPED"
