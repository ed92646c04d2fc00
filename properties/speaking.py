# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of an armature that speak for the reduced action that plays, and do at once what they say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

from ..bridge.character.part_names import called
from ..bridge.distil import reduced_action, reductions
from ..bridge.distil.editing import shown_original, stagger
from ..bridge.distil.solving import best_frames
from ..bridge.spoken import spoken
from ..core import InputError
from ..handlers import busy, reading, wishes
from .choices import HOLDS, INTERPOLATIONS

FORMS = [form for form, _, _ in HOLDS]
WAYS = [way for way, _, _ in INTERPOLATIONS]
_PART_ITEMS: list[tuple[str, str, str]] = []


def guarded(group: Any, service: Callable[..., Any], *arguments: Any) -> None:
    """Do what a written property asks for. A callback cannot report, so a problem is kept for the panel."""
    armature: Any = group.id_data
    if reading.is_under_way():
        return
    if reductions.find(armature) is None and armature.posewright.last_reduced is None:
        return  # never analysed: there is nothing that could be meant
    try:
        if busy.why_busy():  # a panel is grey then, but a script can write: two would work on the same keys
            raise InputError(busy.why_busy())
        busy.stop_background()
        service(armature, *arguments)
        group.problem = ""
    except InputError as problem:
        group.problem = spoken(problem)


def speak(name: str, silent: Any) -> Callable[[Any], Any]:
    """What the reduction that plays says, or something for an armature that has none."""

    def get(group: Any) -> Any:
        found = reductions.find(group.id_data)
        return silent if found is None else getattr(found.state, name)

    return get


def write_key_count(group: Any, count: int) -> None:
    guarded(group, _bake, count)


def _bake(armature: bpy.types.Object, count: int) -> None:
    """In a window, solving for more keys than were offered is work for the background."""
    best_frames.check_count(reductions.get(armature), count)
    if wishes.can_wait() and best_frames.is_further(reductions.get_own(armature), count):
        wishes.ask(armature, count)
    else:
        best_frames.bake(armature, count)


def read_interpolation(group: Any) -> int:
    return WAYS.index(reductions.way_of(group.id_data))


def write_interpolation(group: Any, number: int) -> None:
    if not reading.is_under_way():
        group.first_interpolation = WAYS[number]
    if reductions.find(group.id_data) is not None:
        guarded(group, _rekey, WAYS[number])


def _rekey(armature: bpy.types.Object, way: str) -> None:
    """In a window, the keys at hand are shown in the new way until others are found for it."""
    if not wishes.can_wait():
        best_frames.rekey(armature, way)
        return
    count = reduced_action.rekey(armature, way)
    if best_frames.has_other_frames(reductions.get(armature)):
        wishes.ask(armature, count)


def write_detail(group: Any, strength: float) -> None:
    guarded(group, reduced_action.set_detail, strength)


def read_hold(group: Any) -> int:
    found = reductions.find(group.id_data)
    return FORMS.index(found.state.hold) if found is not None and found.state.hold in FORMS else 0


def write_hold(group: Any, number: int) -> None:
    guarded(group, reduced_action.set_hold, FORMS[number])


def part_items(group: Any, _context: bpy.types.Context | None) -> list[tuple[str, str, str]]:
    owner = group.id_data  # any object has these settings, and scripts and the outliner ask all of them
    parts = [(part, called(part), "") for part in stagger.parts(owner)] if owner.type == "ARMATURE" else []
    # Blender keeps no texts of its own: those that it shows have to go on being there.
    _PART_ITEMS[:] = [
        *parts,
        (stagger.SELECTED, "Selected Bones", "The bones that are selected in Pose Mode"),
    ]
    return _PART_ITEMS


def read_stagger(group: Any) -> int:
    found = reductions.find(group.id_data)
    return 0 if found is None else stagger.frames_of(group.id_data, found.action, group.stagger_part)


def write_stagger(group: Any, frames: int) -> None:
    guarded(group, reduced_action.set_stagger, group.stagger_part, frames)


def shows_original(group: Any) -> bool:
    found = reductions.find(group.id_data)
    return found is not None and found.shows_original


def show_original(group: Any, shown: bool) -> None:
    guarded(group, shown_original.show, shown)


def sync_markers(group: Any, context: bpy.types.Context) -> None:
    guarded(group, reduced_action.sync_markers, context.scene)
