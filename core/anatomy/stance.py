# SPDX-License-Identifier: GPL-3.0-or-later
"""How a body stands: what is up, which limbs are legs, where it looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..checks import FloatArray
from .limbs import Chain, LimbPair

REACHES_GROUND = 0.2  # a leg ends at most so far above the lowest joint, as a share of the height
DROPS = 0.5  # and goes down by so much of its length
POINTS = 0.02  # feet say where the front is if they are so long, as a share of the size


@dataclass(frozen=True, eq=False)
class Standing:
    """What is up, and the pairs of limbs that stand on the ground."""

    up: FloatArray
    legs: tuple[LimbPair, ...]
    plausible: bool  # or the pose is none that a body stands in


def standing_of(
    pairs: Sequence[LimbPair], heads: FloatArray, body: Sequence[int], ups: FloatArray
) -> Standing:
    """The first of some directions that the body stands upright in.

    Legs are the limbs that reach down to the ground: on all fours also those that are called arms. Where
    names tell what the limbs are, nothing else is taken for one, so that a cloak does not stand.

    Args:
        ups: (A, 3) directions that may be up, the most likely first.
    """
    called_legs = [pair for pair in pairs if pair.called_leg]
    candidates = [pair for pair in pairs if pair.called_leg or pair.called_arm] if called_legs else pairs
    for up in ups:
        reaching = [pair for pair in candidates if _stands(pair, heads, body, up)]
        # Arms stand only besides legs: fins that hang down do not.
        if any(pair in called_legs if called_legs else not pair.called_arm for pair in reaching):
            return Standing(up, tuple(reaching), True)
    return Standing(ups[0], tuple(called_legs), False)


def _stands(pair: LimbPair, heads: FloatArray, body: Sequence[int], up: FloatArray) -> bool:
    levels = heads @ up
    low, extent = float(levels[list(body)].min()), float(np.ptp(levels[list(body)]))
    for rows in pair.below:
        end = float(levels[list(rows)].min())
        if end > low + REACHES_GROUND * extent or levels[rows[0]] - end < DROPS * pair.reach:
            return False
    return True


def front_of(
    legs: Sequence[Chain],
    spine: tuple[FloatArray, FloatArray] | None,
    heads: FloatArray,
    up: FloatArray,
    across: FloatArray | None,
    *,
    named: bool,
    size: float,
) -> FloatArray | None:
    """(3,) where the body looks, level; None where nothing tells.

    On all fours the spine says it, on two legs the feet, and else which side is called left.

    Args:
        spine: where it begins and ends.
        across: from the right to the left; if not `named`, from either side to the other.
    """
    ahead = np.cross(across, up) if across is not None else None
    hint = _lengthwise(spine, up) if spine is not None else None
    if hint is None:
        hint = _feet(legs, heads, up, size)
    if ahead is None or np.linalg.norm(ahead) < 1e-6:
        return None if hint is None else hint / np.linalg.norm(hint)
    ahead = ahead / np.linalg.norm(ahead)
    if hint is not None and abs(ahead @ hint) > 0.5 * np.linalg.norm(hint):
        return ahead if ahead @ hint > 0.0 else -ahead
    return ahead if named else None


def _lengthwise(spine: tuple[FloatArray, FloatArray], up: FloatArray) -> FloatArray | None:
    along = spine[1] - spine[0]
    level = along - (along @ up) * up
    return level if np.linalg.norm(level) > abs(along @ up) else None


def _feet(legs: Sequence[Chain], heads: FloatArray, up: FloatArray, size: float) -> FloatArray | None:
    """From ankles to toes, if these lie before each other."""
    pointing = [
        heads[leg.tip] - heads[leg.end] for leg in legs if leg.tip is not None and leg.end is not None
    ]
    if not pointing:
        return None
    mean = np.mean(pointing, axis=0)
    level = mean - (mean @ up) * up
    return level if np.linalg.norm(level) > POINTS * size else None
