# SPDX-License-Identifier: GPL-3.0-or-later
"""What an armature is: its size, its limbs, its sides, where it looks; by geometry, names are a hint.

`skeleton_tree`  bones, and those that make a body     `names`              what they are called
`symmetry`       left and right                        `limbs`              chains that come in pairs
`loose_ends`     feet and hands beside the body        `single_bones`       limbs of a single bone
`stance`         what is up, what is a leg             `size`               height and ground
`ends`           where bones end                       `describing`         all of this together
`character`      what comes out of it                  `shown`              the same in a pose that is shown
`corrections`    what a user knows better              `joints`             parts among the joints of a motion
`alike`          limbs that are like each other        `by_names`           parts of a motion by names alone
"""

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
