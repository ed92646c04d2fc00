# SPDX-License-Identifier: GPL-3.0-or-later
"""What an armature is: its size, its limbs, its sides, where it looks; by geometry, names are a hint."""

from . import names
from .bones import Bones
from .character import Character, Limb
from .corrections import corrected
from .describing import describe
from .ends import ends_without_tails
from .joints import joint_at_head, joint_at_tail, nine_joint_weights, nine_joints, root_joint
from .shown import facing, ground_below
from .size import Skin

__all__ = [
    "Bones",
    "Character",
    "Limb",
    "Skin",
    "corrected",
    "describe",
    "ends_without_tails",
    "facing",
    "ground_below",
    "joint_at_head",
    "joint_at_tail",
    "names",
    "nine_joint_weights",
    "nine_joints",
    "root_joint",
]
