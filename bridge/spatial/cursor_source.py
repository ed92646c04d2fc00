# SPDX-License-Identifier: GPL-3.0-or-later
"""A hand from outside: a function of the user's own that says where the control cursor is.

from bl_ext.user_default.posewright.bridge.spatial import cursor_source
cursor_source.use(lambda: (0.3, -1.0, 1.5))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from mathutils import Vector

from ...core import InputError
from ...core.checks import LARGEST

Source = Callable[[], Sequence[float] | None]

_source: Source | None = None


def use(source: Source | None) -> None:
    """Let a function move the cursor while somebody performs; None lets the mouse do it again.

    It is asked about 90 times a second and returns a place in the world, or None to leave the cursor alone.
    """
    global _source
    if source is not None and not callable(source):
        raise InputError("A cursor source is a function that returns a place: give one, or None.")
    _source = source


def is_used() -> bool:
    return _source is not None


def place() -> Vector | None:
    """Where the source says that the cursor is; a source that fails is not asked again."""
    if _source is None:
        return None
    try:
        found = _source()
        return None if found is None else _checked(found)
    except Exception as error:
        use(None)
        raise InputError(
            "The script that moves the cursor failed ({error}): the mouse moves it again, and nothing is "
            "lost. Mend the script and give it anew.",
            error=f"{type(error).__name__}: {error}",
        ) from error


def _checked(found: Sequence[float]) -> Vector:
    numbers = np.asarray(found, dtype=np.float64)
    if numbers.shape != (3,) or not (np.abs(numbers) <= LARGEST).all():
        raise ValueError(f"{found!r} is no place: three finite numbers are")
    return Vector(numbers)
