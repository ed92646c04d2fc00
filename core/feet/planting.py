# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that stay where they stand, whatever a reduced motion does to them.

While a foot is planted its ankle goes where the original has it, shifted so that the planted point does not
move at all, and the foot itself has the original's rotation: so it rolls, pivots and lands as it did. Before
and after, the reduced motion takes over softly. A foot stands where the original's leg reaches it all along.
Where a leg is too short for that, the hips go as far towards those of the original, which could reach, as it
takes; their turn stays, since the spine goes by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..checks import FloatArray, IntArray
from ..rotations import between
from .between_frames import at_thirds, turned_at_thirds
from .contacts import Contact, floor_under
from .two_bone import Turns, reach_for

UP = np.array([0.0, 0.0, 1.0])
EASE = 0.2  # seconds before and after a contact in which the foot comes and goes
SHORT = 0.003  # of its reach: a leg that is too short by this much is not worth moving the hips
SEEN = 0.006  # of its reach: a leg that is too short by this much lets its foot slide visibly
LOCKED = 0.998  # of its reach: a leg that is straighter does not know which way to bend when IK pulls at it
LEAST_HEARD = 0.1  # of a leg in the air, beside one that stands, when hips choose their way
LEAST_LEFT = 0.1  # of a foot that a pin has nearly brought to its place: what may be done about the rest
SWINGS = 8  # between two legs that are too short
SHARES = np.linspace(0.0, 1.0, 21)  # of the way to the original's hips, or to another place, that are tried
MOST_PLACES = 24  # that a foot has been at while it stood which are looked at


@dataclass(frozen=True, eq=False)
class LimbPoses:
    """A limb in F poses, in the world.

    Attributes:
        start, middle, end: (F, 3) hip, knee and ankle.
        point: (F, 3) what may be planted.
        bend: (F, 3) the axis that the knee bends about where the limb is straight.
        upper, lower: (F, 3, 3) rotations of its two halves.
        foot, toes: those of foot and toes; None where there are no such bones.
        tail: (F, 3) where the foot's bone ends, which IK pulls at; None where none does.
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
    tail: FloatArray | None = None
    free: bool = False

    @property
    def reach(self) -> FloatArray:
        """(F,) how far the ankle can get from the hip."""
        lengths = (
            np.linalg.norm(each, axis=1) for each in (self.middle - self.start, self.end - self.middle)
        )
        return np.maximum(sum(lengths, np.zeros(len(self.start))), 1e-12)  # of what is scaled to nothing

    def moved(self, step: FloatArray) -> LimbPoses:
        """All of it that hangs from the hips, which go some steps (F, 3)."""
        carried = ("start", "middle") if self.free else ("start", "middle", "end", "point", "tail")
        places = {name: getattr(self, name) + step for name in carried if getattr(self, name) is not None}
        return replace(self, **places)


@dataclass(frozen=True, eq=False)
class Goal:
    """Where the foot of a limb shall be.

    Attributes:
        weight: (F,) from 0, as it is played, to 1, planted.
        point: (F, 3) what is planted. end: (F, 3) the ankle. foot, toes: (F, 3, 3).
        floor: (F,) how low the point may get.
        near: (F,) 1 wherever it comes, stands or goes, falling softly to 0 before and after.
        pulled: (F,) how strongly a pin brings the foot there by IK; None where none does.
    """

    weight: FloatArray
    point: FloatArray
    end: FloatArray
    foot: FloatArray | None
    toes: FloatArray | None
    floor: FloatArray
    near: FloatArray
    pulled: FloatArray | None = None

    @property
    def pinned(self) -> Goal:
        """The same for a foot that goes where it is played, but not below the floor; a pin does the rest."""
        return replace(self, weight=np.zeros_like(self.weight), pulled=self.weight)

    def at_thirds(self, gaps: IntArray) -> Goal:
        """The same at the thirds after some rows; the ankle goes about the point with the foot."""
        some = (self.weight, self.point, self.end, self.floor, self.near)
        weight, point, end, floor, near = (at_thirds(each, gaps) for each in some)
        foot, toes = (
            None if each is None else turned_at_thirds(each, gaps) for each in (self.foot, self.toes)
        )
        if foot is not None and self.foot is not None:
            arm = np.einsum("fji,fj->fi", self.foot, self.end - self.point)
            end = point + np.einsum("fij,fj->fi", foot, at_thirds(arm, gaps))
        pulled = None if self.pulled is None else at_thirds(self.pulled, gaps)
        return Goal(weight, point, end, foot, toes, floor, near, pulled)


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


def goal_of(
    original: LimbPoses, contacts: Sequence[Contact], times: FloatArray, *, open_ends: bool = False
) -> Goal:
    """Where a limb with some contacts, in the order of time, shall be.

    Args:
        times: (F,) seconds.
        open_ends: whether something goes on before the first and after the last row that is not held.
    """
    shift = _shifts(original.point, contacts, times)
    floor = floor_under(contacts, original.point)
    shift += np.maximum(floor - (original.point + shift) @ UP, 0.0)[:, None] * UP
    places = original.point + shift, original.end + shift
    weight, near = weights(contacts, times), weights(contacts, times, around=EASE)
    if open_ends and contacts:
        inside = between_ends(times, times[contacts[0].first], times[contacts[-1].last])
        weight, near = inside * weight, inside * near
    return Goal(weight, *places, original.foot, original.toes, floor, near)


def within_reach(original: LimbPoses, contacts: Sequence[Contact]) -> list[Contact]:
    """The contacts, each where the original's leg reaches all along, as near to its own place as can be.

    Where a foot drifts while it stands, the leg may be too short at one end for the place in the middle.
    """
    return [replace(each, place=_reached(original, each)) for each in contacts]


def joined_at_seam(contacts: Sequence[Contact], frames: int, covered: FloatArray | None) -> list[Contact]:
    """The contacts; what stands at both ends of so many frames that go round stands there in one place.

    Args:
        covered: (3,) how far the body gets in a round; None where nothing goes round.
    """
    if covered is None or not contacts or contacts[0].first > 0 or contacts[-1].last < frames - 1:
        return list(contacts)
    return [*contacts[:-1], replace(contacts[-1], place=contacts[0].place + covered)]


def _reached(original: LimbPoses, contact: Contact) -> FloatArray:
    """(3,) among places on the way from the contact's own to those that the foot has been at."""
    rows = contact.rows
    points = original.point[rows]
    some = points[np.linspace(0, len(points) - 1, MOST_PLACES).astype(int)]
    places = (contact.place + SHARES[:, None, None] * (some - contact.place)).reshape(-1, 3)
    ankles = (original.end[rows] - points)[:, None] + places - original.start[rows, None]
    missing = (np.linalg.norm(ankles, axis=2) / original.reach[rows, None] - 1.0).max(axis=0)
    away = np.linalg.norm(places - contact.place, axis=1)
    enough = missing <= max(float(missing.min()), SHORT)
    return places[np.argmin(np.where(enough, away, np.inf))]


