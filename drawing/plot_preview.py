# SPDX-License-Identifier: GPL-3.0-or-later
"""The error plot of a panel: a preview image, drawn at the size at which it is shown.

Panels cannot draw, but they can show previews. Only the mark is drawn anew while the slider moves.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import bpy
import bpy.utils.previews
import numpy as np

from ..bridge.distil import measuring
from ..bridge.distil.reductions import Reduction
from ..core.picture import Canvas
from ..core.picture.error_plot import ErrorPlot

KEPT = 4  # plots, for several characters and sidebars
PADDING = 8  # pixels that Blender leaves around a preview


@dataclass
class _Shown:
    plot: ErrorPlot
    preview: Any
    count: int = -1


_previews: Any = None
_shown: OrderedDict[str, _Shown] = OrderedDict()


def icon_of(context: bpy.types.Context, reduction: Reduction, units: float) -> int:
    """The icon of a reduction's plot, for a square of so many interface units."""
    system = context.preferences.system
    unit = round(18.0 * system.ui_scale) + 2.0 * system.pixel_size
    size = max(int(unit * units) - PADDING, 32)
    ink = tuple(context.preferences.themes[0].user_interface.wcol_regular.text)
    name = f"{reduction.state.token} {size} {ink}"
    if name not in _shown:
        _shown[name] = _Shown(_plot(reduction, size, system.ui_scale, ink), _new_preview(name, size))
        while len(_shown) > KEPT:
            oldest, _ = _shown.popitem(last=False)
            del _previews[oldest]
    shown = _shown[name]
    _shown.move_to_end(name)
    count = reduction.state.key_count
    if shown.count != count:
        shown.preview.image_pixels.foreach_set(_packed(shown.plot.at(count)))
        shown.count = count
    return shown.preview.icon_id


def _plot(reduction: Reduction, size: int, scale: float, ink: tuple[float, ...]) -> ErrorPlot:
    analysis = reduction.analysis()
    return ErrorPlot(
        counts=analysis.solutions.counts,
        errors=analysis.estimated_errors[0] / measuring.estimated(reduction).height,
        spots=measuring.sweet_spots_of(analysis),
        width=size,
        height=size,
        text=7.0 * scale,
        ink=(ink[0], ink[1], ink[2], 0.8),
    )


def _new_preview(name: str, size: int) -> Any:
    global _previews
    if _previews is None:
        _previews = bpy.utils.previews.new()
    preview = _previews.new(name)
    preview.image_size = (size, size)
    return preview


def _packed(canvas: Canvas) -> np.ndarray:
    """Pixels as whole numbers, rows from the bottom; previews take colours multiplied by alpha."""
    colours = np.clip(canvas.pixels[::-1] * 255.0 + 0.5, 0.0, 255.0).astype(np.uint8)
    return np.ascontiguousarray(colours).view(np.int32).ravel()


def register() -> None:
    pass


def unregister() -> None:
    global _previews
    _shown.clear()
    if _previews is not None:
        bpy.utils.previews.remove(_previews)
        _previews = None
