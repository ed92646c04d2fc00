# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a character stands when, as its source has it and as the user has corrected it.

The contacts are kept with the reduced action, as frames of the source in which the end of a limb stands, so
they are saved, undone and copied with it and go along when it is retimed.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import bpy
import numpy as np

from ....core import InputError, Motion
from ....core.anatomy import Character, Limb
from ....core.editing.time_warp import TimeWarp
from ....core.feet.contacts import Contact, contact_at, find_contacts, runs
from ....core.motion import FloatArray
from ... import character, stages
from ...posed_bones import world_matrices
from ...rig_print import rig_print
from ...sampling import is_beside
from ...splicing import NEAR
from .. import channels, reductions
from ..actors import actor
from ..playing import target_action
from ..reductions import Reduction
from ..solving.analysis import Analysis
from . import pin_gate
from .controls import carriers_of, carriers_of_limbs

# Originals that were looked at in this session, by what they are made of.
_CACHE: OrderedDict[tuple[str, str, Hashable, bytes], Posed] = OrderedDict()
_MOST_CACHED = 6

UP = np.array([0.0, 0.0, 1.0])

Stretches = dict[str, list[tuple[float, float]]]  # first and last frames by the bone that stands


@dataclass(frozen=True, eq=False)
class Posed:
    """(F, B, 4, 4) matrices of some bones in the world."""

    bones: tuple[str, ...]
    matrices: FloatArray

    def of(self, bone: str) -> FloatArray:
        return self.matrices[:, self.bones.index(bone)].astype(np.float64)

    def rotations(self, bone: str) -> FloatArray:
        """(F, 3, 3) without the bone's scale."""
        axes = self.of(bone)[:, :3, :3]
        return axes / np.maximum(np.linalg.norm(axes, axis=1, keepdims=True), 1e-12)

    def head(self, bone: str) -> FloatArray:
        return self.of(bone)[:, :3, 3]

    def tail(self, armature: bpy.types.Object, bone: str) -> FloatArray:
        return self.head(bone) + armature.data.bones[bone].length * self.of(bone)[:, :3, 1]

    def end(self, armature: bpy.types.Object, standing: str) -> FloatArray:
        """(F, 3) what stands of a bone: where it ends, or the last of its pieces; mostly at its tail."""
        bone = _soles(armature).get(standing, standing)
        along = character.ends_of(armature).along[armature.data.bones.find(bone)]
        return self.of(bone)[:, :3, :3] @ along + self.head(bone)


def standing_bone(limb: Limb) -> str:
    """The foot or the hand; where there is none, what the limb ends with."""
    return limb.end or limb.lower


def _soles(armature: bpy.types.Object) -> dict[str, str]:
    """The bones that what stands ends with, by the bones that stand: a foot may be in pieces."""
    described = character.describe(armature)
    return {standing_bone(limb): limb.sole for limb in (*described.legs, *described.arms)}


def reference(reduction: Reduction) -> Posed:
    """How the limbs stand: as in the source, at the time of now, and where limbs were posed anew, like that.

    Edits of the rest of the body are left out: feet stay where they are when the hips are moved.
    """
    known = reduction.edits
    limbs = _bones_of_limbs(reduction.armature) | carriers_of_limbs(reduction)
    own = np.array([channels.bone_of(path) in limbs for _, path, _ in known.paths], bool)
    edits = replace(known, paths=tuple(compress(known.paths, own)), changes=known.changes[:, own])
    return _posed(reduction, "reference", lambda: reductions.with_edits(reduction, edits))


def target(reduction: Reduction) -> Posed:
    """The body as keys are fitted to it: the source with all edits."""
    return _posed(reduction, "target", reduction.analysis)


