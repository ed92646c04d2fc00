# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an armature may be changed."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_n as n_

from ..core import InputError

LINKED = n_(
    "{armature} is linked from another file: make a library override of it first "
    "(Object > Library Override > Make)."
)


def check_editable(armature: bpy.types.Object) -> None:
    """Say why Posewright cannot work on this armature, if it cannot."""
    if armature.library is not None or (armature.data.library is None and not armature.is_editable):
        raise InputError(LINKED, armature=armature.name)
    override = armature.override_library
    if override is not None and override.is_system_override:
        raise InputError(
            "{armature} is an override that is not editable: make it editable in the Outliner first.",
            armature=armature.name,
        )
    data = armature.animation_data
    if data is not None and data.use_tweak_mode:
        raise InputError(
            "{armature} is in the NLA's tweak mode: leave it with Tab in the NLA Editor first.",
            armature=armature.name,
        )


def is_linked_instance(thing: bpy.types.Object | None) -> bool:
    """Whether it shows a character of another file, as File > Link leaves one: with no armature here."""
    collection = None if thing is None else thing.instance_collection
    if collection is None or collection.library is None:
        return False
    return any(each.type == "ARMATURE" for each in collection.all_objects)
