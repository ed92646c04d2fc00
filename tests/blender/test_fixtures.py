# SPDX-License-Identifier: GPL-3.0-or-later
"""The fixtures do what the other tests rely on."""

from __future__ import annotations

import sys

import bpy


def test_extension_is_loaded_as_a_user_loads_it(posewright):
    assert posewright.__name__ == "bl_ext.user_default.posewright"
    assert posewright.core.Motion is sys.modules[posewright.__name__ + ".core"].Motion


def test_a_clean_blender_is_empty_and_keeps_the_extension(clean_blender):
    bpy.data.objects.new("left over", None)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert len(bpy.data.objects) == 0
    assert clean_blender.__name__ in bpy.context.preferences.addons


def test_make_rig_builds_a_chain(make_rig):
    rig = make_rig(3, rotation_mode="XYZ", location=(1, 2, 3))
    assert [bone.name for bone in rig.data.bones] == ["bone 0", "bone 1", "bone 2"]
    assert rig.data.bones["bone 2"].parent.name == "bone 1"
    assert {bone.rotation_mode for bone in rig.pose.bones} == {"XYZ"}
    assert tuple(rig.location) == (1, 2, 3)
    assert bpy.context.object == rig


def test_set_keys_animates(make_rig, set_keys):
    rig = make_rig(1)
    set_keys(rig.pose.bones[0], "location", {-3: (0, 0, 0), 10.5: (0, 0, 2)})
    assert tuple(rig.animation_data.action.frame_range) == (-3, 10.5)


def test_mocap_leaves_out_the_t_pose(mocap):
    rig = mocap("02_01")
    assert tuple(rig.animation_data.action.frame_range) == (1, 343)
    assert bpy.context.scene.render.fps == 120
    assert len(rig.data.bones) >= 31
