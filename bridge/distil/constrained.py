# SPDX-License-Identifier: GPL-3.0-or-later
"""An armature that constraints to other objects move: baked as it looks, by Blender's own tools."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from bpy_extras import anim_utils

from .. import actions, sampling
from ..steps import Steps

BakeOptions: Any = anim_utils.BakeOptions  # the stubs do not know that it is a dataclass
TRANSFORMS = {
    "location": 3,
    "rotation_quaternion": 4,
    "rotation_euler": 3,
    "rotation_axis_angle": 4,
    "scale": 3,
}


def is_held(armature: bpy.types.Object) -> bool:
    """Whether constraints to other objects move the armature or some of its bones."""
    return any(_held(armature))


def bake_in_steps(armature: bpy.types.Object, scene: bpy.types.Scene) -> Steps[tuple[bpy.types.Action, Any]]:
    """A new action, and its slot, that does without constraints what they do now, for the scene's frames.

    The bones that other objects move get keys. What the rig makes of these it goes on doing itself.
    """
    held = list(_held(armature))
    bones = {thing.name for thing in held if isinstance(thing, bpy.types.PoseBone)}
    options = BakeOptions(
        only_selected=True,
        do_pose=bool(bones),
        do_object=armature in held,
        do_visual_keying=True,
        do_constraint_clear=False,
        do_parents_clear=False,
        do_clean=False,
        do_location=True,
        do_rotation=True,
        do_scale=True,
        do_bbone=False,
        do_custom_props=False,
    )
    baking = anim_utils.bake_action_iter(armature, action=None, bake_options=options)
    baking.send(None)
    frames = range(scene.frame_start, scene.frame_end + 1)
    with sampling.frame_kept(scene):
        for done, frame in enumerate(frames, start=1):
            scene.frame_set(frame)
            bpy.context.view_layer.update()
            baking.send(frame)
            yield done / len(frames)
    with _selected(armature, bones), _transforms_kept(armature), _blending_kept(armature):
        action = baking.send(None)
        slot = actions.slot_of(armature)
        actions.assign(armature, None)
    action.name = f"{armature.name} baked"
    return action, slot


def silence(armature: bpy.types.Object) -> list[dict[str, Any]]:
    """Mute the constraints of what was baked; what `bring_back` needs to let them work again.

    Some constraints add to how a bone is turned itself, and the action that plays will change that.
    """
    found = []
    for thing in list(_held(armature)):
        working = [each for each in thing.constraints if not each.mute]
        for constraint in working:
            constraint.mute = True
        found.append(
            {
                "bone": thing.name if isinstance(thing, bpy.types.PoseBone) else "",
                "constraints": [each.name for each in working],
                "transforms": _transforms(thing),
            }
        )
    return found


def bring_back(armature: bpy.types.Object, silenced: list[dict[str, Any]]) -> None:
    """Let the constraints work again that are still there, on bones that are as they were."""
    for each in silenced:
        thing: Any = armature.pose.bones.get(each["bone"]) if each["bone"] else armature
        if thing is None:
            continue
        for name in each["constraints"]:
            if name in thing.constraints:
                thing.constraints[name].mute = False
        for name, values in each["transforms"].items():
            setattr(thing, name, values)


def _transforms(thing: bpy.types.PoseBone | bpy.types.Object) -> dict[str, list[float]]:
    return {name: list(getattr(thing, name)) for name in TRANSFORMS}


def _held(armature: bpy.types.Object) -> Iterator[bpy.types.PoseBone | bpy.types.Object]:
    """The bones, and perhaps the armature itself, that another object moves by constraints."""
    for thing in (armature, *armature.pose.bones):
        if any(_is_outside(constraint, armature) for constraint in thing.constraints):
            yield thing


def _is_outside(constraint: Any, armature: bpy.types.Object) -> bool:
    if constraint.mute or constraint.influence == 0.0:
        return False
    targets = [getattr(constraint, "target", None)]
    targets += [each.target for each in getattr(constraint, "targets", ())]
    return any(target is not None and target != armature for target in targets)


@contextmanager
def _selected(armature: bpy.types.Object, bones: Collection[str]) -> Iterator[None]:
    """Only these bones, for a while: Blender bakes what is selected."""
    own = "select" in bpy.types.PoseBone.bl_rna.properties  # from Blender 5.0 on
    everything: Any = armature.pose.bones if own else armature.data.bones
    before = np.empty(len(everything), bool)
    everything.foreach_get("select", before)
    try:
        everything.foreach_set("select", np.array([bone.name in bones for bone in everything], bool))
        yield
    finally:
        everything.foreach_set("select", before)


@contextmanager
def _transforms_kept(armature: bpy.types.Object) -> Iterator[None]:
    """Blender poses the armature to find out what to write."""
    bones = armature.pose.bones
    posed = {name: np.empty(size * len(bones), np.float32) for name, size in TRANSFORMS.items()}
    placed = _transforms(armature)
    for name, values in posed.items():
        bones.foreach_get(name, values)
    try:
        yield
    finally:
        for name, values in posed.items():
            bones.foreach_set(name, values)
            setattr(armature, name, placed[name])


@contextmanager
def _blending_kept(armature: bpy.types.Object) -> Iterator[None]:
    """Blender lets the new action replace what is below it."""
    data: Any = armature.animation_data or armature.animation_data_create()
    before = data.action_blend_type
    try:
        yield
    finally:
        data.action_blend_type = before
