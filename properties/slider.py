# SPDX-License-Identifier: GPL-3.0-or-later
"""A slider over the numbers of keys that an analysis offers; up to every frame can be typed.

Blender fixes the range of a property when it is declared, and every analysis has its own. So a property is
declared for each range as a panel first needs it: a view of `key_count`, which alone is stored. Nothing may
be declared while a panel is drawn, hence the timer; until then the panel shows `key_count` itself.
"""

from __future__ import annotations

import bpy
from bpy.props import IntProperty

from .armature import PosewrightObject
from .declared import OVERRIDABLE

_declared: set[str] = set()
_wanted: set[tuple[int, int, int]] = set()


def name_for(fewest: int, most: int, frames: int) -> str:
    """The property to show for a range; an ordinary one until it is declared."""
    name = _name(fewest, most, frames)
    if name in _declared:
        return name
    _wanted.add((fewest, most, frames))
    if not bpy.app.background and not bpy.app.timers.is_registered(_declare_wanted):
        bpy.app.timers.register(_declare_wanted)
    return "key_count"


def _name(fewest: int, most: int, frames: int) -> str:
    return f"key_count_{fewest}_to_{most}_of_{frames}"


def _get(group: PosewrightObject) -> int:
    return group.key_count


def _set(group: PosewrightObject, value: int) -> None:
    group.key_count = value


def _declare_wanted() -> None:
    plain = PosewrightObject.bl_rna.properties["key_count"]
    for fewest, most, frames in _wanted:
        declared = IntProperty(
            name=plain.name,
            description=plain.description,
            translation_context=plain.translation_context,
            min=fewest,
            soft_max=max(most, fewest + 1),
            max=max(frames, fewest + 1),
            options=set(),
            override=OVERRIDABLE,
            get=_get,
            set=_set,
        )
        setattr(PosewrightObject, _name(fewest, most, frames), declared)
        _declared.add(_name(fewest, most, frames))
    _wanted.clear()
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            area.tag_redraw()


def unregister() -> None:
    """Take the declared properties away; Blender must not find them after Python has ended."""
    if bpy.app.timers.is_registered(_declare_wanted):
        bpy.app.timers.unregister(_declare_wanted)
    for name in _declared:
        delattr(PosewrightObject, name)
    _declared.clear()
    _wanted.clear()
