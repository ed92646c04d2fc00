# SPDX-License-Identifier: GPL-3.0-or-later
"""An armature that other objects or time move, by constraints and drivers: baked as it looks.

Blender's own tools do it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from bpy_extras import anim_utils

from ... import actions, character, stages
from ...bones import WIDTHS, bone_of
from ...steps import Steps
from ...versions import selectable_bones
from . import by_value, movers

BakeOptions: Any = anim_utils.BakeOptions  # the stubs do not know that it is a dataclass
CHAINS = ("IK", "SPLINE_IK")  # constraints that move the bones above theirs, too


def is_held(armature: bpy.types.Object) -> bool:
    """Whether constraints or drivers let other objects or time move the armature or some of its bones."""
    return any(_held(armature)) or any(_driven_controls(armature))


def bake_in_steps(
    armature: bpy.types.Object, scene: bpy.types.Scene
) -> Steps[tuple[bpy.types.Action, Any, list[dict[str, Any]]]]:
    """A new action, and its slot, that does alone what these do now, for as long as that moves.

    What is moved from outside gets keys, and its constraints and drivers are muted: the third is what
    `bring_back` needs to let them work again. What the rig makes of that it goes on doing itself.
    """
    held, driven = list(_held(armature)), list(_driven_controls(armature))
    controls = [actions.channel_of(curve) for curve in driven]
    driven += [curve for _, curve in _outer_drivers(armature)]
    bones = {thing.name for thing in held if isinstance(thing, bpy.types.PoseBone)}
    options = BakeOptions(
        only_selected=True,
        do_pose=bool(bones) or armature not in held,  # without either Blender would make no action
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
    frames = movers.frames_of_what_moves(armature, scene)
    values = np.empty((len(frames), len(controls)))
    with stages.frame_kept(scene):
        for row, frame in enumerate(frames):
            scene.frame_set(frame)
            bpy.context.view_layer.update()
            baking.send(frame)
            values[row] = by_value.read(stages.posed(armature, scene), controls)
            yield (row + 1) / len(frames)
    with _selected(armature, bones), _transforms_kept(armature), _blending_kept(armature):
        action = baking.send(None)
        slot = actions.slot_of(armature)
        actions.assign(armature, None)
    by_value.write(armature, action, slot, controls, np.array(frames, float), values)
    action.name = f"{armature.name} baked"
    return action, slot, _silenced(held, driven)


def _silenced(held: Sequence[Any], driven: Sequence[Any]) -> list[dict[str, Any]]:
    """Mute the constraints and drivers of what was baked.

    Some constraints add to how a bone is turned itself, and the action that plays will change that.
    """
    found: list[dict[str, Any]] = []
    for thing in held:
        working = [each for each in thing.constraints if not each.mute]
        for constraint in working:
            constraint.mute = True
        named = {"bone": _name(thing), "constraints": [each.name for each in working]}
        found.append({**named, "transforms": _transforms(thing)})
    for curve in driven:
        curve.mute = True
    found.append({"drivers": [[curve.data_path, curve.array_index] for curve in driven]})
    return found


def bring_back(armature: bpy.types.Object, silenced: list[dict[str, Any]]) -> None:
    """Let what is still there work again, on bones that are as they were."""
    drivers = {} if armature.animation_data is None else _by_channel(armature.animation_data.drivers)
    for each in silenced:
        for path, index in each.get("drivers", ()):
            if (path, index) in drivers:
                drivers[path, index].mute = False
        if "bone" not in each:
            continue
        thing: Any = armature.pose.bones.get(each["bone"]) if each["bone"] else armature
        if thing is None:
            continue
        for name in each["constraints"]:
            if name in thing.constraints:
                thing.constraints[name].mute = False
        for name, values in each["transforms"].items():
            setattr(thing, name, values)


def _transforms(thing: bpy.types.PoseBone | bpy.types.Object) -> dict[str, list[float]]:
    return {name: list(getattr(thing, name)) for name in WIDTHS}


def _name(thing: bpy.types.PoseBone | bpy.types.Object) -> str:
    """Of a bone; the armature itself has none here."""
    return thing.name if isinstance(thing, bpy.types.PoseBone) else ""


def _by_channel(curves: Any) -> dict[tuple[str, int], Any]:
    return {(curve.data_path, curve.array_index): curve for curve in curves}


def _held(armature: bpy.types.Object) -> Iterator[bpy.types.PoseBone | bpy.types.Object]:
    """The bones, and perhaps the armature itself, that are moved from outside."""
    moved = {name for name, _ in _outer_drivers(armature)}
    for bone in armature.pose.bones:
        for constraint in bone.constraints:
            if constraint.type in CHAINS and _is_outside(constraint, armature):
                moved.update(_chain(bone, constraint))
    for thing in (armature, *armature.pose.bones):
        if _name(thing) in moved or any(_is_outside(each, armature) for each in thing.constraints):
            yield thing


def _chain(bone: bpy.types.PoseBone, constraint: Any) -> list[str]:
    """The bones above one that inverse kinematics bends, up to the root where they are not counted."""
    names = [each.name for each in (bone, *bone.parent_recursive)]
    first = 0 if getattr(constraint, "use_tail", True) else 1
    return names[first : first + constraint.chain_count] if constraint.chain_count else names[first:]


def _is_outside(constraint: Any, armature: bpy.types.Object) -> bool:
    if constraint.mute or all(target == armature for target in movers.targets_of(constraint)):
        return False
    if constraint.influence > 0.0:
        return True
    return constraint.path_from_id("influence") in actions.animated_paths(armature)


def _outer_drivers(armature: bpy.types.Object) -> Iterator[tuple[str, Any]]:
    """Drivers that let other things or time turn, move or scale bones, each with the bone's name.

    What the rig makes of its own controls it goes on doing itself.
    """
    for curve in _driven_from_outside(armature):
        before, _, attribute = curve.data_path.rpartition(".")
        bone = bone_of(curve.data_path)
        if attribute in WIDTHS and (not before or (bone is not None and bone in armature.pose.bones)):
            yield bone or "", curve


def _driven_controls(armature: bpy.types.Object) -> Iterator[Any]:
    """Drivers that let other things or time set what the rig itself moves by.

    Properties that its own drivers read, and those of constraints that go on working.
    """
    driven = list(_driven_from_outside(armature))
    if not driven:
        return
    held = {_name(thing) for thing in _held(armature)}
    read = {
        target.data_path
        for curve in armature.animation_data.drivers
        for variable in curve.driver.variables
        for target in variable.targets
        if target.id == armature
    }
    for curve in driven:
        of_constraint = "constraints[" in curve.data_path and (bone_of(curve.data_path) or "") not in held
        if (of_constraint or curve.data_path in read) and by_value.is_there(armature, curve):
            yield curve


def _driven_from_outside(armature: bpy.types.Object) -> Iterator[Any]:
    """The drivers that look at other things or at time."""
    data = armature.animation_data
    for curve in () if data is None else data.drivers:
        if not curve.mute and _looks_outside(curve.driver, armature):
            yield curve


def _looks_outside(driver: Any, armature: bpy.types.Object) -> bool:
    if movers.says_the_time(driver):
        return True
    own = (None, armature) if _moves_by_itself(armature.data) else (None, armature, armature.data)
    return any(
        variable.type == "CONTEXT_PROP" or any(target.id not in own for target in variable.targets)
        for variable in driver.variables
    )


def _moves_by_itself(data: Any) -> bool:
    """Whether an armature's data has an action of its own, which no reduction of the armature's can hold."""
    return any(map(character.changes, actions.curves_of(data)))


@contextmanager
def _selected(armature: bpy.types.Object, bones: Collection[str]) -> Iterator[None]:
    """Only these bones, for a while: Blender bakes what is selected."""
    everything = selectable_bones(armature)
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
    posed = {name: np.empty(size * len(bones), np.float32) for name, size in WIDTHS.items()}
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
