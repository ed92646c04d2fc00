# SPDX-License-Identifier: GPL-3.0-or-later
"""Components of turns that have no key: as long as there is a layer, the NLA gives them their default values.

It writes all four of a quaternion. What they were is noted on the armature; shape keys do not turn.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import bpy

from ... import actions
from ..channels import plays
from .residuals import is_number


def remember(owner: Any) -> None:
    """Note what the components are, for an owner without any layer so far."""
    if isinstance(owner, bpy.types.Object):
        found = [(path, index, _turn(owner, path)[index]) for path, index in _unkeyed(owner)]
        owner.posewright.unkeyed = json.dumps(found) if found else ""


def bring_back(owner: Any) -> None:
    """Write what was noted, and forget it."""
    if not isinstance(owner, bpy.types.Object) or not owner.posewright.unkeyed:
        return
    noted, owner.posewright.unkeyed = _read(owner.posewright.unkeyed), ""
    for path, index, value in noted:
        if is_number(owner, path):
            _turn(owner, path)[index] = value


def _read(text: str) -> list[tuple[str, int, float]]:
    """Nothing where a script has written something else."""
    try:
        return [(str(path), range(4)[index], float(value)) for path, index, value in json.loads(text)]
    except (ValueError, TypeError, IndexError):
        return []


def _turn(owner: Any, path: str) -> Any:
    """What a path leads to; written to, it changes the bone."""
    return owner.path_resolve(path)


def _unkeyed(owner: bpy.types.Object) -> list[tuple[str, int]]:
    keyed: dict[str, set[int]] = defaultdict(set)
    for curve in actions.curves_of(owner):
        if curve.data_path.rpartition(".")[2] == "rotation_quaternion" and plays(curve):
            keyed[curve.data_path].add(curve.array_index)
    return [
        (path, index)
        for path, indices in keyed.items()
        if is_number(owner, path)
        for index in set(range(4)) - indices
    ]