def _posed(reduction: Reduction, name: str, analysis: Callable[[], Analysis]) -> Posed:
    """The body in an action that plays such an analysis, at its frames, then what carries it; remembered."""
    armature = reduction.armature
    name = name if reduction.state.edits else "source"  # without edits all are the same
    placed = np.array(armature.matrix_world, np.float32).tobytes()
    key = name, reduction.state.token, rig_print(armature, pin_gate.is_pin), placed
    if key not in _CACHE:
        wanted = analysis()
        described = character.describe(armature)
        hips = () if described.hips is None else (described.hips,)  # a control, where one was said to be them
        bones = dict.fromkeys((*described.body, *hips, *sorted(carriers_of(reduction))))
        with (
            target_action(reduction, wanted) as action,
            actor(armature, action, reduction.handles[0]) as playing,
        ):
            _CACHE[key] = posed_now(playing, wanted.frames, list(bones))
    _CACHE.move_to_end(key)
    while len(_CACHE) > _MOST_CACHED:
        _CACHE.popitem(last=False)
    return _CACHE[key]


def _bones_of_limbs(armature: bpy.types.Object) -> set[str]:
    described = character.describe(armature)
    return {bone for limb in (*described.legs, *described.arms) for bone in limb.bones}


def posed_now(armature: bpy.types.Object, frames: FloatArray, bones: Sequence[str]) -> Posed:
    """The bones, and the last pieces of those that stand."""
    soles = _soles(armature)
    wanted = tuple(dict.fromkeys([*bones, *(soles[bone] for bone in bones if bone in soles)]))
    return Posed(wanted, world_matrices(armature, frames, wanted).astype(np.float32))


@character.held()
def contacts_of(reduction: Reduction) -> dict[str, list[Contact]]:
    """The contacts of each bone that stands, in the order of time: kept ones, or found now."""
    stored = stretches(reduction)
    if stored is None:
        stored = _found(reduction)
        keep(reduction, stored)
    posed, frames = reference(reduction), reduction.analysis().frames
    warp = reduction.edits.warp
    known = [bone for bone in stored if bone in posed.bones]
    contacts: dict[str, list[Contact]] = {bone: [] for bone in known}
    for point, bone in enumerate(known):
        places = posed.end(reduction.armature, bone)
        for first, last in _at(warp, stored[bone]):
            start, stop = _rows(frames, first, last)
            if stop >= 0:
                contacts[bone].append(contact_at(places, point, start, stop))
    return contacts


def points_of(armature: bpy.types.Object, posed: Posed, bones: Sequence[str]) -> FloatArray:
    """(F, P, 3) what stands of some bones."""
    return np.stack([posed.end(armature, bone) for bone in bones], axis=1)


def _found(reduction: Reduction) -> Stretches:
    """Contacts of the feet; hands are for the user to mark."""
    armature = reduction.armature
    described = character.describe(armature)
    source = reductions.source_of(reduction)
    posed, frames = _posed(reduction, "source", lambda: source), source.frames
    feet = [standing_bone(leg) for leg in described.legs if standing_bone(leg) in posed.bones]
    if not feet:
        return {}
    body = posed.matrices[:, : len(described.body), :3, 3]
    heels = np.stack([posed.head(bone) for bone in feet], axis=1)
    found = _found_among(armature, feet, points_of(armature, posed, feet), heels, body, frames)
    return _stretches_of(found, {bone: point for point, bone in enumerate(feet)}, frames)


def contacts_in(reduction: Reduction, original: Motion) -> list[Contact]:
    """The contacts in what keys are fitted to, of its joints: known ones, or found now."""
    known = frames_of(reduction)
    if known is None:
        feet = feet_among(reduction.armature, original)
        known = _stretches_of(found_in(reduction.armature, original), feet, original.frames)
        if not reduction.state.edits and not reduction.state.stagger:
            keep(reduction, known)
    return _contacts_at(reduction.armature, known, original)


def contacts_in_source(armature: bpy.types.Object, motion: Motion) -> list[Contact]:
    """The contacts in what an armature plays: as they were corrected where that was reduced, or found now."""
    reduction = reductions.find(armature)
    known = None if reduction is None else stretches(reduction)
    return found_in(armature, motion) if known is None else _contacts_at(armature, known, motion)


