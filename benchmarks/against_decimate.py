# SPDX-License-Identifier: GPL-3.0-or-later
"""Distil against Blender's own Decimate (ratio mode), at the same number of keys on every curve.

    python -m benchmarks.against_decimate [clip ...]        with a Python that has bpy

Clips come in through Blender's BVH importer, both results are played by Blender, and the error is the mean
distance of joints from the original, in millimetres of a character 1.7 m tall. Times are end to end, in
seconds of processor time so that other programs do not count: the operator alone for Decimate; sampling,
solving for every number of keys and baking for Distil. All clips take some ten minutes.
The claims at the end are checked, and the exit code says whether they hold.
"""

from __future__ import annotations

import contextlib
import io
import sys
import time
from dataclasses import dataclass

from benchmarks import one_thread  # noqa: F401  # isort: skip
import numpy as np

from benchmarks.clips import CLIPS, clip_path
from benchmarks.extension import bpy, part

actions, sampling, metrics = part("bridge.actions"), part("bridge.sampling"), part("core.metrics")
decimate, open_clip = part("bridge.decimate").decimate, part("bridge.files").open_clip

TITLES = (
    "clip",
    "frames",
    "keys",
    "Decimate, mm",
    "Distil, mm",
    "free handles, mm",
    "of its error",
    "Decimate, s",
    "Distil, s",
    "times faster",
)
SHARES = (0.04, 0.10)
MOST_OF_ITS_ERROR, TIMES_FASTER = 0.25, 5.0


@dataclass(frozen=True)
class Row:
    clip: str
    frames: int
    keys: int
    decimate_error: float
    decimate_seconds: float
    free_error: float
    smooth_error: float
    seconds: float

    @property
    def share(self) -> float:
        """Of Decimate's error, with the default way of keying."""
        return self.smooth_error / self.decimate_error

    @property
    def faster(self) -> float:
        return self.decimate_seconds / self.seconds

    def __str__(self) -> str:
        errors = (
            f"{self.decimate_error:.2f} | {self.smooth_error:.2f} | {self.free_error:.2f} | {self.share:.2f}"
        )
        times = f"{self.decimate_seconds:.1f} | {self.seconds:.2f} | {self.faster:.0f}"
        return f"| {self.clip} | {self.frames} | {self.keys} | {errors} | {times} |"


def load(clip: str) -> bpy.types.Object:
    """The clip's armature, without the T-pose in its first frame."""
    with contextlib.redirect_stdout(io.StringIO()):
        [armature] = open_clip(clip_path(clip))
    for curve in actions.curves_of(armature):
        curve.keyframe_points.remove(curve.keyframe_points[0])
    return armature


def seconds_of_decimate(armature: bpy.types.Object, share: float) -> float:
    """Seconds that Blender's operator takes to leave a share of the keys."""
    start = time.process_time()
    decimate(actions.curves_of(armature), bpy.context.scene, 1.0 - share)
    return time.process_time() - start


def compare(clip: str, share: float) -> Row:
    armature = load(clip)
    first, last = sampling.action_range(armature)
    frames = np.arange(first, last + 1.0)
    original = sampling.sample(armature, frames).positions
    scale = 1700.0 / sampling.height_of(armature)

    def error() -> float:
        return scale * metrics.mean_joint_distance(original, sampling.sample(armature, frames).positions)

    decimate_seconds = seconds_of_decimate(armature, share)
    decimate_error = error()
    counts = {len(curve.keyframe_points) for curve in actions.curves_of(armature)}
    keys = min(counts - {1})

    armature = load(clip)
    start = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        bpy.ops.posewright.analyze()
    armature.posewright.key_count = keys
    seconds = time.process_time() - start
    if armature.posewright.key_count != keys:
        raise SystemExit(f"{clip}: no solution with {keys} keys")
    smooth_error = error()
    armature.posewright.interpolation = "FREE"
    return Row(clip, len(frames), keys, decimate_error, decimate_seconds, error(), smooth_error, seconds)


def main(clips: tuple[str, ...]) -> int:
    print(f"Blender {bpy.app.version_string}\n")
    print(f"| {' | '.join(TITLES)} |\n|{'---|' * len(TITLES)}")
    rows: dict[float, list[Row]] = {share: [] for share in SHARES}
    for clip in clips:
        for share in SHARES:
            rows[share].append(compare(clip, share))
            print(rows[share][-1], flush=True)
    print()
    holds = [judge(share, found) for share, found in rows.items()]
    return 0 if all(holds) else 1


def judge(share: float, rows: list[Row]) -> bool:
    """Whether the claim holds for the mean over the clips; the worst clip is told as well."""
    mean, worst = np.mean([row.share for row in rows]), max(row.share for row in rows)
    slowest = min(row.faster for row in rows)
    holds = mean <= MOST_OF_ITS_ERROR and slowest >= TIMES_FASTER
    claim = f"{'holds' if holds else 'FAILS'}: at most {MOST_OF_ITS_ERROR:.0%} and {TIMES_FASTER:.0f} times"
    print(
        f"{share:.0%} keys: {mean:.0%} of Decimate's error in the mean, {worst:.0%} on the worst clip, "
        f"at least {slowest:.0f} times faster. {claim}."
    )
    return bool(holds)


if __name__ == "__main__":
    sys.exit(main(tuple(sys.argv[1:]) or CLIPS))
