# SPDX-License-Identifier: GPL-3.0-or-later
"""A small plot of the error over the number of keys, quick enough to follow a slider."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..motion import FloatArray, IntArray
from ..sweet_spots import VISIBLE_ERROR
from . import font
from .canvas import Canvas, Pixels
from .colours import THEMES, Colour
from .plot import ticks


@dataclass(frozen=True, eq=False)
class ErrorPlot:
    """Both axes are logarithmic: what the first few keys do needs as much room as all that follow.

    They have numbers and no names: what is drawn here has no letters for every language.

    Attributes:
        counts: (S,) ascending numbers of keys.
        errors: (S,) the error of each, a share of the character's height.
        spots: the counts among them to mark.
        width, height: pixels.
        text: height of capitals in pixels, by which everything else is scaled.
        ink: of axes and labels; where it is light, colours for a dark background are taken.
    """

    counts: IntArray
    errors: FloatArray
    spots: IntArray
    width: int
    height: int
    text: float
    ink: Colour

    def at(self, count: int) -> Canvas:
        """The plot with a mark at a number of keys."""
        canvas = Canvas(self.width, self.height)
        canvas.pixels[:] = self._background
        colour = self._colours[1]
        count = int(np.clip(count, self.counts[0], self.counts[-1]))
        x, y = self._place(np.array([count]), np.interp([count], self.counts, self._shown))[0]
        thick = self.text / 6.0
        canvas.rectangle(x - thick / 2.0, self._top, x + thick / 2.0, self._bottom, (*colour[:3], 0.6))
        canvas.disc((x, y), 0.55 * self.text, colour)
        return canvas

    @cached_property
    def _colours(self) -> tuple[Colour, ...]:
        return THEMES["dark" if np.mean(self.ink[:3]) > 0.5 else "light"].series

    @cached_property
    def _shown(self) -> FloatArray:
        """Errors that can be drawn: above zero, and no smaller than what can be seen in a motion."""
        largest = max(float(self.errors.max()), 1e-9)
        return np.maximum(self.errors, min(VISIBLE_ERROR, largest / 10.0))

    @cached_property
    def _limits(self) -> tuple[float, float]:
        low, high = np.log10(self._shown.min()), np.log10(self._shown.max())
        room = 0.08 * max(high - low, 0.5)
        return low - room, high + room

    @cached_property
    def _error_ticks(self) -> dict[float, str]:
        """Round errors with their labels."""
        low, high = self._limits
        return {value: f"{100.0 * value:.3g}%" for value in ticks((10.0**low, 10.0**high), most=6)}

    @cached_property
    def _left(self) -> float:
        """Room for the longest label, which small errors need more of."""
        widest = max((font.width(label, self.text) for label in self._error_ticks.values()), default=0.0)
        return max(4.6 * self.text, widest + self.text)

    @property
    def _right(self) -> float:
        return self.width - 1.2 * self.text

    @property
    def _top(self) -> float:
        return self.text

    @property
    def _bottom(self) -> float:
        return self.height - 2.2 * self.text

    def _place(self, counts: FloatArray | IntArray, errors: FloatArray) -> FloatArray:
        """(N, 2) pixels."""
        low, high = self._limits
        first, last = np.log(self.counts[0]), np.log(max(self.counts[-1], self.counts[0] + 1))
        across = (np.log(counts) - first) / (last - first)
        up = (np.log10(errors) - low) / (high - low)
        return np.stack(
            [
                self._left + across * (self._right - self._left),
                self._bottom - up * (self._bottom - self._top),
            ],
            axis=-1,
        )

    @cached_property
    def _background(self) -> Pixels:
        """Everything but the mark."""
        canvas = Canvas(self.width, self.height)
        self._draw_axes(canvas)
        line, spot = self._colours[0], self._colours[2]
        step = max(1, len(self.counts) // max(self.width, 1))
        rows = np.unique(np.append(np.arange(0, len(self.counts), step), len(self.counts) - 1))
        canvas.line(self._place(self.counts[rows], self._shown[rows]), 0.26 * self.text, line)
        for place in self._place(self.spots, self._shown[np.searchsorted(self.counts, self.spots)]):
            canvas.disc(place, 0.42 * self.text, spot)
        return canvas.pixels

    def _draw_axes(self, canvas: Canvas) -> None:
        faint = (*self.ink[:3], 0.16)
        margin = self._left - 0.6 * self.text
        below = self._bottom + 1.7 * self.text
        for value, label in self._error_ticks.items():
            y = float(self._place(self.counts[:1], np.array([value]))[0, 1])
            canvas.rectangle(self._left, y - 0.5, self._right, y + 0.5, faint)
            place = (margin, y + 0.5 * self.text)
            canvas.text(place, label, self.text, self.ink, align=1.0)
        for value in ticks((float(self.counts[0]), float(self.counts[-1])), most=6):
            count = round(value)
            x = float(self._place(np.array([count]), self._shown[:1])[0, 0])
            canvas.rectangle(x - 0.5, self._top, x + 0.5, self._bottom, faint)
            canvas.text((x, below), str(count), self.text, self.ink, align=0.5)
