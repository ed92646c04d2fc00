# SPDX-License-Identifier: GPL-3.0-or-later
"""Saliency over time: what stands out, which frames are candidates, and which became keys.

After Figs. 3 and 4 of Halit and Capin, "Multiscale motion saliency for keyframe extraction from motion
capture sequences", which show one curve; here all components are added up, each as much as it carries.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..motion import FloatArray, IntArray
from .canvas import Canvas
from .colours import THEMES, Theme

_STEPS = (1, 2, 5, 10)


def draw_saliency(
    frames: FloatArray,
    values: FloatArray,
    candidates: NDArray[np.bool_],
    keys: IntArray,
    *,
    title: str,
    width: int = 1600,
    height: int = 480,
    theme: str = "light",
) -> Canvas:
    """The curve over frame numbers, candidates thick, keys as dots on it.

    Args:
        frames: (F,) ascending frame numbers.
        values: (F,) saliency; only its course matters, it has no unit.
        candidates: (F,) frames that stand out in some component.
        keys: rows that became keys.
    """
    highest = float(values.max(initial=0.0))
    if len(frames) < 2 or highest <= 0.0:
        raise InputError("Nothing stands out in this motion: it holds still, or it is too short.")
    colours = THEMES[theme]
    text = max(height / 32.0, 9.0)
    left, right, top, bottom = 3.0 * text, width - 2.0 * text, 4.5 * text, height - 4.5 * text
    canvas = Canvas(width, height, colours.background)
    across = left + (frames - frames[0]) / (frames[-1] - frames[0]) * (right - left)
    points = np.stack([across, bottom - values / highest * (bottom - top)], axis=1)
    canvas.text((left, 2.4 * text), title, 1.2 * text, colours.ink)
    _draw_frame_numbers(canvas, frames, (left, right, top, bottom), text, colours)
    canvas.line(points, 0.12 * text, colours.ink)
    for first, last in _runs(candidates):
        canvas.line(points[first : last + 1], 0.3 * text, colours.series[0])
    for at in points[keys]:
        canvas.disc(at, 0.38 * text, colours.series[1])
    return canvas


def _draw_frame_numbers(
    canvas: Canvas, frames: FloatArray, box: tuple[float, float, float, float], text: float, theme: Theme
) -> None:
    left, right, top, bottom = box
    span = float(frames[-1] - frames[0])
    for frame in _round_numbers(float(frames[0]), float(frames[-1])):
        x = left + (frame - frames[0]) / span * (right - left)
        canvas.line([[x, top], [x, bottom]], 1.0, theme.faint)
        canvas.text((x, bottom + 1.8 * text), f"{frame:g}", text, theme.ink, align=0.5)
    canvas.line([[left, bottom], [right, bottom]], 1.5, theme.ink)
    legend = "frame    (thick: stands out more than the average; dots: suggested keys)"
    canvas.text(((left + right) / 2.0, bottom + 3.8 * text), legend, text, theme.ink, align=0.5)


def _round_numbers(first: float, last: float, most: int = 12) -> FloatArray:
    """Round frame numbers between two others, as many as fit."""
    decade = 10.0 ** np.floor(np.log10((last - first) / most))
    step = next(factor * decade for factor in _STEPS if (last - first) / (factor * decade) <= most)
    return np.arange(np.ceil(first / step), np.floor(last / step) + 1.0) * step


def _runs(chosen: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last row of every stretch of chosen rows that is more than one row long."""
    edges = np.diff(np.concatenate([[0], chosen.astype(np.int8), [0]]))
    pairs = zip(np.flatnonzero(edges > 0).tolist(), (np.flatnonzero(edges < 0) - 1).tolist(), strict=True)
    return [(first, last) for first, last in pairs if last > first]
