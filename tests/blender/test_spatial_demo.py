# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo's bear is ready to be performed."""

import bpy
import numpy as np
import pytest

from demo import run
from demo.spatial import KEYS, MIRRORED, ready_bear


def test_the_bear_follows_its_cursor(clean_blender):
    bear = ready_bear()
    settings = bear.posewright.spatial
    assert len(settings.sets[0].keys) == len(KEYS) + len(MIRRORED)
    assert settings.live
    before = np.array(bear.pose.bones["head"].matrix)
    settings.sets[0].cursor.location = KEYS["look left"][0]
    bpy.context.view_layer.update()
    assert np.abs(np.array(bear.pose.bones["head"].matrix) - before).max() > 0.3


def test_the_demo_leaves_a_file_with_the_bear(clean_blender, tmp_path):
    run.perform(tmp_path)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "perform.blend"))
    bear = bpy.data.objects["Bear"]
    views = [
        area.spaces.active.region_3d for area in bpy.data.screens["Layout"].areas if area.type == "VIEW_3D"
    ]
    assert [round(view.view_location.z) for view in views] == [1], "it looks at the bear"
    bear.posewright.spatial.sets[0].cursor.location = KEYS["bow"][0]
    bpy.context.view_layer.update()
    assert bear.pose.bones["head"].tail.y < -0.3


def test_mirrored_keys_mirror_the_joints(clean_blender):
    bear = ready_bear()
    settings = bear.posewright.spatial
    ends = {}
    for name in ("wave left", "wave right"):
        settings.sets[0].key_index = settings.sets[0].keys.find(name)
        bpy.ops.posewright.spatial_key_go_to()
        ends[name] = {bone.name: np.array(bone.tail) for bone in bear.pose.bones}
    for bone, end in ends["wave left"].items():
        assert ends["wave right"][bpy.utils.flip_name(bone)] == pytest.approx(end * [-1, 1, 1], abs=1e-5)
