# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the ghosts in the viewport."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty

from ..drawing import ghost_overlay
from .declared import setting


def _shown_changed(_self: Any, _context: bpy.types.Context) -> None:
    ghost_overlay.synchronise()


def _look_changed(_self: Any, _context: bpy.types.Context) -> None:
    ghost_overlay.redraw()


class GhostSettings(bpy.types.PropertyGroup):
    """How key poses are shown over the scene; `Scene.posewright.ghosts`."""

    show: setting(
        BoolProperty,
        "Ghosts",
        "Show the key poses of the active armature, from early (blue) to late (yellow)",
        update=_shown_changed,
    )
    filmstrip: setting(
        BoolProperty,
        "Filmstrip",
        ("Show the key poses along the bottom of the viewport: click one to go there, drag it to retime it"),
        update=_shown_changed,
    )
    skin: setting(
        BoolProperty,
        "Skin",
        "Show the character's mesh instead of its bones, where that is fast enough",
        update=_look_changed,
    )
    labels: setting(
        BoolProperty,
        "Frame Numbers",
        "Write the number of its frame above each ghost",
        default=True,
        update=_look_changed,
    )
    paths: setting(
        BoolProperty,
        "Paths",
        "Show where the bones selected in Pose Mode go, with a dot at every key",
        update=_look_changed,
    )
    opacity: setting(
        FloatProperty,
        "Opacity",
        (
            "How strong the ghosts are that are not at the current frame: low values leave the "
            "character in front, 1 shows all alike"
        ),
        default=0.5,
        min=0.05,
        max=1.0,
        subtype="FACTOR",
        update=_look_changed,
    )
    spread: setting(
        FloatProperty,
        "Spread Out",
        (
            "Place ghosts side by side, so many widths of a pose apart, for motion on the spot. "
            "Zero leaves them where the character is at those frames"
        ),
        default=0.0,
        min=0.0,
        soft_max=3.0,
        max=20.0,
        update=_look_changed,
    )
    direction: setting(
        EnumProperty,
        "Direction",
        "Which way the ghosts are spread out",
        items=[
            ("VIEW", "View", "To the right as you look"),
            ("X", "X", "Along the world's X axis"),
            ("Y", "Y", "Along the world's Y axis"),
            ("Z", "Z", "Upwards"),
        ],
        update=_look_changed,
    )
    between: setting(
        IntProperty,
        "In-Betweens",
        "How many grey poses to show between two keys, to see how the character gets there",
        default=0,
        min=0,
        soft_max=6,
        max=60,
        update=_look_changed,
    )
    most: setting(
        IntProperty,
        "Most Ghosts",
        "With more keys than this, only some are shown, evenly chosen: fewer are faster to draw",
        default=60,
        min=2,
        max=300,
        update=_look_changed,
    )


CLASSES = (GhostSettings,)
