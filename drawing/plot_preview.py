# SPDX-License-Identifier: GPL-3.0-or-later
"""The plots of panels: preview images, drawn at the size at which they are shown.

Panels cannot draw, but they can show previews. Only the mark is drawn anew while the slider or the frame
moves. Previews are square: what is wide is shown as several side by side.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import bpy
import bpy.utils.previews
import numpy as np

from ..bridge.distil import measuring
from ..bridge.distil.reductions import Reduction
from ..core.picture import Canvas
from ..core.picture.canvas import Pixels
from ..core.picture.colours import Colour
from ..core.picture.contact_plot import ContactPlot, stance_mark
from ..core.picture.error_plot import ErrorPlot
from .contact_lanes import lanes_of

KEPT = 8  # pictures, for several characters and sidebars
PADDING = 8  # pixels that Blender leaves around a preview
MARK = 32  # pixels of a mark in a line of text, which Blender shows smaller


class Plot(Protocol):
    """A picture with a mark that moves."""

    def at(self, mark: float, /) -> Canvas: ...


@dataclass
class _Shown:
    plot: Plot
    previews: list[Any]  # from left to right
    mark: float | None = None

    def icons(self, mark: float) -> list[int]:
        if self.mark != mark:
            parts = np.split(self.plot.at(mark).pixels, len(self.previews), axis=1)
            for preview, pixels in zip(self.previews, parts, strict=True):
                preview.image_pixels.foreach_set(_packed(pixels))
            self.mark = mark
        return [preview.icon_id for preview in self.previews]


_previews: Any = None
_shown: OrderedDict[str, _Shown] = OrderedDict()


def error_icon(context: bpy.types.Context, reduction: Reduction, units: float) -> int:
    """The icon of a reduction's errors, for a square of so many interface units."""
    size, ink, scale = _size(context, units), _ink(context), context.preferences.system.ui_scale
    name = f"errors {reduction.state.token} {size} {ink}"
    shown = _find(name, 1, size, lambda: _error_plot(reduction, size, scale, ink))
    return shown.icons(reduction.state.key_count)[0]


def contact_icons(context: bpy.types.Context, reduction: Reduction, units: float, count: int) -> list[int]:
    """The icons of its contacts over time, for so many squares side by side."""
    size, ink, scale = _size(context, units), _ink(context), context.preferences.system.ui_scale
    first, last = (float(frame) for frame in reduction.analysis().frames[[0, -1]])
    lanes = lanes_of(reduction)
    name = f"contacts {first} {last} {count} {size} {ink} {lanes}"
    shown = _find(
        name,
        count,
        size,
        lambda: ContactPlot(lanes, first, last, count * size, size, 7.0 * scale, ink, count),
    )
    return shown.icons(context.scene.frame_current_final)


def stance_icon(context: bpy.types.Context, side: int, stands: bool) -> int:
    """The icon before the name of what stands or not, in the colour that its lane has."""
    ink, previews = _ink(context), _all_previews()
    name = f"stance {side} {stands} {ink}"
    if name not in previews:
        preview = previews.new(name)
        preview.icon_size = (MARK, MARK)
        preview.icon_pixels.foreach_set(_packed(stance_mark(MARK, side, stands, ink).pixels))
    return previews[name].icon_id


def _size(context: bpy.types.Context, units: float) -> int:
    """Pixels of a preview that is shown so large."""
    system = context.preferences.system
    unit = round(18.0 * system.ui_scale) + 2.0 * system.pixel_size
    return max(int(unit * units) - PADDING, 32)


def _ink(context: bpy.types.Context) -> Colour:
    red, green, blue = context.preferences.themes[0].user_interface.wcol_regular.text
    return red, green, blue, 0.8


def _find(name: str, count: int, size: int, make: Callable[[], Plot]) -> _Shown:
    """What is shown under a name, made if it is not."""
    if name not in _shown:
        previews = [_all_previews().new(f"{name} {number}") for number in range(count)]
        for preview in previews:
            preview.image_size = (size, size)
        _shown[name] = _Shown(make(), previews)
        while len(_shown) > KEPT:
            oldest, shown = _shown.popitem(last=False)
            for number in range(len(shown.previews)):
                del _all_previews()[f"{oldest} {number}"]
    _shown.move_to_end(name)
    return _shown[name]


def _all_previews() -> Any:
    global _previews
    if _previews is None:
        _previews = bpy.utils.previews.new()
    return _previews


def _error_plot(reduction: Reduction, size: int, scale: float, ink: Colour) -> ErrorPlot:
    analysis = reduction.analysis()
    return ErrorPlot(
        counts=analysis.solutions.counts,
        errors=analysis.estimated_errors[0] / measuring.estimated(reduction).height,
        spots=measuring.sweet_spots_of(reduction),
        width=size,
        height=size,
        text=7.0 * scale,
        ink=ink,
    )


def _packed(pixels: Pixels) -> np.ndarray:
    """Pixels as whole numbers, rows from the bottom; previews take colours multiplied by alpha."""
    colours = np.clip(pixels[::-1] * 255.0 + 0.5, 0.0, 255.0).astype(np.uint8)
    return np.ascontiguousarray(colours).view(np.int32).ravel()


def register() -> None:
    pass


def unregister() -> None:
    global _previews
    _shown.clear()
    if _previews is not None:
        bpy.utils.previews.remove(_previews)
        _previews = None
