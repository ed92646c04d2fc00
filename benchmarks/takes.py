# SPDX-License-Identifier: GPL-3.0-or-later
"""What distilling a take costs, beside playing every key count that halving asks for in all frames.

python -m benchmarks.takes        with a Python that has bpy
"""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np

from benchmarks.extension import bpy, part
from benchmarks.perform import build_character

core, run = part("core"), part("bridge.steps").run
spatial = SimpleNamespace(
    cursor_baking=part("bridge.spatial.takes.cursor_baking"),
    distilling=part("bridge.spatial.takes.distilling"),
    take_writing=part("bridge.spatial.takes.take_writing"),
    forward_kinematics=part("bridge.spatial.posing.forward_kinematics"),
)


def by_halving(joints, frames: np.ndarray, tracks, error: float) -> np.ndarray:
    """The plain way: key counts by halving, each fitted and played in all frames."""
    rows = np.arange(len(frames))
    wanted = joints.positions(*tracks.played(tracks.values, rows))
    solutions = core.select(core.Motion(wanted, frames=frames))
    fitter = core.Fitter(tracks.values, frames)
    fewest, most = 0, len(solutions)
    while fewest < most:
        middle = (fewest + most) // 2
        fitted = fitter.fit(solutions.keys(solutions.counts[middle])).evaluate(frames)
        played = joints.positions(*tracks.played(fitted, rows))
        if core.metrics.largest_joint_distance(wanted, played) <= error:
            most = middle
        else:
            fewest = middle + 1
    return rows if most == len(solutions) else solutions.keys(solutions.counts[most])


def timed(work: Callable[[], np.ndarray]) -> tuple[float, np.ndarray]:
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def measure(bones: int, count: int, error: float, shake: float) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        rig = build_character(bones, 10)
    frames = np.arange(1.0, count + 1.0)
    trembling = shake * np.random.default_rng(1).normal(size=(count, 3))
    places = np.stack([np.sin(frames / period) for period in (19, 23, 31)], axis=1) + trembling
    moments = spatial.cursor_baking.moments_at(rig, frames, places)
    posing, take = timed(
        lambda: run(spatial.take_writing.take_in_steps(rig, frames, moments, rig.location.copy(), 24.0))
    )
    tracks, joints = spatial.take_writing.tracks_to_write(rig, take), spatial.forward_kinematics.Joints(rig)
    wanted = joints.positions(*tracks.played(tracks.values, np.arange(count)))
    ours, plain, solving = [], [], []
    for _ in range(3):
        work = spatial.distilling.rows_within_in_steps(rig, frames, tracks, error)
        ours.append(timed(lambda work=work: run(work)))
        plain.append(timed(lambda: by_halving(joints, frames, tracks, error)))
        solving.append(timed(lambda: core.select(core.Motion(wanted, frames=frames)).counts)[0])
    print(
        f"{bones:5d} {count:7d} {error:7g} {shake:7g} {posing:7.2f} {min(solving):8.2f} "
        f"{min(each[0] for each in plain):9.2f} {min(each[0] for each in ours):10.2f} "
        f"{len(plain[0][1]):8d} {len(ours[0][1]):5d}"
    )


def main() -> None:
    print(f"Blender {bpy.app.version_string}. Seconds, the best of three.\n")
    print("bones  frames   error   shake   poses  solver   halving   distilled   keys then  now")
    for count in (480, 1440):
        for error, shake in ((0.05, 0.0), (0.01, 0.0), (0.001, 0.0), (0.01, 0.01)):
            measure(100, count, error, shake)


if __name__ == "__main__":
    main()
