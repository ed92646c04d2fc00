# SPDX-License-Identifier: GPL-3.0-or-later
"""Overrides of linked characters keep their settings, also where the linked file has never had any.

Blender makes a group of settings when it is first asked for. From 5.0 on, a group that an override has and
its linked original has not cannot be read from a file again: Blender reports that it expected an ID, and all
of the group is lost. So both are made complete before a file is saved.
"""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.handlers import persistent

from ..bridge.everything import armatures


@persistent
def before_saving(*_: object) -> None:
    for thing in armatures() if len(bpy.data.libraries) else ():
        override = thing.override_library
        if override is not None and override.reference is not None:
            original: Any = override.reference
            for each in (thing, original):
                _ask_for_groups(each.posewright)


def _ask_for_groups(group: Any) -> None:
    for each in group.bl_rna.properties:
        if each.type == "POINTER" and _is_of_groups(each.fixed_type):
            _ask_for_groups(getattr(group, each.identifier))


def _is_of_groups(kind: Any) -> bool:
    """Told by names: asking for the Python class of a type can crash Blender 4.2."""
    return kind.base is not None and kind.base.identifier == "PropertyGroup"


HANDLERS = ((bpy.app.handlers.save_pre, before_saving),)
