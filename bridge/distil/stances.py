# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a character stands when, as its source has it and as the user has corrected it.

The contacts are kept with the reduced action, as frames of the source in which the end of a limb stands, so
they are saved, undone and copied with it and go along when it is retimed.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import bpy
import numpy as np

from ...core import InputError, Motion, metrics
from ...core.anatomy import Character, Limb
from ...core.contacts import Contact, contact_at, find_contacts, runs
from ...core.motion import FloatArray
from ...core.time_warp import TimeWarp
from .. import character, sampling
from ..posed_bones import world_matrices
from ..splicing import NEAR
from . import channels, reductions
from .actors import actor
from .analysis import Analysis
from .playing import target_action
from .reductions import Reduction

# Originals that were looked at in this session, by what they are made of.
_CACHE: OrderedDict[tuple[str, str, bytes], Posed] = OrderedDict()
_MOST_CACHED = 6

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

    def end(self, armature: bpy.types.Object, bone: str) -> FloatArray:
        """(F, 3) where a bone ends: mostly at its tail."""
        along = character.ends_of(armature).along[armature.data.bones.find(bone)]
        return self.of(bone)[:, :3, :3] @ along + self.head(bone)


def standing_bone(limb: Limb) -> str:
    """The foot or the hand; where there is none, what the limb ends with."""
    return limb.end or limb.lower


def reference(reduction: Reduction) -> Posed:
    """How the limbs stand: as in the source, at the time of now, and where limbs were posed anew, like that.

    Edits of the rest of the body are left out: feet stay where they are when the hips are moved.
    """
    known = reduction.edits
    limbs = _bones_of_limbs(reduction.armature)
    own = np.array([channels.bone_of(path) in limbs for _, path, _ in known.paths], bool)
    edits = replace(known, paths=tuple(compress(known.paths, own)), changes=known.changes[:, own])
    return _posed(reduction, "reference", lambda: reductions.with_edits(reduction, edits))


def target(reduction: Reduction) -> Posed:
    """The body as keys are fitted to it: the source with all edits."""
    return _posed(reduction, "target", reduction.analysis)


def _posed(reduction: Reduction, name: str, analysis: Callable[[], Analysis]) -> Posed:
    """The body in an action that plays such an analysis, at its frames; remembered."""
    armature = reduction.armature
    name = name if reduction.state.edits else "source"  # without edits all are the same
    key = name, reduction.state.token, np.array(armature.matrix_world, np.float32).tobytes()
    if key not in _CACHE:
        body, wanted = character.describe(armature).body, analysis()
        with (
            target_action(reduction, wanted) as action,
            actor(armature, action, reduction.handles[0]) as playing,
        ):
            _CACHE[key] = posed_now(playing, wanted.frames, body)
    _CACHE.move_to_end(key)
    while len(_CACHE) > _MOST_CACHED:
        _CACHE.popitem(last=False)
    return _CACHE[key]


def _bones_of_limbs(armature: bpy.types.Object) -> set[str]:
    described = character.describe(armature)
    return {bone for limb in (*described.legs, *described.arms) for bone in limb.bones}


def posed_now(armature: bpy.types.Object, frames: FloatArray, bones: Sequence[str]) -> Posed:
    return Posed(tuple(bones), world_matrices(armature, frames, bones).astype(np.float32))


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
    source, _ = reductions.source_of(reduction)
    posed, frames = _posed(reduction, "source", lambda: source), source.frames
    feet = [standing_bone(leg) for leg in described.legs if standing_bone(leg) in posed.bones]
    if not feet:
        return {}
    return _stretches_in(
        reduction, points_of(armature, posed, feet), feet, posed.matrices[:, :, :3, 3], frames
    )


