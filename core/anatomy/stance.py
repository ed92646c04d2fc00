# SPDX-License-Identifier: GPL-3.0-or-later
"""How a body stands: what is up, which limbs are legs, where it looks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..checks import FloatArray
from .limbs import Chain, LimbPair

REACHES_GROUND = 0.2  # a leg ends at most so far above the lowest joint, as a share of the height
DROPS = 0.5  # and goes down by so much of its length, ...
SPRAWLS = 0.3  # ... or, where no limb does, by such a share of the height ...
SPRAWLS_AT_LEAST = 0.1  # ... and of its length: what lies flat on the ground does not stand
LIFTS = 0.1  # two limbs alone that sprawl go down by such a share of the body's largest extent
LEG_OF_HEIGHT = 0.3  # where nothing is called a leg and the world's up is not, legs are such a share of it
LEVEL = 0.4  # limbs that stand leave the body at such a share of the shortest of them above each other
APART = 0.5  # what leaves the body farther from the legs than so many of its lengths is no cloak above them
CLEARS = 0.03  # a skirt ends at least so far above the toes, as a share of the height
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
    names tell what the limbs are, nothing above them is taken for one, so that a cloak does not stand.

    Args:
        ups: (A, 3) directions that may be up, the world's first.
    """
    called_legs = [pair for pair in pairs if pair.called_leg]
    in_the_world = _reaching(pairs, called_legs, heads, body, ups[0], _stands)
    sprawling = _reaching(pairs, called_legs, heads, body, ups[0], _sprawls)
    if len(sprawling) == 1 and not called_legs and not _lifts(sprawling[0], heads, body, ups[0]):
        sprawling = ()
    if in_the_world:
        return Standing(ups[0], in_the_world, True)
    if len(sprawling) > 1 and not called_legs:
        return Standing(ups[0], sprawling, True)
    for up in ups[1:]:
        standing = _reaching(pairs, called_legs, heads, body, up, _stands)
        if (
            standing
            and _convinces(standing, called_legs, heads, body, up)
            and not _sits(standing, pairs, heads, body, up, ups[0])
        ):
            return Standing(up, standing, True)
    return Standing(ups[0], sprawling or tuple(called_legs), bool(sprawling))


def _reaching(
    pairs: Sequence[LimbPair],
    called_legs: Sequence[LimbPair],
    heads: FloatArray,
    body: Sequence[int],
    up: FloatArray,
    reaches: Callable[[LimbPair, FloatArray, Sequence[int]], bool],
) -> tuple[LimbPair, ...]:
    """The limbs that reach the ground, if there are legs among them."""
    candidates = [
        pair
        for pair in pairs
        if not called_legs or pair.called_leg or pair.called_arm or _is_apart(pair, called_legs, heads, up)
    ]
    found = [pair for pair in candidates if reaches(pair, heads @ up, body)]
    if not called_legs:
        found = [pair for pair in found if not _is_worn(pair, found, heads, body, up)]
    # Arms stand only besides legs: fins that hang down do not.
    legs = [pair for pair in found if pair in called_legs or not (called_legs or pair.called_arm)]
    return tuple(found) if legs else ()


def _is_apart(pair: LimbPair, legs: Sequence[LimbPair], heads: FloatArray, up: FloatArray) -> bool:
    """Whether limbs that have no name we know leave the body before or behind the legs, as on all fours."""
    return not pair.parts and all(_leaves_elsewhere(pair, leg, heads, up) for leg in legs)


def _leaves_elsewhere(pair: LimbPair, other: LimbPair, heads: FloatArray, up: FloatArray) -> bool:
    way = heads[list(pair.roots)].mean(axis=0) - heads[list(other.roots)].mean(axis=0)
    return float(np.linalg.norm(way - (way @ up) * up)) > APART * pair.reach


def _is_worn(
    pair: LimbPair, others: Sequence[LimbPair], heads: FloatArray, body: Sequence[int], up: FloatArray
) -> bool:
    """Whether limbs are a skirt: there are legs in it that reach farther down."""
    levels = heads @ up
    ends = levels[[row for rows in pair.below for row in rows]].min() - CLEARS * np.ptp(levels[list(body)])
    return any(
        not _leaves_elsewhere(pair, other, heads, up)
        and float(levels[[row for rows in other.below for row in rows]].min()) < ends
        for other in others
    )


def _convinces(
    standing: Sequence[LimbPair],
    called_legs: Sequence[LimbPair],
    heads: FloatArray,
    body: Sequence[int],
    up: FloatArray,
) -> bool:
    """Whether legs say that something else is up than in the world: something sticks out in any direction.

    Where a rest pose has every bone along the same axis, arms reach as far down as legs do, and leave the
    body far below them.
    """
    tops = [float((heads[list(pair.roots)] @ up).mean()) for pair in standing]
    if np.ptp(tops) > LEVEL * min(pair.reach for pair in standing):
        return False
    levels = heads[list(body)] @ up
    extent = float(np.ptp(levels))
    if not called_legs:
        return all(pair.reach >= LEG_OF_HEIGHT * extent for pair in standing)
    soles = heads[[row for pair in called_legs for row in pair.soles]] @ up
    return bool(np.all(soles <= levels.min() + REACHES_GROUND * extent))


def _sits(
    standing: Sequence[LimbPair],
    pairs: Sequence[LimbPair],
    heads: FloatArray,
    body: Sequence[int],
    up: FloatArray,
    upright: FloatArray,
) -> bool:
    """Whether it is upright in the world on two legs that go ahead: all else is above where they begin."""
    limbs = {row for pair in pairs for rows in pair.below for row in rows}
    trunk = [row for row in body if row not in limbs]
    if len(standing) > 1 or not trunk:
        return False
    rises = heads[trunk] - heads[list(standing[0].roots)].mean(axis=0)
    above = float((rises @ upright).min()) >= -REACHES_GROUND * float(np.ptp(heads[list(body)] @ upright))
    return above and float((rises @ upright).mean()) > float((rises @ up).mean())


def _stands(pair: LimbPair, levels: FloatArray, body: Sequence[int]) -> bool:
    """Whether limbs go down to the ground, most of their length; a foot alone lies on it."""
    drop = 0.0 if pair.is_foot_alone else DROPS * pair.reach
    return _goes_down(pair, levels, body, drop)


def _sprawls(pair: LimbPair, levels: FloatArray, body: Sequence[int]) -> bool:
    """Whether limbs go aside and down to the ground, as those of spiders, lizards and frogs do."""
    extent = float(np.ptp(levels[list(body)]))
    return _goes_down(pair, levels, body, max(SPRAWLS * extent, SPRAWLS_AT_LEAST * pair.reach))


def _lifts(pair: LimbPair, heads: FloatArray, body: Sequence[int], up: FloatArray) -> bool:
    """Whether two limbs alone are long enough to stand on: the fins of a fish are not."""
    levels = heads @ up
    drop = min(float(levels[rows[0]] - levels[list(rows)].min()) for rows in pair.below)
    return drop >= LIFTS * float(np.ptp(heads[list(body)], axis=0).max())


def _goes_down(pair: LimbPair, levels: FloatArray, body: Sequence[int], drop: float) -> bool:
    low, extent = float(levels[list(body)].min()), float(np.ptp(levels[list(body)]))
    ends = [float(levels[list(rows)].min()) for rows in pair.below]
    return all(
        end <= low + REACHES_GROUND * extent and levels[rows[0]] - end >= drop
        for rows, end in zip(pair.below, ends, strict=True)
    )


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
