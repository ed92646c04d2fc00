# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels that keep planted feet in their places: legs, and if need be the hips, corrected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ....core import InputError
from ....core.anatomy import Limb
from ....core.feet import planting
from ....core.feet.between_frames import at_thirds, bowed, with_thirds
from ....core.feet.contacts import Contact
from ....core.feet.planting import Goal, LimbPoses
from ....core.motion import FloatArray
from ... import character, stages
from ..reductions import Reduction
from ..solving.analysis import Analysis
from . import controls, pin_gate, stances
from .rotation_channels import Placing, RotationChannels
from .stances import Posed

EVEN = 0.99  # of the largest scale; who is scaled by less in some direction is distorted


@dataclass(frozen=True, eq=False)
class Leg:
    """A limb that can be held, and the channels of the bones that keys turn.

    Attributes:
        turned: those bones: the limb itself, or what it follows.
        control: what carries the foot, where that does not hang from the leg: a control of the rig that the
            leg reaches for, or the foot itself.
        carries_ankle: whether that takes the whole foot along, and not only what it stands on.
    """

    limb: Limb
    turned: Limb
    upper: RotationChannels | None
    lower: RotationChannels | None
    foot: RotationChannels | None
    toes: RotationChannels | None
    control: Placing | None
    carries_ankle: bool = True

    @property
    def bones(self) -> list[str]:
        turned, control = self.turned, None if self.control is None else self.control.bone
        bones = (turned.upper, turned.lower, turned.end, turned.tip, control, self.stands, self.limb.sole)
        return [bone for bone in bones if bone is not None]

    @property
    def stands(self) -> str:
        """What contacts are of."""
        return stances.standing_bone(self.limb)

    @property
    def turned_foot(self) -> str | None:
        """The foot, where something can turn it."""
        turns = self.foot is not None or (self.control is not None and self.control.rotation is not None)
        return self.turned.end if turns and self.carries_ankle else None


def held(
    reduction: Reduction,
    analysis: Analysis,
    plays: Callable[[FloatArray], FloatArray],
    *,
    pinned: bool = False,
) -> tuple[FloatArray, FloatArray]:
    """Frames (N,) and values (N, C) that hold the feet where the original stands.

    The frames are those of the analysis, and thirds between two where a foot would leave its place there.

    Args:
        plays: what plays now, (Q, C) at frames (Q,).
        pinned: pins hold the feet. They only have to be reached, by legs that can bend, and lifted where they
            would sink in the air.
    """
    frames = analysis.frames
    contacts, values = stances.contacts_of(reduction), plays(frames)
    legs = legs_of(reduction, analysis, contacts)
    if not legs:
        return frames, values
    body = _Body(reduction, legs, _hips(reduction, analysis, legs), stances.reference(reduction))
    goals = [goal_of(reduction, leg, contacts[leg.stands], body.original) for leg in legs]
    now = body.posed(frames)
    step = body.hips_step(now, goals)
    # Keys that hold a control still are below the detail that is played on top.
    slide = [not pinned or (leg.control is not None and reduction.state.detail > 0.0) for leg in legs]
    goals = [goal if slides else goal.pinned for goal, slides in zip(goals, slide, strict=True)]
    leave = body.bring(now, goals, step, values)
    stands = np.stack([goal.weight >= 1.0 for goal in goals])
    gaps = np.flatnonzero(np.any(stands[:, 1:] & stands[:, :-1] & leave, axis=0))
    if not len(gaps):
        return frames, values
    between = at_thirds(frames, gaps)
    there = plays(between)
    goals, step = [goal.at_thirds(gaps) for goal in goals], at_thirds(step, gaps)
    body.bring(body.posed(between), goals, step, there)
    return with_thirds(frames, between, gaps), with_thirds(values, there, gaps)


