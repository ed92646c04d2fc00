# SPDX-License-Identifier: GPL-3.0-or-later
"""What spatial keyframing costs: one pose, many poses, a dragged marker, inverse kinematics, locomotion.

python -m benchmarks.spatial        with any Python that has numpy
"""

from __future__ import annotations

import sys

import numpy as np

from benchmarks.timing import best
from core import Effector, Skeleton, SpatialKeyframes, solve_ik, walk
from core.spatial import nearest_rotation
from core.spatial.rotation import rotation_matrix

KEYS, POINTS, ONE_BY_ONE = 30, 10_000, 300


def a_set(bones: int) -> SpatialKeyframes:
    """Random keys whose bones turn some twenty degrees from each other."""
    rng = np.random.default_rng(0)
    turns = rotation_matrix(rng.normal(scale=0.25, size=(KEYS, bones, 3)))
    return SpatialKeyframes(rng.normal(size=(KEYS, 3)), turns, rng.normal(size=(KEYS, bones, 3)))


def poses(bones: int) -> None:
    keys = a_set(bones)
    points = np.random.default_rng(1).normal(scale=0.7, size=(POINTS, 3))

    def one_by_one() -> None:
        for point in points[:ONE_BY_ONE]:
            keys.pose(point)

    one = best(one_by_one) / ONE_BY_ONE
    many = best(lambda: keys.poses(points), 3) / POINTS
    blended = np.einsum("n,nbij->bij", keys.weights(points[0]), a_set_matrices(keys))
    by_svd = best(lambda: nearest_rotation(blended), 20)
    print(
        f"{bones:4d} bones, {KEYS} keys: one pose {one * 1e3:.3f} ms; {POINTS} in one call {many * 1e3:.4f} "
        f"ms each, {one / many:.1f} times faster; singular values alone {by_svd * 1e3:.3f} ms"
    )


def a_set_matrices(keys: SpatialKeyframes) -> np.ndarray:
    return np.stack([keys.pose(place)[0] for place in keys.places])


def dragged_marker() -> None:
    keys = a_set(100)
    places = keys.places + 0.01
    turns = a_set_matrices(keys)
    print(f"a marker moved:   {best(lambda: keys.with_places(places), 20) * 1e3:.3f} ms")
    print(f"a pose changed:   {best(lambda: keys.with_poses(turns), 20) * 1e3:.3f} ms")


def reaching() -> None:
    for bones in (3, 20):
        rest = np.tile(np.eye(4), (bones, 1, 1))
        rest[:, 1, 3] = np.arange(bones) / bones
        arm = Skeleton(np.arange(bones) - 1, rest, np.full(bones, 1 / bones))
        bent = rotation_matrix(np.tile([0.3, 0.1, 0.0], (bones, 1)))
        for name, target in (("within reach", [0.3, 0.4, 0.3]), ("out of reach", [3.0, 1.0, 0.0])):
            effector = [Effector(bones - 1, target)]
            took = best(lambda arm=arm, bent=bent, effector=effector: solve_ik(arm, bent, effector))
            print(f"IK, {bones:2d} bones, {name}: {took * 1e3:.1f} ms")


def travelling() -> None:
    points = np.random.default_rng(2).normal(scale=0.1, size=(POINTS, 4, 3))
    print(f"locomotion, 4 contact points: {best(lambda: walk(points, 24), 3) / POINTS * 1e6:.0f} us a frame")


if __name__ == "__main__":
    print(f"Python {sys.version.split()[0]}, numpy {np.__version__}")
    for size in (10, 20, 50, 100):
        poses(size)
    dragged_marker()
    reaching()
    travelling()
