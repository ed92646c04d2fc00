# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of F-curves as arrays, read once where somebody looks at them again and again.

Every attribute of every curve is a call to Blender: a character has hundreds of curves, and an analysis looks
at those of its source a dozen times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np

from ..core.motion import FloatArray

WIDTHS = {"co": 2, "handle_left": 2, "handle_right": 2}  # of what is a point; the others are whole numbers
KEPT_BYTES = 2**26  # values that curves have at more frames than that are read again

_Curve = dict[Any, np.ndarray]  # attributes by name, values by the frames that they were read at
_curves: dict[int, _Curve] = {}  # by address
_found: dict[int, dict[Any, Any]] = {}  # by the number of an action: what was found in it


@contextmanager
def read_once(action: bpy.types.Action, curves: Sequence[Any]) -> Iterator[None]:
    """For work in which nobody changes these curves of an action: what they say is read once."""
    number = action.session_uid
    if number in _found:  # by whoever does a larger work
        yield
        return
    addresses = {curve.as_pointer() for curve in curves}
    _found[number] = {}
    _curves.update((address, {}) for address in addresses)
    try:
        yield
    finally:
        del _found[number]
        for address in addresses:
            del _curves[address]


def found_once(action: bpy.types.Action, name: Any, find: Callable[[], Any]) -> Any:
    """What `find` finds in an action; found once while that is read once."""
    known = _found.get(action.session_uid)
    if known is None:
        return find()
    if name not in known:
        known[name] = find()
    return known[name]


def read(curve: Any, attribute: str) -> np.ndarray:
    """(n, 2) or (n,) of all keys of a curve, as Blender stores it; not to be written to."""
    kept = _curves.get(curve.as_pointer()) if _curves else None
    if kept is not None and attribute in kept:
        return kept[attribute]
    keys = curve.keyframe_points
    width = WIDTHS.get(attribute)
    if width is None:
        array = np.empty(len(keys), np.int32)
        keys.foreach_get(attribute, array)
    else:
        flat = np.empty(width * len(keys), np.float32)
        keys.foreach_get(attribute, flat)
        array = flat.reshape(-1, width)
    array.flags.writeable = False  # others will be given the same
    if kept is not None:
        kept[attribute] = array
    return array


def known_values(curves: Sequence[Any], frames: FloatArray) -> FloatArray | None:
    """(F, C) what curves were found to play at the frames; None where some were not read there."""
    if not _curves or not len(curves):
        return None
    name = frames.tobytes()
    columns = [_curves.get(curve.as_pointer(), {}).get(name) for curve in curves]
    known = [column for column in columns if column is not None]
    return np.stack(known, axis=1) if len(known) == len(columns) else None


def keep_values(curves: Sequence[Any], frames: FloatArray, values: FloatArray) -> None:
    """Keep what curves play at the frames, of those that are read once."""
    if not _curves or values.nbytes > KEPT_BYTES:
        return
    name = frames.tobytes()
    for curve, column in zip(curves, values.T.copy(), strict=True):
        kept = _curves.get(curve.as_pointer())
        if kept is not None:
            kept[name] = column
