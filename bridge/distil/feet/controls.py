# SPDX-License-Identifier: GPL-3.0-or-later
"""The controls that legs of a rig reach for: what carries a foot though the foot does not hang from it.

Rigs have many ways to get from a control to a foot, so nothing is read off constraints. Each bone that keys
place is moved a little in the motion itself, and looked at: a control of a foot takes the foot along and
leaves the hip where it is. Where no control does that, as in a paw whose heel goes up and down with the leg,
one that takes along what the foot stands on will do. A leg that no control carries may follow a chain that
keys turn, as FK of a rig: that lies where the leg does, and takes its foot along when it is turned.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import compress, product

import bpy
import numpy as np

from ....core import rotations
from ....core.anatomy import Limb
from ....core.motion import FloatArray
from ....core.spread import spread
from ... import character
from ...baking import Keys, write_keys
from ...posed_bones import world_matrices
from ...rig_print import rig_print
from .. import channels, keying
from ..actors import actor
from ..reductions import Reduction
from ..solving.analysis import Analysis
from . import pin_gate
from .rotation_channels import Placing, RotationChannels

NUDGE = 0.01  # heights
CARRIED = 0.2  # of a nudge: what is off by less goes along, or stays
RIGID = 0.02  # of a nudge: a foot whose ends do not go by more than this apart goes along as a whole
LOOKS = 3  # frames in which that is looked at
THERE = 0.002  # heights: a joint that is nearer to one of a limb lies where that is
TURN = np.array([[np.cos(0.025), np.sin(0.025), 0.0, 0.0]])  # to see what a bone takes along, a quaternion


@dataclass(frozen=True)
class _Control:
    bone: str
    ankle: bool  # whether it takes along the whole foot, and not only what that stands on


@dataclass(frozen=True)
class _Known:
    """What carries limbs, by what they end with.

    Attributes:
        turned: chains that they follow, as limbs.
        hips: what carries the bones that legs begin with; None where nothing does.
    """

    controls: Mapping[str, _Control]
    turned: Mapping[str, Limb]
    hips: str | None


# Of armatures and sources that were looked at in this session.
_KNOWN: OrderedDict[tuple[int, Hashable, str], _Known] = OrderedDict()
_MOST_KNOWN = 6


def control_of(reduction: Reduction, analysis: Analysis, limb: Limb) -> Placing | None:
    """What carries the end of a limb by keys of its own, if anything does."""
    name = controls_of(reduction).get(limb.end or limb.lower)
    return None if name is None else _placing(reduction, analysis, name)


def controls_of(reduction: Reduction) -> dict[str, str]:
    """The control of each limb that has one, by what the limb ends with."""
    return {end: control.bone for end, control in _known(reduction).controls.items()}


def carries_ankle(reduction: Reduction, limb: Limb) -> bool:
    """Whether the control of a limb takes its whole foot along."""
    return _known(reduction).controls[limb.end or limb.lower].ankle


def turned_for(reduction: Reduction, limb: Limb) -> Limb | None:
    """The chain that a limb follows, if keys turn one."""
    return _known(reduction).turned.get(limb.end or limb.lower)


def hips_of(reduction: Reduction, analysis: Analysis) -> Placing | None:
    """What carries the hips above legs that follow others, if keys place it."""
    name = _known(reduction).hips
    return None if name is None else _placing(reduction, analysis, name)


def carriers_of_limbs(reduction: Reduction) -> set[str]:
    """The bones that carry limbs and are no part of them."""
    turned = _known(reduction).turned.values()
    return {*controls_of(reduction).values(), *(bone for limb in turned for bone in limb.bones)}


def carriers_of(reduction: Reduction) -> set[str]:
    """Those, and what carries the hips."""
    hips = _known(reduction).hips
    return carriers_of_limbs(reduction) | ({hips} if hips else set())


def forget(armature: bpy.types.Object) -> None:
    """Look again: what carries the feet may be another, as where legs were switched from FK to IK."""
    for key in [key for key in _KNOWN if key[0] == armature.session_uid]:
        del _KNOWN[key]


def _known(reduction: Reduction) -> _Known:
    armature = reduction.armature
    key = armature.session_uid, rig_print(armature, pin_gate.is_pin), reduction.state.source_print
    if key not in _KNOWN:
        _KNOWN[key] = _found(reduction)
    _KNOWN.move_to_end(key)
    while len(_KNOWN) > _MOST_KNOWN:
        _KNOWN.popitem(last=False)
    return _KNOWN[key]


def hangs_by_keys(reduction: Reduction, analysis: Analysis, limb: Limb) -> bool:
    """Whether both halves of a limb are turned by keys of their own, and its foot hangs from them."""
    armature, bones = reduction.armature, reduction.armature.data.bones
    halves = (limb.upper, limb.lower)
    if any(
        RotationChannels.of(armature, analysis.paths, reduction.handles[0], bone) is None for bone in halves
    ):
        return False
    return limb.end is None or bones[limb.lower] in bones[limb.end].parent_recursive


def _placing(reduction: Reduction, analysis: Analysis, name: str) -> Placing | None:
    return Placing.of(reduction.armature, analysis.paths, reduction.handles[0], name)


def _found(reduction: Reduction) -> _Known:
    armature, analysis = reduction.armature, reduction.analysis()
    described = character.describe(armature)
    limbs = {
        limb.end or limb.lower: limb
        for limb in (*described.legs, *described.arms)
        if not hangs_by_keys(reduction, analysis, limb)
    }
    named = filter(None, (channels.bone_of(path) for _, path, _ in analysis.paths))
    names = [name for name in dict.fromkeys(named) if name in armature.pose.bones]
    placings = [_placing(reduction, analysis, name) for name in names]
    found: dict[bool, dict[str, str]] = {True: {}, False: {}}
    bones, body = armature.data.bones, None
    of_legs = np.array([limb in described.legs for limb in limbs.values()], bool)
    for name, (step, *moved) in _nudged(reduction, analysis, list(filter(None, placings)), limbs):
        ankles, soles, hips = np.split(np.array(moved), 3)
        stood_on, stay = _within(soles - step, CARRIED, step), _within(hips, CARRIED, step)
        rigid = _within(ankles - soles, RIGID, step) | ~stood_on
        whole = _within(ankles - step, CARRIED, step) & rigid
        for ankle, own in ((True, whole & stay), (False, stood_on & stay)):
            known = found[ankle]
            for end in compress(limbs, own):
                if end not in known or bones[known[end]] in bones[name].parent_recursive:
                    known[end] = name
        if of_legs.any() and _within(hips - step, CARRIED, step)[of_legs].all():
            body = name if body is None or bones[body] in bones[name].parent_recursive else body
    known = {end: _Control(name, ankle) for ankle in (False, True) for end, name in found[ankle].items()}
    others = {end: limb for end, limb in limbs.items() if end not in known and limb.end and limb.bends}
    return _Known(known, _turned(reduction, analysis, names, others), body)


def _turned(
    reduction: Reduction, analysis: Analysis, names: Iterable[str], limbs: Mapping[str, Limb]
) -> dict[str, Limb]:
    """The chains that limbs follow: they lie where these are, and take them along."""
    armature, handle = reduction.armature, reduction.handles[0]
    of_keys = {name: RotationChannels.of(armature, analysis.paths, handle, name) for name in names}
    turning = {name: turned for name, turned in of_keys.items() if turned is not None}
    if not turning or not limbs:
        return {}
    near = THERE * character.height_of(armature)
    some = analysis.frames[spread(len(analysis.frames), LOOKS)]
    known = list(dict.fromkeys([*turning, *(bone for limb in limbs.values() for bone in limb.bones)]))
    found = {}
    with _stage(reduction, analysis) as (playing, write):

        def heads() -> dict[str, FloatArray]:
            """(looks, 3) of each."""
            places = world_matrices(playing, some, known)[:, :, :3, 3].astype(np.float64)
            return dict(zip(known, places.swapaxes(0, 1), strict=True))

        there = heads()
        for end, limb in limbs.items():
            lie_at = {
                joint: [name for name in turning if np.abs(there[name] - there[joint]).max() < near]
                for joint in limb.bones
            }
            for chain in _chains(armature, limb, lie_at):
                turned = turning[chain.upper]
                write(turned.columns, _turned_a_little(turned, analysis.values))
                now = heads()
                write(turned.columns, analysis.values[:, turned.columns])
                ankle, own = (now[foot] - there[foot] for foot in (end, chain.bones[-1]))
                if np.linalg.norm(own, axis=1).min() > near and _within((ankle - own)[None], CARRIED, own)[0]:
                    found[end] = chain
                    break
    return found


def _chains(armature: bpy.types.Object, limb: Limb, lie_at: Mapping[str, Sequence[str]]) -> Iterator[Limb]:
    """Limbs of those bones that lie at the joints of another, each below the one before."""
    bones = armature.data.bones
    for upper, lower, foot in product(*(lie_at[each] for each in (limb.upper, limb.lower, limb.end) if each)):
        above = [bone.name for bone in bones[foot].parent_recursive]
        if lower in above and upper in above[above.index(lower) + 1 :]:
            tips = lie_at.get(limb.tip or "", ())
            tip = next((name for name in tips if bones[foot] in bones[name].parent_recursive), None)
            whole = (*reversed(above[: above.index(upper) + 1]), foot)
            yield Limb(limb.side, whole, upper, lower, foot, tip)


def _turned_a_little(channels: RotationChannels, values: FloatArray) -> FloatArray:
    """(F, C) what its columns are then."""
    turned, turn = values.copy(), rotations.quaternion_to_matrix(TURN)
    channels.write(turned, np.ones(len(values), bool), channels.matrices(values) @ turn)
    return turned[:, channels.columns]


@contextmanager
def _stage(
    reduction: Reduction, analysis: Analysis
) -> Iterator[tuple[bpy.types.Object, Callable[[Sequence[int], FloatArray], None]]]:
    """What plays the motion in an action of its own, and what keys some columns of that anew."""
    action = keying.copy_with_target(reduction.action, analysis)
    pin_gate.forget(action)
    try:
        curves = np.array(keying.curves_of(action, analysis), object)

        def write(columns: Sequence[int], values: FloatArray) -> None:
            keys = Keys(analysis.frames, values, interpolation="LINEAR", handle_type="VECTOR")
            write_keys(curves[list(columns)], keys)

        with actor(reduction.armature, action, reduction.handles[0]) as playing:
            yield playing, write
    finally:
        bpy.data.actions.remove(action)


def _within(off: FloatArray, share: float, step: FloatArray) -> np.ndarray:
    """(n,) which of some ways (n, looks, 3) are always shorter than a share of a step (looks, 3)."""
    return np.all(np.linalg.norm(off, axis=2) < share * np.linalg.norm(step, axis=1), axis=1)


def _nudged(
    reduction: Reduction, analysis: Analysis, placings: Sequence[Placing], limbs: Mapping[str, Limb]
) -> Iterator[tuple[str, FloatArray]]:
    """How far each bone goes when nudged, then ankles, what stands, and where limbs begin (n, looks, 3)."""
    if not placings or not limbs:
        return
    armature, frames = reduction.armature, analysis.frames
    soles = [limb.sole for limb in limbs.values()]
    others = [*limbs, *soles, *(limb.upper for limb in limbs.values())]
    along = np.zeros((len(others), 3))  # heads, but ends of what stands
    rows = [armature.data.bones.find(bone) for bone in soles]
    along[len(limbs) : 2 * len(limbs)] = character.ends_of(armature).along[rows]
    some = frames[spread(len(frames), LOOKS)]
    nudge = NUDGE * character.height_of(armature) / (armature.matrix_world.median_scale or 1.0)
    with _stage(reduction, analysis) as (playing, write):

        def places(bones: Sequence[str]) -> FloatArray:
            """(n, looks, 3) where the others are, then some bones."""
            matrices = world_matrices(playing, some, [*others, *bones]).swapaxes(0, 1)
            found = matrices[:, :, :3, 3].astype(np.float64)
            found[: len(others)] += np.einsum("blij,bj->bli", matrices[: len(others), :, :3, :3], along)
            return found

        before = places([each.bone for each in placings])
        for row, placing in enumerate(placings):
            there = analysis.values[:, placing.location]
            write(placing.location, there + nudge * _to_hips(armature, placing.bone))
            after = places([placing.bone])
            write(placing.location, there)
            moved = after - before[[*range(len(others)), len(others) + row]]
            yield placing.bone, np.roll(moved, 1, axis=0)


def _to_hips(armature: bpy.types.Object, name: str) -> FloatArray:
    """(3,) the way from a bone to the hips at rest, in its own axes: where a leg reaches it all along."""
    bones, hips = armature.data.bones, character.describe(armature).hips
    way = bones[hips or name].head_local - bones[name].head_local
    axes = np.array(bones[name].matrix_local, np.float64)[:3, :3]
    return axes.T @ np.array(way.normalized() if way.length > 0.0 else axes[:, 1], np.float64)
