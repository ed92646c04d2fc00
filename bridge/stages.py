# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes to evaluate something in, at any frame.

Mostly a temporary one that holds an armature or a camera alone: a heavy scene of the user costs nothing and
its frame, mode and selection are never touched. It is never saved, and if undo brings one back from a step
that was pushed meanwhile, it is removed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import floor
from typing import Any

import bpy

from ..core import InputError
from . import character

TEMPORARY = "posewright_temporary"  # marks a scene of ours, also in an undo step


def posed(thing: bpy.types.Object, scene: bpy.types.Scene) -> Any:
    """The armature or camera as evaluated at the scene's frame."""
    depsgraph: Any = scene.view_layers[0].depsgraph
    return thing.evaluated_get(depsgraph)


def frames_per_second(scene: bpy.types.Scene) -> float:
    return scene.render.fps / scene.render.fps_base


def set_frame(scene: bpy.types.Scene, frame: float) -> None:
    """Also sub-frames and negative ones.

    `frame_set` draws all windows anew, whichever scene they show: where that can be avoided it is.
    """
    if is_temporary(scene) and frame >= 0.0:  # the property does not take negative ones
        scene.frame_float = frame
        # Not `view_layer.update()`, which would write the pose into the armature that the user sees.
        graph: Any = scene.view_layers[0].depsgraph
        graph.update()
    else:
        whole = floor(frame)
        scene.frame_set(whole, subframe=min(frame - whole, 0.999999))


def is_temporary(scene: bpy.types.Scene) -> bool:
    """Whether a scene was made here; handlers of changes have nothing to do in it."""
    return TEMPORARY in scene


def new_scene() -> bpy.types.Scene:
    """A scene of ours, for whoever made it to remove."""
    scene = bpy.data.scenes.new("Posewright")
    scene[TEMPORARY] = True
    scene.is_runtime_data = True  # so it is not saved
    return scene


def remove_forgotten_scenes() -> None:
    """Remove what undo has brought back, and the stand-ins in it."""
    for scene in [each for each in bpy.data.scenes if is_temporary(each)]:
        for thing in [each for each in scene.collection.objects if character.is_stand_in(each)]:
            bpy.data.objects.remove(thing)
        bpy.data.scenes.remove(scene)


_stages: dict[int, bpy.types.Scene] = {}  # those that are open, by the number of their armature


@contextmanager
def evaluation_scene(armature: bpy.types.Object) -> Iterator[bpy.types.Scene]:
    """A scene to evaluate the armature in, and the armature posed and visible for as long as that takes.

    Within one, that of the same armature is the same again.
    """
    number = armature.session_uid
    if number in _stages:
        yield _stages[number]
        return
    with _evaluated(armature) as scene:
        _stages[number] = scene
        try:
            yield scene
        finally:
            del _stages[number]


@contextmanager
def _evaluated(armature: bpy.types.Object) -> Iterator[bpy.types.Scene]:
    if armature.data.is_editmode:
        raise InputError(
            "{armature} is in Edit Mode, where it is not posed: go to Object or Pose Mode.",
            armature=character.name_of(armature),
        )
    hidden, position = armature.hide_viewport, armature.data.pose_position
    try:
        # Writing a property re-evaluates the user's scene, so only what differs is written.
        if hidden:
            armature.hide_viewport = False
        if position != "POSE":
            armature.data.pose_position = "POSE"
        with scene_for(armature) as scene:
            yield scene
    finally:
        if hidden:
            armature.hide_viewport = True
        if position != "POSE":
            armature.data.pose_position = position


@contextmanager
def scene_for(thing: bpy.types.Object) -> Iterator[bpy.types.Scene]:
    """A scene to evaluate an armature or a camera in: one that holds it alone, if that will do."""
    with _own_scene(thing) if _reads_a_scene(thing) else _temporary_scene(thing) as scene:
        yield scene


@contextmanager
def _temporary_scene(thing: bpy.types.Object) -> Iterator[bpy.types.Scene]:
    scene = new_scene()
    try:
        scene.collection.objects.link(thing)
        scene.frame_set(scene.frame_current)  # makes its dependency graph
        yield scene
    finally:
        bpy.data.scenes.remove(scene)


@contextmanager
def _own_scene(thing: bpy.types.Object) -> Iterator[bpy.types.Scene]:
    """The user's scene, for drivers that read something of it."""
    scene = next((each for each in thing.users_scene), bpy.context.scene)
    with frame_kept(scene):
        yield scene


@contextmanager
def frame_kept(scene: bpy.types.Scene) -> Iterator[None]:
    """The frame of before, whatever is looked at meanwhile."""
    frame = scene.frame_current_final
    try:
        yield
    finally:
        set_frame(scene, frame)


def _reads_a_scene(thing: bpy.types.Object) -> bool:
    drivers: list[Any] = [
        curve.driver
        for owner in (thing, thing.data)
        if owner.animation_data is not None
        for curve in owner.animation_data.drivers
    ]
    targets = [target for driver in drivers for variable in driver.variables for target in variable.targets]
    return any(isinstance(target.id, bpy.types.Scene) for target in targets) or any(
        variable.type == "CONTEXT_PROP" for driver in drivers for variable in driver.variables
    )
