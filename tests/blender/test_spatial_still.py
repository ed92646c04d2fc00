# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing still gets keys: neither in a take nor, where it cannot be moved, in a spatial key."""

from __future__ import annotations

import importlib
import json

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.blender.spatial_bear import BONES, bear_with_five_keys, cursor, rest, set_key, settings, turn

FRAMES = 12


@pytest.fixture
def actions(posewright):
    return importlib.import_module(f"{posewright.__name__}.bridge.actions")


@pytest.fixture
def bear(make_rig, clean_blender):
    """Two keys between which only the head turns; the left arm is raised in both."""
    rig = make_rig(BONES, name="Bear")
    bpy.ops.posewright.spatial_set_add(name="Look")
    for x in (0.0, 1.0):
        rest(rig)
        turn(rig, "arm.L", 0, 0, 40)
        turn(rig, "head", 0, 50 * x, 0)
        set_key(rig, (x, -1.0, 2.0), f"at {x}")
    return rig


def record(session, rig):
    take = session(rig, bpy.context.scene)
    for n in range(FRAMES):
        take.move_cursor(rig.matrix_world @ Vector((n / FRAMES, -1.0, 2.0)))
        take.record(1.0 + n)
    take.write(error=None)
    take.end()


def keys_by_bone(actions, rig):
    found: dict[str, set[int]] = {}
    for curve in actions.curves_of(rig):
        found.setdefault(curve.data_path.split('"')[1], set()).add(len(curve.keyframe_points))
    return found


def test_only_what_moves_gets_a_key_on_every_frame(bear, session, actions):
    record(session, bear)
    assert keys_by_bone(actions, bear) == {"head": {FRAMES}, "arm.L": {2}}


def test_what_a_take_holds_still_replaces_earlier_animation(bear, session, actions, set_keys):
    body = bear.pose.bones["body"]
    set_keys(body, "location", {frame: (0.1 * frame, 0.0, 0.0) for frame in range(1, 40)})
    record(session, bear)
    for frame in (1, 5, FRAMES):
        bpy.context.scene.frame_set(frame)
        assert np.allclose(body.location, 0.0, atol=1e-6)
    bpy.context.scene.frame_set(30)
    assert body.location.x == pytest.approx(3.0)


def test_what_is_posed_now_and_at_rest_in_the_take_is_put_to_rest(bear, posewright):
    settings(bear).live = False
    turn(bear, "arm.R", 0, 0, 70)
    bpy.context.view_layer.update()
    baking = importlib.import_module(f"{posewright.__name__}.bridge.spatial.takes.cursor_baking")
    baking.bake_path(bear, [(1, (0.0, -1.0, 2.0)), (10, (1.0, -1.0, 2.0))])
    bpy.context.scene.frame_set(5)
    assert np.allclose(bear.pose.bones["arm.R"].matrix_basis.to_3x3(), np.eye(3), atol=1e-5)


def hide(rig, *bones):
    collection = rig.data.collections.new("Mechanism")
    for name in bones:
        collection.assign(rig.data.bones[name])
    collection.is_visible = False


def held(key):
    return {curve.data_path.split('"')[1] for curve in _curves(key.pose)}


def _curves(action):
    if bpy.app.version < (4, 4, 0):
        return list(action.fcurves)
    return list(action.layers[0].strips[0].channelbag(action.slots[0]).fcurves)


def test_the_whole_body_leaves_out_what_is_hidden_and_at_rest(make_rig, clean_blender):
    rig = make_rig(BONES, name="Bear")
    bpy.ops.posewright.spatial_set_add()
    hide(rig, "arm.L", "arm.R")
    turn(rig, "arm.R", 0, 0, 30)
    set_key(rig, (0, -1, 2), "one")
    assert held(settings(rig).sets[0].keys[0]) == {"body", "head", "arm.R"}


def test_hidden_bones_are_left_out_though_they_are_selected(make_rig, clean_blender):
    """Rigify leaves its mechanism selected where nobody sees it."""
    rig = make_rig(BONES, name="Bear")
    bpy.ops.posewright.spatial_set_add()
    for bone in rig.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = True
    hide(rig, "arm.L", "arm.R")
    set_key(rig, (0, -1, 2), "one")
    assert held(settings(rig).sets[0].keys[0]) == {"body", "head"}


