# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins: empties that hold planted feet by IK, as an animator would rig them, in plain Blender data.

Where a pin is and how strongly it holds is keyed in an action of its own, so the keys of the character stay
as few as they are. Neither depends on their number: the slider leaves pins, and what the animator did to
them, alone. They are keyed anew where contacts are corrected or retimed, and stay then where they were moved.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import bpy
import numpy as np

from ....core import InputError, rotations
from ....core.feet import pin_keys, planting
from ....core.feet.contacts import Contact
from ....core.motion import FloatArray
from ....core.spread import spread
from ... import actions, character
from ...posed_bones import pose_matrices
from ...splicing import NEAR
from ..detail_layer import detail_gate
from ..reductions import Reduction
from . import held_feet, pin_gate, pin_rig, stances
from .held_feet import Leg
from .pin_rig import Pin

# Heights that a pin may be off the foot's path, and the foot about it, for the sake of few keys.
OFF_PATH, OFF_TURN = 0.001, 0.004
LOOKS = 5  # frames in which the armature is looked at to see whether it moves as a whole


@dataclass(frozen=True)
class _Stood:
    """A contact that a pin was keyed for.

    Attributes:
        moments: when it begins and ends in the source. frames: when it does so in what plays.
        place: where the pin was put. turn: how it was turned in the middle of the contact, a quaternion.
    """

    moments: tuple[float, float]
    frames: tuple[float, float]
    place: tuple[float, float, float]
    turn: tuple[float, float, float, float]


def check(reduction: Reduction) -> None:
    """Whether pins, or controls of the rig, can hold something; a sentence if not."""
    held_feet.check(reduction)
    contacts, name = stances.contacts_of(reduction), reduction.armature.name
    pinned = _legs(reduction, contacts)
    if pinned and reduction.armature.override_library is not None:  # where Blender keeps no driver of ours
        raise InputError(
            "{name} is an override, and nothing could let go of its feet: choose Baked.", name=name
        )
    found = held_feet.legs_of(reduction, reduction.analysis(), contacts)
    if not pinned and all(leg.control is None for leg in found):
        raise InputError(
            "The feet of {name} do not hang from its legs, so no pin can hold them: choose Baked.", name=name
        )


def renew(reduction: Reduction) -> None:
    """Have the pins that the state asks for: made, brought up to date with contacts and timing, or none."""
    if reduction.state.hold != "PINS":
        remove(reduction)
        return
    gate, known = _read(reduction)
    moved = are_moved(reduction)
    if gate and _is_shared(reduction, gate):
        gate = _fork(reduction, gate, known)
    contacts = stances.contacts_of(reduction)
    legs = _legs(reduction, contacts)
    if not legs and not gate:
        return  # controls of the rig hold the feet
    gate = gate or detail_gate.new_gate()
    for bone in pin_rig.pinned_bones(reduction.armature, gate) - legs.keys():
        _drop(reduction, bone, gate)
    kept = {
        bone: _renewed(reduction, leg, contacts[leg.stands], known.get(bone, []), gate)
        for bone, leg in legs.items()
    }
    stood = {bone: [asdict(each) for each in some] for bone, some in kept.items()}
    keyed = _print(reduction, gate)
    reduction.state.pins = json.dumps({"gate": gate, "stood": stood, "moved": moved, "print": keyed})
    pin_gate.open_for(reduction.action, gate)


def remove(reduction: Reduction) -> None:
    """Take the pins away, but for those that a copy of the action has too."""
    gate, _ = _read(reduction)
    if not gate:
        return
    # Bones may have been renamed since.
    for bone in () if _is_shared(reduction, gate) else pin_rig.pinned_bones(reduction.armature, gate):
        _drop(reduction, bone, gate)
    reduction.state.pins = ""
    pin_gate.forget(reduction.action)


def _read(reduction: Reduction) -> tuple[str, dict[str, list[_Stood]]]:
    """The gate of the pins and what each bone's were keyed for; nothing where there are none."""
    try:
        kept = json.loads(reduction.state.pins)
        stood = {bone: [_Stood(**each) for each in some] for bone, some in kept["stood"].items()}
        return str(kept["gate"]), stood
    except (ValueError, TypeError, KeyError, AttributeError):
        return "", {}


