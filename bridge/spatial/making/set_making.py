# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole spatial set at once, from keys that are known as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import bpy
import numpy as np
from mathutils import Vector

from ...character import held
from .. import sets
from ..blending import switching
from ..blending.mapping import SetMapping
from ..posing.dials import Dials
from ..posing.pose_actions import action_of_pose
from ..posing.poses import Pose
from . import editing


@dataclass(frozen=True, eq=False)
class KeyData:
    """A spatial key as numbers."""

    name: str
    place: np.ndarray  # (3,) in the space of the armature
    pose: Pose
    whole_body: bool = False  # bones that the pose does not hold are at rest
    dials: Dials = field(default_factory=Dials)


def make_set(
    armature: bpy.types.Object, name: str, keys: Sequence[KeyData], layer: str = sets.BLEND
) -> bpy.types.PropertyGroup:
    """A new set that takes over, its cursor where new cursors are.

    Keys that cannot be solved together, such as two at one place, are refused before anything is made.
    """
    SetMapping([key.name for key in keys], np.array([key.place for key in keys]), [key.pose for key in keys])
    editing.refuse_crowded(armature, [(key.name, Vector(key.place)) for key in keys])
    spatial_set = editing.add_set(armature, name)
    spatial_set.layer = layer
    bpy.context.view_layer.update()
    unused = _always_at_rest([key.pose for key in keys])
    with held():
        for key in keys:
            action = action_of_pose(
                armature, key.pose, key.name, whole_body=key.whole_body, dials=key.dials, unused=unused
            )
            editing.new_key(armature, spatial_set, action, key.place, key.name)
    bpy.context.view_layer.update()
    switching.switch(armature, len(sets.settings_of(armature).sets) - 1)
    return spatial_set


def _always_at_rest(poses: Sequence[Pose]) -> set[tuple[str, str]]:
    """Bones with "location" or "scale" where no pose uses it: many keys are made in half the time without."""
    held = {bone for pose in poses for bone in pose.bones}
    used = set()
    for pose in poses:
        for path, values, at_rest in (("location", pose.locations, 0.0), ("scale", pose.scales, 1.0)):
            rows = np.flatnonzero((values != at_rest).any(axis=-1))
            used.update((pose.bones[row], path) for row in rows)
    return {(bone, path) for bone in held for path in ("location", "scale")} - used
