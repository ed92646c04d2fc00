# SPDX-License-Identifier: GPL-3.0-or-later
"""The objectives of `salient`: what a segment between two keys costs, and the search that goes with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from .bounded import bounded_paths
from .bounded.line_costs import line_costs
from .costs import squared_costs
from .costs.hold import HoldCosts
from .motion import IntArray
from .progress import Progress
from .search import best_paths
from .search.best_paths import BestPaths


@dataclass(frozen=True)
class Objective:
    """An entry of the registry."""

    label: str
    description: str
    costs: Callable[..., Any]  # (F, D) points, (F,) frame numbers, heartbeat -> what the search takes
    search: Callable[[Any, IntArray, int, Progress], BestPaths]
    squared: bool = True  # a sum of squares: `costs` takes (F,) weights of frames as well


# To add an objective, write its costs (see `costs.contract`) and append it: files store its number.
OBJECTIVES: dict[str, Objective] = {
    "curve": Objective(
        "Curve",
        "Squared distance to the best cubic between two keys: what fitted handles play",
        partial(squared_costs, curved=True),
        best_paths.best_paths,
    ),
    "chord": Objective(
        "Chord",
        "Squared distance to the straight way from key to key: what linear keys play",
        partial(squared_costs, curved=False),
        best_paths.best_paths,
    ),
    "minimax": Objective(
        "Minimax",
        "The largest distance from the straight line between two keys: no moment is far off",
        partial(line_costs, largest=True),
        bounded_paths.best_paths,
        squared=False,
    ),
    "sum": Objective(
        "Sum",
        "The largest distances from the lines between keys, summed: one bad moment may stay",
        partial(line_costs, largest=False),
        bounded_paths.best_paths,
        squared=False,
    ),
    "hold": Objective(
        "Hold",
        "Squared distance to the pose of the key before: what stepped keys play",
        HoldCosts,
        best_paths.best_paths,
    ),
}
