# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the pictures of a filmstrip are: a row of cells of one size, as many as there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..motion import FloatArray


@dataclass(frozen=True)
class Strip:
    """The visible cells of a filmstrip, in pixels.

    Attributes:
        left, bottom: of the first visible cell.
        first, count: which cells are visible.
    """

    left: float
    bottom: float
    width: float
    height: float
    first: int
    count: int

    @classmethod
    def fitting(
        cls, room: tuple[float, float], bottom: float, cell: tuple[float, float], cells: int, current: int
    ) -> Strip:
        """In the middle of the room from left to right; where not all fit, those around the current one."""
        count = max(1, min(cells, int((room[1] - room[0]) // cell[0])))
        first = min(max(current - count // 2, 0), cells - count)
        left = (room[0] + room[1] - count * cell[0]) / 2.0
        return cls(left, bottom, *cell, first, count)

    def cell_at(self, x: float, y: float) -> int | None:
        """The cell below a pixel."""
        place = int((x - self.left) // self.width)
        inside = 0 <= place < self.count and self.bottom <= y < self.bottom + self.height
        return self.first + place if inside else None

    def left_of(self, cell: int) -> float:
        return self.left + (cell - self.first) * self.width

    def across(self, frames: FloatArray, of_cells: FloatArray) -> FloatArray:
        """Where frames are: those of the cells in their middles, others between, and none outside."""
        middles = self.left + (np.arange(len(of_cells)) - self.first + 0.5) * self.width
        places = np.interp(np.asarray(frames, np.float64), of_cells, middles)
        return np.clip(places, self.left, self.left + self.count * self.width)

    @property
    def cells(self) -> range:
        return range(self.first, self.first + self.count)


def cell_projections(
    bodies: Sequence[FloatArray], axes: FloatArray, shape: float, margin: float = 0.08
) -> FloatArray:
    """(P, 4, 4) matrices from the world into cells that reach from -1 to 1, all at the same scale.

    Args:
        bodies: for each pose (n, 3) points of it.
        axes: (3, 3) rows right, up and towards the viewer.
        shape: width of a cell over its height.
    """
    low = np.array([(points @ axes.T).min(axis=0) for points in bodies])
    high = np.array([(points @ axes.T).max(axis=0) for points in bodies])
    middle, size = (low + high) / 2.0, np.maximum((high - low).max(axis=0), 1e-9)
    scale = (1.0 - margin) * 2.0 * min(shape / size[0], 1.0 / size[1])
    scales = np.array([scale / shape, scale, -1.0 / size[2]])  # nearer is smaller in the depth of a card
    projections = np.tile(np.eye(4), (len(bodies), 1, 1))
    projections[:, :3, :3] = scales[:, None] * axes
    projections[:, :3, 3] = -middle * scales
    return projections
