# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones are selected: from Blender 5.0 on posed bones themselves are; before, what they pose is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def select(bones: Iterable[Any], chosen: bool = True) -> None:
    """Posed bones, besides those that are selected already; or not any more."""
    for bone in bones:
        _selectable(bone).select = chosen


def select_only(rig: Any, *names: str) -> None:
    for bone in rig.pose.bones:
        select([bone], bone.name in names)


def selected(rig: Any) -> list[str]:
    return [bone.name for bone in rig.pose.bones if _selectable(bone).select]


def _selectable(bone: Any) -> Any:
    return bone if hasattr(bone, "select") else bone.bone
