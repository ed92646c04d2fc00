# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that are edited are noticed at once: what panels know about an action is looked at anew."""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent

from ..bridge.distil.editing import changes
from ..bridge.stages import is_temporary


@persistent
def after_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    if not is_temporary(scene) and depsgraph.id_type_updated("ACTION"):
        for update in depsgraph.updates:
            if isinstance(update.id, bpy.types.Action):
                changes.forget(update.id.original.session_uid)


@persistent
def after_jump(*_: object) -> None:
    """Undo, redo or another file."""
    changes.forget()


HANDLERS = (
    (bpy.app.handlers.depsgraph_update_post, after_update),
    (bpy.app.handlers.undo_post, after_jump),
    (bpy.app.handlers.redo_post, after_jump),
    (bpy.app.handlers.load_post, after_jump),
)
