# SPDX-License-Identifier: GPL-3.0-or-later
"""Distil against Blender's Decimate on short clips: what fixed costs amount to.

    python -m benchmarks.short_clips [clip or file ...]        with a Python that has bpy

Both are timed end to end in processor seconds and take turns, the fastest of some runs counts: the operator
alone for Decimate, which is to leave a tenth of the keys; sampling, solving for every number of keys,
setting the estimates right and baking as many keys for Distil.
"""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path
from typing import Any

from benchmarks import one_thread  # noqa: F401  # isort: skip
import numpy as np

from benchmarks.against_decimate import TIMES_FASTER, decimate, loaded
from benchmarks.character_files import all_files
from benchmarks.clips import CLIPS
from benchmarks.extension import bpy, part
from benchmarks.timing import fastest, turns

actions, endings = part("bridge.actions"), part("bridge.distil.endings")
baking, channels = part("bridge.baking"), part("bridge.distil.channels")

LENGTHS = (100, 125, 150)
SHARE = 0.1
REPEATS = 4


def cut_to(armature: Any, first: float, frames: int) -> bool:
    """Leave the keys of a stretch; whether there are so many."""
    for curve in actions.curves_of(armature):
        points = actions.key_points(curve)
        inside = points[(points[:, 0] >= first) & (points[:, 0] <= first + frames - 1)]
        if len(inside) < 2:
            return False
        keys = baking.Keys(inside[:, 0], inside[:, 1:], interpolation="LINEAR", handle_type="VECTOR")
        baking.write_keys([curve], keys)
    keyed = actions.key_frames(actions.curves_of(armature))
    return bool(np.ptp(keyed) > frames - 2)


def seconds(armature: Any, frames: int) -> tuple[float, float]:
    """Of Decimate and of Distil."""
    source, slot = armature.animation_data.action, actions.slot_of(armature)
    handle = actions.slot_handle(slot)

    def decimated() -> None:
        copy = source.copy()
        actions.assign(armature, copy, actions.slot_with_handle(copy, handle))
        decimate(actions.curves_of(armature), bpy.context.scene, 1.0 - SHARE)
        actions.assign(armature, source, slot)
        bpy.data.actions.remove(copy)

    def distilled() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            bpy.ops.posewright.analyze()
        armature.posewright.key_count = round(SHARE * frames)

    runs: list[list[Any]] = [[], []]
    for _ in range(REPEATS):
        for found, each in zip(runs, turns(decimated, distilled, repeats=1), strict=True):
            found += each
        endings.restore(armature)
    theirs, ours = (fastest(each).processor for each in runs)
    return theirs, ours


def main(clips: tuple[str, ...]) -> int:
    print(f"Blender {bpy.app.version_string}\n")
    titles = ("clip", "bones", "channels", "frames", "Decimate, s", "Distil, s", "times faster")
    print(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}")
    ratios = []
    for number, clip in enumerate(clips):
        frames = LENGTHS[number % len(LENGTHS)]
        with loaded(clip) as armature:
            first, last = actions.key_frames(actions.curves_of(armature))[[0, -1]]
            if not cut_to(armature, np.ceil((first + last - frames) / 2), frames):
                continue
            theirs, ours = seconds(armature, frames)
            ratios.append(theirs / ours)
            sizes = f"{len(armature.data.bones)} | {len(actions.curves_of(armature))} | {frames}"
            print(
                f"| {Path(clip).stem} | {sizes} | {theirs:.2f} | {ours:.3f} | {ratios[-1]:.1f} |", flush=True
            )
    print(
        f"\nbetween {min(ratios):.1f} and {max(ratios):.1f} times faster; {TIMES_FASTER:.0f} were asked for"
    )
    return 0 if min(ratios) >= TIMES_FASTER else 1


if __name__ == "__main__":
    sys.exit(main(tuple(sys.argv[1:]) or (*CLIPS, *map(str, all_files()))))
