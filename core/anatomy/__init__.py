# SPDX-License-Identifier: GPL-3.0-or-later
"""What an armature is: its size, its limbs, its sides, where it looks; by geometry, names are a hint."""

from . import names
from .by_names import hips_by_name, limb_of, nine_joints_by_name, upwards
from .character import Character, Limb
from .corrections import corrected
from .describing import describe
from .ends import ends_without_tails
from .joints import hips_joint, joint_at_head, joint_at_tail, nine_joints
from .shown import as_shown, facing, ground_below
from .size import Skin
from .skeleton_tree import Bones

__all__ = [
    "Bones",
    "Character",
    "Limb",
    "Skin",
    "as_shown",
    "corrected",
    "describe",
    "ends_without_tails",
    "facing",
    "ground_below",
    "hips_by_name",
    "hips_joint",
    "joint_at_head",
    "joint_at_tail",
    "limb_of",
    "names",
    "nine_joints",
    "nine_joints_by_name",
    "upwards",
]