def _stretches_in(
    reduction: Reduction, points: FloatArray, feet: Sequence[str], body: FloatArray, frames: FloatArray
) -> Stretches:
    found = find_contacts(
        points,
        height=character.height_of(reduction.armature),
        fps=sampling.frames_per_second(bpy.context.scene),
        frames=frames,
        body=body,
    )
    return {
        bone: [(float(frames[each.first]), float(frames[each.last])) for each in found if each.point == point]
        for point, bone in enumerate(feet)
    }


def slides_in(reduction: Reduction, original: Motion, played: FloatArray, frames: FloatArray) -> FloatArray:
    """(N,) how far each contact slides.

    Args:
        original: what keys are fitted to. played: (F, J, 3) its joints as they are played.
    """
    joints = {name: row for row, name in enumerate(original.names)}
    known = frames_of(reduction)
    if known is None:
        legs = character.describe(reduction.armature).legs
        feet = [bone for bone in map(standing_bone, legs) if bone in joints]
        if not feet:
            return np.empty(0)
        points = original.positions[:, [joints[bone] for bone in feet]]
        known = _stretches_in(reduction, points, feet, original.positions, frames)
        if not reduction.state.edits:
            keep(reduction, known)
    contacts = [
        contact_at(played[:, joints[bone]], joints[bone], *_rows(frames, first, last))
        for bone, each in known.items()
        for first, last in each
        if bone in joints and _rows(frames, first, last)[1] >= 0
    ]
    return metrics.slides(played, contacts)


def _rows(frames: FloatArray, first: float, last: float) -> tuple[int, int]:
    """First and last row of a stretch; the last is -1 where there is none."""
    rows = np.flatnonzero((frames >= first - NEAR) & (frames <= last + NEAR))
    return (int(rows[0]), int(rows[-1])) if len(rows) else (0, -1)


def stretches(reduction: Reduction) -> Stretches | None:
    """What is kept; None where nothing is, or nothing that can be read."""
    try:
        kept = json.loads(reduction.state.contacts)
        return {str(bone): [(float(a), float(b)) for a, b in each] for bone, each in kept.items()}
    except (ValueError, TypeError, AttributeError):
        return None


def frames_of(reduction: Reduction) -> Stretches | None:
    """What is kept, as frames of what plays."""
    kept = stretches(reduction)
    warp = reduction.edits.warp
    return None if kept is None else {bone: _at(warp, each) for bone, each in kept.items()}


def _at(warp: TimeWarp, moments: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    found = warp.from_source(np.array(moments, np.float64).reshape(-1, 2))
    return [(float(first), float(last)) for first, last in found]


def keep(reduction: Reduction, found: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    if reduction.action.library is None:
        reduction.state.contacts = json.dumps({bone: list(each) for bone, each in found.items()})


def mark(reduction: Reduction, bone: str, first: float, last: float, *, stands: bool) -> str:
    """Say that a limb stands from one frame to another, or that it does not: the bone that stands."""
    limb = _limb_of(character.describe(reduction.armature), bone)
    contacts_of(reduction)  # so that the others are kept
    kept, (source, _) = stretches(reduction) or {}, reductions.source_of(reduction)
    frames = source.frames
    start, stop = reduction.edits.warp.to_source(np.array([first, last]))
    standing = np.zeros(len(frames), bool)
    for each in kept.get(limb, ()):
        standing[(frames >= each[0]) & (frames <= each[1])] = True
    changed = (frames >= start - NEAR) & (frames <= stop + NEAR)
    if not changed.any():
        raise InputError(f"Frames {first:g} to {last:g} are outside of what was analysed: choose others.")
    standing[changed] = stands
    kept[limb] = [(float(frames[row]), float(frames[end])) for row, end in runs(standing)]
    keep(reduction, kept)
    reduction.state.contacts_corrected = True
    return limb


def _limb_of(described: Character, bone: str) -> str:
    for limb in (*described.legs, *described.arms):
        if bone in limb.bones:
            return standing_bone(limb)
    raise InputError(
        f"{bone} is part of no leg and no arm: choose a foot, a hand, or another bone of a limb."
    )
