# SPDX-License-Identifier: GPL-3.0-or-later
"""What an F-curve is besides its keys, to make one that was removed again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import actions

LOOKS = ("mute", "extrapolation", "auto_smoothing", "lock", "hide", "color_mode", "color")


@dataclass(frozen=True)
class CurveSettings:
    """How a curve plays and looks, and its modifiers: their types, settings, and points of envelopes."""

    looks: dict[str, Any]
    modifiers: list[tuple[str, dict[str, Any], list[tuple[float, float, float]]]]


def read_settings(curve: Any) -> CurveSettings:
    looks = {name: getattr(curve, name) for name in LOOKS}
    looks["color"] = tuple(looks["color"])
    return CurveSettings(
        looks,
        [
            (modifier.type, dict(actions.modifier_settings(modifier)), actions.envelope_points(modifier))
            for modifier in curve.modifiers
        ],
    )


def give_settings(curve: Any, settings: CurveSettings) -> None:
    """Give them to any curve, whatever modifiers it has."""
    if read_settings(curve) == settings:
        return
    for modifier in list(curve.modifiers):
        curve.modifiers.remove(modifier)
    write_settings(curve, settings)


def write_settings(curve: Any, settings: CurveSettings) -> None:
    """Give them to a curve without modifiers."""
    for name, value in settings.looks.items():
        setattr(curve, name, value)
    for kind, values, points in settings.modifiers:
        modifier = curve.modifiers.new(kind)
        order = values.get("poly_order")
        if order is not None:  # by which the number of coefficients goes
            modifier.poly_order = order
        for name, value in values.items():
            if not modifier.bl_rna.properties[name].is_readonly:
                setattr(modifier, name, value)
        if points:
            _add_points(modifier.control_points, points)


def _add_points(added: Any, points: list[tuple[float, float, float]]) -> None:
    """Add the points of an envelope.

    All is set at once: where a single value is set, every Blender takes the point for a whole modifier, reads
    on behind it, and crashes by chance (`rna_FModifier_update`). Several may be on one frame, where it adds
    no second one.
    """
    for number in range(len(points)):
        added.add(number)
    for name, values in zip(("frame", "min", "max"), zip(*points, strict=True), strict=True):
        added.foreach_set(name, values)
