# SPDX-License-Identifier: GPL-3.0-or-later
"""What spatial keyframing costs: one pose, many poses, a dragged marker, inverse kinematics, locomotion.

python -m benchmarks.spatial        with any Python that has numpy
"""

from __future__ import annotations

import sys
from functools import partial
from statistics import median

import numpy as np

from benchmarks.timing import best, fastest, turns
from core import Effector, Skeleton, SpatialKeyframes, solve_ik, walk
from core.spatial.keyframes import MATRICES_AT_A_TIME
from core.spatial.orthonormal import Orthonormaliser
from core.spatial.rotation import rotation_matrix

KEYS, POINTS, ONE_BY_ONE = 30, 10_000, 300
# Radians about each axis, of every bone in every key: poses of one gesture, and of quite different ones.
ALIKE, APART = 0.25, 0.6


def a_set(bones: int, spread: float = ALIKE) -> SpatialKeyframes:
    """Random keys; every bone is turned and moved otherwise in each of them."""
    rng = np.random.default_rng(0)
    turned = rotation_matrix(rng.normal(scale=spread, size=(KEYS, bones, 3)))
    return SpatialKeyframes(rng.normal(size=(KEYS, 3)), turned, rng.normal(size=(KEYS, bones, 3)))


def some_points(count: int) -> np.ndarray:
    return np.random.default_rng(1).normal(scale=0.7, size=(count, 3))


def poses(bones: int, spread: float) -> None:
    keys, points = a_set(bones, spread), some_points(POINTS)

    def one_by_one() -> None:
        for point in points[:ONE_BY_ONE]:
            keys.pose(point)

    one, many = turns(one_by_one, lambda: keys.poses(points), repeats=15)
    print(f"{bones:4d} bones, {KEYS} keys {spread:g} apart, one pose and one of {POINTS} in one call:")
    for clock in ("wall", "processor"):
        single, batch = getattr(fastest(one), clock) / ONE_BY_ONE, getattr(fastest(many), clock) / POINTS
        ratios = [getattr(a, clock) / getattr(b, clock) for a, b in zip(one, many, strict=True)]
        print(
            f"     {clock:9s}  {single * 1e3:.3f} ms, {batch * 1e3:.4f} ms: {single / batch:.1f} times "
            f"faster, {median(ratios) * POINTS / ONE_BY_ONE:.1f} in the middle turn"
        )


def where_the_time_goes(bones: int, spread: float) -> None:
    """The steps of `pose`, and of `poses` for one portion of points, in microseconds a pose."""
    keys = a_set(bones, spread)
    for count, precision in ((1, np.float64), (MATRICES_AT_A_TIME // bones, np.float32)):
        points = some_points(count)
        influence = keys._influence(points)
        room = Orthonormaliser(count * bones, precision)
        blended = room.entries.reshape(3, 3, count, bones)
        blend = partial(np.matmul, influence.astype(precision), keys._entries.astype(precision), out=blended)

        def blend_and_turn(blend: partial = blend, room: Orthonormaliser = room) -> None:
            blend()
            room.trusted_rotations()

        steps = turns(
            partial(keys._influence, points),
            blend,
            partial(np.matmul, influence, keys._translations.reshape(KEYS, -1)),
            blend_and_turn,
            partial(np.copyto, np.empty((count * bones, 9), precision), room._upright.reshape(9, -1).T),
            repeats=60,
        )
        influences, blended, moved, turned, written = (fastest(runs).wall / count * 1e6 for runs in steps)
        print(
            f"{bones} bones, {count} at once, us a pose: influences {influences:.2f}, blended "
            f"{blended + moved:.2f}, orthonormalised {turned - blended:.2f}, put in order {written:.2f}"
        )


def a_set_matrices(keys: SpatialKeyframes) -> np.ndarray:
    return np.stack([keys.pose(place)[0] for place in keys.places])


def dragged_marker() -> None:
    keys = a_set(100)
    places = keys.places + 0.01
    turned = a_set_matrices(keys)
    print(f"a marker moved:   {best(lambda: keys.with_places(places), 20) * 1e3:.3f} ms")
    print(f"a pose changed:   {best(lambda: keys.with_poses(turned), 20) * 1e3:.3f} ms")


def reaching() -> None:
    for bones in (3, 20):
        rest = np.tile(np.eye(4), (bones, 1, 1))
        rest[:, 1, 3] = np.arange(bones) / bones
        arm = Skeleton(np.arange(bones) - 1, rest, np.full(bones, 1 / bones))
        bent = rotation_matrix(np.tile([0.3, 0.1, 0.0], (bones, 1)))
        within, out = [0.3, 0.4, 0.3], [3.0, 1.0, 0.0]
        turned = rotation_matrix(np.array([1.0, 0.2, 0.3]))
        for name, target, turn in (
            ("within reach", within, None),
            ("out of reach", out, None),
            ("within reach and turned", within, turned),
        ):
            effector = [Effector(bones - 1, target, rotation=turn)]
            took = best(lambda arm=arm, bent=bent, effector=effector: solve_ik(arm, bent, effector))
            print(f"IK, {bones:2d} bones, {name}: {took * 1e3:.1f} ms")


def travelling() -> None:
    points = np.random.default_rng(2).normal(scale=0.1, size=(POINTS, 4, 3))
    print(f"locomotion, 4 contact points: {best(lambda: walk(points, 24), 3) / POINTS * 1e6:.0f} us a frame")


if __name__ == "__main__":
    print(f"Python {sys.version.split()[0]}, numpy {np.__version__}")
    for apart in (ALIKE, APART):
        for size in (10, 20, 50, 100):
            poses(size, apart)
    where_the_time_goes(100, ALIKE)
    dragged_marker()
    reaching()
    travelling()
