# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways of keying: what each means to Blender, to the fit, and to the choice of frames."""

from __future__ import annotations

from dataclasses import dataclass

from ...core import ALGORITHMS

AUTOMATIC = "automatic"  # the objective that goes with the way of keying


@dataclass(frozen=True)
class Way:
    """One way to get from pose to pose.

    Attributes:
        objective: which makes the best frames for it, since it measures what is played in this way.
        fit: how `Fitter` finds the handles; None where they are not fitted.
    """

    interpolation: str
    handle_type: str
    objective: str
    fit: str | None = None

    @property
    def moves_keys(self) -> bool:
        """Whether key poses may leave the motion a little, so that curves stay nearer to it."""
        return self.fit == "smooth"


WAYS = {
    "FREE": Way("BEZIER", "FREE", "curve", "free"),
    "SMOOTH": Way("BEZIER", "ALIGNED", "curve", "aligned"),
    "EVERYWHERE": Way("BEZIER", "ALIGNED", "curve", "smooth"),
    "AUTO": Way("BEZIER", "AUTO_CLAMPED", "chord"),
    "LINEAR": Way("LINEAR", "VECTOR", "chord"),
    "STEPPED": Way("CONSTANT", "VECTOR", "hold"),
}


def objective_for(algorithm: str, asked: str, way: str) -> str:
    """The objective that is meant by what was asked for; an algorithm may leave no choice."""
    offered = ALGORITHMS[algorithm].objectives
    if len(offered) == 1:
        return offered[0]
    return WAYS[way].objective if asked == AUTOMATIC else asked
