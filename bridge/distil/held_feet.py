# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels that keep planted feet in their places: legs, and if need be the hips, corrected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ...core import InputError, planting
from ...core.anatomy import Limb
from ...core.contacts import Contact
from ...core.motion import FloatArray
from ...core.planting import Goal, LimbPoses
from .. import character, sampling
from . import stances
from .analysis import Analysis
from .reductions import Reduction
from .rotation_channels import RotationChannels, location_columns
from .stances import Posed


@dataclass(frozen=True, eq=False)
class _Leg:
    """A limb that can be held, and the channels of its bones.

    Attributes:
        location: columns that place the foot, where it does not hang from the leg.
    """

    limb: Limb
    upper: RotationChannels | None
    lower: RotationChannels | None
    foot: RotationChannels | None
    toes: RotationChannels | None
    location: tuple[int, ...]

    @property
    def bones(self) -> list[str]:
        limb = self.limb
        return [bone for bone in (limb.upper, limb.lower, limb.end, limb.tip) if bone is not None]


def held(reduction: Reduction, analysis: Analysis, values: FloatArray) -> FloatArray:
    """(F, C) `values`, which are what plays now, with the feet held where the original stands."""
    armature = reduction.armature
    contacts = stances.contacts_of(reduction)
    legs = _legs(reduction, analysis, contacts)
    if not legs:
        return values
    hips = _hips(reduction, analysis)
    bones = list(dict.fromkeys([bone for leg in legs for bone in leg.bones] + ([hips.bone] if hips else [])))
    before, now = stances.reference(reduction), stances.posed_now(armature, analysis.frames, bones)
    times = analysis.frames / sampling.frames_per_second(bpy.context.scene)
    poses = [_poses(armature, leg, now, before) for leg in legs]
    goals = [
        planting.goal_of(
            _poses(armature, leg, before, before), contacts[stances.standing_bone(leg.limb)], times
        )
        for leg in legs
    ]
    found = values.copy()
    if hips is not None:
        columns = location_columns(analysis.paths, hips.bone)
        way = stances.target(reduction).head(hips.bone) - now.head(hips.bone)
        step = planting.hips_step(poses, goals, way, times)
        poses = _move_hips(hips, columns, found, poses, now, step)
    for leg, pose, goal in zip(legs, poses, goals, strict=True):
        _hold(leg, pose, goal, now, found)
    return found


def check(reduction: Reduction) -> None:
    """Whether there is something to hold; a sentence if not."""
    contacts, name = stances.contacts_of(reduction), reduction.armature.name
    if not any(contacts.values()):
        raise InputError(
            f"Nothing of {name} stands still in this action, as where a character walks in place: select a "
            "foot and a frame range and use Mark Contact if something should."
        )
    if not _legs(reduction, reduction.analysis(), contacts):
        raise InputError(
            f"The legs of {name} are not turned by keys of their own, so its feet cannot be held like this: "
            "its controls hold them."
        )


def _legs(reduction: Reduction, analysis: Analysis, contacts: Mapping[str, Sequence[Contact]]) -> list[_Leg]:
    """The limbs that stand and can be held."""
    armature, found = reduction.armature, []
    described = character.describe(armature)
    for limb in (*described.legs, *described.arms):
        if not contacts.get(stances.standing_bone(limb)):
            continue
        leg = _leg(reduction, analysis, limb)
        if leg is not None:
            found.append(leg)
    return found


def _leg(reduction: Reduction, analysis: Analysis, limb: Limb) -> _Leg | None:
    """None where its bones are not turned by keys of their own."""
    armature, handle = reduction.armature, reduction.handles[0]
    upper, lower, foot, toes = (
        None if bone is None else RotationChannels.of(armature, analysis.paths, handle, bone)
        for bone in (limb.upper, limb.lower, limb.end, limb.tip)
    )
    if (
        foot is not None
        and armature.data.bones[limb.lower] not in armature.data.bones[foot.bone].parent_recursive
    ):
        location = location_columns(analysis.paths, foot.bone)
        return _Leg(limb, upper, lower, foot, toes, tuple(location)) if len(location) == 3 else None
    if upper is None or lower is None:
        return None
    return _Leg(limb, upper, lower, foot, toes if foot is not None else None, ())


def _hips(reduction: Reduction, analysis: Analysis) -> RotationChannels | None:
    """Where the hips can be moved: turned and placed by keys of their own."""
    armature, hips = reduction.armature, character.describe(reduction.armature).hips
    if hips is None or len(location_columns(analysis.paths, hips)) < 3:
        return None
    bone = armature.data.bones[hips]
    if bone.parent is not None and not bone.use_local_location:
        return None
    return RotationChannels.of(armature, analysis.paths, reduction.handles[0], hips)


def _poses(armature: bpy.types.Object, leg: _Leg, posed: Posed, original: Posed) -> LimbPoses:
    limb = leg.limb
    point = posed.end(armature, stances.standing_bone(limb))
    lower = posed.rotations(limb.lower)
    return LimbPoses(
        posed.head(limb.upper),
        posed.head(limb.lower),
        posed.head(leg.foot.bone) if leg.foot is not None else point,
        point,
        lower @ _hinge(limb, original),
        posed.rotations(limb.upper),
        lower,
        None if leg.foot is None else posed.rotations(leg.foot.bone),
        None if leg.toes is None else posed.rotations(leg.toes.bone),
        free=bool(leg.location),
    )


def _hinge(limb: Limb, original: Posed) -> FloatArray:
    """(3,) the axis that the knee bends about in the original, as the lower bone sees it."""
    upper, lower = original.head(limb.upper), original.head(limb.lower)
    end = original.of(limb.end or limb.lower)
    far = end[:, :3, 3] if limb.end else end[:, :3, 3] + end[:, :3, 1]
    across = np.cross(lower - upper, far - lower)
    axis = np.einsum("fji,fj->i", original.rotations(limb.lower), across)
    return axis / max(float(np.linalg.norm(axis)), 1e-12)


def _move_hips(
    hips: RotationChannels,
    columns: Sequence[int],
    values: FloatArray,
    poses: Sequence[LimbPoses],
    now: Posed,
    step: FloatArray,
) -> list[LimbPoses]:
    """Write steps (F, 3) that the hips have to go, and the legs as they go along."""
    before = now.of(hips.bone)
    after = before.copy()
    after[:, :3, 3] += step
    hips.place(values, step.any(axis=1), columns, before, after)
    return [each.moved(step) for each in poses]


def _hold(leg: _Leg, pose: LimbPoses, goal: Goal, now: Posed, values: FloatArray) -> None:
    """Write how a limb has to be turned for its foot to stand."""
    found = planting.planted(pose, goal)
    rows, (upper, lower) = found.rows, found.turns
    if leg.upper is not None and leg.lower is not None:
        leg.upper.turn(values, rows, pose.upper, upper @ pose.upper, np.eye(3)[None])
        leg.lower.turn(values, rows, pose.lower, lower @ pose.lower, upper)
    if leg.foot is None or found.foot is None or pose.foot is None:
        return
    turned = found.foot @ pose.foot.swapaxes(1, 2)
    if leg.location:
        before = now.of(leg.foot.bone)
        after = before.copy()
        after[:, :3, :3], after[:, :3, 3] = turned @ before[:, :3, :3], found.end
        leg.foot.place(values, rows, leg.location, before, after)
    else:
        leg.foot.turn(values, rows, pose.foot, found.foot, lower)
    if leg.toes is not None and found.toes is not None and pose.toes is not None:
        leg.toes.turn(values, rows, pose.toes, found.toes, turned)
