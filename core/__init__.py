# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything Posewright computes, in plain numpy: no Blender is needed to use or test it."""

from . import rotations
from .errors import Cancelled, InputError
from .motion import Motion
from .selection import ALGORITHMS, select
from .solutions import Solutions

__all__ = ["ALGORITHMS", "Cancelled", "InputError", "Motion", "Solutions", "rotations", "select"]
