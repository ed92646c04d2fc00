# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws docs/images/solver-tiles.png: which segments the search of `salient` looks at.

python docs/images/solver.py        with a Python that has numpy and matplotlib, and the mocap clips
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[2]))
from benchmarks.clips import load_clip  # noqa: E402 - found beside this file
from core.costs import segment_costs  # noqa: E402
from core.progress import Progress  # noqa: E402
from core.selection.levels import Levels  # noqa: E402
from core.selection.segment_table import SegmentTable  # noqa: E402

CLIP = "131_03"
LEVELS = (4, 12, 40, 110)
PICTURE = HERE.with_name("solver-tiles.png")


class WatchedLevels(Levels):
    """Remembers every segment that a step looked at."""

    def __init__(self, table: SegmentTable, most: int):
        super().__init__(table, most)
        self.seen = np.zeros((table.count, table.count), dtype=bool)

    def _joined(self, number: int, first: int, stop: int) -> Iterator[tuple[slice, np.ndarray]]:
        lengths = self._table.strips[number].lengths
        for rows, joined in super()._joined(number, first, stop):
            for end in range(rows.start, rows.stop):
                self.seen[max(end - lengths[-1], 0) : max(end - lengths[0] + 1, 0), end] = True
            yield rows, joined


def main() -> None:
    motion = load_clip(CLIP)
    costs = segment_costs("curve", motion.points(), motion.frames)
    table = SegmentTable(costs, np.zeros(len(motion), dtype=np.int64), Progress(None))
    levels = WatchedLevels(table, max(LEVELS))
    figure, axes = plt.subplots(1, len(LEVELS), figsize=(13, 3.9), sharey=True, layout="constrained")
    panels = dict(zip(LEVELS, axes, strict=True))
    for k in range(2, max(LEVELS) + 1):
        levels.seen[:] = False
        levels.step(k, levels.values[k - 1, -1])
        if k in panels:
            draw(panels[k], levels, k, len(motion))
    axes[0].set_ylabel("segment starts at frame")
    figure.savefig(PICTURE, dpi=110)


def draw(axes: plt.Axes, levels: WatchedLevels, k: int, count: int) -> None:
    picture = np.ones((count, count, 3))
    picture[np.triu_indices(count, 1)] = (0.87, 0.89, 0.92)
    picture[levels.seen] = (0.98, 0.70, 0.30)
    axes.imshow(picture, interpolation="nearest")
    keys = levels.paths(np.array([k]), Progress(None))[0]
    axes.plot(keys[1:], keys[:-1], "o", color="#1b3a6b", markersize=3.5)
    share = levels.seen.sum() / (count * (count - 1) / 2)
    axes.set_title(f"{k} keys: {100 * share:.0f}% of the segments", fontsize=11)
    axes.set_xlabel("segment ends at frame")


if __name__ == "__main__":
    main()
