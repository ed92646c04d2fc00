# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of the command line as an armature's settings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ..bridge.distil.solving import weight_presets

# The settings that words can change; lists and the algorithms' own options are looked after beside them.
_SINGLE = (
    "algorithm", "objective", "range_from", "range_start", "range_end", "sub_frames",
    "leave_out_first_pose", "loop", "bones_from",
    "space", "max_keys", "first_interpolation", "last_reduced",
)  # fmt: skip


def ask(armature: bpy.types.Object, settings: dict[str, Any]) -> None:
    """How keys are chosen; what was not said stays as the file has it."""
    asked = armature.posewright
    asked.algorithm, asked.objective = settings["algorithm"], settings["objective"]
    for name, value in settings["options"].items():
        setattr(getattr(asked.options, settings["algorithm"]), name, value)
    if settings["range"] is not None:
        asked.range_from = "NUMBERS"
        asked.range_start, asked.range_end = settings["range"]
    if settings["sub_frames"]:
        asked.sub_frames = True
    if settings["leave_out_first_pose"]:
        asked.leave_out_first_pose = True
    if settings["loop"] is not None:
        asked.loop = settings["loop"].upper()
    if settings["bones"] is not None:
        asked.bones_from = settings["bones"].upper()
    if settings["space"] is not None:
        asked.space = settings["space"]
    if settings["weights"] is not None:
        preset = settings["weights"].replace("-", " ")
        weight_presets.set_weights(armature, weight_presets.preset_weights(armature, preset))
    asked.max_keys = settings["keys"] or 0
    if settings.get("interpolation"):
        asked.first_interpolation = settings["interpolation"].upper()
    for frame in settings.get("fixed", ()):
        if all(each.frame != frame for each in asked.fixed_frames):
            asked.fixed_frames.add().frame = frame


@contextmanager
def asked_for_a_while(armature: bpy.types.Object, settings: dict[str, Any]) -> Iterator[None]:
    """The words as settings, and in the end those that the file had: people find their own in a result."""
    own = armature.posewright
    options = getattr(own.options, settings["algorithm"], None)
    places = [(own, name) for name in _SINGLE] + [(options, name) for name in settings["options"]]
    single = [(group, name, _value(group, name)) for group, name in places]
    lists = [(entries, _entries(entries)) for entries in (own.bone_weights, own.fixed_frames)]
    try:
        ask(armature, settings)
        yield
    finally:
        for group, name, value in single:
            if value is None:
                group.property_unset(name)
            else:
                setattr(group, name, value)
        for entries, before in lists:
            if _entries(entries) != before:
                _refill(entries, before)


def _value(group: Any, name: str) -> Any:
    """None where nobody has set it."""
    return getattr(group, name) if group.is_property_set(name) else None


def _entries(entries: Any) -> list[dict[str, Any]]:
    return [
        {
            each.identifier: getattr(entry, each.identifier)
            for each in entry.bl_rna.properties
            if not each.is_readonly
        }
        for entry in entries
    ]


def _refill(entries: Any, wanted: list[dict[str, Any]]) -> None:
    entries.clear()
    for values in wanted:
        entry = entries.add()
        for name, value in values.items():
            setattr(entry, name, value)