@dataclass(frozen=True, eq=False)
class _Body:
    """Legs that are to be held, and hips that may help them.

    Attributes:
        original: the body as it stands.
    """

    reduction: Reduction
    legs: Sequence[Leg]
    hips: Placing | None
    original: Posed

    def posed(self, frames: FloatArray) -> Posed:
        """How it plays."""
        bones = [bone for leg in self.legs for bone in leg.bones]
        bones += [self.hips.bone] if self.hips else []
        with pin_gate.closed(self.reduction.action):
            return stances.posed_now(self.reduction.armature, frames, list(dict.fromkeys(bones)))

    def _legs_in(self, now: Posed) -> list[LimbPoses]:
        return [poses_of(self.reduction.armature, leg, now, self.original) for leg in self.legs]

    def hips_step(self, now: Posed, goals: Sequence[Goal]) -> FloatArray:
        """(F, 3) how far the hips have to go for all feet to be reached."""
        if self.hips is None:
            return np.zeros((len(now.matrices), 3))
        wanted, times = stances.target(self.reduction), times_of(self.reduction)
        starts = [wanted.head(leg.turned.upper) for leg in self.legs]
        way = wanted.head(self.hips.bone) - now.head(self.hips.bone)
        step = planting.hips_step(self._legs_in(now), goals, way, starts, times)
        whole = self.reduction.analysis().whole
        return step if whole else step * planting.between_ends(times)[:, None]

    def bring(self, now: Posed, goals: Sequence[Goal], step: FloatArray, values: FloatArray) -> np.ndarray:
        """Write what brings hips and feet to where they shall be; (L, F - 1) which feet leave it between."""
        poses = self._legs_in(now)
        if self.hips is not None:
            poses = _move_hips(self.hips, values, poses, now, step)
        return np.stack(
            [
                hold(leg, pose, goal, now, values)
                for leg, pose, goal in zip(self.legs, poses, goals, strict=True)
            ]
        )


def goal_of(reduction: Reduction, leg: Leg, contacts: Sequence[Contact], original: Posed) -> Goal:
    """Where a limb shall be."""
    pose = poses_of(reduction.armature, leg, original, original)
    placed, open_ends = planting.within_reach(pose, contacts), not reduction.analysis().whole
    placed = planting.joined_at_seam(placed, len(pose.point), covered_in_a_round(reduction, leg, original))
    return planting.goal_of(pose, placed, times_of(reduction), open_ends=open_ends)


def covered_in_a_round(reduction: Reduction, leg: Leg, original: Posed) -> FloatArray | None:
    """(3,) how far the body gets in a round of an action that goes on and on; None where it does not."""
    if not goes_round(reduction):
        return None
    hips = original.head(character.describe(reduction.armature).hips or leg.limb.upper)
    return hips[-1] - hips[0]


def goes_round(reduction: Reduction) -> bool:
    """Whether Cycles modifiers let the action go on."""
    return reduction.analysis().whole and any(
        modifier.type == "CYCLES" for curve in reduction.curves for modifier in curve.modifiers
    )


def times_of(reduction: Reduction) -> FloatArray:
    """(F,) seconds."""
    return reduction.analysis().frames / stages.frames_per_second(bpy.context.scene)


def check(reduction: Reduction) -> None:
    """Whether there is something to hold; a sentence if not."""
    contacts = stances.contacts_of(reduction)
    if not any(contacts.values()):
        raise stances.nothing_stands(reduction.armature)
    if legs_of(reduction, reduction.analysis(), contacts):
        return
    if not any(leg.bends for leg in character.describe(reduction.armature).legs):
        raise InputError(
            "The legs of {name} have no knees, so its feet cannot be held: "
            "lower or turn it at a key instead.",
            name=reduction.armature.name,
        )
    raise InputError(
        "The legs of {name} are not turned by keys of their own, so its feet cannot be held like this: "
        "its controls hold them.",
        name=reduction.armature.name,
    )


def check_baked(reduction: Reduction) -> None:
    """The same for legs that are corrected by turning their bones."""
    check(reduction)
    armature = reduction.armature
    contacts = stances.contacts_of(reduction)
    turned = any(leg.control is None for leg in legs_of(reduction, reduction.analysis(), contacts))
    sizes = np.linalg.svd(np.array(armature.matrix_world)[:3, :3], compute_uv=False)
    if turned and sizes[-1] < EVEN * sizes[0]:
        raise InputError(
            "{name} is not scaled alike in all directions, so its legs change their lengths as they turn: "
            "choose Pins, or give it an even scale.",
            name=armature.name,
        )


def legs_of(reduction: Reduction, analysis: Analysis, contacts: Mapping[str, Sequence[Contact]]) -> list[Leg]:
    """The limbs that stand and can be held."""
    armature, found = reduction.armature, []
    described = character.describe(armature)
    for limb in (*described.legs, *described.arms):
        if not limb.bends or not contacts.get(stances.standing_bone(limb)):
            continue
        leg = _leg(reduction, analysis, limb)
        if leg is not None:
            found.append(leg)
    return found


