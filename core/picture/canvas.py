# SPDX-License-Identifier: GPL-3.0-or-later
"""An antialiased drawing surface in plain numpy: capsules, lines, discs, rectangles and text."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from . import font
from .colours import Colour

Pixels = NDArray[np.float32]
Bytes = NDArray[np.uint8]

# Beyond this an image is no longer looked at, only waited for (1 GB as floats).
MOST_PIXELS = 64_000_000


class Canvas:
    """Pixels with the origin at the top left, x to the right and y down, one unit a pixel.

    Colours are kept premultiplied by alpha, so that layers with soft edges blend without dark rims.
    """

    def __init__(self, width: int, height: int, background: Colour = (0.0, 0.0, 0.0, 0.0)):
        if width < 1 or height < 1 or width * height > MOST_PIXELS:
            raise InputError(
                "A picture of {width} by {height} pixels cannot be drawn: make it smaller or show fewer.",
                width=width,
                height=height,
            )
        self.pixels: Pixels = np.empty((height, width, 4), np.float32)
        self.pixels[:] = _premultiplied(background)

    @property
    def width(self) -> int:
        return self.pixels.shape[1]

    @property
    def height(self) -> int:
        return self.pixels.shape[0]

    def capsule(
        self, start: ArrayLike, end: ArrayLike, radii: float | tuple[float, float], colour: Colour
    ) -> None:
        """A line with round ends whose radius may change from one end to the other."""
        self._blend(*self._strokes(np.array([[start, end]], np.float32), radii), colour)

    def gap(self, start: ArrayLike, end: ArrayLike, radius: float) -> None:
        """Erase along a line, its ends left alone, so that what is drawn there next stands free."""
        inside = self._strokes(np.array([[start, end]], np.float32), radius, flat_ends=True)
        if inside[0] is not None:
            self.pixels[inside[0]] *= 1.0 - inside[1][..., None]

    def disc(self, centre: ArrayLike, radius: float, colour: Colour) -> None:
        self.capsule(centre, centre, radius, colour)

    def line(self, points: ArrayLike, width: float, colour: Colour) -> None:
        """Straight pieces through `points` (N, 2)."""
        points = np.asarray(points, np.float32)
        for start, end in pairwise(points):
            self.capsule(start, end, width / 2.0, colour)

    def rectangle(self, left: float, top: float, right: float, bottom: float, colour: Colour) -> None:
        """Filled; edges between pixels are antialiased."""
        columns, rows = np.arange(self.width), np.arange(self.height)
        across = np.clip(np.minimum(right, columns + 1) - np.maximum(left, columns), 0.0, 1.0)
        down = np.clip(np.minimum(bottom, rows + 1) - np.maximum(top, rows), 0.0, 1.0)
        if across.any() and down.any():
            box = (_covered(down), _covered(across))
            self._blend(box, np.outer(down[box[0]], across[box[1]]), colour)

    def text(
        self,
        position: tuple[float, float],
        string: str,
        size: float,
        colour: Colour,
        *,
        align: float = 0.0,
        turned: bool = False,
    ) -> None:
        """Write `string` with capitals `size` pixels high.

        `position` is on the baseline, at the left (`align` 0), centre (0.5) or right (1) of the
        string. `turned` writes upwards.
        """
        shift = -align * font.width(string, size)
        for strokes in font.strokes(string, size):
            placed = strokes + np.array([shift, 0.0], np.float32)
            if turned:
                placed = placed[..., ::-1] * np.array([1.0, -1.0], np.float32)
            self._blend(*self._strokes(placed + np.array(position, np.float32), font.weight(size)), colour)

    def paste(self, layer: Canvas, left: int, top: int, opacity: float = 1.0) -> None:
        """Lay another canvas over this one; what lies outside is left out."""
        x0, y0 = max(left, 0), max(top, 0)
        x1, y1 = min(left + layer.width, self.width), min(top + layer.height, self.height)
        if x0 >= x1 or y0 >= y1:
            return
        above = layer.pixels[y0 - top : y1 - top, x0 - left : x1 - left] * np.float32(opacity)
        below = self.pixels[y0:y1, x0:x1]
        below *= 1.0 - above[..., 3:]
        below += above

    def straight(self) -> Pixels:
        """(H, W, 4) floats from 0 to 1 with plain (not premultiplied) colours."""
        alpha = self.pixels[..., 3:]
        colours = np.divide(
            self.pixels[..., :3], alpha, out=np.zeros_like(self.pixels[..., :3]), where=alpha > 1e-4
        )
        return np.clip(np.concatenate([colours, alpha], axis=2), 0.0, 1.0)

    def bytes(self) -> Bytes:
        """(H, W, 4) as `straight`, in 0 to 255."""
        return (self.straight() * 255.0 + 0.5).astype(np.uint8)

    def _strokes(
        self, segments: Pixels, radii: float | tuple[float, float], *, flat_ends: bool = False
    ) -> tuple[tuple[slice, slice] | None, Pixels]:
        """Which pixels the union of `segments` (S, 2, 2) touches, and how much of each it covers."""
        first, last = radii if isinstance(radii, tuple) else (radii, radii)
        reach = max(first, last) + 1.0
        flat = segments.reshape(-1, 2)
        low = np.floor(flat.min(axis=0) - reach).astype(int)
        high = np.ceil(flat.max(axis=0) + reach).astype(int)
        x0, y0 = max(low[0], 0), max(low[1], 0)
        x1, y1 = min(high[0], self.width), min(high[1], self.height)
        if x0 >= x1 or y0 >= y1:
            return None, np.empty((0, 0), np.float32)
        starts, along = segments[:, 0, :, None, None], (segments[:, 1] - segments[:, 0])[..., None, None]
        x = np.arange(x0, x1, dtype=np.float32)[None, None, :] + np.float32(0.5) - starts[:, 0]
        y = np.arange(y0, y1, dtype=np.float32)[None, :, None] + np.float32(0.5) - starts[:, 1]
        length = np.maximum(along[:, 0] ** 2 + along[:, 1] ** 2, np.float32(1e-12))
        t = (x * along[:, 0] + y * along[:, 1]) / length
        t = np.clip(t, 0.0, 1.0, out=t if not flat_ends else None)
        distance = np.sqrt((x - t * along[:, 0]) ** 2 + (y - t * along[:, 1]) ** 2)
        covered = np.clip(first + t * (last - first) + 0.5 - distance, 0.0, 1.0)
        if flat_ends:
            covered *= (t > 0.0) & (t < 1.0)
        return (slice(y0, y1), slice(x0, x1)), covered.max(axis=0)

    def _blend(self, box: tuple[slice, slice] | None, covered: Pixels, colour: Colour) -> None:
        if box is None:
            return
        below = self.pixels[box]
        amount = covered[..., None].astype(np.float32)
        below *= 1.0 - amount * np.float32(colour[3])
        below += amount * _premultiplied(colour)


def _premultiplied(colour: Colour) -> Pixels:
    return np.array([*(value * colour[3] for value in colour[:3]), colour[3]], np.float32)


def _covered(amounts: NDArray[np.float64]) -> slice:
    used = np.flatnonzero(amounts)
    return slice(int(used[0]), int(used[-1]) + 1)
