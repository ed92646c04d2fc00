# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of an armature: `describe` reads it from Blender once and remembers it.

`description`  reads and remembers it                  `held`               for the length of some work
`skin`         the meshes that belong to it            `bone_ends`          where bones end, believed or not
`said`         what the user has corrected             `part_names`         what parts are called
`shown_pose`   where it stands now                     `sketch`             what was found, as lines
`stillness`    what moves and what matters             `owner`              which armature is meant
"""

from .bone_ends import Ends, ends_of
from .description import describe, forget, height_of, own_height_of
from .held import held
from .owner import armature_of, is_stand_in, name_of
from .shown_pose import Shown, shown, shown_ends, up_and_front
from .sketch import Sketch, sketch
from .skin import is_deformed_by, skins_of
from .stillness import bones_that_matter, changes, still_bones

__all__ = [
    "Ends",
    "Shown",
    "Sketch",
    "armature_of",
    "bones_that_matter",
    "changes",
    "describe",
    "ends_of",
    "forget",
    "height_of",
    "held",
    "is_deformed_by",
    "is_stand_in",
    "name_of",
    "own_height_of",
    "shown",
    "shown_ends",
    "sketch",
    "skins_of",
    "still_bones",
    "up_and_front",
]
