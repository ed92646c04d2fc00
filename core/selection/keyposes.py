# SPDX-License-Identifier: GPL-3.0-or-later
"""`keyposes`: the poses that are least like one another.

Paper: Tanuwijaya and Ohno, "A Simple and Efficient Method to Extract Keyposes from Mocap Data".

The first key is the pose farthest from the mean pose; each further one is the pose whose distance
to the nearest key, and to the mean, is longest. Poses are compared with their roots matched: the
distance is that of the joints as seen from the root, and that of the root counts separately, with a
weight of its own. Good for pose sheets and thumbnails: a cycle is shown once, not once a step.

Objective `coverage`: the distance of the pose that is still least like any key and the mean.

Complexity: O(F) distances for each key at worst, as in the paper. Frames are kept in blocks of
neighbours; a block that is too far from the new key for any of its frames to come closer to a key is
not touched, so that a further key costs far less once there are many. The result is the same.

Departures:
- The first and the last frame are keys from the start, so that the solutions can be played; the
  option `ends` turns this off and then solutions start at one key, as in the paper.
- Weights multiply squared distances: a joint of weight 2 counts like two joints there. The root's
  weight of 5 is the paper's, which does not say whether it multiplies distances or their squares.
"""

from __future__ import annotations

import numpy as np

from ..motion import FloatArray, IntArray, Motion
from ..smooth import smoothed
from ..solutions import Solutions
from .algorithm import Algorithm, Option, Task
from .ranking import ends_first, spread
from .weights import root_row

BLOCK = 32
REPORT_EVERY = 16

# A block is skipped only when it is beyond reach by more than rounding can explain.
SLACK = 1e-9


def solve(task: Task) -> Solutions:
    poses = smoothed(matched_poses(task.motion, **_matching(task)), task.options["smooth"])
    given = ends_first(task.fixed) if task.options["ends"] else task.asked
    remaining = _Farthest(poses)
    ranking: list[int] = []
    errors: list[float] = []
    while len(ranking) < task.max_keys:
        row = int(given[len(ranking)]) if len(ranking) < len(given) else remaining.row()
        remaining.take(row)
        ranking.append(row)
        if len(ranking) >= len(given):
            errors.append(remaining.distance())
        if len(ranking) % REPORT_EVERY == 0:
            task.progress(len(ranking) / task.max_keys)
    fewest = max(len(given), 1)
    return Solutions.from_ranking("keyposes", "coverage", np.array(ranking), errors, fewest=fewest)


def _matching(task: Task) -> dict[str, object]:
    return {name: task.options[name] for name in ("root_weight", "travel", "up")}


def matched_poses(motion: Motion, *, root_weight: float, travel: bool, up: str) -> FloatArray:
    """(F, D) poses whose squared distance is that of the matched joints plus the weighted root's.

    Centred by way of the first frame, so that the same motion elsewhere gives the same numbers.
    """
    root = root_row(motion.parents)
    place = motion.positions[:, root]
    joints = motion.positions - place[:, None]
    place = place - place[0]
    if not travel:
        place = place[:, ["XYZ".index(up)]]
    used = motion.weights > 0.0
    used[root] = False
    scales = np.sqrt(motion.weights)
    limbs = (joints[:, used] - joints[0, used]) * scales[used, None]
    place = place * scales[root] * np.sqrt(root_weight)
    poses = np.concatenate([place, limbs.reshape(len(place), -1)], axis=1)
    return poses - poses.mean(axis=0)


class _Farthest:
    """Which frame is farthest from everything taken so far, starting with the mean pose.

    A block of frames lies within `radius` of its `centre`, so its frames are at least
    |key - centre| - radius away from a key: where that is not below the longest distance in the
    block, no distance in it can shrink.
    """

    def __init__(self, poses: FloatArray):
        count = len(poses)
        self._count = count
        self._poses = poses
        self._starts = np.arange(0, count, BLOCK)
        sizes = np.diff(np.append(self._starts, count))
        self._centres = np.add.reduceat(poses, self._starts, axis=0) / sizes[:, None]
        offsets = poses - np.repeat(self._centres, sizes, axis=0)
        self._radii = np.sqrt(np.maximum.reduceat(np.einsum("nd,nd->n", offsets, offsets), self._starts))
        # Distance of each frame from the nearest key or the mean; -1 marks keys. Padded to whole blocks.
        self._distances = np.full(len(self._starts) * BLOCK, -1.0)
        self._distances[:count] = np.sqrt(np.einsum("nd,nd->n", poses, poses))
        self._table = self._distances.reshape(-1, BLOCK)  # the same memory, a block a row
        self._longest = self._table.max(axis=1)
        self._spread = np.append(spread(count), np.full(len(self._distances) - count, count))

    def row(self) -> int:
        """The farthest frame; where many are equally far, frames far apart come first."""
        ties = np.flatnonzero(self._longest == self._longest.max())
        rows = np.flatnonzero(self._table[ties] == self._longest[ties[0]])
        rows = ties[rows // BLOCK] * BLOCK + rows % BLOCK
        return int(rows[np.argmin(self._spread[rows])])

    def distance(self) -> float:
        return max(float(self._longest.max()), 0.0)

    def take(self, row: int) -> None:
        """Make a frame a key: distances shrink around it."""
        key = self._poses[row]
        away = self._centres - key
        nearest = np.sqrt(np.einsum("nd,nd->n", away, away)) - self._radii
        reachable = np.flatnonzero(nearest <= self._longest * (1.0 + SLACK) + SLACK * self._radii)
        rows = self._rows_of(reachable)
        offsets = self._poses[rows] - key
        closer = np.minimum(self._distances[rows], np.sqrt(np.einsum("nd,nd->n", offsets, offsets)))
        self._distances[rows] = closer
        self._distances[row] = -1.0
        self._longest[reachable] = self._table[reachable].max(axis=1)
        self._longest[row // BLOCK] = self._table[row // BLOCK].max()

    def _rows_of(self, blocks: IntArray) -> IntArray:
        rows = (self._starts[blocks, None] + np.arange(BLOCK)).ravel()
        return rows[rows < self._count]


ALGORITHM = Algorithm(
    name="keyposes",
    label="Key Poses",
    description="Picks the poses that differ most from the average pose and from each other. Made for "
    "telling at a glance what happens in a motion: a repeated movement is shown once",
    paper="Tanuwijaya and Ohno, A Simple and Efficient Method to Extract Keyposes from Mocap Data",
    solve=solve,
    objectives=("coverage",),
    nested=True,
    options={
        "ends": Option(
            True,
            "Always make the first and the last frame keys, so that the result plays from start to end. "
            "Turn off to get only the most telling poses, even a single one",
        ),
        "root_weight": Option(
            5.0,
            "How many joints the place of the root counts for. The other joints are compared as seen from "
            "the root, so a higher value favours crouches and jumps, and zero looks at the body alone",
            minimum=0.0,
            maximum=1000.0,
        ),
        "travel": Option(
            False,
            "Let the way over the ground count: the same step at another place is then another pose. "
            "Off, only the height of the root counts",
        ),
        "up": Option("Z", "Which axis points up: Z in Blender's world", choices=("X", "Y", "Z")),
        "smooth": Option(
            0.0,
            "Smooth the motion over about so many frames before looking for extreme poses, so that a glitch "
            "of the recording is not taken for one (the standard deviation of a Gaussian filter). "
            "Zero for clean data",
            minimum=0.0,
            maximum=1000.0,
        ),
    },
)
