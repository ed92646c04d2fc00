# SPDX-License-Identifier: GPL-3.0-or-later
"""The bear with its spatial sets: acting by seven poses around it, and a walk of four keys."""

from __future__ import annotations

from collections.abc import Iterable
from math import radians

import bpy
import numpy as np
from mathutils import Euler, Vector

from ..spatial import sets
from ..spatial.blending import switching
from ..spatial.making import empties
from ..spatial.making.mirror import mirrored_name, mirrored_pose, plane_of
from ..spatial.making.set_making import KeyData, make_set
from ..spatial.posing.poses import Pose, rest_pose
from .bear import Place, build_bear
from .humanoid import add_ready_set

# All keys are in one plane in front of the bear, so that depth does not matter. For each key: where it
# belongs, how bones turn about the world's axes (degrees), and where the hips go.
KEYS: dict[str, tuple[Place, dict[str, Place], Place]] = {
    "front": ((0, -1.0, 1.2), {}, (0, 0, 0)),
    "look left": (
        (1.1, -1.0, 1.25),
        {"head": (0, 0, 40), "spine": (0, -12, 22), "upper_arm.L": (0, -45, 0), "upper_arm.R": (0, 15, 0)},
        (0.06, 0, 0),
    ),
    "reach up": (
        (0, -1.0, 2.15),
        {
            "head": (-28, 0, 0),
            "spine": (-12, 0, 0),
            "upper_arm.L": (0, -75, 0),
            "forearm.L": (0, -20, 0),
            "upper_arm.R": (0, 75, 0),
            "forearm.R": (0, 20, 0),
        },
        (0, 0, 0.08),
    ),
    "bow": (
        (0, -1.0, 0.35),
        {"head": (22, 0, 0), "spine": (42, 0, 0), "upper_arm.L": (25, 25, 0), "upper_arm.R": (25, -25, 0)},
        (0, 0.1, -0.03),
    ),
    "wave left": (
        (1.0, -1.0, 2.0),
        {
            "head": (-8, 10, 25),
            "spine": (0, -8, 10),
            "upper_arm.L": (0, -60, 0),
            "forearm.L": (0, -60, 0),
            "upper_arm.R": (0, 25, 0),
        },
        (0.04, 0, 0.02),
    ),
}
MIRRORED = ("look left", "wave left")


def add_bear(place: Iterable[float] = (0.0, 0.0, 0.0)) -> bpy.types.Object:
    """A bear that follows its red cursor at once; the second of its sets is a walk."""
    armature = build_bear()
    armature.location = Vector(place)
    bpy.context.view_layer.update()
    acting = make_set(armature, "Acting", acting_keys(armature))
    add_ready_set(armature, "WALK")
    settings = sets.settings_of(armature)
    settings.use_locomotion = False  # acting is on the spot
    switching.switch(armature, 0)
    acting.key_index = 0
    empties.move_to(armature, acting.cursor, KEYS["front"][0])
    bpy.context.view_layer.update()
    settings.live = True
    return armature


def acting_keys(armature: bpy.types.Object) -> list[KeyData]:
    """All keys, with those that are mirrored."""
    keys = [
        KeyData(name, np.array(place), posed(armature, turns, hips), whole_body=True)
        for name, (place, turns, hips) in KEYS.items()
    ]
    plane = plane_of(armature)
    return keys + [
        KeyData(
            mirrored_name(key.name),
            plane.mirrored(key.place),
            mirrored_pose(armature, key.pose),
            whole_body=True,
        )
        for key in keys
        if key.name in MIRRORED
    ]


def posed(armature: bpy.types.Object, turns: dict[str, Place], hips: Place) -> Pose:
    """Bones turned from their rest position about the world's axes; those without a turn are at rest."""
    pose = rest_pose(armature.pose.bones.keys())
    for row, name in enumerate(pose.bones):
        rest = np.array(armature.data.bones[name].matrix_local.to_3x3())
        turn = np.array(Euler([radians(angle) for angle in turns.get(name, (0, 0, 0))]).to_matrix())
        pose.rotations[row] = rest.T @ turn @ rest
        if name == "hips":
            pose.locations[row] = rest.T @ hips
    return pose
