# SPDX-License-Identifier: GPL-3.0-or-later
"""What bones follow: the targets of their constraints, what these follow or hang from, and so on."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import bpy


def parents_of(armature: bpy.types.Object) -> dict[str, str]:
    """The parent of each bone, "" where it has none; parents come first."""
    return {bone.name: "" if bone.parent is None else bone.parent.name for bone in armature.data.bones}


def targets_of(armature: bpy.types.Object, *, acting: bool = False) -> dict[str, list[str]]:
    """The bones of the same armature that the constraints of each bone look at.

    Args:
        acting: leave out constraints that do nothing now, as those of FK while a leg is in IK.
    """
    return {bone.name: [*_targets(armature, bone, acting)] for bone in armature.pose.bones}


def followed(
    bones: Collection[str], targets: Mapping[str, list[str]], parents: Mapping[str, str]
) -> set[str]:
    """What some bones follow through constraints, what that follows or hangs from, and so on."""
    found: set[str] = set()
    ahead = [target for name in bones for target in targets[name]]
    while ahead:
        name = ahead.pop()
        if name not in found and name in targets:
            found.add(name)
            ahead += [*targets[name], parents[name]]
    return found.difference(bones)


def _targets(armature: bpy.types.Object, bone: bpy.types.PoseBone, acting: bool) -> Iterator[str]:
    for constraint in bone.constraints:
        each: Any = constraint
        if acting and (each.mute or each.influence <= 0.0):
            continue
        for looked_at in getattr(each, "targets", (each,)):
            # Of several possible parents those that are not chosen weigh nothing.
            if getattr(looked_at, "target", None) == armature and getattr(looked_at, "weight", 1.0) > 0.0:
                yield looked_at.subtarget
        if getattr(each, "pole_target", None) == armature:
            yield each.pole_subtarget
