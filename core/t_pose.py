# SPDX-License-Identifier: GPL-3.0-or-later
"""The T-pose, or whatever other pose, that many clips begin with before their motion does."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .checks import number, numbers

# Joints leave such a pose at once, by so much of the height on average and so many times as much as in any of
# the next steps. Capture from CMU jumps by 0.15 to 0.33, and no step of the motions themselves exceeds 0.006;
# those of a fast dance at 30 frames a second are up to 0.05.
JUMP = 0.06
TIMES_THE_NEXT = 5.0
NEXT = 30
HELD = 0.002  # of the height: a pose that changes less from frame to frame is held
LONGEST = 60  # rows


def rows_before_motion(positions: ArrayLike, height: float) -> int:
    """How many rows at the beginning hold a pose that the motion then jumps away from; 0 if it does not.

    Args:
        positions: (F, J, 3) where the joints are; the beginning of a motion is enough.
        height: of the character, in the same unit.
    """
    joints = numbers(positions, "positions", (None, None, 3))[: LONGEST + NEXT + 2]
    height = number(height, "height", at_least=0.0)
    if len(joints) < 5 or not joints.shape[1] or height == 0.0:
        return 0
    steps = np.diff(joints, axis=0)
    # Apart from a way that all joints go: a body that is only put elsewhere has its pose.
    steps -= np.median(steps, axis=1, keepdims=True)
    changes = np.linalg.norm(steps, axis=2).mean(axis=1) / height
    jump = int(np.argmax(changes > HELD))
    after = changes[jump + 1 : jump + 1 + NEXT]
    apart = jump < LONGEST and len(after) >= 3 and changes[jump] > max(JUMP, TIMES_THE_NEXT * after.max())
    return jump + 1 if apart else 0
