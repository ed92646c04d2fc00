# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo character in Blender: an armature, a simple body on it, and its motion as an action."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np

from core.rotations import continuous_quaternion, matrix_to_quaternion

from . import skeleton
from .kinematics import Array, apply
from .movement import Movement


def build_character(name: str = "Character") -> bpy.types.Object:
    """An armature in its rest pose, active and selected, with a body that follows it."""
    armature = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    armature.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in skeleton.BONES:
        made = armature.data.edit_bones.new(bone.name)
        made.head, made.tail = bone.head, bone.tail
        if bone.parent is not None:
            made.parent = armature.data.edit_bones[bone.parent]
            made.use_connect = np.allclose(made.parent.tail, made.head) and bone.parent != "hips"
    bpy.ops.object.mode_set(mode="OBJECT")
    armature.data.display_type = "STICK"
    armature.show_in_front = True
    _build_body(armature)
    return armature


def animate(
    armature: bpy.types.Object, movement: Movement, posewright: ModuleType, first_frame: int = 1
) -> None:
    """Give the armature an action with a key on every frame, as a capture has."""
    actions, baking = posewright.bridge.actions, posewright.bridge.baking
    channels, columns = [], []
    for bone in armature.pose.bones:
        bone.rotation_mode = "QUATERNION"
        rest = np.array(bone.bone.matrix_local)[:3, :3]
        local = rest.T @ movement.rotations[bone.name] @ rest
        if bone.parent is None:
            offset = movement.root - np.array(bone.bone.head_local)
            channels += _channels(bone, "location", 3, actions)
            columns.append(apply(rest.T, offset))
        channels += _channels(bone, "rotation_quaternion", 4, actions)
        columns.append(continuous_quaternion(matrix_to_quaternion(local)))
    action, slot = actions.new_action(f"{armature.name} capture", armature)
    actions.assign(armature, action, slot)
    curves = actions.ensure_curves(actions.bag_of(action, slot, create=True), channels)
    frames = first_frame + np.arange(len(movement), dtype=np.float64)
    baking.write_keys(curves, baking.Keys(frames, np.concatenate(columns, axis=1), interpolation="LINEAR"))
    _set_scene(movement, first_frame)


def _channels(bone: Any, attribute: str, count: int, actions: ModuleType) -> list[Any]:
    path = f"{bone.path_from_id()}.{attribute}"
    return [actions.Channel(path, index, bone.name) for index in range(count)]


def _set_scene(movement: Movement, first_frame: int) -> None:
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = round(movement.fps), 1.0
    scene.frame_start, scene.frame_end = first_frame, first_frame + len(movement) - 1
    scene.frame_set(first_frame)


def _build_body(armature: bpy.types.Object) -> None:
    """One mesh of tapered blocks, each following one bone."""
    corners: list[Array] = []
    faces: list[tuple[int, ...]] = []
    for number, bone in enumerate(skeleton.BONES):
        corners.append(_block(armature.data.bones[bone.name], bone.thickness))
        faces += [tuple(8 * number + corner for corner in face) for face in _BLOCK_FACES]
    mesh = bpy.data.meshes.new(f"{armature.name} body")
    mesh.from_pydata(np.concatenate(corners).tolist(), [], faces)
    body = bpy.data.objects.new(mesh.name, mesh)
    bpy.context.scene.collection.objects.link(body)
    for number, bone in enumerate(skeleton.BONES):
        group = body.vertex_groups.new(name=bone.name)
        group.add(list(range(8 * number, 8 * number + 8)), 1.0, "REPLACE")
    body.parent = armature
    body.modifiers.new("Armature", "ARMATURE").object = armature


_BLOCK_FACES = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))


def _block(bone: Any, thickness: float) -> Array:
    """Eight corners around a bone, a little longer than it so that neighbours meet."""
    rest = np.array(bone.matrix_local)
    wide, deep = rest[:3, 0] * thickness, rest[:3, 2] * thickness * 0.72
    start = rest[:3, 3] - 0.06 * bone.length * rest[:3, 1]
    stop = rest[:3, 3] + 1.02 * bone.length * rest[:3, 1]
    ring = (wide + deep, wide - deep, -wide - deep, -wide + deep)
    return np.array([start + side for side in ring] + [stop + 0.9 * side for side in ring])
