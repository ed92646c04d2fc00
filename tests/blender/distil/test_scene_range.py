# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene that is shorter than the action: said, extended when asked, never by itself."""

import bpy
import pytest

from tests.blender.panel_recorder import draw


@pytest.fixture
def scene():
    return bpy.context.scene


def said(distil):
    return " ".join(draw(next(iter(distil.panels.CLASSES))).split())


@pytest.mark.parametrize("analysed", [False, True])
def test_a_scene_that_ends_too_early_is_extended_when_asked(distil, swinging, scene, analysed):
    scene.frame_start, scene.frame_end = 10, 90
    if analysed:
        bpy.ops.posewright.analyze()
    assert "The action goes on to frame 120, the scene ends at 90." in said(distil)
    assert (scene.frame_start, scene.frame_end) == (10, 90)
    bpy.ops.posewright.extend_scene()
    assert (scene.frame_start, scene.frame_end) == (1, 120)
    assert "extend_scene" not in said(distil)


def test_a_scene_is_never_made_shorter(distil, swinging, scene):
    scene.frame_start, scene.frame_end = 0, 250
    assert "extend_scene" not in said(distil)
    bpy.ops.posewright.extend_scene()
    assert (scene.frame_start, scene.frame_end) == (0, 250)


def test_an_armature_without_action_has_nothing_to_extend_to(make_rig):
    make_rig(2)
    assert not bpy.ops.posewright.extend_scene.poll()
