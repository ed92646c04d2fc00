# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that stay where they stand, whatever a reduced motion does to them.

While a foot is planted its ankle goes where the original has it, shifted so that the planted point does not
move at all, and the foot itself has the original's rotation: so it rolls, pivots and lands as it did. Before
and after, the reduced motion takes over softly. Where a leg is too short for that, the hips go as far
towards those of the original, which could reach, as it takes; their turn stays, since the spine goes by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .checks import FloatArray
from .contacts import Contact, floor_under
from .rotations import between
from .two_bone import Turns, reach_for

UP = np.array([0.0, 0.0, 1.0])
EASE = 0.2  # seconds before and after a contact in which the foot comes and goes
SHORT = 0.003  # of its reach: a leg that is too short by this much is not worth moving the hips
SHARES = np.linspace(0.0, 1.0, 21)  # of the way to the original's hips that are tried


@dataclass(frozen=True, eq=False)
class LimbPoses:
    """A limb in F poses, in the world.

    Attributes:
        start, middle, end: (F, 3) hip, knee and ankle.
        point: (F, 3) what may be planted.
        bend: (F, 3) the axis that the knee bends about where the limb is straight.
        upper, lower: (F, 3, 3) rotations of its two halves.
        foot, toes: those of foot and toes; None where there are no such bones.
        free: whether the foot does not hang from the leg, as where it is a control that the leg reaches for.
    """

    start: FloatArray
    middle: FloatArray
    end: FloatArray
    point: FloatArray
    bend: FloatArray
    upper: FloatArray
    lower: FloatArray
    foot: FloatArray | None = None
    toes: FloatArray | None = None
    free: bool = False

    @property
    def reach(self) -> FloatArray:
        """(F,) how far the ankle can get from the hip."""
        lengths = (
            np.linalg.norm(each, axis=1) for each in (self.middle - self.start, self.end - self.middle)
        )
        return sum(lengths, np.zeros(len(self.start)))

    def moved(self, step: FloatArray) -> LimbPoses:
        """All of it that hangs from the hips, which go some steps (F, 3)."""
        carried = ("start", "middle") if self.free else ("start", "middle", "end", "point")
        places = {name: getattr(self, name) + step for name in carried}
        return replace(self, **places)


@dataclass(frozen=True, eq=False)
class Goal:
    """Where the foot of a limb shall be.

    Attributes:
        weight: (F,) from 0, as it is played, to 1, planted.
        end: (F, 3) the ankle. foot, toes: (F, 3, 3).
        floor: (F,) how low the point may get.
    """

    weight: FloatArray
    end: FloatArray
    foot: FloatArray | None
    toes: FloatArray | None
    floor: FloatArray


@dataclass(frozen=True, eq=False)
class Planted:
    """Rotations in the world: the turns of upper and lower bone, the foot and the toes themselves.

    `rows` (F,) tells where anything is changed, `end` (F, 3) where the ankle shall be.
    """

    rows: np.ndarray
    end: FloatArray
    turns: Turns
    foot: FloatArray | None
    toes: FloatArray | None


def goal_of(original: LimbPoses, contacts: Sequence[Contact], times: FloatArray) -> Goal:
    """Where a limb with some contacts, in the order of time, shall be.

    Args:
        times: (F,) seconds.
    """
    shift = _shifts(original.point, contacts, times)
    floor = floor_under(contacts, original.point)
    return Goal(weights(contacts, times), original.end + shift, original.foot, original.toes, floor)


def weights(contacts: Sequence[Contact], times: FloatArray) -> FloatArray:
    """(F,) 1 in every contact, falling softly to 0 before and after."""
    nearest = np.full(len(times), np.inf)
    for each in contacts:
        away = np.maximum(times[each.first] - times, times - times[each.last])
        nearest = np.minimum(nearest, np.maximum(away, 0.0))
    return _soft(1.0 - nearest / EASE)


