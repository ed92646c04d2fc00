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
- The root is the hips (`Motion.root`): a root bone that only carries the character
  about may lie anywhere.
- Weights multiply squared distances: a joint of weight 2 counts like two joints there. The root's
  weight of 5 is the paper's, which does not say whether it multiplies distances or their squares.
"""

from __future__ import annotations

import numpy as np

from ..motion import FloatArray, Motion
from ..smooth import smoothed
from ..solutions import Solutions
from .algorithm import Algorithm, Option, Task
from .ranking import ends_first, spread

BLOCK = 32

# A block is skipped only when it is beyond reach by more than rounding can explain.
SLACK = 1e-9


def solve(task: Task) -> Solutions:
    options = task.options
    poses = matched_poses(
        task.motion, root_weight=options["root_weight"], travel=options["travel"], up=options["up"]
    )
    given = ends_first(task.fixed) if options["ends"] else task.asked
    remaining = _Farthest(smoothed(poses, options["smooth"]))
    ranking: list[int] = []
    errors: list[float] = []
    while len(ranking) < task.max_keys:
        row = int(given[len(ranking)]) if len(ranking) < len(given) else remaining.row()
        remaining.take(row)
        ranking.append(row)
        if len(ranking) >= len(given):
            errors.append(remaining.distance())
        task.progress(len(ranking) / task.max_keys)
    fewest = max(len(given), 1)
    return Solutions.from_ranking("keyposes", "coverage", np.array(ranking), errors, fewest=fewest)


def matched_poses(motion: Motion, *, root_weight: float, travel: bool, up: str) -> FloatArray:
    """(F, D) poses whose squared distance is that of the matched joints plus the weighted root's.

    Centred by way of the first frame, so that the same motion elsewhere gives the same numbers.
    """
    root = motion.root
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
        padding = -len(poses) % BLOCK
        shape = (len(poses) + padding) // BLOCK, BLOCK
        self._poses = np.pad(poses, ((0, padding), (0, 0)), mode="edge").reshape(*shape, -1)
        self._centres = self._poses.mean(axis=1)
        self._radii = _lengths(self._poses - self._centres[:, None]).max(axis=1)
        # (blocks, BLOCK) distance of each frame from the nearest key or the mean; -1 for keys and padding.
        self._distances = np.pad(_lengths(poses), (0, padding), constant_values=-1.0).reshape(shape)
        self._longest = self._distances.max(axis=1)
        self._spread = np.pad(spread(len(poses)), (0, padding)).reshape(shape)

    def row(self) -> int:
        """The farthest frame; where many are equally far, frames far apart come first."""
        blocks = np.flatnonzero(self._longest == self._longest.max())
        equal = self._distances[blocks] == self._longest[blocks[0]]
        first = np.argmin(np.where(equal, self._spread[blocks], np.iinfo(np.int64).max))
        return int(blocks[first // BLOCK] * BLOCK + first % BLOCK)

    def distance(self) -> float:
        return max(float(self._longest.max()), 0.0)

    def take(self, row: int) -> None:
        """Make a frame a key: distances shrink around it."""
        block, place = divmod(row, BLOCK)
        key = self._poses[block, place]
        nearest = _lengths(self._centres - key) - self._radii
        reachable = np.flatnonzero(nearest <= self._longest * (1.0 + SLACK) + SLACK * self._radii)
        closer = np.minimum(self._distances[reachable], _lengths(self._poses[reachable] - key))
        self._distances[reachable] = closer
        self._distances[block, place] = -1.0
        self._longest[reachable] = closer.max(axis=1)
        self._longest[block] = self._distances[block].max()


def _lengths(vectors: FloatArray) -> FloatArray:
    return np.sqrt(np.einsum("...d,...d->...", vectors, vectors))


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
