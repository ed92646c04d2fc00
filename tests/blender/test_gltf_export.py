# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's glTF export carries the character and its takes, not key poses and markers, unless asked."""

from __future__ import annotations

import importlib
import json

import bpy
import pytest

from tests.blender.spatial_bear import bear_with_five_keys, settings


@pytest.fixture
def exported(posewright, tmp_path):
    def export():
        path = tmp_path / "bear.gltf"
        bpy.ops.export_scene.gltf(filepath=str(path), export_format="GLTF_SEPARATE")
        data = json.loads(path.read_text())
        nodes = {node["name"] for node in data["nodes"]}
        return nodes, {each["name"] for each in data.get("animations", ())}

    return export


def test_key_poses_and_markers_stay_at_home(make_rig, posewright, exported):
    rig = bear_with_five_keys(make_rig)
    baking = importlib.import_module(f"{posewright.__name__}.bridge.spatial.cursor_baking")
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
