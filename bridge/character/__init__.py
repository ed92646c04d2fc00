# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of an armature: `describe` reads it from Blender once and remembers it."""

from .description import describe, forget, height_of
from .ends import Ends, ends_of
from .shown import Shown, shown
from .skin import skins_of
from .stillness import still_bones

__all__ = ["Ends", "Shown", "describe", "ends_of", "forget", "height_of", "shown", "skins_of", "still_bones"]
