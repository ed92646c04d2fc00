# SPDX-License-Identifier: GPL-3.0-or-later
"""What a segment between two keys costs: one file a family of costs, all behind `SegmentCosts`.

The search knows nothing of joints or curves. It asks for strips of segments, all those of a few
lengths at once, and joins segments to paths with `join`.
"""

from __future__ import annotations

from collections.abc import Callable

from ..motion import FloatArray
from .contract import SegmentCosts
from .line import LineCosts
from .squared import SquaredCosts
from .uneven import UnevenSquaredCosts, evenly_spaced

__all__ = ["OBJECTIVES", "SegmentCosts", "segment_costs"]

OBJECTIVES = ("curve", "chord", "minimax", "sum")


def segment_costs(
    objective: str, points: FloatArray, frames: FloatArray, beat: Callable[[], None] = lambda: None
) -> SegmentCosts:
    """The costs of an objective for (F, D) points at the given frame numbers.

    `beat` is called every now and then during long computations; it may raise to stop them.
    """
    if objective in ("minimax", "sum"):
        return LineCosts(points, largest=objective == "minimax", beat=beat)
    curved = objective == "curve"
    if evenly_spaced(frames):
        return SquaredCosts(points, curved=curved, beat=beat)
    return UnevenSquaredCosts(points, frames, curved=curved, beat=beat)
