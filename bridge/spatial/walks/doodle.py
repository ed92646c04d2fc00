# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion doodles: a path is drawn on the ground, and the character walks along it.

The keys of the active set are gone around, a round a stride. See `core/spatial/stride.py` for the method.
"""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ....core import InputError
from ....core.anatomy import facing
from ....core.feet.contacts import runs
from ....core.progress import Progress
from ....core.spatial import Course, GroundPath, Ring, Stride, Walk, foot_shift
from ....core.spatial.locomotion import IN_THE_AIR
from ... import actions
from ...baking import Keys
from ...character import describe
from ...splicing import replace_between
from ...stages import frames_per_second
from ...steps import Steps, computed, run, shares
from .. import live, sets
from ..blending import switching
from ..blending.moments import dials_along, poses_along
from ..making.upkeep import some_of
from ..posing.forward_kinematics import Base, Joints, space_of_location
from ..posing.movable import is_constrained, is_driven
from ..posing.poses import Pose, rotation_channel
from ..takes import kept_takes
from ..takes.cursor_baking import moments_at, others_left_alone, require_keys
from ..takes.take_writing import Take, keys_in_steps, tracks_to_write, write_in_steps
from .held_steps import legs_that_step, with_steps
from .walking import bones_of_contacts, contact_bones, walked

PHASES = 96  # of a stride that are looked at to know how far it carries
SOFT = 0.25  # of a stride: over so much of the way corners are rounded
SHORTEST = 0.5  # strides
SLIGHTEST = 0.02  # of the height: what carries less is no walk


@dataclass(frozen=True, eq=False)
class Doodle:
    """A path that was drawn, and how fast it is to be walked.

    Attributes:
        places: (n, 2) or (n, 3) in the world.
        seconds: (n,) when the hand was there, to walk as it was drawn; None to walk steadily.
        pace: steps a second of a steady walk.
    """

    places: np.ndarray
    seconds: np.ndarray | None = None
    pace: float = 1.8


@dataclass(frozen=True, eq=False)
class _Gait:
    """How a set walks when its keys are gone around.

    Attributes:
        row: which of the ready sets it is.
        ring: the way of its cursor. sense: 1.0 to go around forward, -1.0 backward.
        ahead: the direction on the ground in which it goes straight on, a complex number.
    """

    row: int
    ring: Ring
    sense: float
    stride: Stride
    ahead: complex

    def cursor(self, lengths: np.ndarray) -> np.ndarray:
        """(F, 3) where the cursor is when the body has come so far."""
        return self.ring.at(self.sense * self.stride.rounds(lengths))


def walk_along_in_steps(armature: bpy.types.Object, scene: bpy.types.Scene, doodle: Doodle) -> Steps[int]:
    """Write a take, from the current frame on, in which the character walks a path; how many frames it has.

    It walks by the active set, or else by the first of the others that walks, which takes over.
    """
    require_keys(armature)
    _refuse_without_feet(armature)
    _refuse_held(armature)
    gait, rate = _gait(armature), frames_per_second(scene)
    path = GroundPath(doodle.places[:, :2], SOFT * gait.stride.length)
    if path.length < SHORTEST * gait.stride.length:
        raise InputError(
            "The path is {length:.2f} long, less than a step of {armature}: draw a longer one.",
            length=path.length,
            armature=armature.name,
        )
    lengths = _lengths(doodle, path, gait, rate)
    frames = scene.frame_current + np.arange(len(lengths), dtype=np.float64)
    settings = sets.settings_of(armature)
    with live.paused(armature):
        moments = moments_at(armature, frames, gait.cursor(lengths), gait.row)
        work = computed(lambda report: poses_along(moments, Progress(report)))
        poses = yield from shares(work, 0.0, 0.4)
        stepping, base = _along(armature, poses, path, lengths, gait, rate)
        take = Take(frames, stepping, dials_along(moments), base)
        tracks = tracks_to_write(armature, take, left_alone=others_left_alone(armature, moments, gait.row))
        error = settings.record_error if settings.record_keys == "DISTIL" else None
        keys = yield from shares(keys_in_steps(armature, frames, tracks, error), 0.4, 1.0)
        _take_over(armature, gait.row)
        stood = _channels_of_object(armature)
        run(write_in_steps(armature, frames, tracks, keys))
        _stay_before(armature, frames[0], stood)
    live.give_way(armature)
    if settings.record_takes:
        kept_takes.keep(armature)
    scene.frame_set(scene.frame_current)
    return len(frames)


def _refuse_without_feet(armature: bpy.types.Object) -> None:
    if not contact_bones(armature):
        raise InputError(
            "{armature} has no feet that are found: add the bones that it stands on under Walk.",
            armature=armature.name,
        )


def _refuse_held(armature: bpy.types.Object) -> None:
    """Refuse what would stay as it is, whatever keys a walk gets."""
    if sets.in_rest_position(armature):
        raise InputError(sets.rest_position_sentence(armature))
    if _is_placed_by_others(armature):
        raise InputError(
            "Constraints or drivers place {armature}, so it would not walk along the path: mute them first.",
            armature=armature.name,
        )
    feet = contact_bones(armature)
    held = [
        bone for bone in feet if is_driven(armature, bone) or is_constrained(armature, bone, by_limits=False)
    ]
    if held:
        raise InputError(
            "Constraints or drivers pose {bones}, so {armature} cannot step with them: mute them first, or "
            "add under Walk the controls that place its feet, which keys of the set have to hold.",
            bones=some_of(held),
            armature=armature.name,
        )


def _is_placed_by_others(armature: bpy.types.Object) -> bool:
    """Whether constraints or drivers have the say about where the armature object is."""
    if any(not each.mute and each.influence > 0.0 for each in armature.constraints):
        return True
    data = armature.animation_data
    drivers = () if data is None else data.drivers
    return any(not each.mute and each.data_path.startswith(("location", "rotation_")) for each in drivers)


def _channels_of_object(armature: bpy.types.Object) -> dict[tuple[str, int], float]:
    """Where the armature object stands, by its own channels."""
    paths = ("location", rotation_channel(armature.rotation_mode))
    return {(path, n): value for path in paths for n, value in enumerate(getattr(armature, path))}


def _stay_before(armature: bpy.types.Object, first: float, stood: dict[tuple[str, int], float]) -> None:
    """Let the object stand where it did in what plays before, if it has keys from the walk on alone."""
    curves = actions.curves_of(armature)
    if actions.key_frames(curves)[0] > first - 1.0:
        return
    for curve in curves:
        value = stood.get((curve.data_path, curve.array_index))
        if value is not None and curve.range()[0] > first - 1.0:
            frames, values = np.array([first - 1.0]), np.array([[value]])
            replace_between([curve], Keys(frames, values, interpolation="CONSTANT"))


def _take_over(armature: bpy.types.Object, row: int) -> None:
    """Let a set be the active one, and give it a share if it has none."""
    settings, chosen = sets.settings_of(armature), sets.ready_sets(armature)[row]
    settings.set_index = settings.sets.find(chosen.name)
    if chosen.influence == 0.0:
        switching.switch(armature, settings.set_index)


def _gait(armature: bpy.types.Object) -> _Gait:
    """The walk of the active set, or else of the first that walks; refused where there is none."""
    ready, active = sets.ready_sets(armature), sets.active_row(armature)
    order = [active, *(row for row in range(len(ready)) if row != active)]
    found = (_gait_of(armature, row) for row in order)
    gait = next((each for each in found if each is not None), None)
    if gait is None:
        raise InputError(
            'Going around the keys of "{set}" does not carry {armature} along: add the ready set Walk, or '
            "place the keys of a walk in a circle.",
            set=ready[active].name,
            armature=armature.name,
        )
    return gait


def _gait_of(armature: bpy.types.Object, row: int) -> _Gait | None:
    """How one of the ready sets walks; None if it does not."""
    keys = moments_at(armature, np.zeros(1), np.zeros((1, 3)), row)[0].mappings[row].places
    try:
        ring = Ring(keys)
    except InputError:
        return None
    # The middle one of three rounds: the first begins from standing.
    rounds = np.arange(3 * PHASES + 1) / PHASES
    ways, ahead, once = {}, 0.0, slice(PHASES, 2 * PHASES + 1)
    for sense in (1.0, -1.0):
        poses = poses_along(
            moments_at(armature, np.zeros(len(rounds)), ring.at(sense * rounds), row), Progress(None)
        )
        walk = _walked(armature, poses, PHASES, row)
        if not _takes_turns(armature, walk.contacts[once]):
            return None
        ways[sense] = _on_ground(walk.offsets)[once]
        ahead = _faced(armature, poses)
    carried = {sense: way[-1] - way[0] for sense, way in ways.items()}
    sense = max(carried, key=lambda each: (carried[each] * ahead.conjugate()).real)
    far = abs(carried[sense])
    if far < SLIGHTEST * describe(armature).height:
        return None
    ahead = carried[sense] / far
    stride = Stride.of(((ways[sense] - ways[sense][0]) * ahead.conjugate()).real)
    return _Gait(row, ring, sense, stride, ahead)


def _faced(armature: bpy.types.Object, poses: Pose) -> complex:
    """Where it looks on average in some poses, which need not be where it looks now."""
    names = armature.pose.bones.keys()
    heads = Joints(armature).positions(poses)[:, : len(names)]
    return complex(_on_ground(facing(describe(armature), names, heads)).mean())


def _takes_turns(armature: bpy.types.Object, contacts: np.ndarray) -> bool:
    """Whether it stands on one foot and then on another, and not just hops about on one of several."""
    bones = bones_of_contacts(armature)
    standing = {bones[contact] for contact in contacts if contact != IN_THE_AIR}
    return len(standing) >= min(2, len(set(bones)))


def _lengths(doodle: Doodle, path: GroundPath, gait: _Gait, rate: float) -> np.ndarray:
    """(F,) how far along the path it is in each frame."""
    if doodle.seconds is None:
        speed = 0.5 * doodle.pace * gait.stride.length  # two steps are a stride
        return np.append(np.arange(0.0, path.length, speed / rate), path.length)
    seconds = doodle.seconds - doodle.seconds[0]
    return np.interp(np.arange(int(seconds[-1] * rate) + 1) / rate, seconds, path.lengths)


def _along(
    armature: bpy.types.Object,
    poses: Pose,
    path: GroundPath,
    lengths: np.ndarray,
    gait: _Gait,
    rate: float,
) -> tuple[Pose, Base]:
    """The poses of a walk along a path, with their steps held, and where the armature object is."""
    walk = _walked(armature, poses, rate, gait.row)
    straight = _on_ground(walk.offsets)
    legs = legs_that_step(armature, poses)
    if not legs:  # nothing can bend to make up for it: the body goes as its feet carry it
        carried = ((straight - straight[0]) * gait.ahead.conjugate()).real
        lengths = np.clip(carried, 0.0, path.length)
    turn = path.headings(lengths) - np.angle(gait.ahead)
    middle = _middle(armature, poses)
    course = Course(turn, _on_ground(path.places(lengths)))
    stances = [_stances(armature, walk, leg.lower) for leg in legs]
    shifts = [foot_shift(each, straight, course) for each in stances]
    stepping, lower = with_steps(armature, poses, legs, shifts, middle, rate)
    return stepping, _base(armature, course, middle, lower)


def _walked(armature: bpy.types.Object, poses: Pose, rate: float, row: int) -> Walk:
    """How the feet carry it along in poses of one of the ready sets."""
    return walked(armature, poses, rate, acting=[sets.ready_sets(armature)[row]])


def _on_ground(places: np.ndarray) -> np.ndarray:
    """Places as complex numbers, without their height."""
    return places[:, 0] + 1j * places[:, 1]


def _middle(armature: bpy.types.Object, poses: Pose) -> complex:
    """The point of the ground that is below the hips, on average: it goes along the path."""
    hips = describe(armature).hips
    if hips is None:
        place = armature.matrix_world.translation
    else:
        heads = Joints(armature).positions(poses)[:, armature.pose.bones.find(hips)]
        place = heads.mean(axis=0)
    return complex(place[0], place[1])


def _stances(armature: bpy.types.Object, walk: Walk, shin: str) -> list[tuple[int, int]]:
    """The frames, first and last, in which a foot below a shin holds on to the ground."""
    bones = armature.data.bones
    below = [
        bone == shin or bones[shin] in bones[bone].parent_recursive for bone in bones_of_contacts(armature)
    ]
    return list(runs(np.isin(walk.contacts, np.flatnonzero(below))))


def _base(armature: bpy.types.Object, course: Course, middle: complex, lower: np.ndarray) -> Base:
    """Where the armature object is: turned about its middle, moved over the ground with it, and lowered."""
    move = course.move - np.exp(1j * course.turn) * middle
    moved = np.tile(np.eye(4), (len(course.turn), 1, 1))
    moved[:, 0, 0] = moved[:, 1, 1] = np.cos(course.turn)
    moved[:, 1, 0] = np.sin(course.turn)
    moved[:, 0, 1] = -moved[:, 1, 0]
    moved[:, :3, 3] = np.stack([move.real, move.imag, -lower], axis=1)
    space = np.array(space_of_location(armature))
    basis = np.linalg.solve(space, moved @ space @ np.array(armature.matrix_basis))
    axes = basis[:, :3, :3] / np.linalg.norm(basis[:, :3, :3], axis=1, keepdims=True)
    return Base(basis[:, :3, 3], axes)
