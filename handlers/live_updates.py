# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters that are live follow their cursors through every kind of update.

Nothing here holds on to Blender's data, only to names, and nothing raises: whatever goes wrong turns live off
for that character and says so.
"""

from __future__ import annotations

import traceback

import bpy
from bpy.app.handlers import persistent
from bpy.app.translations import pgettext_rpt as rpt_

from ..bridge.spatial import live, sets
from ..bridge.spatial.blending import mapping_cache
from ..bridge.spatial.making import editing, upkeep
from ..bridge.stages import is_temporary

_following = False  # posing a character may update the scene: that must not start over
_active: int | None = None  # the number of the object that was last seen to be active


def _follow(scene: bpy.types.Scene, edited: frozenset[str], again: bool) -> None:
    """Bring every live character up to date."""
    global _following
    # Sampling and previews evaluate characters in scenes of their own, where nobody performs.
    if _following or scene != bpy.context.scene:
        return
    _following = True
    try:
        for armature in live.watched():
            _follow_safely(armature, edited=armature.name_full in edited, again=again)
    finally:
        _following = False


def _follow_safely(armature: bpy.types.Object, *, edited: bool, again: bool) -> None:
    try:
        live.follow(armature, edited=edited, again=again)
    except Exception as error:
        traceback.print_exc()
        live.stop(
            armature,
            rpt_("Live is off because it failed ({error}): the console has the details.").format(error=error),
        )


@persistent
def after_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    if is_temporary(scene):
        return
    edited: set[str] = set()
    animation_changed = shapes_changed = False
    if depsgraph.id_type_updated("COLLECTION"):
        upkeep.look_for_deleted()
    for update in depsgraph.updates:
        changed = update.id.original
        if isinstance(changed, bpy.types.Action):
            mapping_cache.forget_pose(changed.session_uid)
            animation_changed = True
        elif isinstance(changed, bpy.types.Key):
            shapes_changed = True
        elif sets.is_character(changed):
            edited.add(changed.name_full)
            live.watch(changed)
    if shapes_changed:  # it may be a face that was edited
        edited.update(armature.name_full for armature in live.watched())
    _follow(scene, frozenset(edited), animation_changed)
    _show_clicked()


def _show_clicked() -> None:
    """Whoever clicks a marker in the viewport means its key; from then on the list has the say."""
    global _active
    layer = bpy.context.view_layer
    thing = None if layer is None else layer.objects.active
    seen = None if thing is None else thing.session_uid
    if seen != _active:
        _active = seen
        if thing is not None:
            editing.show_in_list(thing)


@persistent
def after_frame_change(scene: bpy.types.Scene, _depsgraph: bpy.types.Depsgraph) -> None:
    _follow(scene, frozenset(), True)


@persistent
def after_jump(*_: object) -> None:
    """Undo, redo or another file: names may now mean other data."""
    live.forget_everything()
    upkeep.look_for_deleted()


HANDLERS = (
    (bpy.app.handlers.depsgraph_update_post, after_update),
    (bpy.app.handlers.frame_change_post, after_frame_change),
    (bpy.app.handlers.undo_post, after_jump),
    (bpy.app.handlers.redo_post, after_jump),
    (bpy.app.handlers.load_post, after_jump),
)
