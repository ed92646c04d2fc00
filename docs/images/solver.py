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
from core.objectives import OBJECTIVES  # noqa: E402
from core.progress import Progress  # noqa: E402
from core.search.best_values import BestValues  # noqa: E402
from core.search.segment_table import SegmentTable, full_table  # noqa: E402

CLIP = "131_03"
LEVELS = (4, 12, 40, 110)
PICTURE = HERE.with_name("solver-tiles.png")


class WatchedValues(BestValues):
    """Remembers every segment that a step looked at."""

    def __init__(self, table: SegmentTable, most: int):
        super().__init__(table, most)
        self.seen = np.zeros((table.count, table.count), dtype=bool)

    def _joined(self, number: int, rows: slice) -> Iterator[tuple[slice, np.ndarray]]:
        lengths = self._table.strips[number].lengths
        for some, joined in super()._joined(number, rows):
            for end in range(some.start, some.stop):
                self.seen[max(end - lengths[-1], 0) : max(end - lengths[0] + 1, 0), end] = True
            yield some, joined


def main() -> None:
    motion = load_clip(CLIP)
    costs = OBJECTIVES["curve"].costs(motion.points(), motion.frames, lambda: None)
    table = full_table(costs, np.zeros(len(motion), dtype=np.int64), Progress(None))
    best = WatchedValues(table, max(LEVELS))
    figure, axes = plt.subplots(1, len(LEVELS), figsize=(13, 3.9), sharey=True, layout="constrained")
    panels = dict(zip(LEVELS, axes, strict=True))
    for k in range(2, max(LEVELS) + 1):
        best.seen[:] = False
        best.step(k, best.optima[k - 1])
        if k in panels:
            draw(panels[k], best, k, len(motion))
    axes[0].set_ylabel("segment starts at frame")
    figure.savefig(PICTURE, dpi=110)


def draw(axes: plt.Axes, best: WatchedValues, k: int, count: int) -> None:
    picture = np.ones((count, count, 3))
    picture[np.triu_indices(count, 1)] = (0.87, 0.89, 0.92)
    picture[best.seen] = (0.98, 0.70, 0.30)
    axes.imshow(picture, interpolation="nearest")
    keys = best.paths(np.array([k]), Progress(None))[0]
    axes.plot(keys[1:], keys[:-1], "o", color="#1b3a6b", markersize=3.5)
    share = best.seen.sum() / (count * (count - 1) / 2)
    axes.set_title(f"{k} keys: {100 * share:.0f}% of the segments", fontsize=11)
    axes.set_xlabel("segment ends at frame")


if __name__ == "__main__":
    main()
