# SPDX-License-Identifier: GPL-3.0-or-later
"""Dialogs begin with what a script, a button or a key has given, and fill in the rest."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import Any

import bpy
import pytest


class Asked:
    """An operator that is invoked with some properties; without a window Blender executes at once."""

    def __init__(self, **given: Any) -> None:
        self.properties = SimpleNamespace(is_property_set=given.__contains__)
        vars(self).update(given)

    def invoked(self, kind: Any) -> Any:
        manager = SimpleNamespace(invoke_props_dialog=lambda *_, **__: {"RUNNING_MODAL"})
        context = SimpleNamespace(
            window_manager=manager,
            scene=bpy.context.scene,
            object=bpy.context.object,
            active_object=bpy.context.object,
        )
        assert kind.invoke(self, context, None) == {"RUNNING_MODAL"}
        return self


@pytest.fixture
def operators(make_rig: Any) -> Any:
    """The operators by the names of their files; a rig whose second bone is active, on frame 7."""
    rig = make_rig(2)
    rig.data.bones.active = rig.data.bones["bone 1"]
    bpy.context.scene.frame_set(7)
    return lambda name: import_module(f"bl_ext.user_default.posewright.operators.{name}")


def test_a_contact_of_the_bone_and_the_frames_that_were_given(operators: Any) -> None:
    kind = operators("mark_contact").POSEWRIGHT_OT_mark_contact
    asked = Asked(stands=True).invoked(kind)
    assert (asked.bone, asked.first, asked.last) == ("bone 1", 7.0, 7.0)
    asked = Asked(stands=False, bone="bone 0", first=2.0, last=5.0).invoked(kind)
    assert (asked.bone, asked.first, asked.last) == ("bone 0", 2.0, 5.0)


def test_a_cursor_is_baked_as_was_said(operators: Any) -> None:
    kind = operators("bake_cursor").POSEWRIGHT_OT_bake_cursor
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 3, 9
    asked = Asked().invoked(kind)
    assert (asked.frame_start, asked.frame_end) == (3, 9)
    asked = Asked(frame_end=5, distil=True, error=0.5).invoked(kind)
    assert (asked.frame_start, asked.frame_end, asked.distil, asked.error) == (3, 5, True, 0.5)


@pytest.mark.parametrize("name", ["compare", "pose_sheet"])
def test_a_picture_that_shall_not_be_shown_is_not(operators: Any, name: str) -> None:
    kind = getattr(operators(name), f"POSEWRIGHT_OT_{name}")
    assert Asked(character=False).invoked(kind).show
    assert not Asked(character=False, show=False).invoked(kind).show
