# SPDX-License-Identifier: GPL-3.0-or-later
"""Lengths as the scene writes them."""

from __future__ import annotations

import bpy


def length(context: bpy.types.Context, value: float) -> str:
    """In the scene's units."""
    units = context.scene.unit_settings
    if units.system == "NONE":
        return f"{value:.3g}"
    return bpy.utils.units.to_string(units.system, "LENGTH", value * units.scale_length, precision=3)