def _leg(reduction: Reduction, analysis: Analysis, limb: Limb) -> Leg | None:
    """None where its bones are not turned by keys of their own."""
    armature, handle = reduction.armature, reduction.handles[0]
    by_keys = controls.hangs_by_keys(reduction, analysis, limb)
    control = None if by_keys else controls.control_of(reduction, analysis, limb)
    turned = limb if by_keys or control is not None else controls.turned_for(reduction, limb)
    if turned is None:
        return None
    upper, lower, foot, toes = (
        None if bone is None else RotationChannels.of(armature, analysis.paths, handle, bone)
        for bone in (turned.upper, turned.lower, turned.end, turned.tip)
    )
    if control is None:
        return Leg(limb, turned, upper, lower, foot, toes if foot is not None else None, None)
    return Leg(limb, limb, upper, lower, foot, toes, control, controls.carries_ankle(reduction, limb))


def _hips(reduction: Reduction, analysis: Analysis, legs: Sequence[Leg]) -> Placing | None:
    """What moves the hips by keys of its own: they themselves or, where legs follow others, a control."""
    armature, hips = reduction.armature, character.describe(reduction.armature).hips
    if hips is None:
        return None
    bone, own = armature.data.bones[hips], None
    if bone.parent is None or bone.use_local_location:
        own = Placing.of(armature, analysis.paths, reduction.handles[0], hips)
    if own is None and any(leg.turned is not leg.limb for leg in legs):
        return controls.hips_of(reduction, analysis)
    return own


def poses_of(armature: bpy.types.Object, leg: Leg, posed: Posed, original: Posed) -> LimbPoses:
    limb = leg.turned
    point = posed.end(armature, leg.stands)
    lower, foot = posed.rotations(limb.lower), leg.turned_foot
    hangs_there = limb.end if leg.control is not None and leg.carries_ankle else foot
    return LimbPoses(
        posed.head(limb.upper),
        posed.head(limb.lower),
        point if hangs_there is None else posed.head(hangs_there),
        point,
        lower @ _hinge(limb, original),
        posed.rotations(limb.upper),
        lower,
        None if foot is None else posed.rotations(foot),
        None if leg.toes is None else posed.rotations(leg.toes.bone),
        None if foot is None else posed.tail(armature, foot),
        free=leg.control is not None,
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
    hips: Placing, values: FloatArray, poses: Sequence[LimbPoses], now: Posed, step: FloatArray
) -> list[LimbPoses]:
    """Write steps (F, 3) that the hips have to go, and the legs as they go along."""
    before = now.of(hips.bone)
    after = before.copy()
    after[:, :3, 3] += step
    hips.place(values, step.any(axis=1), before, after)
    return [each.moved(step) for each in poses]


def hold(leg: Leg, pose: LimbPoses, goal: Goal, now: Posed, values: FloatArray) -> np.ndarray:
    """Write how a limb has to be turned, or its control placed, for its foot to stand.

    Returns (F - 1,) after which rows it turns so far that the foot leaves its place meanwhile.
    """
    found = planting.planted(pose, goal)
    rows, (upper, lower) = found.rows, found.turns
    turned = np.eye(3)[None]
    if found.foot is not None and pose.foot is not None:
        turned = found.foot @ pose.foot.swapaxes(1, 2)
    if leg.control is not None:
        _carry(leg.control, rows, now.of(leg.control.bone), turned, pose.end, found.end, values)
    elif leg.upper is not None and leg.lower is not None:
        leg.upper.turn(values, rows, pose.upper, upper @ pose.upper, np.eye(3)[None])
        leg.lower.turn(values, rows, pose.lower, lower @ pose.lower, upper)
        if leg.foot is not None and found.foot is not None and pose.foot is not None:
            leg.foot.turn(values, rows, pose.foot, found.foot, lower)
    if leg.toes is not None and found.toes is not None and pose.toes is not None:
        leg.toes.turn(values, rows, pose.toes, found.toes, turned)
    halves = () if leg.control is not None else ((upper, pose.upper), (lower, pose.lower))
    changed = [turned, *(turn for turn, _ in halves)]
    after = [turn @ before for turn, before in halves] + ([] if found.foot is None else [found.foot])
    return bowed(after, [np.broadcast_to(each, (len(rows), 3, 3)) for each in changed])


def _carry(
    control: Placing,
    rows: np.ndarray,
    before: FloatArray,
    turned: FloatArray,
    end: FloatArray,
    wanted: FloatArray,
    values: FloatArray,
) -> None:
    """Let a control carry the ankle from one place (F, 3) to another while it turns (F, 3, 3) about it."""
    after = before.copy()
    after[:, :3, :3] = turned @ before[:, :3, :3]
    arm = np.broadcast_to(turned, (len(before), 3, 3)) @ (before[:, :3, 3] - end)[:, :, None]
    after[:, :3, 3] = wanted + arm[:, :, 0]
    control.place(values, rows, before, after)
