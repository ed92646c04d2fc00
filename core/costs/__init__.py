# SPDX-License-Identifier: GPL-3.0-or-later
"""What a segment between two keys costs: one file a family of costs, all behind `contract.SegmentCosts`."""

from __future__ import annotations

from ..motion import FloatArray
from ..progress import Heartbeat
from .contract import SegmentCosts
from .squared import SquaredCosts
from .uneven import UnevenSquaredCosts, evenly_spaced


def squared_costs(
    points: FloatArray,
    frames: FloatArray,
    beat: Heartbeat,
    *,
    curved: bool,
    weights: FloatArray | None = None,
) -> SegmentCosts:
    """`chord`, or `curve` if `curved`, of (F, D) points at any ascending frame numbers, weighted or not."""
    if weights is None and evenly_spaced(frames):
        return SquaredCosts(points, beat, curved=curved)
    return UnevenSquaredCosts(points, frames, beat, curved=curved, weights=weights)
