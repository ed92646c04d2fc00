# SPDX-License-Identifier: GPL-3.0-or-later
"""Handlers that are called on every frame and update are there only while a file needs them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import pytest

OFTEN = ("depsgraph_update_pre", "depsgraph_update_post", "frame_change_pre", "frame_change_post")


def called_often(posewright: Any) -> int:
    """How many of our handlers Blender calls on every frame or update."""
    lists = (getattr(bpy.app.handlers, name) for name in OFTEN)
    return sum(each.__module__.startswith(posewright.__name__) for calls in lists for each in calls)


@pytest.fixture(autouse=True)
def told_of_imports(posewright: Any) -> None:
    if not hasattr(bpy.app.handlers, "blend_import_post"):
        pytest.skip("Blender 4.2 does not tell of linking and appending")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


def test_a_file_without_anything_of_ours_has_none(posewright: Any) -> None:
    assert called_often(posewright) == 0


def test_they_come_with_the_first_reduced_action_and_go_with_the_file(
    posewright: Any, humanoid: Callable[..., Any], tmp_path: Path
) -> None:
    armature = humanoid(1.0)
    bpy.context.view_layer.objects.active = armature
    assert called_often(posewright) == 0
    bpy.ops.posewright.analyze()
    needed = called_often(posewright)
    assert needed > 2
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "distilled.blend"))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert called_often(posewright) == 0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "distilled.blend"))
    assert called_often(posewright) == needed


def test_they_come_with_the_first_spatial_set(posewright: Any) -> None:
    bpy.ops.posewright.bear_add()
    assert called_often(posewright) > 2


def test_they_come_with_a_character_that_is_appended(posewright: Any, tmp_path: Path) -> None:
    bpy.ops.posewright.bear_add()
    name, file = bpy.context.object.name, tmp_path / "bear.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(file))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert called_often(posewright) == 0
    with bpy.data.libraries.load(str(file)) as (_, to):
        to.objects = [name]
    assert called_often(posewright) > 2
