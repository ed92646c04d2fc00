# SPDX-License-Identifier: GPL-3.0-or-later
"""The action of an armature that plays nothing, where there is no doubt which: its NLA has one strip.

Importers of glTF leave the action of a character like that, muted, where something else in the file moves by
an animation of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

from .. import actions, character, versions


def find(armature: bpy.types.Object) -> bpy.types.NlaStrip | None:
    """The one strip of an armature without an action, if that moves something."""
    data = armature.animation_data
    if data is None or data.action is not None:
        return None
    strips = [strip for track in data.nla_tracks for strip in track.strips if not _is_a_layer(strip)]
    if len(strips) != 1 or strips[0].action is None:
        return None
    bag = actions.bag_of(strips[0].action, versions.played_slot(strips[0]))
    return strips[0] if bag is not None and any(map(character.changes, bag.fcurves)) else None


def _is_a_layer(strip: bpy.types.NlaStrip) -> bool:
    """Whether it is one of ours, that an action which played has left here."""
    return strip.action is not None and bool(strip.action.posewright.gate)


@contextmanager
def taken_up(armature: bpy.types.Object) -> Iterator[None]:
    """Let the armature play the action of its one strip, if it has one; not any more where that fails."""
    strip = find(armature)
    if strip is None:
        yield
        return
    actions.assign(armature, strip.action, versions.played_slot(strip))
    try:
        yield
    except BaseException:
        actions.assign(armature, None)
        raise
