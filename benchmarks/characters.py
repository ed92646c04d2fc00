# SPDX-License-Identifier: GPL-3.0-or-later
"""What is found of characters as they are imported, against their meshes, and what sampling them costs.

python -m benchmarks.characters [FILE ...]        with a Python that has bpy
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import character_files, clips
from benchmarks.extension import bpy, part

character, sampling, actions = part("bridge.character"), part("bridge.sampling"), part("bridge.actions")
stages = part("bridge.stages")

CAPTURE = ("02_01", "13_11", "49_02")
SOME_FRAMES = 100


def characters(named: list[str]) -> Iterator[tuple[str, Any]]:
    """Every character in turn, alone in a new file."""
    if named:
        yield from ((Path(each).stem, character_files.import_character(Path(each))) for each in named)
        return
    files = character_files.all_files()
    if not files:
        print(character_files.MISSING)
    for file in files:
        yield file.stem, character_files.import_character(file)
    yield "Rigify", character_files.generate_rigify()
    for clip in CAPTURE if clips.clip_folder() else ():
        yield clip, character_files.import_character(clips.clip_path(clip))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    from demo.character import build_character

    yield "bear", part("bridge.ready.bear").build_bear()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    yield "demo person", build_character()


def drawn_extent(armature: Any) -> float:
    """How high the whole mesh is as Blender draws it at rest, with all that is held; 0 without a mesh."""
    skins = character.skins_of(armature)
    position, armature.data.pose_position = armature.data.pose_position, "REST"
    graph = bpy.context.evaluated_depsgraph_get()
    levels = []
    for item in skins:
        shown = item.evaluated_get(graph)
        points = np.empty(3 * len(shown.data.vertices), np.float32)
        shown.data.vertices.foreach_get("co", points)
        matrix = np.array(shown.matrix_world)
        levels.append((points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3])[:, 2])
    armature.data.pose_position = position
    return float(np.ptp(np.concatenate(levels))) if levels else 0.0


def earlier_height(armature: Any) -> float:
    """The largest extent at rest with tails: what was taken for the height before."""
    bones = [bone for bone in armature.data.bones if bone.use_deform] or list(armature.data.bones)
    points = np.array([point[:] for bone in bones for point in (bone.head_local, bone.tail_local)])
    return float(np.ptp(points @ np.array(armature.matrix_world)[:3, :3].T, axis=0).max())


def processor_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def evaluate(armature: Any, frames: np.ndarray) -> None:
    """What Blender itself needs: the same frames, and nothing read."""
    with stages.evaluation_scene(armature) as scene:
        for frame in frames.tolist():
            stages.set_frame(scene, frame)


def sampling_costs(armature: Any) -> tuple[float, float]:
    """Milliseconds a frame: of Blender's evaluation, and of ours on top of it."""
    keyed = actions.key_frames(actions.curves_of(armature))
    first = float(keyed[0]) if len(keyed) else 1.0
    frames = first + np.arange(SOME_FRAMES)
    evaluate(armature, frames[:3])
    bare = min(processor_seconds(lambda: evaluate(armature, frames)) for _ in range(3))
    whole = min(processor_seconds(lambda: sampling.sample(armature, frames, sides=True)) for _ in range(3))
    return 1e3 * bare / SOME_FRAMES, 1e3 * max(whole - bare, 0.0) / SOME_FRAMES


def vector(direction: Any) -> str:
    """The axis that a direction is nearest to."""
    if direction is None:
        return "?"
    axis = int(np.argmax(np.abs(direction)))
    return ("-" if direction[axis] < 0.0 else "+") + "XYZ"[axis]


def row(name: str, armature: Any) -> tuple[str, ...]:
    character.forget()
    first = processor_seconds(lambda: character.describe(armature))
    again = processor_seconds(lambda: [character.describe(armature) for _ in range(20)]) / 20
    found, now = character.describe(armature), character.shown(armature)
    bare, ours = sampling_costs(armature)
    return (
        name,
        str(len(armature.data.bones)),
        f"{found.height:.4g}",
        f"{drawn_extent(armature):.4g}",
        f"{earlier_height(armature):.4g}",
        found.hips or "-",
        found.head or "-",
        str(len(found.legs)),
        str(len(found.arms)),
        " ".join(found.feet[:2]) or "-",
        str(len(found.pairs)),
        f"{vector(found.up)} {vector(found.front)}",
        f"{now.ground:.3g} {vector(now.front)}",
        f"{len(found.deform)}/{len(found.controls)}/{len(found.mechanism)}/{len(character.still_bones(armature))}",
        f"{1e3 * first:.0f} {1e3 * again:.2f}",
        f"{bare:.2f} {ours:.2f}",
    )


TITLES = (
    "character",
    "bones",
    "height",
    "mesh",
    "before",
    "hips",
    "head",
    "legs",
    "arms",
    "feet",
    "pairs",
    "up front",
    "ground now",
    "deform/controls/mechanism/still",
    "describe ms, again",
    "evaluate, sample ms a frame",
)


def main() -> None:
    print(f"Blender {bpy.app.version_string}, numpy {np.__version__}; times in processor time")
    rows = [TITLES, *(row(*each) for each in characters(sys.argv[1:]))]
    widths = [max(len(each[column]) for each in rows) for column in range(len(TITLES))]
    for each in rows:
        print("  ".join(text.ljust(width) for text, width in zip(each, widths, strict=True)).rstrip())


if __name__ == "__main__":
    main()
