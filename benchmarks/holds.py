# SPDX-License-Identifier: GPL-3.0-or-later
"""Flat holds: what they cost where a motion stands still, and what they gain in there.

    python -m benchmarks.holds [clip or file ...]        with a Python that has bpy

Every action with a hold is analysed without and with holds. Errors are mean joint distances in millimetres of
a character 1.7 m tall, played by Blender; "wanders" is how much farther than the original any joint gets from
its place in a hold. Actions without holds are not listed: nothing is different there.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import one_thread  # noqa: F401  # isort: skip
import numpy as np

from benchmarks.against_decimate import Original, loaded
from benchmarks.character_files import all_files, import_character
from benchmarks.clips import CLIPS
from benchmarks.extension import bpy, part

actions, sampling, channels = part("bridge.actions"), part("bridge.sampling"), part("bridge.distil.channels")
analysis, reductions = part("bridge.distil.solving.analysis"), part("bridge.distil.reductions")
reduced_action = part("bridge.distil.reduced_action")
find_holds = analysis.find_holds
SHARES = (0.04, 0.10)
WAYS = ("SMOOTH", "EVERYWHERE", "AUTO")


def armatures(name: str) -> Iterator[tuple[str, Any]]:
    """Every action of a file, as it is played."""
    if name in CLIPS:
        with loaded(name) as armature:
            yield name, armature
        return
    armature = import_character(Path(name))
    bpy.context.view_layer.objects.active = armature
    for action in [each for each in bpy.data.actions if channels.slots_for(armature, each)]:
        actions.assign(armature, action, channels.slots_for(armature, action)[0])
        yield f"{Path(name).stem} {action.name}", armature


def analysed(*, with_holds: bool) -> bool:
    analysis.find_holds = find_holds if with_holds else lambda *_, **__: analysis.NO_HOLDS
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            bpy.ops.posewright.analyze()
    except RuntimeError:
        return False  # a pose, no motion
    finally:
        analysis.find_holds = find_holds
    return True


def wandering(armature: Any, frames: np.ndarray, holds: np.ndarray, height: float) -> float:
    """The farthest that a joint gets from where it is on average in a hold, in millimetres."""
    found = []
    for first, last in holds:
        inside = sampling.sample(armature, frames[first : last + 1], sides=True).positions
        found.append(np.linalg.norm(inside - inside.mean(axis=0), axis=2).max())
    return 1700.0 * max(found) / height


def rows(title: str, armature: Any) -> Iterator[str]:
    if not analysed(with_holds=True):
        return
    found = reductions.get(armature).analysis()
    if not len(found.holds):
        reduced = reductions.get(armature)
        actions.assign(armature, reduced.source, channels.slots_for(armature, reduced.source)[0])
        return
    armature.posewright.show_original = True
    original, height = Original(armature), sampling.height_of(armature)
    place = (found.frames, found.holds, height)
    still = wandering(armature, *place)
    armature.posewright.show_original = False
    errors: dict[tuple[int, str], list[tuple[float, float]]] = {}
    for with_holds in (False, True):
        analysed(with_holds=with_holds)
        for count in sorted({max(8, round(share * len(found.frames))) for share in SHARES}):
            for way in WAYS:
                reduced_action.rekey(armature, way)
                reduced_action.bake(armature, count)
                played = original.error(armature), wandering(armature, *place) - still
                errors.setdefault((count, way), []).append(played)
        reduced_action.rekey(armature, "SMOOTH")
    stretches = " ".join(f"{found.frames[first]:g}-{found.frames[last]:g}" for first, last in found.holds)
    for (count, way), ((before, wander), (after, less)) in errors.items():
        yield (
            f"| {title} | {stretches} | {count} | {way} | {before:.2f} | {after:.2f} | "
            f"{after / before:.2f} | {wander:.1f} | {less:.1f} |"
        )


def main(names: tuple[str, ...]) -> None:
    print(f"Blender {bpy.app.version_string}, numpy {np.__version__}\n")
    print("| action | holds | keys | way | without, mm | with, mm | ratio | wanders, mm | with, mm |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in names:
        for title, armature in armatures(name):
            for row in rows(title, armature):
                print(row, flush=True)


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or (*CLIPS, *map(str, all_files())))
