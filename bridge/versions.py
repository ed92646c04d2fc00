# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between the Blenders from 4.2 to 5.2. No other file asks which one this is.

Up to 4.3 an action holds F-curves and groups itself. From 4.4 on it has slots, one for each thing that it
animates, and the F-curves of a slot are in its channelbag, which has the same `fcurves` and `groups`: such
a *bag* is what everything else works on. From 5.0 on a posed armature selects and hides its own bones;
before, its data does.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy

HAS_SLOTS = bpy.app.version >= (4, 4, 0)
_POSES_ARE_SELECTED = bpy.app.version >= (5, 0, 0)
# Blender 5 wants to be told that a path may begin with "//", the folder of the .blend; before, it just may.
RELATIVE_PATH: set[str] = {"PATH_SUPPORTS_BLEND_RELATIVE"} if bpy.app.version >= (5, 0, 0) else set()

# Asset shelves can be shown at the mouse, from 4.3 on.
HAS_SHELF_POPOVERS = bpy.app.version >= (4, 3, 0)

# What is called after linking and appending, from 4.3 on.
after_import: list[Any] | None = getattr(bpy.app.handlers, "blend_import_post", None)


def brings_copies() -> bool:
    """Whether the file that is open is from before Blender 5, which keeps what extensions store elsewhere.

    Of older files it does so with a copy, and leaves the original among the custom properties.
    """
    return bpy.data.version < (5, 0, 0) <= bpy.app.version


def slots_in(action: bpy.types.Action) -> list[Any | None]:
    """The slots of an action; before 4.4 the one thing that it animates is no slot, but None."""
    return list(action.slots) if HAS_SLOTS else [None]


def played_slot(player: Any | None) -> Any | None:
    """The slot that animation data or a strip plays of its action, or None (always before 4.4)."""
    return player.action_slot if HAS_SLOTS and player is not None else None


def play_slot(player: Any, slot: Any | None) -> None:
    """Let animation data or a strip play a slot of its action."""
    if HAS_SLOTS and slot is not None and player.action_slot != slot:
        player.action_slot = slot


def new_slot(action: bpy.types.Action, owner: Any) -> Any | None:
    return action.slots.new(id_type=owner.id_type, name=owner.name) if HAS_SLOTS else None


def bag_of(action: bpy.types.Action, slot: Any | None, *, create: bool = False) -> Any | None:
    """What holds the `fcurves` and `groups` of a slot, or None where there is nothing."""
    if not HAS_SLOTS:
        return action
    if slot is None:
        return None
    if create:
        layer = action.layers[0] if action.layers else action.layers.new("Layer")
        strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
        return strip.channelbag(slot, ensure=True)
    bags = (strip.channelbag(slot) for layer in action.layers for strip in layer.strips)
    return next((bag for bag in bags if bag is not None), None)


def selectable_bones(armature: bpy.types.Object) -> Any:
    """The bones of an armature that have `select` and `hide`, in the order of its data."""
    return armature.pose.bones if _POSES_ARE_SELECTED else armature.data.bones


def sequence_strips(editor: Any) -> Any:
    """Strips were called sequences before 4.4."""
    return editor.strips_all if HAS_SLOTS else editor.sequences_all


def import_fbx(path: Path) -> None:
    """By the importer that this Blender has. Without an offset: the exporter takes none back, so that
    results would come a frame late."""
    if hasattr(bpy.types, "IMPORT_SCENE_OT_fbx"):
        bpy.ops.import_scene.fbx(filepath=str(path), anim_offset=0.0)
    else:
        bpy.ops.wm.fbx_import(filepath=str(path), anim_offset=0.0)


def leave_out_of_gltf(found: Any, unwanted: set[bpy.types.Action]) -> None:
    """Take actions out of what the glTF exporter found; from 4.4 on it keeps them with their slots."""
    if hasattr(found, "blender_actions"):
        found.blender_actions[:] = [each for each in found.blender_actions if each not in unwanted]
        return
    for number, data in list(found.actions.items()):
        if data[0].action in unwanted:
            del found.actions[number]
