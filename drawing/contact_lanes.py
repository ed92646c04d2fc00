# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands when in a reduction, as the strips of panels and viewports show it."""

from __future__ import annotations

from ..bridge.distil.feet import stances
from ..bridge.distil.reductions import Reduction
from ..core.picture.contact_plot import Lane


def lanes_of(reduction: Reduction) -> tuple[Lane, ...]:
    """A lane for each bone that can stand; none where that is not known yet."""
    known, by_hand = stances.frames_of(reduction) or {}, stances.by_hand(reduction)
    sides = stances.sides_of(reduction.armature, known)
    return tuple(
        Lane(side, tuple(stretches), tuple(by_hand.get(bone, ())))
        for side, (bone, stretches) in zip(sides, known.items(), strict=True)
    )
