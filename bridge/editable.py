# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an armature may be changed."""

from __future__ import annotations

import bpy

from ..core import InputError


def check_editable(armature: bpy.types.Object) -> None:
    """Say why Posewright cannot work on this armature, if it cannot."""
    if armature.library is not None or (armature.data.library is None and not armature.is_editable):
        raise InputError(
            "{armature} is linked from another file: make a library override of it first "
            "(Object > Library Override > Make).",
            armature=armature.name,
        )
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
