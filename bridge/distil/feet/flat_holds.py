# SPDX-License-Identifier: GPL-3.0-or-later
"""Flat holds: keys of a rig's own controls that stay level while a foot stands.

A leg that reaches for a control needs no pin: its foot stands as long as the control does. So the control
gets keys of its own where a contact begins and ends, and between them only where the foot rolls or pivots.
Columns inside of a contact are left out of its curves, and between two contacts there is always a key where
the foot is in the air. Everything else is fitted as usual, to a motion in which the foot stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise

import bpy
import numpy as np

from ....core import Fitter
from ....core.feet import pin_keys
from ....core.feet.contacts import Contact, runs
from ....core.motion import FloatArray, IntArray
from ... import character
from ...baking import write_keys
from .. import keying, part_of_action
from ..editing.offsets import offsets_of
from ..reductions import Reduction
from ..solving.analysis import Analysis
from . import held_feet, stances
from .held_feet import Leg

# Heights that a control may move in what is called a hold, and be off its path between straight keys for the
# sake of few: curves follow it more closely than that.
LEVEL = 0.005
OFF_PATH = {"FREE": 0.003, "LINEAR": 0.001, "STEPPED": 0.006}


def legs_of(reduction: Reduction) -> list[tuple[Leg, list[Contact]]]:
    """The limbs whose controls are held, and when they stand. What is staggered keeps its columns."""
    if reduction.state.hold != "PINS":
        return []
    analysis, contacts = reduction.analysis(), stances.contacts_of(reduction)
    late, last = offsets_of(reduction.action), len(analysis.frames) - 1
    found = []
    for leg in held_feet.legs_of(reduction, analysis, contacts):
        some = contacts[leg.stands]
        if not analysis.whole:  # where the rest of the action goes on
            some = [each for each in some if each.first > 0 and each.last < last]
        if leg.control is not None and leg.control.bone not in late and some:
            found.append((leg, some))
    return found


def columns_of(reduction: Reduction) -> np.ndarray:
    """(C,) which channels are those of controls that are held."""
    analysis = reduction.analysis()
    held = np.zeros(len(analysis.paths), bool)
    for leg, _ in legs_of(reduction):
        held[_columns(leg, analysis)] = True
    return held


def write(reduction: Reduction, action: bpy.types.Action, count: int, way: str) -> None:
    """Key the controls of an action that a solution was written to.

    Handles that were alike on both sides of a key would let a swing begin before its foot has left.
    """
    analysis, curves = reduction.analysis(), None
    way = way if way in OFF_PATH else "FREE"
    for leg, contacts in legs_of(reduction):
        curves = curves or keying.curves_of(action, analysis)
        columns = _columns(leg, analysis)
        points, values = _held(reduction, leg, contacts, analysis)
        height, times = character.height_of(reduction.armature), held_feet.times_of(reduction)
        rows, holds = _rows(points, contacts, times, analysis.keys(count), height, OFF_PATH[way])
        for first, last in holds:
            values[first : last + 1, columns] = values[(first + last) // 2, columns]
        level = [*chain(*holds)]
        fitter = Fitter(values[:, columns], analysis.frames, influence=analysis.influence[columns])
        types = ["MOVING_HOLD" if row in level else "KEYFRAME" for row in rows.tolist()]
        keys = keying.keys_at(fitter, rows, way, types, held=rows.tolist(), level=level)
        own = [curves[column] for column in columns]
        if analysis.whole:
            write_keys(own, keys)
        else:
            part_of_action.write_part(own, keys, analysis.frames, analysis.values[:, columns])


def _columns(leg: Leg, analysis: Analysis) -> list[int]:
    assert leg.control is not None
    return [column for column in leg.control.columns if analysis.moves[column]]


def _held(
    reduction: Reduction, leg: Leg, contacts: Sequence[Contact], analysis: Analysis
) -> tuple[FloatArray, FloatArray]:
    """Points (F, 2, 3) that tell where a foot shall be and how it is turned; channels (F, C) for it."""
    original, values = stances.reference(reduction), analysis.values.copy()
    pose = held_feet.poses_of(reduction.armature, leg, original, original)
    goal = held_feet.goal_of(reduction, leg, contacts, original)
    held_feet.hold(leg, pose, goal, original, values)
    foot = goal.foot if goal.foot is not None else np.tile(np.eye(3), (len(values), 1, 1))
    arm = np.linalg.norm(goal.end - goal.point, axis=1)[:, None]
    return np.stack([goal.end, goal.end + arm * foot[:, :, 0]], axis=1), values


def _rows(
    points: FloatArray,
    contacts: Sequence[Contact],
    times: FloatArray,
    columns: IntArray,
    height: float,
    off_path: float,
) -> tuple[IntArray, list[tuple[int, int]]]:
    """The rows that are keys of a control, and the first and last ones of stretches in which it is level."""
    path = pin_keys.path_rows(points, contacts, times, off_path * height)
    holds = [_hold(points, each, LEVEL * height) for each in contacts]
    outside, rolls = np.ones(len(points), bool), np.zeros(len(points), bool)
    for each, (first, last) in zip(contacts, holds, strict=True):
        outside[each.rows], rolls[each.rows], rolls[first : last + 1] = False, True, False
    needed = {*columns[outside[columns]].tolist(), *path[rolls[path]].tolist(), *chain(*holds)}
    for before, after in pairwise(contacts):
        if not any(before.last < row < after.first for row in needed) and after.first - before.last > 1:
            needed.add(_in_the_air(points[:, 0], before.last, after.first))
    return np.array(sorted(needed)), [hold for hold in holds if hold[1] > hold[0]]


def _hold(points: FloatArray, contact: Contact, tolerance: float) -> tuple[int, int]:
    """The ends of the longest stretch of a contact in which a foot neither rolls nor pivots."""
    there = points[contact.rows]
    still = np.linalg.norm(there - np.median(there, axis=0), axis=2).max(axis=1) < tolerance
    found = runs(still) or [(0, 0)]
    first, last = max(found, key=lambda run: run[1] - run[0])
    return contact.first + first, contact.first + last


def _in_the_air(points: FloatArray, first: int, last: int) -> int:
    """The row in which a point is farthest from its straight way from one row to another."""
    share = np.linspace(0.0, 1.0, last - first + 1)[:, None]
    straight = (1.0 - share) * points[first] + share * points[last]
    away = np.linalg.norm(points[first : last + 1] - straight, axis=1)
    return first + int(np.clip(away.argmax(), 1, last - first - 1))
