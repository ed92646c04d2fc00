# SPDX-License-Identifier: GPL-3.0-or-later
"""A walk that follows a path: when it is in which phase, and where each foot then stands.

Igarashi, Moscovich and Hughes 2005 name it as future work (section 7), after the motion doodles of Thorne,
Burke and van de Panne 2004; the method is ours. The keys of a walk, gone around once, make a stride. On a
straight line the feet say how far it carries (`locomotion`). On a path the body goes steadily where the path
is and heads where it heads, and each step is the straight one, put down as a whole: turned and moved to where
the body is in its middle. Between two steps the foot goes over from one to the next.

Everything on the ground is a complex number, seen from the middle of the body as it stood at first: places z
are turned and moved to p + exp(i a) z. Turns about anywhere else would throw feet about between two steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..checks import FloatArray
from .easing import smoothstep

Complex = NDArray[np.complex128]

# Where both feet stand the straight walk halts. So much of the average speed is what the steady one takes for
# it: nothing would let the phase leap there, and much lets the feet lag behind.
STANDING = 0.4


@dataclass(frozen=True, eq=False)
class Stride:
    """One round of a walk's keys.

    Attributes:
        far: (N + 1,) how far a body that goes steadily is at each of the phases from 0 to 1.
    """

    far: FloatArray

    @classmethod
    def of(cls, travelled: FloatArray) -> Stride:
        """From how far (N + 1,) the feet carry the body up to each phase."""
        steps = np.maximum(np.diff(travelled), 0.0)
        steps = steps + STANDING * steps.mean()
        far = np.concatenate([[0.0], np.cumsum(steps)])
        return cls(far * ((travelled[-1] - travelled[0]) / far[-1]))

    @property
    def length(self) -> float:
        return float(self.far[-1])

    def rounds(self, lengths: FloatArray) -> FloatArray:
        """(F,) how many rounds of the keys bring it so far."""
        whole = np.floor(lengths / self.length)
        phases = np.linspace(0.0, 1.0, len(self.far))
        return whole + np.interp(lengths - whole * self.length, self.far, phases)


class Course(NamedTuple):
    """Where the body is in F frames: it is turned and moved there from where it stood at first."""

    turn: FloatArray
    move: Complex


class FootShift(NamedTuple):
    """How a foot is turned (F,) and moved (F,), as the body sees it, from where the pose alone has it."""

    turn: FloatArray
    move: Complex


def foot_shift(stances: Sequence[tuple[int, int]], straight: Complex, course: Course) -> FootShift:
    """What keeps a foot where it stands, though the body goes along a course.

    Args:
        stances: the first and last frame of each stretch in which the foot stands, in order.
        straight: (F,) where the body is when it follows its feet straight ahead.
    """
    frames = np.arange(len(straight))
    turn, move = np.zeros(len(frames)), np.zeros(len(frames), complex)
    if not stances:
        return FootShift(turn, move)
    firsts, lasts = np.array(stances).T
    # Before the first and after the last the foot comes from, and goes, to where the pose has it.
    before = np.searchsorted(firsts, frames, side="right") - 1
    after = np.searchsorted(lasts, frames)
    starts = np.where(before >= 0, lasts[np.maximum(before, 0)], 0)
    ends = np.where(after < len(lasts), firsts[np.minimum(after, len(lasts) - 1)], len(frames) - 1)
    share = smoothstep((frames - starts) / np.maximum(ends - starts, 1))
    share = np.where(before == after, 1.0, share)
    for which, weight in ((before, 1.0 - share), (after, share)):
        known = (which >= 0) & (which < len(stances))
        middle = (firsts + lasts)[np.clip(which, 0, len(stances) - 1)] // 2
        seen = _seen_from_body(middle, straight, course)
        turn += np.where(known, weight * seen.turn, 0.0)
        move += np.where(known, weight * seen.move, 0.0)
    return FootShift(turn, move)


def _seen_from_body(middle: NDArray[np.int64], straight: Complex, course: Course) -> FootShift:
    """Steps that were put down as the body was in frames `middle`, seen from where it is in each frame."""
    turn = course.turn[middle] - course.turn
    carried = np.exp(1j * course.turn[middle]) * (straight - straight[middle])
    return FootShift(turn, np.exp(-1j * course.turn) * (course.move[middle] - course.move + carried))
