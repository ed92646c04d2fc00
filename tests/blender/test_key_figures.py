# SPDX-License-Identifier: GPL-3.0-or-later
"""The small figure beside a marker is the pose of its key, as Blender itself poses the character."""

from __future__ import annotations

import importlib

import bpy
import numpy as np
import pytest

from tests.blender.spatial_bear import settings


@pytest.fixture
def parts(clean_blender):
    def part(name):
        return importlib.import_module(f"{clean_blender.__name__}.bridge.{name}")

    return part


@pytest.fixture
def bear(parts):
    return parts("ready.bear_acting").add_bear()


def figures(parts, armature):
    mapping = parts("spatial.blending.mapping_cache").mapping_of(
        armature, parts("spatial.sets").active_set(armature)
    )
    return parts("spatial.blending.key_figures").figures_of(armature, mapping)


def distance_to_shown(figure, armature):
    """The farthest that an end of a stick is from the nearest end of a bone that Blender shows."""
    shown = np.array([end for bone in armature.pose.bones for end in (bone.head, bone.tail)])
    ends = figure.reshape(-1, 3)
    return np.linalg.norm(ends[:, None] - shown[None], axis=2).min(axis=1).max()


def test_a_figure_is_the_pose_of_its_key(bear, parts):
    drawn = figures(parts, bear)
    keys = settings(bear).sets[0].keys
    assert len(drawn) == len(keys)
    for row, key in enumerate(keys):
        settings(bear).sets[0].key_index = row
        bpy.ops.posewright.spatial_key_go_to()
        assert distance_to_shown(drawn[row], bear) < 1e-5, key.name
    assert distance_to_shown(drawn[0], bear) > 0.05, "another key is another pose"


def test_figures_are_kept_while_markers_move_and_made_anew_when_a_pose_changes(bear, parts):
    before = figures(parts, bear)
    keys = settings(bear).sets[0].keys
    keys[0].marker.location.x += 0.5
    bpy.context.view_layer.update()
    assert figures(parts, bear) is before
    settings(bear).live = False
    settings(bear).sets[0].key_index = 0
    bpy.ops.posewright.spatial_key_go_to()
    bear.pose.bones["head"].rotation_mode = "XYZ"
    bear.pose.bones["head"].rotation_euler = (0.0, 0.0, 1.0)
    bear.pose.bones["upper_arm.L"].rotation_quaternion = (0.7, 0.7, 0.0, 0.0)
    bpy.context.view_layer.update()
    bpy.ops.posewright.spatial_key_update(bones="ALL")
    after = figures(parts, bear)
    assert np.abs(after[0] - before[0]).max() > 0.05
    assert np.allclose(after[1:], before[1:])
    assert distance_to_shown(after[0], bear) < 1e-5


def test_what_constraints_pose_has_no_figures(bear, parts):
    bear.pose.bones["head"].constraints.new("COPY_ROTATION").target = bear
    bpy.context.view_layer.update()
    assert figures(parts, bear).shape[1] == 0
