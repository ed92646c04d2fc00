# SPDX-License-Identifier: GPL-3.0-or-later
"""Posewright where people look: in Blender's own menus, its Overlays, and a pie."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import bpy
import pytest

from tests.blender.panel_recorder import Recorder


def drawn(posewright: Any, draw: str, **about: Any) -> list[str]:
    """What a draw function or menu of ours says."""
    module, name = draw.split(".")
    thing = getattr(importlib.import_module(f"{posewright.__name__}.panels.{module}"), name)
    stand_in = SimpleNamespace(layout=Recorder())
    context = SimpleNamespace(**about) if about else bpy.context
    getattr(thing, "draw", thing)(stand_in, context)
    return stand_in.layout.seen


@pytest.mark.parametrize(
    ("menu", "draw"),
    [
        ("VIEW3D_MT_object_animation", "draw_entry"),  # which is Pose > Animation, too
        ("VIEW3D_MT_armature_add", "draw_bear"),
        ("GRAPH_MT_key_density", "draw_verbs"),
        ("DOPESHEET_MT_key", "draw_verbs"),
        ("ASSETBROWSER_MT_context_menu", "draw_asset"),
        ("TOPBAR_MT_help", "draw_menu"),
    ],
)
def test_it_is_in_the_menus_of_blender(posewright: Any, menu: str, draw: str) -> None:
    functions = getattr(bpy.types, menu).draw._draw_funcs
    ours = [each.__name__ for each in functions if each.__module__.startswith(posewright.__name__)]
    assert ours == [draw]


def test_our_words_and_those_of_others_lead_to_analyze(posewright: Any) -> None:
    """F3 prefers what it finds in the entry itself to what it finds in the names of menus."""
    analyze, *_ = drawn(posewright, "menu.draw_entry")
    assert analyze.startswith("posewright.analyze: ")
    for word in ("Distil", "Posewright", "Mocap", "Reduce", "Keys"):
        assert word in analyze


@pytest.mark.parametrize(("kind", "entries"), [("ACTION", 2), ("MATERIAL", 0), (None, 0)])
def test_actions_have_our_verbs_in_the_asset_browser(posewright: Any, kind: str | None, entries: int) -> None:
    asset = None if kind is None else SimpleNamespace(id_type=kind)
    assert len(drawn(posewright, "menu.draw_asset", asset=asset)) == entries


def test_the_pie_has_eight_places(posewright: Any, humanoid: Callable[..., Any]) -> None:
    """Before the analysis one of them is empty: there is no original to show."""
    armature = humanoid(1.0)
    bpy.context.view_layer.objects.active = armature
    assert len(drawn(posewright, "quick_pie.POSEWRIGHT_MT_quick")) == 7
    bpy.ops.posewright.analyze()
    entries = drawn(posewright, "quick_pie.POSEWRIGHT_MT_quick")
    assert len(entries) == 8
    assert any("show_original" in entry for entry in entries)


def test_ghosts_and_filmstrip_are_among_the_overlays(posewright: Any) -> None:
    panel: Any = bpy.types.POSEWRIGHT_PT_overlays  # type: ignore[attr-defined]
    assert panel.bl_parent_id == "VIEW3D_PT_overlay"
    space = SimpleNamespace(overlay=SimpleNamespace(show_overlays=True))
    said = drawn(
        posewright, "overlays_popover.POSEWRIGHT_PT_overlays", scene=bpy.context.scene, space_data=space
    )
    assert len(said) == 2
