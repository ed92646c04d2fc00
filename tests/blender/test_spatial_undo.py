# SPDX-License-Identifier: GPL-3.0-or-later
"""Every verb is one step of undo, and redo brings it back."""

from __future__ import annotations

import bpy
import pytest

from tests.blender.spatial_bear import BONES, select_bones, set_five_keys, settings


def state():
    """Everything that the verbs change, as plain values."""
    rig = bpy.data.objects["Bear"]
    action = rig.animation_data.action.name if rig.animation_data and rig.animation_data.action else None
    return (
        [
            (each.name, round(each.influence, 3), [(key.name, key.pose.name) for key in each.keys])
            for each in settings(rig).sets
        ],
        [tuple(round(x, 4) for x in bone.rotation_quaternion) for bone in rig.pose.bones],
        sorted((thing.name, tuple(round(x, 4) for x in thing.location)) for thing in bpy.data.objects),
        action,
        len(settings(rig).contacts),
    )


VERBS = {
    "set_add": lambda: bpy.ops.posewright.spatial_set_add(name="More"),
    "set_remove": lambda: bpy.ops.posewright.spatial_set_remove(),
    "key_add": lambda: bpy.ops.posewright.spatial_key_add(name="new", place=(3, 3, 3)),
    "key_update": lambda: bpy.ops.posewright.spatial_key_update(),
    "key_remove": lambda: bpy.ops.posewright.spatial_key_remove(),
    "key_go_to": lambda: bpy.ops.posewright.spatial_key_go_to(),
    "key_duplicate": lambda: bpy.ops.posewright.spatial_key_duplicate(),
    "key_mirror": lambda: bpy.ops.posewright.spatial_key_mirror(),
    "bake": lambda: bpy.ops.posewright.bake_cursor(frame_start=1, frame_end=5),
    "contact": lambda: bpy.ops.posewright.spatial_contact_add(),
}


@pytest.mark.parametrize("verb", VERBS)
def test_one_step_of_undo(make_rig, verb):
    rig = make_rig(BONES, name="Bear")
    bpy.ops.posewright.spatial_set_add(name="Look")
    set_five_keys(rig)
    select_bones(rig, "arm.L")
    settings(rig).sets[0].key_index = 3 if verb != "key_mirror" else 4
    bpy.ops.ed.undo_push(message="before")
    before = state()
    VERBS[verb]()
    bpy.ops.ed.undo_push(message="after")
    after = state()
    assert verb == "key_update" or after != before
    bpy.ops.ed.undo()
    assert state() == before
    bpy.ops.ed.redo()
    assert state() == after
