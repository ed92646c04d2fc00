# SPDX-License-Identifier: GPL-3.0-or-later
"""Sets for any character that has what they need: to look around, to wave, and a walk of four keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import NamedTuple

import bpy
import numpy as np

from ...core import InputError
from ...core.anatomy import Limb
from ...core.motion import FloatArray
from ..spatial import sets
from ..spatial.making import empties
from ..spatial.making.set_making import KeyData, make_set
from ..spatial.making.upkeep import some_of
from ..spatial.posing.movable import is_constrained
from ..spatial.posing.poses import Pose
from .standing import Stance, turn

# Where keys are, as shares of the character's height before it.
LOOKED_AT = 0.6
CIRCLE = 0.5
RADIUS = 0.28
BEFORE_HAND = 0.25
TELL_IT = "tell it in the Character panel, or pose it and set keys yourself"
UPRIGHT = 0.7  # a head that is above the hips by less than this cosine is before them: on all fours

# Looking left, up and down by degrees, and where the key is to the left and above the eyes.
LOOKS = {
    "front": (0.0, 0.0, 0.0, 0.0),
    "look left": (60.0, 0.0, 0.55, 0.0),
    "look right": (-60.0, 0.0, -0.55, 0.0),
    "look up": (0.0, -40.0, 0.0, 0.4),
    "look down": (0.0, 40.0, 0.0, -0.4),
}
HEADS_SHARE = 0.5  # of such a turn; the two bones below it share the rest
# Waving: how far the upper arm is out, and how far the forearm, from hanging down.
WAVES = {
    "arm down": (8.0, 5.0),
    "arm up": (95.0, 178.0),
    "wave out": (100.0, 140.0),
    "wave in": (90.0, 205.0),
}


class Step(NamedTuple):
    """What one side does in half a stride: degrees by which limbs are swung forward."""

    thigh: float
    shin: float
    arm: float
    tip: float | None = 0.0  # how far the heel is up; None: so far that the toes stand


AHEAD, BEHIND = Step(24.0, 14.0, -22.0), Step(-12.0, -46.0, 16.0, None)
STANDS, LIFTED = Step(3.0, -3.0, -4.0), Step(34.0, -46.0, 0.0, 10.0)
# The four keys around a circle: what the left and the right side do, and where it is.
STRIDE = {
    "left forward": (AHEAD, BEHIND, (1.0, 0.0)),
    "right lifts": (STANDS, LIFTED, (0.0, 1.0)),
    "right forward": (BEHIND, AHEAD, (-1.0, 0.0)),
    "left lifts": (LIFTED, STANDS, (0.0, -1.0)),
}
TIPS = range(0, 60, 2)  # degrees that are tried to let toes stand
ELBOW, OUTWARD = 18.0, 9.0  # how far arms are bent and away from the body


Orientations = dict[str, FloatArray]


def add_ready_set(armature: bpy.types.Object, kind: str) -> bpy.types.PropertyGroup:
    """A new set of one of the kinds, made for this character; refused where it has not what that needs."""
    spatial_set = make_set(armature, *KINDS[kind](armature, Stance(armature)))
    first = spatial_set.keys[0].marker
    empties.move_to(armature, spatial_set.cursor, empties.place_of(armature, first))
    bpy.context.view_layer.update()
    return spatial_set


def _look(armature: bpy.types.Object, stance: Stance) -> tuple[str, list[KeyData], str]:
    head = stance.character.head
    if head is None:
        raise InputError(
            "No head was found on {armature}: {tell_it}.", armature=armature.name, tell_it=TELL_IT
        )
    below = stance.character.spine[-2:]
    shares = {bone: (1.0 - HEADS_SHARE) / len(below) for bone in below} | {head: HEADS_SHARE}
    _refuse_constrained(armature, shares)
    eyes = stance.place(head) + LOOKED_AT * stance.size * stance.front
    keys = []
    for name, (left, down, beside, above) in LOOKS.items():
        oriented, so_far = {}, np.zeros(2)
        for bone, share in shares.items():  # each goes on from the one below it
            so_far += share * np.array([left, down])
            oriented[bone] = stance.turned(bone, turn(stance.up, so_far[0]) @ stance.swing(so_far[1]))
        place = eyes + stance.size * (beside * stance.left + above * stance.up)
        keys.append(KeyData(name, place, stance.pose(oriented, shares)))
    return "Look", keys, sets.BLEND


def _wave(armature: bpy.types.Object, stance: Stance) -> tuple[str, list[KeyData], str]:
    arms = [arm for arm in stance.character.arms if arm.side == "right"] or list(stance.character.arms)
    if not arms or not _is_upright(stance):
        raise InputError(
            "No arm was found on {armature} that could wave: {tell_it}.",
            armature=armature.name,
            tell_it=TELL_IT,
        )
    arm = arms[-1]
    held = _limb_bones(armature, arm)
    _refuse_constrained(armature, held)
    keys = []
    for name, (upper, lower) in WAVES.items():
        directions = (stance.hanging(4.0, degrees, arm.side) for degrees in (upper, lower))
        pose = stance.pose(stance.pointed(arm, *directions), held)
        hand = stance.hand(pose, arm)
        before = BEFORE_HAND * stance.size - (hand - stance.place(arm.upper)) @ stance.front
        keys.append(KeyData(name, hand + before * stance.front, pose))  # all in one plane
    return "Wave", keys, sets.OVER


def _walk(armature: bpy.types.Object, stance: Stance) -> tuple[str, list[KeyData], str]:
    character = stance.character
    sides = [leg.side for leg in character.legs]
    if sorted(sides) != ["left", "right"] or character.hips is None or not _is_upright(stance):
        raise InputError(
            "{armature} was not found to walk on two legs: {tell_it}.",
            armature=armature.name,
            tell_it=TELL_IT,
        )
    limbs = {(limb.side, limb in character.legs): limb for limb in (*character.legs, *character.arms)}
    held = [character.hips, *(bone for limb in limbs.values() for bone in _limb_bones(armature, limb))]
    held += character.toes
    _refuse_constrained(armature, held)
    middle = stance.place(character.hips) + CIRCLE * stance.size * stance.front
    ground = stance.sole(stance.pose({}, held), character.legs)
    keys = []
    for name, (left, right, (beside, above)) in STRIDE.items():
        oriented: Orientations = {}
        for (side, is_leg), limb in limbs.items():
            step = left if side == "left" else right
            oriented |= _leg(stance, limb, step) if is_leg else _arm(stance, limb, step)
        pose = _with_toes_down(stance, {"left": left, "right": right}, oriented, held)
        pose = stance.lifted(pose, character.hips, ground - stance.sole(pose, character.legs))
        place = middle + RADIUS * stance.size * (beside * stance.left + above * stance.up)
        keys.append(KeyData(name, place, pose))
    sets.settings_of(armature).use_locomotion = True
    return "Walk", keys, sets.BLEND


def _leg(stance: Stance, leg: Limb, step: Step) -> Orientations:
    found = stance.pointed(leg, stance.hanging(step.thigh), stance.hanging(step.shin))
    return found | _foot(stance, leg, step.tip or 0.0, toes_stand=False)


def _foot(stance: Stance, leg: Limb, tip: float, *, toes_stand: bool) -> Orientations:
    found = {} if leg.end is None else {leg.end: stance.turned(leg.end, stance.swing(tip))}
    if toes_stand and leg.tip is not None:
        found[leg.tip] = stance.turned(leg.tip, np.eye(3))
    return found


def _with_toes_down(stance: Stance, steps: dict[str, Step], oriented: Orientations, held: list[str]) -> Pose:
    """The pose in which heels that are free are so far up that their toes are level with the other foot."""
    legs = {leg.side: leg for leg in stance.character.legs}
    for side, step in steps.items():
        if step.tip is None:
            other = [leg for leg in legs.values() if leg.side != side]
            level = stance.sole(stance.pose(oriented, held), other)
            tried = [oriented | _foot(stance, legs[side], tip, toes_stand=True) for tip in TIPS]
            oriented = min(
                tried, key=lambda each: abs(stance.sole(stance.pose(each, held), [legs[side]]) - level)
            )
    return stance.pose(oriented, held)


def _arm(stance: Stance, arm: Limb, step: Step) -> Orientations:
    upper, lower = (stance.hanging(forward, OUTWARD, arm.side) for forward in (step.arm, step.arm + ELBOW))
    return stance.pointed(arm, upper, lower)


def _limb_bones(armature: bpy.types.Object, limb: Limb) -> list[str]:
    """The bones of a limb that are turned: its halves, and a foot; each must hang from the one above."""
    halves = [limb.upper, limb.lower] if limb.bends else [limb.upper]
    bones = [*halves, *([limb.end] if limb.end is not None else [])]
    for bone, above in pairwise(reversed(bones)):
        if armature.data.bones[above] not in armature.data.bones[bone].parent_recursive:
            raise InputError(
                "{bone} does not hang from {above} on {armature}, so turning one leaves the other "
                "behind: pose such a character by its controls and set keys yourself.",
                bone=bone,
                above=above,
                armature=armature.name,
            )
    return bones


def _is_upright(stance: Stance) -> bool:
    """Whether it goes on two legs: what goes on all fours has its front legs for arms."""
    hips, head = stance.character.hips, stance.character.head
    return hips is None or head is None or bool(stance.direction(hips, head) @ stance.up > UPRIGHT)


def _refuse_constrained(armature: bpy.types.Object, bones: Iterable[str]) -> None:
    posed = [bone for bone in bones if is_constrained(armature, bone)]
    if posed:
        raise InputError(
            "Constraints pose {bones} on {armature}, so ready sets cannot: pose its controls "
            "and set keys yourself.",
            bones=some_of(posed),
            armature=armature.name,
        )


KINDS: dict[str, Callable[[bpy.types.Object, Stance], tuple[str, list[KeyData], str]]] = {
    "LOOK": _look,
    "WAVE": _wave,
    "WALK": _walk,
}