def are_moved(reduction: Reduction) -> bool:
    """Whether the animator has done anything to the pins, now or before they were last keyed."""
    gate, _ = _read(reduction)
    if not gate:
        return False
    kept = json.loads(reduction.state.pins)
    return bool(kept.get("moved")) or kept.get("print", "") != _print(reduction, gate)


def _print(reduction: Reduction, gate: str) -> str:
    """A fingerprint of how the pins are keyed."""
    return actions.fingerprint(_curves(reduction, gate))


def _curves(reduction: Reduction, gate: str) -> list[Any]:
    found = sorted(pin_rig.pins_in(reduction.armature, gate), key=lambda pin: pin.empty.name)
    return [curve for pin in found for curve in actions.curves_of(pin.empty)]


def curves_of(reduction: Reduction) -> list[Any]:
    """How the pins are keyed: it plays along with the keys of the character."""
    return _curves(reduction, _read(reduction)[0]) if reduction.state.pins else []


def are_of_another(reduction: Reduction) -> bool:
    """Whether the armature hangs on the pins of the one that it is a duplicate of."""
    gate, _ = _read(reduction)
    return any(pin.owner != reduction.armature for pin in pin_rig.pins_in(reduction.armature, gate))


def _is_shared(reduction: Reduction, gate: str) -> bool:
    """Whether the pins belong to the armature or the action that this one is a duplicate of."""
    others = (action for action in bpy.data.actions if action != reduction.action)
    return any(gate in action.posewright.pins for action in others) or are_of_another(reduction)


def _fork(reduction: Reduction, gate: str, known: Mapping[str, Any]) -> str:
    """Give a duplicate pins of its own, where the others are; their gate."""
    own = detail_gate.new_gate()
    for bone in known:
        pin_rig.fork(reduction.armature, bone, gate, own)
    pin_gate.forget(reduction.action)
    return own


def _drop(reduction: Reduction, bone: str, gate: str) -> None:
    """Remove one pin."""
    pin = pin_rig.find(reduction.armature, bone, gate)
    pin_rig.release(reduction.armature, bone, gate)
    if pin is not None:
        pin_rig.delete(pin)


def _legs(reduction: Reduction, contacts: Mapping[str, Sequence[Contact]]) -> dict[str, Leg]:
    """The limbs that pins can hold, by the bone that is pinned."""
    found = held_feet.legs_of(reduction, reduction.analysis(), contacts)
    armature = reduction.armature
    return {
        stances.standing_bone(leg.turned): leg
        for leg in found
        if leg.control is None and (leg.foot is not None or pin_rig.ends_at_tail(armature, leg.limb.lower))
    }


def _renewed(
    reduction: Reduction, leg: Leg, contacts: Sequence[Contact], known: Sequence[_Stood], gate: str
) -> list[_Stood]:
    """The contacts that the pin of a limb is keyed for from now on."""
    armature, frames = reduction.armature, reduction.analysis().frames
    pin = pin_rig.find(armature, stances.standing_bone(leg.turned), gate)
    at = [frames[[each.first, each.last]] for each in contacts]
    moments = [reduction.edits.warp.to_source(each) for each in at]
    if pin is None:
        pin, known = pin_rig.make(armature, leg.turned, gate, moves=_moves(armature, frames)), []
    elif len(known) == len(at) and all(
        _same(each.moments, moment) and _same(each.frames, now)
        for each, moment, now in zip(known, moments, at, strict=True)
    ):
        return list(known)
    kept = [next((each for each in known if _same(each.moments, moment)), None) for moment in moments]
    moves = [_Move.none() if each is None else _moved(pin, each) for each in kept]
    values = _write(reduction, leg, contacts, pin, moves)
    _write_strength(reduction, contacts, pin)
    middles = np.searchsorted(frames, [each.mean() for each in at])
    return [
        _Stood(*(tuple(each.tolist()) for each in (moment, now, values[row, :3], values[row, 3:])))
        for moment, now, row in zip(moments, at, middles, strict=True)
    ]


def _same(some: Sequence[float], others: FloatArray) -> bool:
    return bool(np.abs(np.subtract(some, others)).max() < NEAR)


