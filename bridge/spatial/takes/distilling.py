# SPDX-License-Identifier: GPL-3.0-or-later
"""Few keys for a performance, chosen at once: the fewest that keep every joint within a wanted error."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import bpy
import numpy as np

from ....core import Fitter, Motion, metrics, select
from ....core.progress import Progress
from ...steps import Steps, computed
from ..posing.forward_kinematics import Joints
from .tracks import Tracks

# Joints that move less than this share of the whole character's movement need not be looked at.
STILL = 1e-6
ROWS_AT_ONCE = 64  # so many are played in one go: enough for numpy, and Esc is heard in between
Stretch = tuple[int, int]  # the rows of two keys that follow each other


def rows_within_in_steps(
    armature: bpy.types.Object, frames: np.ndarray, tracks: Tracks, error: float
) -> Steps[np.ndarray]:
    """The rows to key so that, with fitted handles, every joint stays within `error` in world space.

    Blender is read at once and never again, so whatever happens to the character meanwhile does not matter.
    """
    joints = Joints(armature)
    return computed(lambda report: _fewest_rows(joints, frames, tracks, error, Progress(report)))


def _fewest_rows(
    joints: Joints, frames: np.ndarray, tracks: Tracks, error: float, progress: Progress
) -> np.ndarray:
    """Key counts are tried from the fewest on: more keys need not be closer, so halving could miss one."""
    everything = np.arange(len(frames))
    positions = _played(joints, tracks, tracks.values, progress.part(0.0, 0.1))
    moving = np.ptp(positions, axis=0).max(axis=-1)
    used = moving > STILL * max(float(moving.max()), STILL)
    if len(frames) < 3 or not used.any():
        return everything[[0, -1]] if len(frames) > 1 else everything
    solutions = select(Motion(positions[:, used], frames=frames), progress=progress.part(0.1, 0.5))
    judge = _Judge(joints, frames, tracks, positions, used, error)
    for tried, count in enumerate(solutions.counts):
        rows = solutions.keys(count)
        if judge.keeps(rows, progress.part(0.5 + 0.5 * tried / len(solutions), 1.0)):
            return rows
    return everything


def _played(joints: Joints, tracks: Tracks, values: np.ndarray, progress: Progress) -> np.ndarray:
    """(F, J, 3) where the joints are when the channels have these values in all frames."""
    parts = []
    for rows in _in_blocks(np.arange(len(values))):
        parts.append(_points(joints, tracks, values[rows], rows))
        progress((rows[-1] + 1) / len(values))
    return np.concatenate(parts)


def _points(joints: Joints, tracks: Tracks, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(F, J + D, 3) what may not be farther off than the error: joints, and what dials move."""
    joined = joints.positions(*tracks.played(values, rows))
    return np.concatenate([joined, tracks.dial_points(values)], axis=1)


class _Judge:
    """Tells whether keys keep every joint within an error, and looks at no stretch between two keys twice.

    The fitted handles of a stretch depend on its own rows alone, and so does how well it plays. From one key
    count to the next most stretches stay, and a single one that is off is enough to refuse them all.
    """

    def __init__(
        self,
        joints: Joints,
        frames: np.ndarray,
        tracks: Tracks,
        positions: np.ndarray,
        used: np.ndarray,
        error: float,
    ):
        self._joints, self._frames, self._tracks, self._used = joints, frames, tracks, used
        self._positions, self._error = positions, error
        self._fitter = Fitter(tracks.values, frames)
        self._near: set[Stretch] = set()
        self._off: set[Stretch] = set()

    def keeps(self, keys: np.ndarray, progress: Progress) -> bool:
        """Whether curves through these keys keep every joint within the error."""
        progress(0.0)
        stretches = list(pairwise(keys.tolist()))
        if not self._off.isdisjoint(stretches):
            return False
        unknown = sorted(set(stretches) - self._near, key=lambda stretch: stretch[0] - stretch[1])
        handles = self._fitter.fit(keys)
        for rows in _in_turn(unknown):
            values = handles.evaluate(self._frames[rows])
            far = rows[self._distances(rows, values) > self._error]
            progress(0.0)
            if len(far):
                self._off.update(stretches[n] for n in np.searchsorted(keys, far) - 1)
                return False
        self._near.update(unknown)
        return True

    def _distances(self, rows: np.ndarray, values: np.ndarray) -> np.ndarray:
        """How far the joint that is farthest off is in each row."""
        played = _points(self._joints, self._tracks, values, rows)
        return metrics.joint_distances(self._positions[rows][:, self._used], played[:, self._used]).max(
            axis=1
        )


def _in_turn(stretches: list[Stretch]) -> Iterator[np.ndarray]:
    """The rows inside stretches, the middles first: there one that is off shows it nearly always."""
    inside = [np.arange(first + 1, last) for first, last in stretches if last - first > 1]
    if inside:
        yield from _in_blocks(np.array([rows[len(rows) // 2] for rows in inside]))
        yield from _in_blocks(np.concatenate(inside))


def _in_blocks(rows: np.ndarray) -> Iterator[np.ndarray]:
    for start in range(0, len(rows), ROWS_AT_ONCE):
        yield rows[start : start + ROWS_AT_ONCE]
