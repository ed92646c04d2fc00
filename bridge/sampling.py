# SPDX-License-Identifier: GPL-3.0-or-later
"""From an armature to a `Motion`: where Blender puts its joints at every frame.

Blender itself evaluates the armature, so constraints, drivers, parents and NLA count. Where none of these has
a part in it, a few frames are evaluated, which tell that what the curves say is all there is to it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Container, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import islice
from typing import Any

import bpy
import numpy as np

from ..core import InputError, Motion
from ..core.anatomy import hips_joint
from ..core.motion import FloatArray, IntArray
from ..core.progress import ProgressCallback
from ..core.spread import spread
from . import actions, character, stages
from .channel_poses import ChannelPoses, posing_curves
from .character.bone_ends import SIDE
from .character.held import held_once_found
from .steps import pace, run

# Keys nearer to each other, or to a whole frame, are on one frame: those of imported files drift a little.
SAME_FRAME = 0.01
BARELY = 0.05  # of a frame: a motion that goes on by less after a whole one ends there
LONGEST_BEAT = 2.0  # frames from key to key: of capture at half the rate of the scene
DRIFT = 0.002  # of a frame from key to key: importers take 29.97 frames a second for 30
_Pose = tuple[np.ndarray, FloatArray]  # (B, 4, 4) the bones in the space of the armature, and where that is
_Poses = tuple[IntArray, np.ndarray, FloatArray]  # of some rows
_kept: dict[int, tuple[int, dict[float, _Pose]]] = {}  # by the number of an armature: an action, its poses
KEPT_BYTES = 2**26  # of those; what comes later is evaluated again
BONES_AT_ONCE = 20_000  # so many are put where they are in one go; a frame has hundreds
CHECKED = 4  # Blender plays so many frames of what is worked out
READING = 0.8  # of the work, where poses are worked out, is reading the curves
FEWEST = 8  # so many frames take Blender as long as it takes to read all curves
SAME = 1e-5  # of the height: bones nearer to each other are in one place


@dataclass(frozen=True, eq=False)
class Joints:
    """The joints of an armature: every bone's end, and every head that is not where its parent ends.

    Bones end at their tails, unless importers have put these anywhere.

    Neither tells when a bone turns about its own axis. What hangs from it does; for a bone that nothing hangs
    from, such as a head that is shaken, there may be a joint at its side.
    """

    names: tuple[str, ...]
    bones: tuple[str, ...]  # the bone that each joint belongs to
    parents: IntArray
    columns: IntArray  # where each joint is among all heads, then all tails, then all sides


def joints_of(
    armature: bpy.types.Object, bones: Iterable[str] | None = None, *, sides: bool = False
) -> Joints:
    """The joints of some bones, or of all of them; with the sides of end bones if wanted."""
    return _joints(armature, None if bones is None else frozenset(bones), sides)


@held_once_found
def _joints(armature: bpy.types.Object, chosen: frozenset[str] | None, sides: bool) -> Joints:
    bones, everything = armature.data.bones, armature.data.bones.keys()
    wanted = np.ones(len(everything), bool)
    if chosen is not None:
        wanted = np.fromiter((name in chosen for name in everything), bool, len(everything))
    bone_ends = character.ends_of(armature)
    above = bone_ends.above
    starts = bone_ends.starts & wanted[above]
    ends = wanted & ~_carrying(wanted, above)
    names: list[str] = []
    owners: list[str] = []
    parents: list[int] = []
    columns: list[int] = []
    tail_joints: list[int] = []  # of each bone, or of the nearest above it that is wanted

    def add(name: str, owner: str, parent: int, column: int) -> int:
        names.append(name)
        owners.append(owner)
        parents.append(parent)
        columns.append(column)
        return len(names) - 1

    for row, name in enumerate(everything):
        joint = tail_joints[above[row]] if above[row] >= 0 else -1
        if wanted[row]:
            if not starts[row]:
                joint = add(_joint_name(name, "head", bones), name, joint, row)
            joint = add(name, name, joint, len(everything) + row)
            if sides and ends[row]:
                add(_joint_name(name, "side", bones), name, joint, 2 * len(everything) + row)
        tail_joints.append(joint)
    return Joints(tuple(names), tuple(owners), np.array(parents, np.int64), np.array(columns, np.int64))


def _carrying(wanted: np.ndarray, above: IntArray) -> np.ndarray:
    """(B,) which bones have a wanted one somewhere below them."""
    carrying = np.zeros(len(wanted), bool)
    rows = above[wanted]
    while len(rows := np.unique(rows[rows >= 0])):
        rows = rows[~carrying[rows]]
        carrying[rows] = True
        rows = above[rows]
    return carrying


def _joint_name(bone: str, part: str, bones: Container[str]) -> str:
    """ "thigh head" for the head of a thigh; with a space of another kind where a bone is called so."""
    name = f"{bone} {part}"
    return name if name not in bones else f"{bone}\N{NO-BREAK SPACE}{part}"


def bone_of_joint(name: str, bones: Container[str]) -> str:
    """The bone that a joint belongs to; its end is called as the bone is, see `joints_of`."""
    return name if name in bones else name[: -len(" head")]


def is_beside(joint: str, bones: Container[str]) -> bool:
    """Whether it is a point beside an end bone, which shows how that is turned and is nothing of the body."""
    return joint not in bones and joint.endswith("side")


def frames_to_sample(
    keyed: FloatArray, first: float, last: float, *, whole_frames: bool = False, exact_ends: bool = False
) -> FloatArray:
    """The frames to look at from `first` to `last`.

    Whole frames, and the sub-frames that have keys. Where most keys lie between frames the action has a
    beat of its own (capture at another rate than the scene's) and its keys are the frames, with whole ones
    where there is no key for long.

    Args:
        whole_frames: whole frames alone, see `whole_ends`.
        exact_ends: the ends themselves even so, since something goes on from there.
    """
    if whole_frames and exact_ends:
        return _distinct(first, np.arange(np.ceil(first), np.floor(last) + 1.0), last)
    if whole_frames:
        begin, end = whole_ends(first, last, keyed)
        return np.arange(begin, end + 1.0)
    inside = keyed[(keyed >= first) & (keyed <= last)]
    between = inside[np.abs(inside - np.round(inside)) > SAME_FRAME]
    whole = np.arange(np.ceil(first), np.floor(last) + 1.0)
    if len(between) > len(inside) / 2 and len(inside) > 2:
        after = np.searchsorted(inside, whole).clip(1, len(inside) - 1)
        alone = inside[after] - inside[after - 1] > LONGEST_BEAT
        return _distinct(first, np.sort(np.concatenate([whole[alone], inside])), last)
    return _distinct(first, np.concatenate([whole, between]), last)


def whole_ends(first: float, last: float, keyed: FloatArray | None = None) -> tuple[int, int]:
    """The whole frames that it takes to hold a range, but for what is barely beyond them.

    The ends of the range are shown there, since an action holds its first and last pose. Where all keys were
    meant to be on whole frames, see `_drift`, it ends on the nearest: no pose is held for a frame more.
    """
    if keyed is not None and _drift(keyed):
        return round(first), round(last)
    return math.floor(first + BARELY), math.ceil(last - BARELY)


def _drift(keyed: FloatArray) -> bool:
    """Whether keys are one a frame, but for a little that adds up: 60 frames end at 60.06."""
    if len(keyed) < 3 or abs(keyed[0] - round(keyed[0])) > BARELY:
        return False
    even = np.linspace(keyed[0], keyed[-1], len(keyed))
    return abs(even[1] - even[0] - 1.0) < DRIFT and bool(np.abs(keyed - even).max() < SAME_FRAME)


def cycles_from_end_to_end(curve: Any, first: float, last: float) -> list[Any]:
    """The Cycles modifiers of a curve that goes from `first` to `last`, and on from there by their doing."""
    cycles = [each for each in curve.modifiers if each.type == "CYCLES" and not each.mute]
    if not cycles or actions.is_muted(curve):
        return []
    start, end = curve.range()
    return cycles if abs(start - first) < SAME_FRAME and abs(end - last) < SAME_FRAME else []


def with_key_times(frames: FloatArray, keyed: FloatArray) -> FloatArray:
    """The frames, and between them those of `keyed`: where an error may be that whole frames do not show."""
    inside = keyed[(keyed > frames[0]) & (keyed < frames[-1])]
    after = np.searchsorted(frames, inside)
    between = inside[np.minimum(inside - frames[after - 1], frames[after] - inside) > SAME_FRAME]
    between = between[np.diff(between, prepend=-np.inf) > SAME_FRAME]
    return np.sort(np.concatenate([frames, between]))


def _distinct(first: float, frames: FloatArray, last: float) -> FloatArray:
    """The ends as they are, and what is apart from them and from each other."""
    inner = np.unique(frames[(frames > first + SAME_FRAME) & (frames < last - SAME_FRAME)])
    inner = inner[np.diff(inner, prepend=first) > SAME_FRAME]
    return np.unique(np.concatenate([[first], inner, [last]]))


def sample(
    armature: bpy.types.Object,
    frames: Sequence[float] | FloatArray,
    *,
    bones: Iterable[str] | None = None,
    sides: bool = False,
    progress: ProgressCallback | None = None,
) -> Motion:
    """The motion of an armature as it is animated now, in world space."""
    return run(sample_in_slices(armature, frames, bones=bones, sides=sides), progress)


def sample_in_slices(
    armature: bpy.types.Object,
    frames: Sequence[float] | FloatArray,
    *,
    bones: Iterable[str] | None = None,
    sides: bool = False,
) -> Generator[float, None, Motion]:
    """`sample` in slices as long as the pace has them: yields the share done, returns the motion.

    The temporary scene is there from the first slice until the last or until the caller closes the generator:
    making one takes as long as many frames, and lets the user's scene be built and drawn anew. Whoever
    samples an armature again and again does so within an `evaluation_scene` of it.
    """
    work = sample_posed_in_slices(armature, frames, (), bones=bones, sides=sides)
    return (yield from work)[0]


def sample_posed_in_slices(
    armature: bpy.types.Object,
    frames: Sequence[float] | FloatArray,
    rows: Sequence[int] | IntArray,
    *,
    bones: Iterable[str] | None = None,
    sides: bool = False,
) -> Generator[float, None, tuple[Motion, FloatArray]]:
    """`sample_in_slices`, and (R, B, 4, 4) the bones in the world in some rows of the frames."""
    moments = np.asarray(frames, np.float64)
    joints = joints_of(armature, bones, sides=sides)
    if not len(joints.names):
        name = character.name_of(armature)
        raise InputError("{armature} has no bones that count: choose other bones.", armature=name)
    steps = steps_of(armature, sides=sides).astype(np.float32)
    ends = np.empty((len(moments), 1 + steps.shape[1], len(steps), 3), np.float32)
    matrices = np.empty((len(moments), 4, 4))
    counted = sorted({column % len(steps) for column in joints.columns.tolist()})
    looked_at = np.asarray(rows, np.intp)
    places = np.full(len(moments), -1)  # of each row among those
    places[looked_at] = np.arange(len(looked_at))
    posing = np.empty((len(looked_at), len(counted), 4, 4), np.float32)
    done, read = 0, 0.0
    with stages.evaluation_scene(armature) as scene:
        for found in _poses_in_slices(armature, scene, moments):
            if not isinstance(found, tuple):
                read = READING * found
            else:
                some, bones_now, matrices[some] = found
                ends[some, 0] = bones_now[:, :, 3, :3]  # Blender stores its matrices column by column
                ends[some, 1:] = np.einsum("bsk,fbkj->fsbj", steps, bones_now[:, :, :3, :3]) + ends[some, :1]
                seen = places[some] >= 0
                posing[places[some][seen]] = bones_now[seen][:, counted]
                done += len(some)
            yield read + (1.0 - read) * done / len(moments)
    local = ends.reshape(len(moments), -1, 3)[:, joints.columns].astype(np.float64)
    world = local @ matrices[:, :3, :3].transpose(0, 2, 1) + matrices[:, None, :3, 3]
    _require_places(world, joints, moments)
    motion = Motion(
        world,
        frames=moments,
        fps=stages.frames_per_second(bpy.context.scene),
        names=joints.names,
        parents=joints.parents,
        matrices=matrices,
        hips=hips_joint(joints.names, joints.parents, character.describe(armature)),
    )
    return motion, matrices[looked_at, None] @ np.swapaxes(posing, -1, -2)


def _require_places(world: FloatArray, joints: Joints, moments: FloatArray) -> None:
    known = np.isfinite(world).all(axis=2)
    if known.all():
        return
    row, joint = np.argwhere(~known)[0]
    raise InputError(
        "{bone} is nowhere on frame {frame:g}: a key, a driver or a constraint says what is no number. "
        "Mend it there, and try again.",
        bone=joints.bones[joint],
        frame=moments[row],
    )


def sample_shown(armature: bpy.types.Object) -> Motion:
    """One frame: the pose that the user sees now, keyed or not."""
    joints = joints_of(armature)
    return Motion(
        np.concatenate(character.shown_ends(armature))[None, joints.columns],
        names=joints.names,
        parents=joints.parents,
        hips=hips_joint(joints.names, joints.parents, character.describe(armature)),
    )


def _poses_in_slices(
    armature: bpy.types.Object, scene: bpy.types.Scene, moments: FloatArray
) -> Iterator[_Poses | float]:
    """The poses of all moments in slices, each with its rows; at first, the share read."""
    kept = _kept_of(armature)
    known = np.array([kept is not None and moment in kept for moment in moments.tolist()], bool)
    if kept is not None and np.any(known):
        poses = [kept[moment] for moment in moments[known].tolist()]
        yield _stacked(np.flatnonzero(known), poses)
    unknown = np.flatnonzero(~known)
    for found in _found_in_slices(armature, scene, moments[unknown]):
        if not isinstance(found, tuple):
            yield found
            continue
        rows, bones_now, matrices = found
        if kept is not None:
            room = max(KEPT_BYTES // bones_now[0].nbytes - len(kept), 0)
            fresh = zip(moments[unknown[rows]].tolist(), bones_now, matrices, strict=True)
            kept.update((moment, (bones, matrix)) for moment, bones, matrix in islice(fresh, room))
        yield unknown[rows], bones_now, matrices


def _found_in_slices(
    armature: bpy.types.Object, scene: bpy.types.Scene, moments: FloatArray
) -> Iterator[_Poses | float]:
    """Worked out where that gives what Blender plays, which plays the others."""
    at_once = max(BONES_AT_ONCE // len(armature.pose.bones), 1)
    curves = posing_curves(armature) if len(moments) > FEWEST else None
    if curves is not None:
        work_out = ChannelPoses(armature, [(curve.data_path, curve.array_index) for curve in curves])
        values = yield from actions.read_values_in_steps(curves, moments, exactly=False)
        checked = spread(len(moments), CHECKED)
        _, played, matrices = _played(armature, scene, moments[checked], math.inf)
        worked_out = np.swapaxes(work_out.matrices(values[checked]), -1, -2)
        if _are_the_same(worked_out, played, matrices, character.own_height_of(armature)):
            for first in range(0, len(moments), at_once):
                some = np.swapaxes(work_out.matrices(values[first : first + at_once]), -1, -2)
                rows = np.arange(first, first + len(some))
                yield rows, some.astype(np.float32), np.repeat(matrices[:1], len(some), axis=0)
            return
    done = 0
    while done < len(moments):
        next_ones = moments[done : done + at_once]
        rows, bones_now, matrices = _played(armature, scene, next_ones, pace().slice_seconds)
        yield done + rows, bones_now, matrices
        done += len(rows)


def _are_the_same(worked_out: FloatArray, played: np.ndarray, matrices: FloatArray, height: float) -> bool:
    """Whether bones are where Blender has played them, in an armature that has stood still."""
    off = np.abs(worked_out - played)
    turned = off[..., :3, :3].max(initial=0.0) <= SAME * np.abs(played[..., :3, :3]).max(initial=1.0)
    moved = off[..., 3, :3].max(initial=0.0) <= SAME * height
    return bool(turned and moved and np.all(matrices == matrices[0]))


def _played(
    armature: bpy.types.Object, scene: bpy.types.Scene, moments: FloatArray, seconds: float
) -> _Poses:
    """What Blender plays at as many of the moments, one at least, as there are seconds for."""
    until, poses = time.perf_counter() + seconds, []
    # Nobody sees the temporary scene, and a heavy rig would be evaluated once more for every slice.
    with nullcontext() if stages.is_temporary(scene) else stages.frame_kept(scene):
        for moment in moments.tolist():
            poses.append(_pose_at(armature, scene, moment))
            if time.perf_counter() > until:
                break
    return _stacked(np.arange(len(poses)), poses)


def _stacked(rows: IntArray, poses: Sequence[_Pose]) -> _Poses:
    return rows, np.stack([bones for bones, _ in poses]), np.stack([matrix for _, matrix in poses])


def _pose_at(armature: bpy.types.Object, scene: bpy.types.Scene, frame: float) -> _Pose:
    stages.set_frame(scene, frame)
    evaluated = stages.posed(armature, scene)
    posing = np.empty((len(armature.pose.bones), 4, 4), np.float32)
    # Asking once for the matrices is faster than for heads and tails, and gives the same.
    evaluated.pose.bones.foreach_get("matrix", posing.ravel())
    return posing, np.array(evaluated.matrix_world)


@contextmanager
def poses_kept(armature: bpy.types.Object) -> Iterator[None]:
    """What the armature plays now is evaluated only once a frame: for those who look at it again and again.

    Nobody may change it, nor move the armature, meanwhile; other actions may play in between.
    """
    number = armature.session_uid
    _kept[number] = actions.playing_action(armature).session_uid, {}
    try:
        yield
    finally:
        del _kept[number]


def _kept_of(armature: bpy.types.Object) -> dict[float, _Pose] | None:
    """The poses by frame that are kept of what the armature plays; None where none are."""
    action, poses = _kept.get(armature.session_uid, (None, None))
    data = armature.animation_data
    playing = None if data is None or data.action is None else data.action.session_uid
    return poses if playing == action else None


def steps_of(armature: bpy.types.Object, *, sides: bool = False) -> FloatArray:
    """(B, 1 or 2, 3) from the head of each bone to its end and, if wanted, to its side, in its own space."""
    along = character.ends_of(armature).along
    return np.stack([along, *([_aside(along)] if sides else [])], axis=1)


def _aside(along: FloatArray) -> FloatArray:
    """(B, 3) from head to the side of each bone, in its own space: beside its end, across the bone."""
    lengths = np.linalg.norm(along, axis=1, keepdims=True)
    ways = along / np.maximum(lengths, 1e-12)
    axis = np.where(np.abs(ways[:, :1]) < 0.9, [1.0, 0.0, 0.0], [0.0, 0.0, 1.0])
    across = axis - (axis * ways).sum(axis=1, keepdims=True) * ways
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    return along + SIDE * lengths * across


def height_of(armature: bpy.types.Object) -> float:
    """How high the character is, in scene units."""
    return character.height_of(armature)


def action_range(armature: bpy.types.Object) -> tuple[float, float] | None:
    """First and last keyed frame of what animates the armature, or None."""
    keyed = actions.key_frames(curve for curve in actions.curves_of(armature) if not actions.is_muted(curve))
    return (float(keyed[0]), float(keyed[-1])) if len(keyed) else None