def test_a_locked_bone_is_left_out_and_locked_channels_too(make_rig, clean_blender):
    rig = make_rig(BONES, name="Bear")
    bpy.ops.posewright.spatial_set_add()
    for path in ("lock_location", "lock_rotation", "lock_scale"):
        setattr(rig.pose.bones["arm.L"], path, (True, True, True))
    rig.pose.bones["head"].lock_location = rig.pose.bones["head"].lock_scale = (True, True, True)
    set_key(rig, (0, -1, 2), "one")
    key = settings(rig).sets[0].keys[0]
    assert held(key) == {"body", "head", "arm.R"}
    assert {
        curve.data_path.rpartition(".")[2] for curve in _curves(key.pose) if '"head"' in curve.data_path
    } == {"rotation_quaternion"}


@pytest.fixture
def hidden_arm(make_rig, clean_blender):
    """A hidden arm at rest in the first key of the whole body, and raised in the second."""
    rig = make_rig(BONES, name="Bear")
    bpy.ops.posewright.spatial_set_add(name="Look")
    hide(rig, "arm.L")
    set_key(rig, (0, -1, 2), "down")
    turn(rig, "arm.L", 0, 0, 80)
    set_key(rig, (1, -1, 2), "up")
    return rig


def arm_at(rig, x):
    settings(rig).live = True
    cursor(rig).location = (x, -1, 2)
    bpy.context.view_layer.update()
    return rig.pose.bones["arm.L"].matrix_basis.to_euler().z


def test_a_bone_that_a_key_of_the_whole_body_left_out_is_at_rest_there(hidden_arm):
    assert arm_at(hidden_arm, 0.0) == pytest.approx(0.0, abs=1e-5)
    assert arm_at(hidden_arm, 1.0) == pytest.approx(np.radians(80), abs=1e-4)
    assert 0.2 < arm_at(hidden_arm, 0.5) < 1.2


def test_going_to_a_key_of_the_whole_body_puts_all_other_bones_to_rest(hidden_arm):
    settings(hidden_arm).sets[0].key_index = 0
    bpy.ops.posewright.spatial_key_go_to()
    assert np.allclose(hidden_arm.pose.bones["arm.L"].matrix_basis, np.eye(4), atol=1e-6)


def test_a_file_says_that_a_key_is_of_the_whole_body(hidden_arm, tmp_path):
    path = str(tmp_path / "look.json")
    bpy.ops.posewright.spatial_set_export(filepath=path)
    bpy.ops.posewright.spatial_set_remove()
    bpy.ops.posewright.spatial_set_import(filepath=path)
    assert arm_at(hidden_arm, 0.0) == pytest.approx(0.0, abs=1e-5)


def test_an_updated_and_a_mirrored_key_stay_of_the_whole_body(hidden_arm):
    keys = settings(hidden_arm).sets[0].keys
    settings(hidden_arm).sets[0].key_index = 0
    rest(hidden_arm)
    turn(hidden_arm, "head", 0, 20, 0)
    bpy.ops.posewright.spatial_key_update(bones="HELD")
    assert arm_at(hidden_arm, 0.0) == pytest.approx(0.0, abs=1e-5)
    settings(hidden_arm).sets[0].key_index = 1
    bpy.ops.posewright.spatial_key_mirror()
    assert keys[-1].pose.get("posewright_whole_body")


def test_two_hundred_keys_are_imported_with_one_update(make_rig, clean_blender, tmp_path, posewright):
    exchange = importlib.import_module(f"{posewright.__name__}.bridge.spatial.making.exchange")
    rig = bear_with_five_keys(make_rig)
    data = json.loads(exchange.to_json(rig, settings(rig).sets[0]))
    data["keys"] = [
        {**data["keys"][n % 5], "name": f"key {n}", "place": [n % 15, n // 15 % 15, (n * 7) % 11]}
        for n in range(200)
    ]
    updates = []
    bpy.app.handlers.depsgraph_update_post.append(count := lambda *_: updates.append(1))
    try:
        made, _ = exchange.from_json(rig, json.dumps(data))
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(count)
    assert len(made.keys) == 200
    assert len(updates) < 10
