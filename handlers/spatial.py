# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters that are live follow their cursors through every kind of update.

Nothing here holds on to Blender's data, only to names, and nothing raises: whatever goes wrong turns live off
for that character and says so.
"""

from __future__ import annotations

import traceback

import bpy
from bpy.app.handlers import persistent

from ..bridge.spatial import character, live, sets

_busy = False
_armatures: tuple[int, tuple[str, ...]] = (-1, ())  # how many objects there were, and which were armatures


def live_characters(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The characters to look after. Big scenes are searched only when objects come or go."""
    global _armatures
    found = [scene.objects.get(name) for name in _armatures[1]]
    if _armatures[0] != len(bpy.data.objects) or any(not sets.is_character(thing) for thing in found):
        found = [thing for thing in scene.objects if sets.is_character(thing)]
        _armatures = (len(bpy.data.objects), tuple(thing.name for thing in found))
    return [armature for armature in found if armature and sets.settings_of(armature).live]


def _follow(scene: bpy.types.Scene, edited: frozenset[str], again: bool) -> None:
    """Bring every live character up to date. Posing one may update the scene: that must not start over."""
    global _busy
    # Sampling and previews evaluate characters in scenes of their own, where nobody performs.
    if _busy or scene != bpy.context.scene:
        return
    _busy = True
    try:
        for armature in live_characters(scene):
            _follow_safely(armature, edited=armature.name_full in edited, again=again)
    finally:
        _busy = False


def _follow_safely(armature: bpy.types.Object, *, edited: bool, again: bool) -> None:
    try:
        live.follow(armature, edited=edited, again=again)
    except Exception as error:
        traceback.print_exc()
        live.stop(armature, f"Live is off because it failed ({error}): the console has the details.")


@persistent
def after_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    edited: set[str] = set()
    animation_changed = False
    for update in depsgraph.updates:
        changed = update.id.original
        if isinstance(changed, bpy.types.Action):
            character.forget_pose(changed.session_uid)
            animation_changed = True
        elif isinstance(changed, bpy.types.Object) and changed.type == "ARMATURE":
            edited.add(changed.name_full)
    _follow(scene, frozenset(edited), animation_changed)


@persistent
def after_frame_change(scene: bpy.types.Scene, _depsgraph: bpy.types.Depsgraph) -> None:
    _follow(scene, frozenset(), True)


@persistent
def after_jump(*_: object) -> None:
    """Undo, redo or another file: names may now mean other data."""
    global _armatures
    _armatures = (-1, ())
    live.forget_everything()


HANDLERS = (
    (bpy.app.handlers.depsgraph_update_post, after_update),
    (bpy.app.handlers.frame_change_post, after_frame_change),
    (bpy.app.handlers.undo_post, after_jump),
    (bpy.app.handlers.redo_post, after_jump),
    (bpy.app.handlers.load_post, after_jump),
)


def register() -> None:
    for calls, handler in HANDLERS:
        calls.append(handler)


def unregister() -> None:
    for calls, handler in HANDLERS:
        if handler in calls:
            calls.remove(handler)
    after_jump()
