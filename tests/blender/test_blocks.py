# SPDX-License-Identifier: GPL-3.0-or-later
"""People of blocks and robots of rigid parts: one bone a limb, meshes that hang from bones."""

from __future__ import annotations

from math import sin
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from tests.core.skeletons import BLOCK_ENDS, BLOCKS, both_sides, parents_first

FRAMES, STANDS = 60, 25
BODY = parents_first(both_sides(BLOCKS))


@pytest.fixture
def character(posewright):
    from bl_ext.user_default.posewright.bridge import character

    return character


@pytest.fixture
def blocks(make_rig) -> Any:
    """It stands for a while, then legs and arms swing."""
    bones = {}
    for name, (parent, place) in BODY.items():
        end = Vector(BLOCK_ENDS[name.partition(".")[0]])
        bones[name] = place, end * Vector((-1, 1, 1)) if name.endswith(".R") else end, parent
    rig = make_rig(bones, rotation_mode="XYZ")
    for frame in range(1, FRAMES + 1):
        for name, turn in (("leg.L", 0.4), ("leg.R", -0.4), ("arm.L", -0.3), ("arm.R", 0.3)):
            rig.pose.bones[name].rotation_euler.x = turn * sin(max(frame - STANDS, 0) / 6.0)
            rig.pose.bones[name].keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(1)
    return rig


def block(low: float, high: float) -> Any:
    """A box about the Z axis."""
    corners = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (low, high)]
    mesh = bpy.data.meshes.new("Block")
    mesh.from_pydata(corners, [], [])
    item = bpy.data.objects.new("Block", mesh)
    bpy.context.scene.collection.objects.link(item)
    return item


def hang(item: Any, rig: Any, bone: str) -> None:
    """Where it is at rest, below a bone."""
    item.parent, item.parent_type, item.parent_bone = rig, "BONE", bone
    at_rest = rig.data.bones[bone]
    end = at_rest.matrix_local @ Matrix.Translation((0.0, at_rest.length, 0.0))
    item.matrix_parent_inverse = end.inverted()


def test_people_of_blocks_are_found_and_distilled(blocks, character):
    found = character.describe(blocks)
    assert (found.feet, found.hands) == (("leg.L", "leg.R"), ("arm.L", "arm.R"))
    assert found.height == pytest.approx(1.8, abs=1e-5)
    assert character.shown(blocks).ground == pytest.approx(0.0, abs=1e-5)
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    assert blocks.posewright.key_count < FRAMES


def test_a_leg_without_a_knee_cannot_be_held_and_a_sentence_says_so(blocks, posewright):
    from bl_ext.user_default.posewright.bridge.distil import reductions
    from bl_ext.user_default.posewright.bridge.distil.feet import held_feet
    from bl_ext.user_default.posewright.core import InputError

    bpy.ops.posewright.analyze()
    with pytest.raises(InputError, match="no knees"):
        held_feet.check(reductions.get(blocks))


def test_a_ready_walk_swings_legs_of_one_bone(blocks, character):
    bpy.ops.posewright.spatial_set_ready(kind="WALK")
    keys = [item for item in bpy.data.objects if item.type == "EMPTY"]
    assert len(keys) > 2
    heights = []
    for key in keys:
        cursor = blocks.posewright.spatial.sets[0].cursor
        cursor.location = key.matrix_world.translation
        bpy.context.view_layer.update()
        tails = [(blocks.matrix_world @ blocks.pose.bones[leg].tail) for leg in ("leg.L", "leg.R")]
        heights.append(min(tail.z for tail in tails))
    assert np.ptp(heights) < 0.15


def test_rigid_parts_count_by_way_of_empties_and_of_other_parts(blocks, character):
    """A robot's helmet hangs from its head, and an aerial from the helmet by way of an empty."""
    helmet, socket, aerial = block(1.3, 1.9), bpy.data.objects.new("Socket", None), block(1.9, 2.1)
    bpy.context.scene.collection.objects.link(socket)
    hang(helmet, blocks, "head")
    socket.parent, aerial.parent = helmet, socket
    for name in ("leg.L", "leg.R"):
        hang(block(-0.05, 0.7), blocks, name)
    bpy.context.view_layer.update()
    found = character.describe(blocks)
    assert found.height == pytest.approx(2.15, abs=1e-4)
    assert found.ground == pytest.approx(-0.05, abs=1e-4)
    assert set(found.deform) == {"head", "leg.L", "leg.R"}


def test_a_part_counts_where_the_empty_that_it_hangs_from_is_moved_to(blocks, character):
    socket, aerial = bpy.data.objects.new("Socket", None), block(1.35, 1.9)
    bpy.context.scene.collection.objects.link(socket)
    hang(socket, blocks, "head")
    aerial.parent = socket
    for name in ("leg.L", "leg.R"):
        hang(block(-0.05, 0.7), blocks, name)
    bpy.context.view_layer.update()
    assert character.height_of(blocks) == pytest.approx(1.95, abs=1e-4)
    socket.location.z += 0.5
    bpy.context.view_layer.update()
    assert character.height_of(blocks) == pytest.approx(2.45, abs=1e-4)


@pytest.mark.parametrize("seat", ["rider", "bone"])
def test_who_rides_is_no_part_of_what_carries_him(blocks, make_rig, character, seat):
    rider, coat = make_rig(3, name="Rider"), block(1.0, 5.0)
    hang(rider, blocks, "body")
    coat.modifiers.new("Armature", "ARMATURE").object = rider
    if seat == "rider":
        coat.parent = rider
    else:
        hang(coat, blocks, "body")
    bpy.context.view_layer.update()
    assert (character.skins_of(rider), character.skins_of(blocks)) == ([coat], [])