def _shifts(points: FloatArray, contacts: Sequence[Contact], times: FloatArray) -> FloatArray:
    """(F, 3) from where the original's point is to where it stands; between contacts from one to the next."""
    shift = np.zeros_like(points)
    known = np.zeros(len(points), bool)
    for each in contacts:
        shift[each.rows] = each.place - points[each.rows]
        known[each.rows] = True
    rows = np.flatnonzero(known)
    if len(rows):
        gaps = np.flatnonzero(~known)
        after = np.searchsorted(rows, gaps)
        before, after = rows[np.maximum(after - 1, 0)], rows[np.minimum(after, len(rows) - 1)]
        span = np.where(after > before, times[after] - times[before], 1.0)
        share = _soft((times[gaps] - times[before]) / span)[:, None]
        shift[gaps] = (1.0 - share) * shift[before] + share * shift[after]
    return shift


def _soft(share: FloatArray) -> FloatArray:
    inside = np.clip(share, 0.0, 1.0)
    return inside**2 * (3.0 - 2.0 * inside)


def planted(limb: LimbPoses, goal: Goal) -> Planted:
    """The limb brought to its goal, as far as it reaches, and lifted where its foot would sink."""
    foot, toes = (
        None if now is None or wanted is None else between(now, wanted, goal.weight)
        for now, wanted in ((limb.foot, goal.foot), (limb.toes, goal.toes))
    )
    end = limb.end + goal.weight[:, None] * (goal.end - limb.end)
    sinks = np.maximum(goal.floor - _point_at(limb, end, foot) @ UP, 0.0)
    end = end + sinks[:, None] * UP
    turns = reach_for(limb.start, limb.middle, limb.end, end, limb.bend)
    return Planted((goal.weight > 0.0) | (sinks > 0.0), end, turns, foot, toes)


def _point_at(limb: LimbPoses, end: FloatArray, foot: FloatArray | None) -> FloatArray:
    """(F, 3) where the point is with the ankle in another place and the foot turned."""
    offset = limb.point - limb.end
    if foot is None or limb.foot is None:
        return end + offset
    return end + np.einsum("fij,fj->fi", foot @ limb.foot.swapaxes(1, 2), offset)


def hips_step(
    limbs: Sequence[LimbPoses], goals: Sequence[Goal], way: FloatArray, times: FloatArray
) -> FloatArray:
    """(F, 3) how far the hips have to go for all planted feet to be reached.

    It is as little of the way (F, 3) to the original's hips as it takes. To go farther than those, where a
    contact is wide in the original itself, costs the rest of the body more than it gains the foot.
    """
    beyond = np.stack([_beyond(limbs, goals, share * way) for share in SHARES])
    enough = np.argmax(beyond <= np.maximum(beyond.min(axis=0), SHORT), axis=0)
    return _envelope(SHARES[enough], times)[:, None] * way


def _beyond(limbs: Sequence[LimbPoses], goals: Sequence[Goal], step: FloatArray) -> FloatArray:
    """(F,) by how much the shortest leg of a planted foot is too short with the hips so far away."""
    most = np.zeros(len(step))
    for limb, goal in zip(limbs, goals, strict=True):
        far = np.linalg.norm(goal.end - limb.start - step, axis=1)
        missing = far / np.maximum(limb.reach, 1e-12) - 1.0
        most = np.maximum(most, np.where(goal.weight >= 1.0, missing, 0.0))
    return most


def _envelope(values: FloatArray, times: FloatArray) -> FloatArray:
    """Smooth, and nowhere below the values: the largest around each frame, averaged over as many."""
    if not values.any():
        return values
    around = np.searchsorted(times, times - EASE), np.searchsorted(times, times + EASE, side="right")
    largest = np.array([values[first:last].max() for first, last in zip(*around, strict=True)])
    sums = np.concatenate([[0.0], np.cumsum(largest)])
    return (sums[around[1]] - sums[around[0]]) / (around[1] - around[0])