def weights(contacts: Sequence[Contact], times: FloatArray, *, around: float = 0.0) -> FloatArray:
    """(F,) 1 in every contact, and some seconds around it, falling softly to 0 before and after."""
    nearest = np.full(len(times), np.inf)
    for each in contacts:
        away = np.maximum(times[each.first] - times, times - times[each.last])
        nearest = np.minimum(nearest, np.maximum(away, 0.0))
    return _soft(1.0 - (nearest - around) / EASE)


def between_ends(times: FloatArray, first: float = np.inf, last: float = -np.inf) -> FloatArray:
    """(F,) 0 at both ends and 1 away from them: from `first` to `last`, where these are near to the ends."""
    spans = (near if 0.0 < near < EASE else EASE for near in (first - times[0], times[-1] - last))
    away = times - times[0], times[-1] - times
    return np.prod([_soft(each / span) for each, span in zip(away, spans, strict=True)], axis=0)


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
    rows = (goal.weight > 0.0) | (sinks > 0.0)
    if goal.pulled is not None and not limb.free:
        ready = _ready_for_pin(limb, goal, end, goal.pulled)
        end, rows = ready, rows | (ready != end).any(axis=1)
    turns = reach_for(limb.start, limb.middle, limb.end, end, limb.bend)
    return Planted(rows, end, turns, foot, toes)


