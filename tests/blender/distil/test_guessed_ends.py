# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet stand where their bones' ends are a guess: below the ground, in files whose tails say nothing."""

from __future__ import annotations

import numpy as np
import pytest

# Head and the bone above; all tails are pushed aside. Forelegs end with a paw well above the ground, whose
# end would be guessed below it; hind legs have toes right above it.
SPINE = {
    "hips": ((0.0, 0.5, 1.0), None),
    "spine": ((0.0, 0.0, 1.0), "hips"),
    "chest": ((0.0, -0.5, 1.0), "spine"),
    "neck": ((0.0, -0.6, 1.2), "chest"),
    "head": ((0.0, -0.8, 1.4), "neck"),
}
SIDE = {
    "thigh": ((0.15, 0.5, 0.9), "hips"),
    "shin": ((0.15, 0.4, 0.6), "thigh"),
    "foot": ((0.15, 0.6, 0.3), "shin"),
    "toe": ((0.15, 0.55, 0.02), "foot"),
    "upperarm": ((0.15, -0.5, 0.85), "chest"),
    "forearm": ((0.15, -0.45, 0.5), "upperarm"),
    "hand": ((0.15, -0.5, 0.1), "forearm"),
}
FEET = {"foot.L", "foot.R", "hand.L", "hand.R"}


@pytest.fixture
def dog(make_rig):
    """Stands for three seconds while its head turns."""
    bones = {name: (head, above) for name, (head, above) in SPINE.items()}
    for side, sign in ((".L", 1.0), (".R", -1.0)):
        for name, ((x, y, z), above) in SIDE.items():
            bones[name + side] = (sign * x, y, z), above if above in SPINE else above + side
    tails = {name: (head[0] + 0.04, head[1], head[2]) for name, (head, _) in bones.items()}
    rig = make_rig({name: (head, tails[name], above) for name, (head, above) in bones.items()})
    rig.scale = (0.01, 0.01, 0.01)
    for bone in rig.pose.bones:
        for frame in range(1, 76, 2):
            turn = 0.2 * np.sin(0.2 * frame) if bone.name == "head" else 0.0
            bone.rotation_quaternion = (np.cos(turn), np.sin(turn), 0.0, 0.0)
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    return rig


def standing(feet, distil, rig):
    """What stands in the first frame, as Hold Feet sees it and as it is measured."""
    import bpy

    bpy.ops.posewright.analyze()
    kept = {bone for bone, some in feet.contacts(rig).items() if some and some[0].first == 0}
    motion = distil.sampling.sample(rig, distil.reductions.get(rig).analysis().frames, sides=True)
    measured = feet.stances.found_in(rig, motion)
    return kept, {motion.names[each.point] for each in measured if each.first == 0}


def test_all_four_stand(feet, distil, dog):
    from bl_ext.user_default.posewright.bridge import character

    assert not character.describe(dog).tails_tell
    assert standing(feet, distil, dog) == (FEET, FEET)


def test_a_paw_that_is_held_up_does_not(feet, distil, dog):
    arm = dog.pose.bones["upperarm.L"]
    for frame in range(1, 76, 2):
        arm.rotation_quaternion = (np.cos(0.4), 0.0, np.sin(0.4), 0.0)  # the bone lies across
        arm.keyframe_insert("rotation_quaternion", frame=frame)
    assert standing(feet, distil, dog) == (FEET - {"hand.L"}, FEET - {"hand.L"})


def test_the_fox_looks_about_on_four_paws(feet, distil, import_character):
    rig = import_character("Fox.glb", "Survey")
    paws = {"b_LeftFoot01_017", "b_RightFoot01_021", "b_LeftHand_011", "b_RightHand_08"}
    assert standing(feet, distil, rig) == (paws, paws)
