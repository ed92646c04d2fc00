# SPDX-License-Identifier: GPL-3.0-or-later
"""Where poses are looked at from, and how a good place is found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..motion import FloatArray
from .drawn_poses import Poses

# Blender's own names for its views; all but "best" are fixed directions.
VIEWS = ("best", "front", "right", "back", "left", "top", "three_quarter")

_DIRECTIONS = {  # turn to the right around the character from the front, and height above it, in degrees
    "front": (0.0, 0.0),
    "right": (90.0, 0.0),
    "back": (180.0, 0.0),
    "left": (270.0, 0.0),
    "top": (0.0, 90.0),
    "three_quarter": (40.0, 18.0),
}
_BEST_HEIGHT = 8.0  # a little from above: feet and ground separate, proportions stay
_BEST_STEP = 10.0


@dataclass(frozen=True, eq=False)
class View:
    """A direction of sight, or a camera.

    Attributes:
        axes: (3, 3) or (P, 3, 3), rows: right, up and towards the viewer.
        eyes: (P, 3) places of a perspective camera at each pose; None for a parallel view.
    """

    axes: FloatArray
    eyes: FloatArray | None = None

    @classmethod
    def named(cls, name: str, poses: Poses) -> View:
        """One of `VIEWS`."""
        if name == "best":
            return best_view(poses)
        if name not in _DIRECTIONS:
            raise InputError(
                "There is no view called {name!r}: choose one of {choices}.",
                name=name,
                choices=", ".join(VIEWS),
            )
        return cls(direction(*_DIRECTIONS[name]))

    @classmethod
    def camera(cls, matrices: ArrayLike, *, perspective: bool) -> View:
        """From a camera's (P, 4, 4) world matrices: it looks along its own -Z, up is its Y."""
        matrices = np.asarray(matrices, np.float64)
        axes = matrices[:, :3, :3].transpose(0, 2, 1)
        axes = axes / np.linalg.norm(axes, axis=2, keepdims=True)
        return cls(axes, matrices[:, :3, 3] if perspective else None)

    def of_row(self, row: int) -> View:
        """The view of one pose alone."""
        axes = self.axes if self.axes.ndim == 2 else self.axes[row : row + 1]
        return View(axes, None if self.eyes is None else self.eyes[row : row + 1])

    def distance(self, points: FloatArray) -> float:
        """How far (P, N, 3) points are from a perspective camera on average; 0 for a parallel view."""
        return 0.0 if self.eyes is None else float(-self._local(points)[..., 2].mean())

    def _local(self, points: FloatArray) -> FloatArray:
        eyes = 0.0 if self.eyes is None else self.eyes[:, None]
        return (points - eyes) @ np.swapaxes(self.axes, -1, -2)

    def seen(self, points: FloatArray, reference: float | None = None) -> FloatArray:
        """(P, N, 3) points as the viewer sees them: right, up, nearness; in world units.

        A perspective camera keeps the size of what is at the distance `reference`; if that is left out,
        of what is as far away as the points are on average.
        """
        local = self._local(points)
        if self.eyes is None:
            return local
        away = -local[..., 2:]
        reference = float(away.mean()) if reference is None else reference
        if reference <= 0.0 or np.any(away < 1e-3 * reference):
            row = int(np.argmin(away.min(axis=(1, 2))))
            raise InputError(
                "In pose {row} the character reaches behind the camera: move the camera back, "
                "or choose another view.",
                row=row + 1,
            )
        return np.concatenate([local[..., :2] * (reference / away), local[..., 2:]], axis=2)


def direction(turn: float, height: float) -> FloatArray:
    """Axes of a parallel view `turn` degrees from the front to the right and `height` degrees from above."""
    turn, height = np.radians(turn), np.radians(height)
    right = np.array([np.cos(turn), np.sin(turn), 0.0])
    level = np.array([np.sin(turn), -np.cos(turn), 0.0])
    towards = np.cos(height) * level + np.array([0.0, 0.0, np.sin(height)])
    return np.array([right, np.cross(towards, right), towards])


def best_view(poses: Poses) -> View:
    """The level direction from which poses, and what changes between them, show most.

    For each candidate three things count, each relative to its best value: how widely the body is spread,
    how much of the change between neighbouring poses and of the travel is seen, and how few limbs lie over
    each other. A view and the view from behind score alike; of the two, a travelling character goes from
    left to right, and one on the spot shows its front.
    """
    turns = np.arange(0.0, 180.0, _BEST_STEP)
    axes = np.array([direction(turn, _BEST_HEIGHT) for turn in turns])
    local = poses.ends - poses.grounds[:, None]
    scores = (
        _relative(_spread(local, axes))
        + _relative(_change(local, axes))
        + _travel_share(poses) * _relative(_travel(poses, axes))
        - _relative(_overlap(poses, axes))
    )
    turn = turns[int(np.argmax(scores))]
    towards_us = direction(turn, _BEST_HEIGHT)
    return View(direction(turn + 180.0, _BEST_HEIGHT) if _is_from_behind(poses, towards_us) else towards_us)


def _relative(values: FloatArray) -> FloatArray:
    return values / max(float(values.max()), 1e-12)


def _flat(axes: FloatArray, points: FloatArray) -> FloatArray:
    """(V, ..., 2) points on the screen of every view."""
    return np.einsum("vij,...j->v...i", axes[:, :2], points)


def _spread(local: FloatArray, axes: FloatArray) -> FloatArray:
    return _flat(axes, local).std(axis=2).mean(axis=(1, 2))


def _change(local: FloatArray, axes: FloatArray) -> FloatArray:
    steps = np.diff(local, axis=0)
    if not len(steps):
        return np.zeros(len(axes))
    return np.linalg.norm(_flat(axes, steps), axis=-1).mean(axis=(1, 2))


def _travel(poses: Poses, axes: FloatArray) -> FloatArray:
    return np.abs(np.einsum("vj,pj->vp", axes[:, 0], np.diff(poses.grounds, axis=0))).sum(axis=1)


def _travel_share(poses: Poses) -> float:
    """0 on the spot, 1 where the character gets further than its own size."""
    away = np.linalg.norm(poses.grounds - poses.grounds[0], axis=1).max()
    return float(min(away / poses.size, 1.0))


def _overlap(poses: Poses, axes: FloatArray) -> FloatArray:
    """How many pairs of bones lie over each other, softly, judged by their middles."""
    middles = (poses.heads + poses.tails) / 2.0 - poses.grounds[:, None]
    near = 0.03 * poses.size
    sums = np.zeros(len(axes))
    for index, view in enumerate(axes):  # one view at a time bounds the memory
        flat = middles @ view[:2].T
        apart = ((flat[:, :, None] - flat[:, None]) ** 2).sum(axis=3)
        sums[index] = np.exp(-apart / near**2).sum()
    return sums


def _is_from_behind(poses: Poses, axes: FloatArray) -> bool:
    along = float(axes[0] @ (poses.grounds[-1] - poses.grounds[0]))
    if abs(along) > 0.3 * poses.size:
        return along < 0.0
    if poses.facing is None:
        return False
    return float((poses.facing @ axes[2]).mean()) < 0.0
