# SPDX-License-Identifier: GPL-3.0-or-later
"""The algorithms' own options as Blender properties, made from core's registry."""

from __future__ import annotations

from typing import Any

import bpy

from ..core import ALGORITHMS
from ..core.selection import Algorithm, Option
from ..languages import OURS
from .declared import OVERRIDABLE


def algorithm_items() -> list[tuple[str, str, str]]:
    """The registered algorithms, as choices of a property."""
    return [(each.name, each.label, each.description) for each in ALGORITHMS.values()]


def _property(name: str, option: Option) -> Any:
    about: dict[str, Any] = {
        "name": name.replace("_", " ").title(),
        "description": option.description,
        "options": set(),
        "override": OVERRIDABLE,
        "translation_context": OURS,
    }
    if option.choices:
        items = [(choice, choice.capitalize(), "") for choice in option.choices]
        return bpy.props.EnumProperty(items=items, default=option.default, **about)
    if isinstance(option.default, bool):
        return bpy.props.BoolProperty(default=option.default, **about)
    whole = option.whole or isinstance(option.default, int)
    kind: Any = bpy.props.IntProperty if whole else bpy.props.FloatProperty
    cast = int if whole else float
    limits: dict[str, float | None] = {"min": option.minimum, "max": option.maximum}
    if option.default is None:
        # Blender has no empty numbers: zero stands for one.
        limits["min"] = 0
        about["description"] += ". Zero for automatic"
    return kind(
        default=cast(option.default or 0),
        **about,
        **{name: cast(limit) for name, limit in limits.items() if limit is not None},
    )


def _group(algorithm: Algorithm) -> type:
    fields = {name: _property(name, option) for name, option in algorithm.options.items()}
    return type(
        f"PosewrightOptions_{algorithm.name}",
        (bpy.types.PropertyGroup,),
        {"__annotations__": fields, "__doc__": f"Options of {algorithm.label}"},
    )


GROUPS: dict[str, type] = {
    name: _group(algorithm) for name, algorithm in ALGORITHMS.items() if algorithm.options
}

PosewrightOptions = type(
    "PosewrightOptions",
    (bpy.types.PropertyGroup,),
    {
        "__annotations__": {
            name: bpy.props.PointerProperty(
                name=ALGORITHMS[name].label,
                description="Settings that only this algorithm has",
                type=group,
                override=OVERRIDABLE,
            )
            for name, group in GROUPS.items()
        },
        "__doc__": "One group of options for each algorithm that has any",
    },
)

CLASSES: tuple[type, ...] = (*GROUPS.values(), PosewrightOptions)
