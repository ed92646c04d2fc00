# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's glTF export carries the character and its takes, not key poses and markers, unless asked."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import bpy
import pytest

from demo.character import animate, build_character
from demo.movement import make_movement
from tests.blender.spatial_bear import bear_with_five_keys, settings

# After many other tests the importer and the exporter of Blender 4.2 as a module crash in the end.
CRASHES = bpy.app.version < (4, 3, 0) and not bpy.app.binary_path


@pytest.fixture
def exported(posewright, tmp_path):
    if CRASHES:
        pytest.skip(
            "after many other tests Blender 4.2's exporter crashes; another test has a process of its own"
        )

    def export():
        path = tmp_path / "bear.gltf"
        bpy.ops.export_scene.gltf(filepath=str(path), export_format="GLTF_SEPARATE")
        return names_in(path)

    return export


def names_in(path: Path) -> tuple[set[str], set[str]]:
    """What the nodes and the animations of an exported file are called."""
    data = json.loads(path.read_text())
    nodes, animations = ({each["name"] for each in data.get(kind, ())} for kind in ("nodes", "animations"))
    return nodes, animations


def test_key_poses_and_markers_stay_at_home(make_rig, posewright, exported):
    rig = bear_with_five_keys(make_rig)
    baking = importlib.import_module(f"{posewright.__name__}.bridge.spatial.takes.cursor_baking")
    baking.bake_path(rig, [(1, (0, -1.5, 2)), (12, (1.5, -1, 2))])
    held = bpy.data.objects.new("lantern", None)
    bpy.context.scene.collection.objects.link(held)
    held.parent = settings(rig).sets[0].keys["up"].marker
    nodes, animations = exported()
    assert animations == {"Bear performance"}
    assert {"Bear", "body", "head", "lantern", "up"} <= nodes, "what something hangs from stays"
    assert not nodes & {"Look cursor", "front", "left", "right", "down"}
    settings(rig).use_gltf = True
    nodes, animations = exported()
    assert {"Look cursor", "front", "left"} <= nodes
    if bpy.app.version >= (4, 4, 0):  # before, the exporter passes over actions that were never played
        assert {"Bear performance", "Bear front", "Bear left"} <= animations


def export_pinned(folder: Path) -> None:
    """The demo's character with pins and a hat, exported, and what its pins are called."""
    package = importlib.import_module("bl_ext.user_default.posewright")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    rig = build_character()
    animate(rig, make_movement(2.0), package, 1)
    bpy.ops.posewright.analyze()
    rig.posewright.hold = "PINS"
    pins = [thing.name for thing in bpy.data.objects if thing.type == "EMPTY"]
    hat = bpy.data.objects.new("hat", None)
    bpy.context.scene.collection.objects.link(hat)
    hat.parent = rig
    (folder / "pins.json").write_text(json.dumps(pins))
    bpy.ops.export_scene.gltf(filepath=str(folder / "pinned.gltf"), export_format="GLTF_SEPARATE")


def test_pins_stay_at_home(posewright, checkout, tmp_path):
    if CRASHES:  # in a process of its own it does not
        words = (
            "import os; from pathlib import Path; import benchmarks.extension; "
            "from tests.blender.test_gltf_export import export_pinned; "
            f"export_pinned(Path({str(tmp_path)!r})); "
            "os._exit(0)"  # where Blender as a module crashes in its own end
        )
        subprocess.run([sys.executable, "-c", words], check=True, cwd=checkout, stdout=subprocess.DEVNULL)
    else:
        export_pinned(tmp_path)
    pins = json.loads((tmp_path / "pins.json").read_text())
    nodes, animations = names_in(tmp_path / "pinned.gltf")
    assert len(pins) == 4
    assert "hat" in nodes
    assert not nodes & {*pins}
    assert not [name for name in animations if "pin" in name]
