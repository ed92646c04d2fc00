# SPDX-License-Identifier: GPL-3.0-or-later
"""A character that travels because its contacts hold on to the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Vector

from ....core.anatomy import Limb
from ....core.spatial import IN_THE_AIR, Ground, Locomotion, Walk, walk
from ... import followed_bones
from ...character import describe, height_of
from .. import sets
from ..blending.reaching import ik_controls
from ..posing.forward_kinematics import Joints, bone_ends, space_of_location
from ..posing.movable import is_constrained
from ..posing.pose_actions import pose_for
from ..posing.poses import Pose

# As shares of the character's height: how near the ground a contact touches, and how firmly it holds. A foot
# that holds more firmly drags the character back when it begins to lift: at 0.015 a third of the way is lost.
TOUCH = 0.01
HOLD = 0.003
UP = (0.0, 0.0, 1.0)
STEADY_SPEED = 0.1  # from so many heights a second on nothing steps back
SOLE = 0.1  # of the height: what is higher at rest does not stand there
THERE = 0.01  # of the height: a chain that ends so near to a joint of a foot carries that
SETTLING = 0.1  # seconds in which a character that was put into the ground rises out of it by two thirds


@dataclass(frozen=True, eq=False)
class Contacts:
    """The points that can stand, and what they stand on.

    Attributes:
        rows: (C,) where they are among all heads followed by all ends of bones.
        feet: (C,) the number of the foot that each is a point of.
        soles: (C, 3) from the ground to each when it stands: an ankle is above it.
        ground: the height of the ground in the world, for the armature where it is now.
        moves_along: whether the ground is found below the character, wherever it is put.
    """

    rows: list[int]
    feet: list[int]
    soles: np.ndarray
    ground: float
    moves_along: bool


def walks(armature: bpy.types.Object) -> bool:
    return sets.settings_of(armature).use_locomotion and bool(contact_bones(armature))


def contact_bones(armature: bpy.types.Object) -> list[str]:
    """The bones that hold on to the ground: those that the user has listed, else the feet that are found."""
    listed = sets.settings_of(armature).contacts
    points = [(each.bone, each.end) for each in listed] or _found_points(armature)
    return list(dict.fromkeys(bone for bone, _ in points if bone in armature.pose.bones))


def sole_at_rest(armature: bpy.types.Object, name: str, end: str) -> float:
    """How high an end of a bone is above the ground at rest; 0 where nothing could stand on it there."""
    bone = armature.data.bones[name]
    tip = Vector(bone_ends(armature)[armature.pose.bones.find(name)]) if end == "TAIL" else Vector()
    above = (armature.matrix_world @ bone.matrix_local @ tip).z - sets.settings_of(armature).ground
    return above if 0.0 < above < SOLE * height_of(armature) else 0.0


def base_along(
    armature: bpy.types.Object, poses: Pose, start: Vector, rate: float, *, was_shown: bool = False
) -> np.ndarray:
    """(F, 3) the location of the armature object for each pose, when it stands at `start` in the first.

    What was shown step by step is written as it was shown.
    """
    shift = space_of_location(armature) @ start - armature.matrix_world.translation
    offsets = walked(armature, poses, rate, shift, was_shown=was_shown).offsets
    offsets[:, 2] -= offsets[0, 2] * _still_sunk(np.arange(len(offsets)) / rate)
    to_location = space_of_location(armature).to_3x3().inverted_safe()
    return np.array(start) + offsets @ np.array(to_location).T


def walked(
    armature: bpy.types.Object,
    poses: Pose,
    rate: float,
    shift: Vector | None = None,
    acting: Sequence[bpy.types.PropertyGroup] | None = None,
    was_shown: bool = False,
) -> Walk:
    """How its contacts carry the character along in some poses.

    It stands `shift` from where it is now, if given; `acting` are the sets that are performed, those that
    have a share if left out.
    """
    contacts = _contacts(armature, acting)
    points = Joints(armature).positions(poses)[:, contacts.rows] - contacts.soles
    if shift is None:
        shift = Vector()
    ground = _ground(armature, contacts.ground + (shift.z if contacts.moves_along else 0.0))
    points = points + np.array(shift)
    return walk(points, rate, ground, feet=contacts.feet, looks_ahead=not was_shown)


def bones_of_contacts(armature: bpy.types.Object) -> list[str]:
    """(C,) the bone that each contact of a `Walk` belongs to."""
    return _bones_of(armature, _contacts(armature).rows)


class Walker:
    """The same while performing, step by step, from what Blender shows."""

    def __init__(self, armature: bpy.types.Object):
        self._start = armature.location.copy()
        self._origin = armature.matrix_world.translation.copy()
        self._contacts = _contacts(armature)
        self._ends = bone_ends(armature)
        self._walk = Locomotion(_ground(armature, self._contacts.ground), self._contacts.feet)
        self.travelled = Vector()  # in the world, since the start
        self._first_lift: float | None = None
        self._walked = 0.0  # seconds
        self.standing: Vector | None = None  # where what holds is on the ground

    def step(self, armature: bpy.types.Object, seconds: float) -> None:
        """Move the armature object so that its contact stays where it is."""
        # As if it had never left: where it has come to may not be evaluated yet.
        axes = armature.matrix_world.to_3x3()
        points = np.array([axes @ end + self._origin for end in self._shown(armature)])
        standing = points - self._contacts.soles
        offset = Vector(self._walk.step(standing, seconds))
        if self._first_lift is None:
            self._first_lift = offset.z
        else:
            self._walked += seconds
        sunk = self._first_lift * float(_still_sunk(self._walked))
        self.travelled = offset - Vector((0.0, 0.0, sunk))
        held = self._walk.contact
        self.standing = None if held == IN_THE_AIR else Vector(standing[held]) + self.travelled
        self.place(armature)

    def place(self, armature: bpy.types.Object) -> None:
        """Put the armature object where it has walked to; animation may have put it elsewhere."""
        to_location = space_of_location(armature).to_3x3().inverted_safe()
        armature.location = self._start + to_location @ self.travelled

    def _shown(self, armature: bpy.types.Object) -> list[Vector]:
        """Where the contacts are in the space of the armature."""
        bones, count = armature.pose.bones, len(self._ends)
        return [
            bones[row].head if row < count else bones[row - count].matrix @ Vector(self._ends[row - count])
            for row in self._contacts.rows
        ]


def _still_sunk(seconds: np.ndarray | float) -> np.ndarray:
    """How much of what it is in the ground at first it still is: it begins where it was put.

    Lifted at once it would begin higher than the take before, in each take again.
    """
    return np.exp(-np.asarray(seconds) / SETTLING)


def _ground(armature: bpy.types.Object, level: float) -> Ground:
    height, settings = height_of(armature), sets.settings_of(armature)
    return Ground(
        level,
        TOUCH * height,
        HOLD * height if settings.use_steady_contacts else 0.0,
        solid=settings.use_solid_ground,
        steady_speed=STEADY_SPEED * height if settings.use_no_steps_back else None,
    )


def _contacts(
    armature: bpy.types.Object, acting: Sequence[bpy.types.PropertyGroup] | None = None
) -> Contacts:
    settings = sets.settings_of(armature)
    if len(settings.contacts):
        there = [each for each in settings.contacts if each.bone in armature.pose.bones]
        rows = _rows(armature, [(each.bone, each.end) for each in there])
        soles = np.outer([each.offset for each in there], UP)
        feet = _feet_of(armature, rows)
        return Contacts(rows, feet, soles.reshape(-1, 3), settings.ground, moves_along=False)
    rows = _rows(armature, _found_points(armature))
    levels = _standing_levels(armature, rows, _with_a_share(armature) if acting is None else acting)
    ground = float(levels.min(initial=np.inf))
    feet = _feet_of(armature, rows)
    return Contacts(rows, feet, np.outer(levels - ground, UP), ground, moves_along=True)


def _found_points(armature: bpy.types.Object) -> list[tuple[str, str]]:
    """Heels, balls and tips of the feet that are found, as bones and ends; alike for every leg.

    Of feet that follow controls of the rig, these controls.
    """
    legs = describe(armature).legs
    controls = _controls_of(armature, [leg for leg in legs if is_constrained(armature, leg.end or leg.lower)])
    return [
        point for leg in legs for point in ([(controls[leg], "HEAD")] if leg in controls else _points_of(leg))
    ]


def _controls_of(armature: bpy.types.Object, legs: Sequence[Limb]) -> dict[Limb, str]:
    """The controls that legs follow, each through a chain that ends where the foot is at rest."""
    if not legs:
        return {}
    bones, scale = armature.data.bones, armature.matrix_world.median_scale or 1.0
    near = THERE * height_of(armature) / scale
    chains, parents = ik_controls(armature), followed_bones.parents_of(armature)
    targets = followed_bones.targets_of(armature, acting=True)
    found = {}
    for leg in legs:
        foot = [bones[name] for name in leg.bones[leg.bones.index(leg.end or leg.lower) :]]
        joints = [place for bone in foot for place in (bone.head_local, bone.tail_local)]
        followed = followed_bones.followed(leg.bones, targets, parents)
        for end in (each for each in chains if each in followed):  # in the order of the rig
            if min((bones[end].tail_local - joint).length for joint in joints) < near:
                found.setdefault(leg, chains[end])
    return found


def _points_of(leg: Limb) -> list[tuple[str, str]]:
    if leg.end is None:
        return [(leg.lower, "TAIL")]
    return [(leg.end, "HEAD"), (leg.end, "TAIL"), *([(leg.tip, "TAIL")] if leg.tip else [])]


def _bones_of(armature: bpy.types.Object, rows: list[int]) -> list[str]:
    """(C,) the bones that points belong to."""
    names = armature.pose.bones.keys()
    return [names[row % len(names)] for row in rows]


def _feet_of(armature: bpy.types.Object, rows: list[int]) -> list[int]:
    """(C,) which foot each point is of: those of a leg are of one, and so are those of any other bone."""
    legs = {bone: n for n, leg in enumerate(describe(armature).legs) for bone in leg.bones}
    owners = [legs.get(bone, bone) for bone in _bones_of(armature, rows)]
    return [owners.index(owner) for owner in owners]


def _with_a_share(armature: bpy.types.Object) -> list[bpy.types.PropertyGroup]:
    """The sets that act. Those that have stepped back may crouch: their ground is not what a walk goes on."""
    ready, active = sets.ready_sets(armature), sets.active_set(armature)
    return [each for each in ready if each.influence > 0.0 or each == active]


def _standing_levels(
    armature: bpy.types.Object, rows: list[int], acting: Sequence[bpy.types.PropertyGroup]
) -> np.ndarray:
    """(C,) how high each point is when it stands: as low as it, or its counterpart, gets in any key."""
    joints = Joints(armature)
    keys = [key for each in acting for key in sets.usable_keys(each)]
    heights = [joints.positions(pose_for(armature, key.pose))[rows, 2] for key in keys]
    lowest = np.min(heights, axis=0) if heights else np.zeros(len(rows))
    partners = _partner_rows(armature, rows)
    return np.minimum(lowest, lowest[partners])


def _partner_rows(armature: bpy.types.Object, rows: list[int]) -> list[int]:
    """(C,) which of the points is the counterpart of each; itself where there is none."""
    count, description = len(armature.pose.bones), describe(armature)
    points = [(bone, row >= count) for bone, row in zip(_bones_of(armature, rows), rows, strict=True)]
    order = {point: n for n, point in enumerate(points)}
    return [
        order.get((description.mirror_of(bone) or bone, is_end), n) for n, (bone, is_end) in enumerate(points)
    ]


def _rows(armature: bpy.types.Object, points: list[tuple[str, str]]) -> list[int]:
    """Where points are among all heads followed by all ends; those of bones that are gone are left out."""
    order = {bone.name: n for n, bone in enumerate(armature.pose.bones)}
    return [order[bone] + (len(order) if end == "TAIL" else 0) for bone, end in points if bone in order]
