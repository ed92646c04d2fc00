# SPDX-License-Identifier: GPL-3.0-or-later
"""Reduce All Actions on characters as they are imported: processor seconds, one line a character.

python -m benchmarks.many [FILE ...]        with a Python that has bpy
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks import one_thread  # noqa: F401  # isort: skip
from benchmarks import character_files
from benchmarks.characters import processor_seconds
from benchmarks.extension import bpy, part

many, steps = part("bridge.distil.many"), part("bridge.steps")
WANTED = 0.005  # of the height


def main() -> None:
    files = [Path(each) for each in sys.argv[1:]] or character_files.all_files()
    if not files:
        print(character_files.MISSING)
    for file in files:
        armature = character_files.import_character(file)
        outcome = many.Outcome()
        work = many.reduce_actions_in_steps(armature, bpy.context.scene, WANTED, outcome)
        seconds = processor_seconds(lambda work=work: steps.run(work))
        frames = sum(each.frames for each in outcome.figures)
        print(f"{file.stem}: {len(outcome.figures)} actions, {frames} frames, {seconds:.2f} s")


if __name__ == "__main__":
    main()
