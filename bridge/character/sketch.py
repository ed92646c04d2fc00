# SPDX-License-Identifier: GPL-3.0-or-later
"""What was found of a character as lines and places in the world, in the pose that is shown."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from bpy.app.translations import pgettext_n as n_

from ...core.anatomy import Limb
from ...core.motion import FloatArray
from .description import describe
from .shown_pose import shown, shown_ends

RING = 0.3  # the radius of the ring on the ground, and the length of the arrow beyond it, in heights
CORNERS = 48


@dataclass(frozen=True, eq=False)
class Sketch:
    """Nothing is evaluated for it.

    Attributes:
        left, right, middle: (n, 3) each: the limbs of either side, from the body outwards, and the spine.
        places: what is marked, by its word: hips, head, feet and hands.
        ring: (n, 3) closed, on the ground. arrow: (n, 3) from its middle to where the character looks.
    """

    left: tuple[FloatArray, ...]
    right: tuple[FloatArray, ...]
    middle: tuple[FloatArray, ...]
    places: tuple[tuple[str, FloatArray], ...]
    ring: FloatArray
    arrow: FloatArray


def sketch(armature: bpy.types.Object) -> Sketch | None:
    """None for an armature without bones."""
    if not len(armature.pose.bones):
        return None
    character = describe(armature)
    seen = shown(armature, character)
    heads, ends = shown_ends(armature)
    rows = {name: row for row, name in enumerate(armature.pose.bones.keys())}

    def way(bones: tuple[str, ...]) -> FloatArray:
        known = [rows[bone] for bone in bones]
        last = known[-1:] if character.tails_tell or len(known) == 1 else []
        return np.concatenate([heads[known], ends[last]])

    def limbs(side: str) -> tuple[FloatArray, ...]:
        chosen = [limb for limb in (*character.legs, *character.arms) if limb.side == side]
        return tuple(way(_drawn(limb)) for limb in chosen)

    spine = tuple(bone for bone in (character.hips, *character.spine, character.head) if bone is not None)
    marked = [(n_("Hips"), character.hips), (n_("Head"), character.head)]
    marked += [(limb.side[0].upper(), limb.end or limb.lower) for limb in (*character.legs, *character.arms)]
    return Sketch(
        left=limbs("left"),
        right=limbs("right"),
        middle=(way(spine),) if spine else (),
        places=tuple((word, heads[rows[bone]]) for word, bone in marked if bone is not None),
        ring=_ring(seen.middle, seen.ground, RING * character.height),
        arrow=_arrow(seen.middle, seen.ground, seen.front, RING * character.height),
    )


def _drawn(limb: Limb) -> tuple[str, ...]:
    """The bones of a limb up to its end and toes: a user may have said another end."""
    last = (limb.end, limb.tip)
    inner = [bone for bone in limb.bones if bone not in last]
    return (*inner, *(bone for bone in last if bone is not None))


def _ring(middle: FloatArray, ground: float, radius: float) -> FloatArray:
    turns = np.linspace(0.0, 2.0 * np.pi, CORNERS + 1)
    flat = np.stack([np.cos(turns), np.sin(turns)], axis=1) * radius + middle[:2]
    return np.column_stack([flat, np.full(len(flat), ground)])


def _arrow(middle: FloatArray, ground: float, front: FloatArray, size: float) -> FloatArray:
    """One line: out, and back along both barbs."""
    start = np.array([*middle[:2], ground])
    aside = np.array([-front[1], front[0], 0.0])
    tip = start + 2.0 * size * front
    barbs = [tip - 0.25 * size * front + sign * 0.15 * size * aside for sign in (1.0, -1.0)]
    return np.array([start, tip, barbs[0], tip, barbs[1]])
