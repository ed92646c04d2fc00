# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged files and things that are out of this world: a sentence each, and nothing left half made."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from tests.blender.spatial_bear import bear_with_five_keys, cursor, settings


@pytest.fixture
def bear(make_rig: Any) -> Any:
    return bear_with_five_keys(make_rig)


HALF = "\ud800"


def set_bone(data: dict[str, Any]) -> None:
    pose = data["keys"][2]["pose"]
    pose[HALF] = pose.pop("head")


DAMAGE: dict[str, Callable[[dict[str, Any]], Any]] = {
    "the set": lambda data: data.update(name=f"Look{HALF}"),
    "the last key": lambda data: data["keys"][-1].update(name=HALF),
    "a bone of a key": set_bone,
    "a bone that reaches": lambda data: data.update(reach=[{"bone": HALF, "chain": 0}]),
    "a target": lambda data: data.update(reach=[{"bone": "head", "chain": 0, "target": HALF}]),
    "a zero in a name": lambda data: data["keys"][-1].update(name="up\0down"),
    "a place beyond all": lambda data: data["keys"][-1].update(place=[1e300, 0, 0]),
    "a pose beyond all": lambda data: data["keys"][-1]["pose"]["body"].update(location=[0, 1e200, 0]),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_blender_cannot_keep_is_told_before_anything_is_made(
    bear: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str], damage: str
) -> None:
    path = tmp_path / "look.json"
    bpy.ops.posewright.spatial_set_export(filepath=str(path))
    data = json.loads(path.read_text(encoding="utf-8"))
    DAMAGE[damage](data)
    path.write_text(json.dumps(data), encoding="utf-8")
    before = (len(settings(bear).sets), len(bpy.data.objects), len(bpy.data.actions))
    with pytest.raises(RuntimeError, match="damaged") as told:
        bpy.ops.posewright.spatial_set_import(filepath=str(path))
    assert "Traceback" not in str(told.value) + capfd.readouterr().err
    assert (len(settings(bear).sets), len(bpy.data.objects), len(bpy.data.actions)) == before


@pytest.mark.parametrize("distance", [1.0, 1e3, 1e6, 1e9, 1e12])
def test_a_key_is_duplicated_however_far_away(bear: Any, distance: float) -> None:
    """Far from the origin a small step is lost in rounding; looking for a free place must still end."""
    look = settings(bear).sets[0]
    for n, key in enumerate(look.keys):
        key.marker.location = (distance * (1 + n), -distance, distance)
    bpy.context.view_layer.update()
    look.key_index = 2
    for _ in range(3):
        bpy.ops.posewright.spatial_key_duplicate()
        bpy.context.view_layer.update()
    places = np.array([key.marker.location for key in look.keys])
    assert len(np.unique(places, axis=0)) == len(look.keys) == 8


@pytest.mark.parametrize("distance", [1e30, 3e38, float("inf")])
def test_a_key_out_of_this_world_is_not_duplicated(bear: Any, distance: float) -> None:
    look = settings(bear).sets[0]
    look.keys[2].marker.location = (distance, 0, 0)
    bpy.context.view_layer.update()
    look.key_index = 2
    actions = len(bpy.data.actions)
    with pytest.raises(RuntimeError, match="too far away: bring it back"):
        bpy.ops.posewright.spatial_key_duplicate()
    assert (len(look.keys), len(bpy.data.actions)) == (5, actions)


@pytest.mark.parametrize("distance", [*(10.0**n for n in range(0, 39, 3)), 1e30, float("inf")])
def test_a_live_cursor_may_be_anywhere(
    bear: Any, capfd: pytest.CaptureFixture[str], panel: Any, distance: float
) -> None:
    """Out of this world the character stays as it is and the panel says why; live goes on when it is back."""
    settings(bear).live = True
    bpy.context.view_layer.update()
    cursor(bear).location = (distance, -distance, 0.5 * distance)
    bpy.context.view_layer.update()
    assert np.isfinite([bone.matrix_basis for bone in bear.pose.bones]).all()
    assert settings(bear).live
    assert ("too far away: bring it back" in panel()) == (distance > 1e15)
    shown = np.array([bone.matrix_basis for bone in bear.pose.bones])
    cursor(bear).location = (0.0, -1.0, 3.2)
    bpy.context.view_layer.update()
    assert not np.array_equal(shown, [bone.matrix_basis for bone in bear.pose.bones])
    assert "too far away" not in panel()
    assert "Traceback" not in capfd.readouterr().err
