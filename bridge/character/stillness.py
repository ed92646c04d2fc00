# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones stay as they are in what plays, and which matter to those who look at it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import bpy

from .. import actions, curve_keys, versions
from ..bones import bone_of
from .description import describe

# A channel that changes by less, or by less than this share of its size, holds noise alone: captures
# say angles with four decimals of a degree, and the last of them flickers.
STILL = 5e-6


def still_bones(armature: bpy.types.Object) -> tuple[str, ...]:
    """The bones that no channel, driver, constraint or bone above them moves in what plays now."""
    moved = _moved_by_action(armature) | _moved(_playing_besides(armature))
    moved |= _moved_by_action(armature.data) | _moved(_playing_besides(armature.data))
    moved |= {bone.name for bone in armature.pose.bones if any(not each.mute for each in bone.constraints)}
    for bone in armature.data.bones:  # parents come first
        if bone.parent is not None and bone.parent.name in moved:
            moved.add(bone.name)
    return tuple(bone.name for bone in armature.data.bones if bone.name not in moved)


def bones_that_matter(armature: bpy.types.Object) -> tuple[str, ...]:
    """The bones of the body that move in what plays now; all of it, or all bones, where there are none."""
    still, body = set(still_bones(armature)), describe(armature).body
    return tuple(bone for bone in body if bone not in still) or body or tuple(armature.data.bones.keys())


def _moved_by_action(owner: Any) -> set[str | None]:
    data = owner.animation_data
    if data is None or data.action is None:
        return set()
    slot = actions.slot_handle(actions.slot_of(owner))
    return curve_keys.found_once(data.action, ("moved", slot), lambda: _moved(actions.curves_of(owner)))


def _moved(curves: Iterable[Any]) -> set[str | None]:
    """What curves move."""
    moved: set[str | None] = set()
    for curve in curves:
        if (bone := bone_of(curve.data_path)) not in moved and changes(curve):
            moved.add(bone)
    return moved


def _playing_besides(owner: Any) -> Iterator[Any]:
    """The F-curves that animate an ID now besides its action: unmuted NLA strips, drivers."""
    data = owner.animation_data
    if data is None:
        return
    yield from data.drivers
    for track in data.nla_tracks if data.use_nla else ():
        for strip in track.strips:
            if strip.action is None or track.mute or strip.mute:
                continue
            bag = versions.bag_of(strip.action, versions.played_slot(strip))
            yield from () if bag is None else bag.fcurves


def changes(curve: Any) -> bool:
    """Whether a curve moves something."""
    if curve.driver is not None or len(curve.modifiers):
        return True
    if actions.is_muted(curve) or not len(curve.keyframe_points):
        return False
    values = curve_keys.read(curve, "co")[:, 1]
    low, high = float(values.min()), float(values.max())
    return high - low > STILL * max(-low, high, 1.0)