def _contacts_at(armature: bpy.types.Object, known: Stretches, motion: Motion) -> list[Contact]:
    soles, joints = _soles(armature), {name: row for row, name in enumerate(motion.names)}
    ends = {soles.get(bone, bone): each for bone, each in known.items()}
    standing = {joints[bone]: each for bone, each in ends.items() if bone in joints}
    return [
        contact_at(motion.positions[:, joint], joint, *_rows(motion.frames, first, last))
        for joint, each in standing.items()
        for first, last in each
        if _rows(motion.frames, first, last)[1] >= 0
    ]


def found_in(armature: bpy.types.Object, motion: Motion) -> list[Contact]:
    """Contacts of the feet's joints in any motion of a character."""
    feet = feet_among(armature, motion)
    if not feet:
        return []
    points = motion.positions[:, list(feet.values())]
    lower = {leg.end: leg.lower for leg in character.describe(armature).legs if leg.lower in motion.names}
    ankles = [motion.names.index(lower.get(bone, bone)) for bone in feet]
    heels = motion.positions[:, ankles]
    bones = armature.data.bones
    joints = [row for row, name in enumerate(motion.names) if not is_beside(name, bones)]
    sunk = _sunk(armature, [motion.names[row] for row in joints])
    body = motion.positions[:, joints] + sunk[:, None] * UP
    found = _found_among(armature, list(feet), points, heels, body, motion.frames)
    return [replace(each, point=list(feet.values())[each.point]) for each in found]


def feet_among(armature: bpy.types.Object, motion: Motion) -> dict[str, int]:
    """The joints of a motion that stand, by their bones."""
    legs = character.describe(armature).legs
    return {standing_bone(leg): motion.names.index(leg.sole) for leg in legs if leg.sole in motion.names}


def _sunk(armature: bpy.types.Object, names: Sequence[str]) -> FloatArray:
    """How far below the ground importers let some bones end, by their names; others and heads are not."""
    known = dict(zip(armature.data.bones.keys(), character.ends_of(armature).sunk, strict=True))
    return np.array([known.get(name, 0.0) for name in names])


def _found_among(
    armature: bpy.types.Object,
    feet: Sequence[str],
    points: FloatArray,
    heels: FloatArray,
    body: FloatArray,
    frames: FloatArray,
) -> list[Contact]:
    fps, height = stages.frames_per_second(bpy.context.scene), character.height_of(armature)
    soles = _soles(armature)
    sunk = _sunk(armature, [soles[bone] for bone in feet])
    return find_contacts(points, height=height, fps=fps, frames=frames, body=body, heels=heels, sunk=sunk)


def _stretches_of(found: Iterable[Contact], points: Mapping[str, int], frames: FloatArray) -> Stretches:
    stretches: Stretches = {bone: [] for bone in points}
    bones = {point: bone for bone, point in points.items()}
    for each in found:
        stretches[bones[each.point]].append((float(frames[each.first]), float(frames[each.last])))
    return stretches


def _rows(frames: FloatArray, first: float, last: float) -> tuple[int, int]:
    """First and last row of a stretch; the last is -1 where there is none."""
    rows = np.flatnonzero((frames >= first - NEAR) & (frames <= last + NEAR))
    return (int(rows[0]), int(rows[-1])) if len(rows) else (0, -1)


def stretches(reduction: Reduction) -> Stretches | None:
    """What is kept; None where nothing is, or nothing that can be read."""
    return _read(reduction.state.contacts)


def _read(text: str) -> Stretches | None:
    try:
        return {str(bone): [(float(a), float(b)) for a, b in each] for bone, each in json.loads(text).items()}
    except (ValueError, TypeError, AttributeError):
        return None


def frames_of(reduction: Reduction) -> Stretches | None:
    """What is kept, as frames of what plays."""
    return _playing(reduction, stretches(reduction))


def nothing_stands(armature: bpy.types.Object) -> InputError:
    """What to tell those who ask for feet that stand where there are none."""
    return InputError(
        "Nothing of {name} stands still in this action, as where a character walks in place: select a "
        "foot and a frame range and use Mark Contact if something should.",
        name=armature.name,
    )


