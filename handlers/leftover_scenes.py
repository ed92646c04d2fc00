# SPDX-License-Identifier: GPL-3.0-or-later
"""Undo and redo may bring back a step that was pushed while an armature was being sampled."""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent

from ..bridge.stages import remove_forgotten_scenes


@persistent
def after_jump(*_: object) -> None:
    remove_forgotten_scenes()


HANDLERS = (
    (bpy.app.handlers.undo_post, after_jump),
    (bpy.app.handlers.redo_post, after_jump),
)
