# SPDX-License-Identifier: GPL-3.0-or-later
"""Detail: what the reduced action lost, kept as a layer of its own in the NLA with a strength."""

from __future__ import annotations

import bpy

from .analysis import Analysis


def refresh(armature: bpy.types.Object, analysis: Analysis) -> None:
    pass


def pause(armature: bpy.types.Object, paused: bool) -> None:
    pass


def remove(armature: bpy.types.Object) -> None:
    pass


def set_strength(armature: bpy.types.Object) -> None:
    pass
