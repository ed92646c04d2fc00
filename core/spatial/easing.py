# SPDX-License-Identifier: GPL-3.0-or-later
"""From nothing to everything without a jolt."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks import FloatArray


def smoothstep(x: ArrayLike) -> FloatArray:
    """0 up to x = 0 and 1 from x = 1 on, level at both ends."""
    x = np.clip(x, 0.0, 1.0)
    return x * x * (3.0 - 2.0 * x)
