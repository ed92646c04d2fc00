# SPDX-License-Identifier: GPL-3.0-or-later
"""Every way of keying on the frames of every objective, and what all numbers of keys cost.

    python -m benchmarks.ways [clip or file ...]        with a Python that has bpy

Blender plays the keys; errors are mean joint distances in millimetres of a character 1.7 m tall. The second
table tells how long it takes to solve for the numbers of keys that the slider has, in processor seconds, and
what is stored of them with the action.
"""

from __future__ import annotations

import contextlib
import io
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks import one_thread  # noqa: F401  # isort: skip
import numpy as np

from benchmarks.against_decimate import Original, loaded
from benchmarks.character_files import all_files
from benchmarks.clips import CLIPS
from benchmarks.extension import bpy, part

reductions, best_frames = part("bridge.distil.reductions"), part("bridge.distil.solving.best_frames")
solve_again, run = part("bridge.distil.solving.solve_again"), part("bridge.steps").run
WAYS = part("bridge.distil.ways").WAYS
OBJECTIVES = ("curve", "chord", "hold")
COUNTS = (8, 16)


def errors(armature: bpy.types.Object, original: Original) -> Iterator[tuple[int, str, dict[str, float]]]:
    """The error for each objective, by number of keys and way."""
    found: dict[tuple[int, str], dict[str, float]] = {}
    asked = armature.posewright
    for objective in OBJECTIVES:
        asked.objective = objective
        with contextlib.redirect_stdout(io.StringIO()):
            bpy.ops.posewright.analyze()
        for way in WAYS:
            asked.interpolation = way
            for count in COUNTS:
                asked.key_count = count
                found.setdefault((count, way), {})[objective] = original.error(armature)
    for (count, way), each in found.items():
        yield count, way, each


def offered(armature: bpy.types.Object, way: str) -> tuple[int, float, int]:
    """The most keys on the slider, seconds to solve for them all, and bytes stored."""
    with contextlib.redirect_stdout(io.StringIO()):
        armature.posewright.interpolation = way
        bpy.ops.posewright.analyze()
    reduction = reductions.get(armature)
    analysis = reduction.analysis()
    settings = best_frames.settings_again(reduction, bpy.context.scene, int(analysis.solutions.counts[-1]))
    motion = run(solve_again.motion_in_steps(reduction, analysis, settings))
    start = time.process_time()
    solutions = run(solve_again.solutions_in_steps(motion, settings, analysis.keys(2)))
    return int(solutions.counts[-1]), time.process_time() - start, len(reduction.state.stored)


def main(clips: tuple[str, ...]) -> None:
    print(f"Blender {bpy.app.version_string}, numpy {np.__version__}\n")
    titles = " | ".join(f"`{each}`, mm" for each in OBJECTIVES)
    print(f"| clip | keys | way | {titles} |\n|---|---|---|---|---|---|")
    costs = []
    for clip in clips:
        with loaded(clip) as armature:
            original = Original(armature)
            for count, way, by_objective in errors(armature, original):
                cells = " | ".join(f"{by_objective[each]:.2f}" for each in OBJECTIVES)
                print(f"| {Path(clip).stem} | {count} | {way} | {cells} |", flush=True)
            armature.posewright.objective = "automatic"
            for way in ("SMOOTH", "LINEAR", "STEPPED"):
                most, seconds, stored = offered(armature, way)
                costs.append((Path(clip).stem, len(original.frames), way, most, seconds, stored))
    print("\n| clip | frames | way | keys up to | seconds | kB stored |\n|---|---|---|---|---|---|")
    for clip, frames, way, most, seconds, stored in costs:
        print(f"| {clip} | {frames} | {way} | {most} | {seconds:.2f} | {stored / 1000:.0f} |")


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or (*CLIPS, *map(str, all_files())))
