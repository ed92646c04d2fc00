# SPDX-License-Identifier: GPL-3.0-or-later
"""What tells that a rig was changed: its bones at rest, what they inherit, constraints, parts of the body."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import bpy
import numpy as np

from .bones import parent_rows
from .character import describe
from .character.held import held_once_found


def never(constraint: Any) -> bool:
    return False


@held_once_found
def rig_print(armature: bpy.types.Object, is_ours: Callable[[Any], bool] = never) -> Hashable:
    """Differs where a rig does. What may be animated, such as influences, does not count.

    Args:
        is_ours: which constraints do not count either, since they are no part of the rig.
    """
    bones: Any = armature.data.bones
    rest = np.empty(16 * len(bones), np.float32)
    inherits = np.empty(len(bones), bool)
    bones.foreach_get("matrix_local", rest)
    bones.foreach_get("use_inherit_rotation", inherits)
    constraints = tuple(
        (bone.name, each.type, each.mute, _target_of(each), getattr(each, "subtarget", ""))
        for bone in armature.pose.bones
        for each in bone.constraints
        if not is_ours(each)
    )
    known = describe(armature)  # users correct it, and another mesh may tell more
    return (
        (known.hips, known.head, known.body, known.legs, known.arms),
        tuple(bones.keys()),
        parent_rows(armature).tobytes(),
        rest.tobytes(),
        inherits.tobytes(),
        constraints,
    )


def _target_of(constraint: Any) -> int | None:
    target = getattr(constraint, "target", None)
    return None if target is None else target.session_uid
