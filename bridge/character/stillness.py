# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones stay as they are in what plays, and which matter to those who look at it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import bpy
import numpy as np

from .. import actions, curve_keys, versions
from ..baking import enum_value
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
    """The F-curves that animate an ID now besides its action: NLA strips that are heard, drivers."""
    if owner.animation_data is None:
        return
    yield from owner.animation_data.drivers
    for strip in actions.playing_strips(owner):
        bag = versions.bag_of(strip.action, versions.played_slot(strip))
        yield from () if bag is None else bag.fcurves


def changes(curve: Any) -> bool:
    """Whether a curve moves something."""
    if actions.is_muted(curve):
        return False
    if curve.driver is not None or any(not modifier.mute for modifier in curve.modifiers):
        return True
    if not len(curve.keyframe_points):
        return False
    return _differ(curve_keys.read(curve, "co")) or _moves_beside_its_keys(curve)


def _moves_beside_its_keys(curve: Any) -> bool:
    """Whether a curve whose keys are the same leaves them between them, or beyond the last."""
    ways = curve_keys.read(curve, "interpolation")
    if np.any(ways[:-1] == enum_value("interpolation", "ELASTIC")):
        return True
    bent = ways == enum_value("interpolation", "BEZIER")
    goes_on = curve.extrapolation == "LINEAR"
    after, before = bent.copy(), np.roll(bent, 1)
    after[-1] &= goes_on
    before[0] = goes_on and bent[0]
    handles = curve_keys.read(curve, "handle_left")[before], curve_keys.read(curve, "handle_right")[after]
    return _differ(np.concatenate([curve_keys.read(curve, "co")[:1], *handles]))


def _differ(points: np.ndarray) -> bool:
    """Whether values of points (n, 2) are not all the same but for noise."""
    low, high = float(points[:, 1].min()), float(points[:, 1].max())
    return high - low > STILL * max(-low, high, 1.0)
