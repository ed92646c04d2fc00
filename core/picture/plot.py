# SPDX-License-Identifier: GPL-3.0-or-later
"""A line plot with logarithmic axes: error over compression, one curve an algorithm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..motion import FloatArray
from . import font
from .canvas import Canvas
from .colours import THEMES, Colour, Theme


@dataclass(frozen=True, eq=False)
class Curve:
    """One line of a plot. Values must be above zero to appear: both axes are logarithmic."""

    label: str
    x: FloatArray
    y: FloatArray


def draw_plot(
    curves: Sequence[Curve],
    *,
    title: str,
    x_label: str,
    y_label: str,
    width: int = 1200,
    height: int = 720,
    theme: str = "light",
) -> Canvas:
    """All curves over the same axes, with a legend; each has a colour and a mark of its own."""
    shown = [_positive(curve) for curve in curves]
    if not any(len(curve.x) for curve in shown):
        raise InputError("There is nothing to plot: no algorithm left an error above zero.")
    colours = THEMES[theme]
    text = max(height / 48.0, 9.0)
    canvas = Canvas(width, height, colours.background)
    legend = max(font.width(curve.label, text) for curve in curves) + 5.6 * text
    left = 3.8 * text + _widest_tick(shown, 0.9 * text)
    axes = _Axes.around(shown, left=left, top=4.5 * text, right=width - legend, bottom=height - 4.5 * text)
    canvas.text((axes.left, 2.4 * text), title, 1.2 * text, colours.ink)
    _draw_axes(canvas, axes, x_label, y_label, text, colours)
    for number, curve in enumerate(shown):
        colour = colours.series[number % len(colours.series)]
        points = np.stack([axes.across(curve.x), axes.down(curve.y)], axis=1)
        canvas.line(points, 0.18 * text, colour)
        for place in _spaced(points, 3.5 * text, shift=number / len(shown)):
            _MARKS[number % len(_MARKS)](canvas, place, 0.36 * text, colour, colours.background)
        _draw_legend_entry(
            canvas, number, curve.label, (width - legend + 1.5 * text, axes.top), text, colours
        )
    return canvas


def _positive(curve: Curve) -> Curve:
    kept = (curve.x > 0.0) & (curve.y > 0.0)
    return Curve(curve.label, curve.x[kept], curve.y[kept])


def _widest_tick(curves: Sequence[Curve], text: float) -> float:
    values = np.concatenate([curve.y for curve in curves])
    return max((font.width(f"{value:g}", text) for value in ticks(_padded(values))), default=0.0)


@dataclass(frozen=True)
class _Axes:
    """The box of a plot in pixels, and the range of values that it shows."""

    left: float
    top: float
    right: float
    bottom: float
    x_range: tuple[float, float]
    y_range: tuple[float, float]

    @classmethod
    def around(cls, curves: Sequence[Curve], **box: float) -> _Axes:
        x = np.concatenate([curve.x for curve in curves])
        y = np.concatenate([curve.y for curve in curves])
        return cls(**box, x_range=_padded(x), y_range=_padded(y))

    def across(self, x: FloatArray | float) -> FloatArray:
        return self.left + _share(x, self.x_range) * (self.right - self.left)

    def down(self, y: FloatArray | float) -> FloatArray:
        return self.bottom - _share(y, self.y_range) * (self.bottom - self.top)


def _padded(values: FloatArray) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    # A curve that does not change still needs an axis to stand on.
    factor = max((high / low) ** 0.04, 1.1)
    return low / factor, high * factor


def _share(values: FloatArray | float, limits: tuple[float, float]) -> FloatArray:
    low, high = np.log(limits)
    return (np.log(values) - low) / (high - low)


def ticks(limits: tuple[float, float], most: int = 9) -> list[float]:
    """Round values inside the limits of a logarithmic axis, as many as fit."""
    decades = range(int(np.floor(np.log10(limits[0]))), int(np.ceil(np.log10(limits[1]))) + 1)
    candidates: list[float] = []
    for steps in ((1, 1.5, 2, 3, 4, 5, 6, 8), (1, 2, 3, 5), (1, 2, 5), (1, 3), (1,)):
        candidates = [float(f"{step * 10.0**decade:.6g}") for decade in decades for step in steps]
        candidates = [value for value in candidates if limits[0] <= value <= limits[1]]
        if len(candidates) <= most:
            return candidates
    return candidates[:: int(np.ceil(len(candidates) / most))]


def _draw_axes(canvas: Canvas, axes: _Axes, x_label: str, y_label: str, text: float, theme: Theme) -> None:
    for value in ticks(axes.x_range):
        x = float(axes.across(value))
        canvas.line([[x, axes.top], [x, axes.bottom]], 1.0, theme.faint)
        canvas.text((x, axes.bottom + 1.6 * text), f"{value:g}", 0.9 * text, theme.ink, align=0.5)
    for value in ticks(axes.y_range):
        y = float(axes.down(value))
        canvas.line([[axes.left, y], [axes.right, y]], 1.0, theme.faint)
        canvas.text((axes.left - 0.7 * text, y + 0.45 * text), f"{value:g}", 0.9 * text, theme.ink, align=1.0)
    frame = [[axes.left, axes.top], [axes.left, axes.bottom], [axes.right, axes.bottom]]
    canvas.line(frame, 1.5, theme.ink)
    middle = ((axes.left + axes.right) / 2.0, (axes.top + axes.bottom) / 2.0)
    canvas.text((middle[0], axes.bottom + 3.6 * text), x_label, text, theme.ink, align=0.5)
    canvas.text((1.8 * text, middle[1]), y_label, text, theme.ink, align=0.5, turned=True)


def _draw_legend_entry(
    canvas: Canvas, number: int, label: str, corner: tuple[float, float], text: float, theme: Theme
) -> None:
    colour = theme.series[number % len(theme.series)]
    y = corner[1] + (2.0 * number + 1.0) * text
    canvas.line([[corner[0], y], [corner[0] + 2.2 * text, y]], 0.18 * text, colour)
    _MARKS[number % len(_MARKS)](
        canvas, np.array([corner[0] + 1.1 * text, y]), 0.36 * text, colour, theme.background
    )
    canvas.text((corner[0] + 3.0 * text, y + 0.5 * text), label, text, theme.ink)


def _spaced(points: FloatArray, apart: float, shift: float) -> FloatArray:
    """Points along a line at least `apart` from each other; both ends are always among few points."""
    if len(points) <= 12:
        return points
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    wanted = np.arange(shift * apart, along[-1], apart)
    return points[np.unique(np.searchsorted(along, wanted))]


_Mark = Callable[[Canvas, FloatArray, float, Colour, Colour], None]


def _disc(canvas: Canvas, at: FloatArray, radius: float, colour: Colour, _background: Colour) -> None:
    canvas.disc(at, radius, colour)


def _ring(canvas: Canvas, at: FloatArray, radius: float, colour: Colour, background: Colour) -> None:
    canvas.disc(at, 1.15 * radius, colour)
    canvas.disc(at, 0.6 * radius, (*background[:3], 1.0))


def _square(canvas: Canvas, at: FloatArray, radius: float, colour: Colour, _background: Colour) -> None:
    x, y = at
    canvas.rectangle(x - radius, y - radius, x + radius, y + radius, colour)


def _outline(*corners: tuple[float, float]) -> _Mark:
    shape = np.array([*corners, corners[0]])

    def draw(canvas: Canvas, at: FloatArray, radius: float, colour: Colour, _background: Colour) -> None:
        canvas.line(at + shape * 1.3 * radius, 0.55 * radius, colour)

    return draw


def _cross(canvas: Canvas, at: FloatArray, radius: float, colour: Colour, _background: Colour) -> None:
    for way in ((1.0, 1.0), (1.0, -1.0)):
        reach = np.array(way) * radius
        canvas.capsule(at - reach, at + reach, 0.35 * radius, colour)


_MARKS: tuple[_Mark, ...] = (
    _disc,
    _square,
    _ring,
    _outline((0.0, -1.0), (0.9, 0.7), (-0.9, 0.7)),
    _cross,
    _outline((0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)),
)