def _ready_for_pin(limb: LimbPoses, goal: Goal, end: FloatArray, pulled: FloatArray) -> FloatArray:
    """(F, 3) where the ankle has to be for IK to bend the leg, and not to pull the foot through the floor."""
    if limb.tail is not None and limb.foot is not None and goal.foot is not None:
        back, share = limb.foot.swapaxes(1, 2), pulled[:, None]
        wanted = goal.end + np.einsum("fij,fj->fi", goal.foot @ back, limb.tail - limb.end)
        tail = (1.0 - share) * (end + limb.tail - limb.end) + share * wanted
        turned = between(limb.foot, goal.foot, pulled) @ back
        point = tail + np.einsum("fij,fj->fi", turned, limb.point - limb.tail)
        sinks = np.where(pulled > 0.0, np.maximum(goal.floor - point @ UP, 0.0), 0.0)
        end = end + (sinks / np.maximum(1.0 - pulled, LEAST_LEFT))[:, None] * UP
    length = np.linalg.norm(end - limb.start, axis=1) / limb.reach
    longest = 1.0 - (1.0 - LOCKED) * goal.near**2  # whose root it is that the knee moves by
    too_long = np.where(goal.near > 0.0, 1.0 - longest / np.maximum(length, longest), 0.0)
    return end - too_long[:, None] * (end - limb.start)


def _point_at(limb: LimbPoses, end: FloatArray, foot: FloatArray | None) -> FloatArray:
    """(F, 3) where the point is with the ankle in another place and the foot turned."""
    offset = limb.point - limb.end
    if foot is None or limb.foot is None:
        return end + offset
    return end + np.einsum("fij,fj->fi", foot @ limb.foot.swapaxes(1, 2), offset)


def hips_step(
    limbs: Sequence[LimbPoses],
    goals: Sequence[Goal],
    way: FloatArray,
    starts: Sequence[FloatArray],
    times: FloatArray,
) -> FloatArray:
    """(F, 3) how far the hips have to go for all planted feet to be reached.

    It is as little of the way (F, 3) to the original's hips as it takes. To go farther than those, where a
    contact is wide in the original itself, costs the rest of the body more than it gains the foot. Where the
    pelvis is turned in another way than the original's, that may lead legs away from their feet: then it is
    the way to where the original's legs begin, and if feet are out of reach even so, the short way to them.

    Args:
        starts: (F, 3) where each leg begins in the original.
    """
    ways = way, _way_of_legs(limbs, goals, starts), _short_way(limbs, goals)
    *others, short = (_step(limbs, goals, each, times) for each in ways)

    def misses(step: FloatArray) -> float:
        return max(float(_beyond(limbs, goals, step).max()), SHORT)

    best = min(others, key=misses)
    return best if misses(best) < SEEN else min(best, short, key=misses)


def _step(
    limbs: Sequence[LimbPoses], goals: Sequence[Goal], way: FloatArray, times: FloatArray
) -> FloatArray:
    """(F, 3) as little of a way as it takes."""
    beyond = np.stack([_beyond(limbs, goals, share * way) for share in SHARES])
    enough = np.argmax(beyond <= np.maximum(beyond.min(axis=0), SHORT), axis=0)
    return _envelope(SHARES[enough], times)[:, None] * way


def _way_of_legs(
    limbs: Sequence[LimbPoses], goals: Sequence[Goal], starts: Sequence[FloatArray]
) -> FloatArray:
    """(F, 3) the mean way of the legs to where they begin in the original; most of all those that stand."""
    weight = np.stack([goal.weight for goal in goals])[:, :, None] + LEAST_HEARD
    apart = np.stack([start - limb.start for start, limb in zip(starts, limbs, strict=True)])
    return (weight * apart).sum(axis=0) / weight.sum(axis=0)


def _short_way(limbs: Sequence[LimbPoses], goals: Sequence[Goal]) -> FloatArray:
    """(F, 3) a way to where all legs reach: towards each foot in turn, as far as its leg is too short."""
    step = np.zeros_like(limbs[0].start)
    for limb, goal in SWINGS * list(zip(limbs, goals, strict=True)):
        apart = goal.end - limb.start - step
        missing = 1.0 - _allowed(limb, goal) / np.maximum(np.linalg.norm(apart, axis=1), 1e-12)
        step += np.maximum(missing, 0.0)[:, None] * apart
    return step


def _allowed(limb: LimbPoses, goal: Goal) -> FloatArray:
    """(F,) how far a foot may be from the hip: as far as it is while it comes or goes, within reach later."""
    far = np.linalg.norm(goal.end - limb.start, axis=1)
    return np.maximum(limb.reach, far + goal.weight * (limb.reach - far))


def _beyond(limbs: Sequence[LimbPoses], goals: Sequence[Goal], step: FloatArray) -> FloatArray:
    """(F,) by how much the shortest leg of a planted foot is too short with the hips so far away."""
    most = np.zeros(len(step))
    for limb, goal in zip(limbs, goals, strict=True):
        far = np.linalg.norm(goal.end - limb.start - step, axis=1)
        missing = far / limb.reach - 1.0
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
