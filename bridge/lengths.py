# SPDX-License-Identifier: GPL-3.0-or-later
"""Lengths as the scene writes them."""

from __future__ import annotations

import bpy

NOTHING = 5e-6  # metres: less would be written with more zeros than anybody counts


def length(context: bpy.types.Context, value: float) -> str:
    """In the scene's units."""
    units = context.scene.unit_settings
    if units.system == "NONE":
        return f"{value:.3g}"
    metres = value * units.scale_length
    return bpy.utils.units.to_string(
        units.system, "LENGTH", 0.0 if abs(metres) < NOTHING else metres, precision=3
    )
