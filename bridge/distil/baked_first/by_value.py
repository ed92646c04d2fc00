# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties that are baked as the numbers that they are, of whatever they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ....core.motion import FloatArray
from ... import actions
from ...actions import Channel
from ...baking import Keys, write_keys


def is_there(owner: Any, curve: Any) -> bool:
    """Whether what a curve animates has a value: the bone or the property may be another character's."""
    try:
        _number(owner, curve.data_path, curve.array_index)
    except (ValueError, TypeError, IndexError, KeyError):
        return False
    return True


def read(owner: Any, channels: Sequence[Channel]) -> list[float]:
    """What the channels of an ID are now."""
    return [_number(owner, each.path, each.index) for each in channels]


def write(
    owner: Any,
    action: bpy.types.Action,
    slot: Any | None,
    channels: Sequence[Channel],
    frames: FloatArray,
    values: FloatArray,
) -> None:
    """A key on every frame, (F, C) values; choices and whole numbers jump from one to the next."""
    bag = actions.bag_of(action, slot, create=True)
    whole = np.array([_is_whole(owner, each) for each in channels], bool)
    for chosen, interpolation in ((~whole, "LINEAR"), (whole, "CONSTANT")):
        columns = np.flatnonzero(chosen)
        curves = actions.ensure_curves(bag, [channels[column] for column in columns])
        write_keys(curves, Keys(frames, values[:, columns], interpolation=interpolation))


def _number(owner: Any, path: str, index: int) -> float:
    """The value of a property as an F-curve has it."""
    value = owner.path_resolve(path)
    if isinstance(value, str):  # a choice, such as the order of rotations
        before, _, name = path.rpartition(".")
        thing = owner.path_resolve(before) if before else owner
        return float(thing.bl_rna.properties[name].enum_items[value].value)
    return float(value if isinstance(value, bool | int | float) else value[index])


def _is_whole(owner: Any, channel: Channel) -> bool:
    value: Any = owner.path_resolve(channel.path)
    if not isinstance(value, bool | int | float | str):
        value = value[channel.index]
    return not isinstance(value, float)
