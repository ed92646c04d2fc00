# SPDX-License-Identifier: GPL-3.0-or-later
"""What people see of a motion that was reduced, besides how far off it is: feet, flights, jerks and turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from . import metrics
from .checks import FloatArray
from .feet.contacts import Contact

PERCENTILES = (50.0, 95.0, 99.0)


@dataclass(frozen=True)
class Quality:
    """Lengths in the unit of the motion, and times in seconds.

    Attributes:
        slides: how far each contact slides.
        added_slide: by how much the one that does worst slides farther than in the original.
        sinking: how deep a foot gets at most below what it stands on.
        flight_error: how much the level speed in the air is off at most.
        added_jerk: by how much the third derivative of the joints is above the original's.
        beside: percentiles of the error a little beside the bones, which tells how they are turned.
    """

    slides: tuple[float, ...] = ()
    added_slide: float = 0.0
    sinking: float = 0.0
    flight_error: float = 0.0
    added_jerk: float = 0.0
    beside: tuple[float, ...] = (0.0,) * len(PERCENTILES)

    @property
    def slide(self) -> float:
        """The mean of all contacts; zero where nothing stands."""
        return float(np.mean(self.slides)) if self.slides else 0.0

    @property
    def worst_slide(self) -> float:
        return max(self.slides, default=0.0)


def quality_of(
    original: FloatArray,
    played: FloatArray,
    contacts: Sequence[Contact],
    seconds: FloatArray,
    matrices: tuple[FloatArray, FloatArray],
    height: float,
) -> Quality:
    """How a motion compares with its original.

    Args:
        original, played: (F, J, 3) joints. contacts: of some of the joints.
        seconds: (F,) times.
        matrices: (R, B, 4, 4) bones of both in the world, in some of the frames.
        height: of the character.
    """
    slides = metrics.slides(played, contacts)
    farther = slides - metrics.slides(original, contacts)
    distance = metrics.BESIDE * height / metrics.NORMAL_HEIGHT
    return Quality(
        tuple(slides.tolist()),
        max(float(farther.max(initial=0.0)), 0.0),
        metrics.sinking(original, played, contacts),
        metrics.flight_error(original, played, contacts, seconds),
        metrics.added_jerk(original, played, seconds),
        tuple(np.percentile(metrics.errors_beside_bones(*matrices, distance), PERCENTILES).tolist()),
    )