def stands(reduction: Reduction) -> bool:
    """Whether anything is known to stand."""
    return any((stretches(reduction) or {}).values())


def stretch_around(reduction: Reduction, bone: str, frame: float) -> tuple[float, float] | None:
    """The first and last frame of what plays in which the limb of a bone stands as it does at a frame."""
    limb = _limb_of(character.describe(reduction.armature), bone)
    for first, last in (frames_of(reduction) or {}).get(limb, ()):
        if first - NEAR <= frame <= last + NEAR:
            return first, last
    return None


def by_hand(reduction: Reduction) -> Stretches:
    """The frames of what plays in which the user has said that something stands, or does not."""
    return _playing(reduction, _read(reduction.state.contacts_by_hand)) or {}


def that_can_stand(armature: bpy.types.Object) -> list[str]:
    """What contacts can be of: feet, then hands."""
    described = character.describe(armature)
    return [standing_bone(limb) for limb in (*described.legs, *described.arms)]


def sides_of(armature: bpy.types.Object, bones: Iterable[str]) -> list[int]:
    """For each bone that stands -1 if it is a left one, 1 if it is a right one, else 0."""
    described = character.describe(armature)
    sides = {standing_bone(limb): limb.side for limb in (*described.legs, *described.arms)}
    return [{"left": -1, "right": 1}.get(sides.get(bone) or "", 0) for bone in bones]


def _playing(reduction: Reduction, kept: Stretches | None) -> Stretches | None:
    warp = reduction.edits.warp
    return None if kept is None else {bone: _at(warp, each) for bone, each in kept.items()}


def _at(warp: TimeWarp, moments: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    found = warp.from_source(np.array(moments, np.float64).ravel())
    return [(first, last) for first, last in found.reshape(-1, 2).tolist()]


def keep(reduction: Reduction, found: Stretches) -> None:
    if reduction.action.library is None:
        reduction.state.contacts = json.dumps(found)


def mark(reduction: Reduction, bone: str, first: float, last: float, *, stands: bool) -> str:
    """Say that a limb stands from one frame to another, or that it does not: the bone that stands."""
    limb = _limb_of(character.describe(reduction.armature), bone)
    contacts_of(reduction)  # so that the others are kept
    kept, source = stretches(reduction) or {}, reductions.source_of(reduction)
    frames = source.frames
    start, stop = reduction.edits.warp.to_source(np.array([first, last]))
    changed = (frames >= start - NEAR) & (frames <= stop + NEAR)
    if not changed.any():
        raise InputError(
            "Frames {first:g} to {last:g} are outside of what was analysed: choose others.",
            first=first,
            last=last,
        )
    standing = _inside(frames, kept.get(limb, ()))
    standing[changed] = stands
    keep(reduction, kept | {limb: _stretches_where(standing, frames)})
    said = _read(reduction.state.contacts_by_hand) or {}
    said[limb] = _stretches_where(_inside(frames, said.get(limb, ())) | changed, frames)
    reduction.state.contacts_by_hand = json.dumps(said)
    return limb


def _inside(frames: FloatArray, some: Sequence[tuple[float, float]]) -> np.ndarray:
    """(F,) which frames are in any of some stretches."""
    found = np.zeros(len(frames), bool)
    for first, last in some:
        found |= (frames >= first - NEAR) & (frames <= last + NEAR)
    return found


def _stretches_where(mask: np.ndarray, frames: FloatArray) -> list[tuple[float, float]]:
    return [(float(frames[first]), float(frames[last])) for first, last in runs(mask)]


def _limb_of(described: Character, bone: str) -> str:
    for limb in (*described.legs, *described.arms):
        if bone in limb.bones:
            return standing_bone(limb)
    raise InputError(
        "{bone} is part of no leg and no arm: choose a foot, a hand, or another bone of a limb.", bone=bone
    )