def _moves(armature: bpy.types.Object, frames: FloatArray) -> bool:
    """Whether the armature moves as a whole, besides its bones."""
    some = frames[spread(len(frames), LOOKS)]
    _, objects = pose_matrices(armature, some, [])
    return bool(np.ptp(objects, axis=0).max() > NEAR * max(1.0, np.abs(objects).max()))


class _Move(NamedTuple):
    """What an animator has done to a pin in a contact: a step (3,) and a turn, a quaternion."""

    step: FloatArray
    turn: FloatArray

    @staticmethod
    def none() -> _Move:
        return _Move(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))


def _moved(pin: Pin, stood: _Stood) -> _Move:
    """A pin that was keyed somewhere in a contact is meant to be there for all of it."""
    first, last = stood.frames
    keyed = pin.keyed_frames()
    keyed = keyed[(keyed > first - NEAR) & (keyed < last + NEAR)]
    if not len(keyed):
        return _Move.none()
    steps = pin.values_at(keyed)[:, :3] - stood.place
    [now] = pin.values_at(np.array([0.5 * (first + last)]))
    before = rotations.quaternion_inverse(np.array(stood.turn))
    turn = rotations.quaternion_multiply(rotations.normalized_quaternion(now[3:]), before)
    return _Move(steps[np.argmax(np.linalg.norm(steps, axis=1))], turn)


def _write(
    reduction: Reduction, leg: Leg, contacts: Sequence[Contact], pin: Pin, moves: Sequence[_Move]
) -> FloatArray:
    """Key where a pin is, with as few keys as its path allows; (F, 7) its place and turn in all frames."""
    armature, analysis = reduction.armature, reduction.analysis()
    bone, original = stances.standing_bone(leg.turned), stances.reference(reduction)
    pose, times = held_feet.poses_of(armature, leg, original, original), held_feet.times_of(reduction)
    placed = [
        replace(each, place=each.place + pin.above[:3, :3] @ move.step)
        for each, move in zip(planting.within_reach(pose, contacts), moves, strict=True)
    ]
    covered = held_feet.covered_in_a_round(reduction, leg, original)
    goal = planting.goal_of(pose, planting.joined_at_seam(placed, len(times), covered), times)
    turned = original.rotations(bone)
    values = pin.seen(goal.point, turned)
    values[:, 3:] = rotations.quaternion_multiply(_turns(contacts, moves, times), values[:, 3:])
    if covered is not None:
        [values[-1, :3]] = pin.seen(goal.point[:1] + covered, turned[:1])[:, :3]
    ankle = goal.end - goal.point
    beside = np.linalg.norm(ankle, axis=1)[:, None] * turned[:, :, 0]
    height = character.height_of(armature)
    for channels, columns, points, tolerance in (
        (pin_rig.PLACE, slice(3), goal.point[:, None], OFF_PATH),
        (pin_rig.TURN, slice(3, None), np.stack([ankle, beside], axis=1), OFF_TURN),
    ):
        rows = pin_keys.path_rows(points, contacts, times, tolerance * height)
        pin.write(channels, analysis.frames[rows], values[rows, columns], goes_round=covered is not None)
    row, tail = contacts[0].first, original.tail(armature, bone)
    pin_rig.hang_target(pin, pin.seen(pose.point, turned)[row], tail[row])
    return values


def _turns(contacts: Sequence[Contact], moves: Sequence[_Move], times: FloatArray) -> FloatArray:
    """(F, 4) how a pin is turned besides, from contact to contact."""
    at = times[[row for each in contacts for row in (each.first, each.last)]]
    turns = np.repeat([move.turn * (1.0 if move.turn[0] >= 0.0 else -1.0) for move in moves], 2, axis=0)
    mixed = np.stack([np.interp(times, at, component) for component in turns.T], axis=1)
    return rotations.normalized_quaternion(mixed)


def _write_strength(reduction: Reduction, contacts: Sequence[Contact], pin: Pin) -> None:
    analysis = reduction.analysis()
    times = held_feet.times_of(reduction)
    goes_round = held_feet.goes_round(reduction)
    rows, values = pin_keys.influence_keys(
        contacts, times, open_ends=not analysis.whole, goes_round=goes_round
    )
    pin.write(pin_rig.STRENGTH, analysis.frames[rows], values[:, None], goes_round=goes_round)
