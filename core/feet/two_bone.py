# SPDX-License-Identifier: GPL-3.0-or-later
"""Two bones that reach for a place, solved in closed form for many frames at once.

The triangle of hip, knee and ankle is turned the short way until it points at the place, and bent or
stretched in its own plane until it is there: the knee keeps its direction and nothing twists. A knee that is
bent back, as where a straight leg was reduced, would bend back by far: it bends to its own side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..checks import FloatArray

STRAIGHT = 1e-3  # of both lengths' product: how much a straight limb goes by the direction it is told
BACK = 0.1  # sine of the angle by which a limb that is bent back comes to its own side through being straight
FULLY = 1.0 - 1e-4  # of the reach, so that there always is a triangle
PASSING = 1.0 - 1e-7  # the same for a limb that is on its way from one side to the other


class Turns(NamedTuple):
    """(F, 3, 3) rotations in the world that bring the upper and the lower bone to their new places."""

    upper: FloatArray
    lower: FloatArray


def reach_for(
    start: FloatArray, middle: FloatArray, end: FloatArray, target: FloatArray, bend: FloatArray
) -> Turns:
    """Bring the end of a limb to a place, or as near as it can be stretched.

    Args:
        start, middle, end: (F, 3) where hip, knee and ankle are. target: (F, 3) where the ankle shall be.
        bend: (F, 3) the axis that the knee bends about, for where the limb is straight.
    """
    upper, lower, along = middle - start, end - middle, end - start
    long, short = (np.linalg.norm(each, axis=1) for each in (upper, lower))
    way = _unit(target - start, along)
    far = np.clip(
        np.linalg.norm(target - start, axis=1), np.abs(long - short) / FULLY, FULLY * (long + short)
    )
    aside = _unit(np.cross(bend, along), np.zeros_like(along))
    normal, far = _normal(np.cross(upper, lower), bend, aside, long, short, far)
    turned = _turned(normal, _unit(along, way), way)
    turned = _unit(turned - np.sum(turned * way, axis=1, keepdims=True) * way, _across(way))
    cosine = np.clip((long**2 + far**2 - short**2) / np.maximum(2.0 * long * far, 1e-12), -1.0, 1.0)
    out = np.cross(way, turned)
    knee = long[:, None] * (cosine[:, None] * way + np.sqrt(1.0 - cosine**2)[:, None] * out)
    return Turns(
        _frame(knee, turned) @ _frame(upper, normal).swapaxes(1, 2),
        _frame(far[:, None] * way - knee, turned) @ _frame(lower, normal).swapaxes(1, 2),
    )


def _normal(
    across: FloatArray,
    bend: FloatArray,
    aside: FloatArray,
    long: FloatArray,
    short: FloatArray,
    far: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """(F, 3) the axis that the limb bends about, and (F,) how far it reaches then.

    The axis is its own, turned to `bend` the more it has to bend anew. A limb that is bent back gets there
    softly and not at once: through being straight, for which it reaches a little farther than it is asked to,
    and where that would be far, round by the side.
    """
    size = np.maximum(long * short, 1e-12)
    cosine = (long**2 + short**2 - far**2) / (2.0 * size)
    wanted = np.sqrt(np.clip(1.0 - cosine**2, 0.0, None))
    bent_by = wanted - np.linalg.norm(across, axis=1) / size
    back = -np.sum(across * bend, axis=1) / size
    most = np.clip(bent_by, 0.0, np.maximum(BACK, back))
    missing = np.clip(most + back, 0.0, 2.0 * most)
    normal = across + (size * (missing + STRAIGHT))[:, None] * bend
    turns_over = (back > 0.0) & (bent_by > 0.0) & (bent_by < back)
    share = np.where(turns_over, bent_by / np.where(turns_over, back, 1.0), 0.0)
    through = np.abs(2.0 * share - 1.0)  # of what it is bent back, on the way from one side to the other
    # So far it may be short of its place on the way; farther back it may not at all.
    least = np.clip(np.minimum(back, 2.0 * BACK - back), 0.0, None)
    short_by = least * np.clip(1.0 + share - 2.0 * through, 0.0, None)
    round_by = np.clip((0.5 * (wanted - short_by)) ** 2 - (back * through) ** 2, 0.0, None)
    normal = normal + (size * np.where(turns_over, np.sqrt(round_by), 0.0))[:, None] * aside
    sine = np.minimum(wanted, 2.0 * np.linalg.norm(normal, axis=1) / size)
    straighter = np.sqrt(long**2 + short**2 + 2.0 * size * np.sqrt(np.clip(1.0 - sine**2, 0.0, None)))
    return normal, np.where(turns_over & (least > 0.0), np.minimum(straighter, PASSING * (long + short)), far)


def _unit(vectors: FloatArray, instead: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    other = instead / np.maximum(np.linalg.norm(instead, axis=1, keepdims=True), 1e-12)
    return np.where(lengths > 1e-12, vectors / np.maximum(lengths, 1e-12), other)


def _across(ways: FloatArray) -> FloatArray:
    """Some direction across each."""
    axis = np.where(np.abs(ways[:, :1]) < 0.9, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    return np.cross(ways, axis)


def _turned(vectors: FloatArray, before: FloatArray, after: FloatArray) -> FloatArray:
    """Vectors turned as the short way from one direction to another turns them (Rodrigues)."""
    axis = np.cross(before, after)
    cosine = np.sum(before * after, axis=1, keepdims=True)
    along = np.sum(axis * vectors, axis=1, keepdims=True)
    return vectors * cosine + np.cross(axis, vectors) + axis * along / np.maximum(1.0 + cosine, 1e-9)


def _frame(first: FloatArray, normal: FloatArray) -> FloatArray:
    """(F, 3, 3) axes in columns: along the first, and as near to the normal as is square to it."""
    along = _unit(first, _across(normal))
    square = normal - np.sum(normal * along, axis=1, keepdims=True) * along
    up = _unit(square, _across(along))
    return np.stack([along, up, np.cross(along, up)], axis=2)
