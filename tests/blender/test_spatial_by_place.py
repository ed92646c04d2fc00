# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands by place: where keys put a hand is blended as a place, and the arm meets it."""

from __future__ import annotations

import importlib

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.blender.spatial_bear import select_bones, settings

ARM = {
    "body": ((0, 0, 0), (0, 0, 1.4), None),
    "upper": ((0.2, 0, 1.4), (0.2, -0.35, 1.4), "body"),
    "lower": ((0.2, -0.35, 1.4), (0.25, -0.68, 1.45), "upper"),
    "hand": ((0.25, -0.68, 1.45), (0.25, -0.8, 1.45), "lower"),
}
# Places around a shoulder, all within its reach.
PLACES = ((0.5, -0.4, 1.7), (-0.2, -0.5, 1.6), (0.1, -0.55, 1.0), (0.6, -0.35, 1.2), (0.2, -0.6, 1.45))


@pytest.fixture
def juggler(make_rig, posewright):
    """In every key the hand is at the marker, as for juggling; posed by inverse kinematics of Blender's."""
    rig = make_rig(ARM, name="Juggler")
    bpy.ops.posewright.spatial_set_add(name="Juggle")
    target = bpy.data.objects.new("ball", None)
    bpy.context.scene.collection.objects.link(target)
    reach = rig.pose.bones["hand"].constraints.new("IK")
    reach.target, reach.chain_count = target, 3
    for n, place in enumerate(PLACES):
        target.location = place
        bpy.context.view_layer.update()
        shown = [bone.matrix.copy() for bone in rig.pose.bones]
        reach.mute = True
        for bone, matrix in zip(rig.pose.bones, shown, strict=True):
            bone.matrix = matrix
            bpy.context.view_layer.update()
        tip = tuple(rig.pose.bones["hand"].tail)
        bpy.ops.posewright.spatial_key_add(name=f"throw {n}", place=tip)
        reach.mute = False
    rig.pose.bones["hand"].constraints.remove(reach)
    settings(rig).live = True
    return rig


def misses(rig):
    """How far the hand is from the cursor at many places between the keys."""
    cursor = settings(rig).sets[0].cursor
    places = np.array([key.marker.location for key in settings(rig).sets[0].keys])
    random = np.random.default_rng(4)
    found = []
    for _ in range(30):
        weights = random.dirichlet(np.ones(len(places)))
        cursor.location = weights @ places
        bpy.context.view_layer.update()
        found.append((rig.pose.bones["hand"].tail - cursor.matrix_world.translation).length)
    return np.array(found)


def reach_by_keys(rig):
    select_bones(rig, "hand")
    bpy.ops.posewright.spatial_reach_add()
    reach = settings(rig).sets[0].effectors[0]
    reach.chain_length, reach.use_keys = 3, True


def test_a_hand_that_holds_the_markers_follows_the_cursor_exactly(juggler):
    plain = misses(juggler)
    reach_by_keys(juggler)
    placed = misses(juggler)
    assert plain.mean() > 0.02, "blending poses alone misses"
    assert placed.max() < 1e-3


def test_at_a_key_it_is_the_pose_of_the_key(juggler):
    reach_by_keys(juggler)
    spatial_set = settings(juggler).sets[0]
    for key in spatial_set.keys:
        spatial_set.cursor.location = key.marker.location
        bpy.context.view_layer.update()
        shown = np.array([bone.matrix for bone in juggler.pose.bones])
        spatial_set.key_index = spatial_set.keys.find(key.name)
        settings(juggler).live = False
        bpy.ops.posewright.spatial_key_go_to()
        held = np.array([bone.matrix for bone in juggler.pose.bones])
        settings(juggler).live = True
        np.testing.assert_allclose(shown, held, atol=2e-3)


def test_it_is_not_where_the_target_is(juggler):
    reach_by_keys(juggler)
    ball = bpy.data.objects["ball"]
    settings(juggler).sets[0].effectors[0].target = ball
    ball.location = Vector((5.0, 5.0, 5.0))
    assert misses(juggler).max() < 1e-3, "where the keys put it counts"


def test_a_file_carries_it(juggler, posewright):
    reach_by_keys(juggler)
    exchange = importlib.import_module(f"{posewright.__name__}.bridge.spatial.making.exchange")
    text = exchange.to_json(juggler, settings(juggler).sets[0])
    again, _ = exchange.from_json(juggler, text)
    assert again.effectors[0].use_keys
    again, _ = exchange.from_json(juggler, text.replace('"by_keys": true', '"by_keys": false'))
    assert not again.effectors[0].use_keys
