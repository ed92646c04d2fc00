# SPDX-License-Identifier: GPL-3.0-or-later
"""`Object.posewright.character`: what the user knows better of a character than what was found."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, StringProperty

from ..drawing import ghost_overlay
from .declared import OVERRIDABLE_LIST, nested, setting

FRONTS = (
    ("AUTO", "Automatic", "As its limbs, feet and spine tell"),
    *(
        (sign + axis, f"{word}{axis}", f"Along the armature's own axis {sign}{axis}")
        for axis in "XYZ"
        for sign, word in (("+", ""), ("-", "Minus "))
    ),
)


def _redraw(_group: Any, _context: bpy.types.Context) -> None:
    ghost_overlay.redraw()


def _name_pair(pair: CharacterPair, context: bpy.types.Context) -> None:
    """Blender loses the last item of an override's list if it has no name."""
    pair.name = f"{pair.left} {pair.right}"
    _redraw(pair, context)


def _bone(name: str, description: str) -> Any:
    return setting(StringProperty, name, f"{description}. Automatic where it is empty", update=_redraw)


class CharacterPair(bpy.types.PropertyGroup):
    """Two bones that are each other's counterpart"""

    left: setting(StringProperty, "Left", "The bone on the left", update=_name_pair)
    right: setting(StringProperty, "Right", "Its counterpart on the right", update=_name_pair)


class CharacterSettings(bpy.types.PropertyGroup):
    """What is shown of a character's description, and what is corrected of it"""

    show: setting(
        BoolProperty,
        "Show in Viewport",
        "Draw what was found over the character: its ground and front, hips, head, spine, limbs and feet",
        update=_redraw,
    )
    height: setting(
        FloatProperty,
        "Height",
        "How high the character is when it stands; errors are shares of it. Zero for automatic",
        min=0.0,
        subtype="DISTANCE",
        update=_redraw,
    )
    use_ground: setting(
        BoolProperty, "Set Ground", "Say how high the ground is that it stands on", update=_redraw
    )
    ground: setting(
        FloatProperty,
        "Ground",
        "The height in the scene that its feet stand on",
        subtype="DISTANCE",
        update=_redraw,
    )
    front: setting(EnumProperty, "Front", "Where it looks at rest", items=FRONTS, update=_redraw)
    hips: _bone("Hips", "The bone that carries the whole body")
    head: _bone("Head", "The bone that the head is")
    foot_left: _bone("Left Foot", "The foot of the left leg, on all fours of the hind leg")
    foot_right: _bone("Right Foot", "The foot of the right leg, on all fours of the hind leg")
    fore_foot_left: _bone("Left Fore Foot", "On all fours, the foot of the left front leg")
    fore_foot_right: _bone("Right Fore Foot", "On all fours, the foot of the right front leg")
    hand_left: _bone("Left Hand", "The hand of the left arm")
    hand_right: _bone("Right Hand", "The hand of the right arm")
    pairs: nested(
        CollectionProperty,
        "Pairs",
        "Bones on the left and on the right that belong together, besides those that were found",
        type=CharacterPair,
        override=OVERRIDABLE_LIST,
    )


CLASSES: tuple[type, ...] = (CharacterPair, CharacterSettings)
