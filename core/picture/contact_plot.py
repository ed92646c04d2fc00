# SPDX-License-Identifier: GPL-3.0-or-later
"""A small strip of contacts over time: a row for each foot or hand, a bar where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from . import font
from .canvas import Canvas, Pixels
from .colours import THEMES, Colour, Theme

Stretch = tuple[float, float]  # first and last frame


@dataclass(frozen=True)
class Lane:
    """What stands when.

    Attributes:
        side: -1 left, 0 in the middle, 1 right.
        stretches: in which it stands. by_hand: in which the user has said so, or that it does not.
    """

    side: int
    stretches: Sequence[Stretch]
    by_hand: Sequence[Stretch] = ()


def stance_mark(size: int, side: int, stands: bool, ink: Colour) -> Canvas:
    """A disc in the colour of a side's lanes, for the names beside them; a ring while it does not stand."""
    canvas, colour = Canvas(size, size), theme_for(ink).side(side)
    middle, radius, line = size / 2.0, size / 3.5, size / 10.0
    if stands:
        canvas.disc((middle, middle), radius, colour)
    else:
        around = np.linspace(0.0, 2.0 * np.pi, 25)
        rim = middle + (radius - line / 2.0) * np.stack([np.cos(around), np.sin(around)], axis=1)
        canvas.line(rim, line, colour)
    return canvas


def theme_for(ink: Colour) -> Theme:
    """Where the ink is light, the background is dark."""
    return THEMES["dark" if np.mean(ink[:3]) > 0.5 else "light"]


@dataclass(frozen=True, eq=False)
class ContactPlot:
    """One lane below the other, and the numbers of frames below them.

    Attributes:
        first, last: frames at the left and the right edge.
        width, height: pixels.
        text: height of numbers in pixels, by which everything else is scaled.
        ink: of the numbers; where it is light, colours for a dark background are taken.
        parts: pictures that it is shown in, side by side.
    """

    lanes: Sequence[Lane]
    first: float
    last: float
    width: int
    height: int
    text: float
    ink: Colour
    parts: int = 1

    def at(self, frame: float) -> Canvas:
        """The strip with a mark at a frame."""
        canvas = Canvas(self.width, self.height)
        canvas.pixels[:] = self._background
        if self.first <= frame <= self.last:
            x, thick = self._across(frame), max(self.text / 5.0, 1.0)
            canvas.rectangle(x - thick, 0.0, x + thick, self._bottom, (*self.ink[:3], 1.0))
        return canvas

    @property
    def _bottom(self) -> float:
        return self.height - 1.8 * self.text

    def _across(self, frame: float) -> float:
        share = (frame - self.first) / max(self.last - self.first, 1e-9)
        return 1.0 + share * (self.width - 2.0)

    @cached_property
    def _background(self) -> Pixels:
        """Everything but the mark."""
        canvas, theme = Canvas(self.width, self.height), theme_for(self.ink)
        high = self._bottom / max(len(self.lanes), 1)
        line = max(high / 8.0, 1.5)
        for row, lane in enumerate(self.lanes):
            top, bottom = row * high + line, (row + 1) * high - 2.0 * line
            canvas.rectangle(0.0, top, self.width, bottom, (*self.ink[:3], 0.1))
            for stretch in lane.stretches:
                left, right = map(self._across, stretch)
                canvas.rectangle(left, top, max(right, left + 1.0), bottom, theme.side(lane.side))
            for stretch in lane.by_hand:
                left, right = map(self._across, stretch)
                canvas.rectangle(left, bottom, max(right, left + 2.0), bottom + line, self.ink)
        self._draw_numbers(canvas)
        return canvas.pixels

    def _draw_numbers(self, canvas: Canvas) -> None:
        """The last frame, and where each part begins if there is room for its number."""
        inset = self.text / 3.0
        room = self.width - inset  # what is written from the right to the left ends here
        for share in (1.0, *(part / self.parts for part in reversed(range(self.parts)))):
            number = f"{round(self.first + share * (self.last - self.first))}"
            wide = font.width(number, self.text)
            left = min(share * self.width + inset, self.width - inset - wide)
            if left + wide <= room:
                canvas.text((left, self.height - inset), number, self.text, self.ink)
                room = left - self.text
