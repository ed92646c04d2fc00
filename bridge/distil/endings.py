# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of a reduction: back to the source, or on with the reduced action as an ordinary one."""

from __future__ import annotations

import bpy

from .. import actions
from ..editable import check_editable
from . import reduced_action, reductions
from .baked_first import what_plays
from .detail_layer import detail
from .editing import capture, changes
from .feet import pins
from .playing import play


def restore(armature: bpy.types.Object) -> bpy.types.Action | None:
    """Play the source again and remove what was made of it here, unless that is used elsewhere by now.

    By another armature for example, or in a strip of the NLA. A source that was baked from what played was
    made here too: then that plays again, and there is no source to hand back.
    """
    check_editable(armature)
    reduction = reductions.get(armature)
    source, reduced = reduction.source, reduction.action
    play(reduction, source)
    armature.posewright.last_reduced = None
    if not reductions.is_used(reduced):
        detail.remove(reduction)
        pins.remove(reduction)
        had_fake_user = reduction.state.source_had_fake_user
        bpy.data.actions.remove(reduced)
        if source.is_editable and not reductions.reduced_from(source):
            source.use_fake_user = had_fake_user
    brought_back = what_plays.bring_back(armature)
    reduced_action.sync_markers(armature, bpy.context.scene)
    return None if brought_back else source


def apply(armature: bpy.types.Object) -> bpy.types.Action:
    """Keep the reduced action, the layer of detail and held feet if it plays, and pins, as ordinary ones.

    The source stays in the file, unused: its fake user keeps it from being cleaned away.
    """
    reduction = reductions.get_own(armature)
    kept, source = reduction.action, reduction.state.source
    play(reduction, kept)
    if reduction.state.detail <= 0.0 and not reduced_action.is_held(reduction):
        detail.remove(reduction)
    elif changes.was_edited(reduction):
        reductions.keep_edits(reduction, capture.edits_now(reduction))
        reduced_action.renew_layer(reduction)
    for sibling in [] if source is None else reductions.reduced_from(source):
        # Restoring another reduction of the same source must not take its fake user away.
        sibling.posewright.source_had_fake_user = True
    armature.posewright.last_reduced = None
    actions.forget_state(kept)
    if source is not None:
        kept[actions.REDUCED] = source.name  # so that it is not reduced once more with all others
    reduced_action.sync_markers(armature, bpy.context.scene)
    return kept
