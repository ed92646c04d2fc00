# SPDX-License-Identifier: GPL-3.0-or-later
"""How smoothly loops go round their seam: the source, keys that know nothing of it, and keys of a loop.

A joint's hitch is how much its velocity changes at the seam, from just before the end to just after the
beginning, in per mille of the height a frame; the table has the mean and the largest of all joints. By whole
frames, which is what is seen, the last step before the seam is compared with the first one after it.

python -m benchmarks.loops [FILE ...]        with a Python that has bpy
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import character_files
from benchmarks.extension import bpy, part

actions, sampling = part("bridge.actions"), part("bridge.sampling")
analyse, channels = part("bridge.distil.analyse"), part("bridge.distil.channels")
reduced_action = part("bridge.distil.reduced_action")
measuring, InputError = part("bridge.distil.measuring"), part("core").InputError

STEPS = (0.1, 1.0)  # frames
TITLES = ("character", "action", "frames", "keys", "error off, %", "error, %")
TITLES += tuple(f"{what}{by}" for by in ("", " by frames") for what in ("source", "off", "loop"))


def actions_of(file: Path) -> Iterator[tuple[Any, Any]]:
    """The armature playing every action of a file that moves it, in turn."""
    armature = character_files.import_character(file)
    for track in armature.animation_data.nla_tracks:
        track.mute = True
    for action in list(bpy.data.actions):
        slots = channels.slots_for(armature, action)
        if slots:
            actions.assign(armature, action, slots[0])
            yield armature, action


def hitch(armature: Any, ends: tuple[float, float], step: float) -> np.ndarray:
    """(2,) mean and largest of the joints' jumps in velocity at the seam."""
    first, last = ends
    moments = np.array([first, first + step, last - step, last])
    begins, leaves, arrives, end = sampling.sample(armature, moments).positions
    jumps = np.linalg.norm((end - arrives) - (leaves - begins), axis=1) / step
    return 1e3 * np.array([jumps.mean(), jumps.max()]) / sampling.height_of(armature)


def hitches(armature: Any, loop: tuple[float, float], shown: tuple[float, float]) -> list[np.ndarray]:
    """At the ends of the loop itself, and by frames as they are shown."""
    return [hitch(armature, ends, step) for ends, step in zip((loop, shown), STEPS, strict=True)]


def played(armature: Any, count: int, ends: tuple[float, float]) -> tuple[float, list[np.ndarray]]:
    """With so many keys: the mean error in percent of the height, and the hitches."""
    reduced_action.bake(armature, count)
    return 100.0 * measuring.measure(armature).mean_share, hitches(armature, ends, ends)


def row(name: str, armature: Any, action: Any) -> tuple[tuple[str, ...], list[bool]] | None:
    """A row of the table, and whether mean hitches are not above the source's; None for what is no loop."""
    armature.posewright.loop = "AUTO"
    try:
        reduction = analyse.analyse(armature, bpy.context.scene)
    except InputError:
        return None  # nothing moves
    analysis, count = reduction.analysis(), reduction.state.key_count
    if analysis.loop is None:
        return None
    ends = float(analysis.frames[0]), float(analysis.frames[-1])
    reduced_action.show_original(armature, True)
    source = hitches(armature, analysis.loop, ends)
    error, round_the_seam = played(armature, count, ends)
    armature.posewright.loop = "OFF"
    analyse.analyse(armature, bpy.context.scene)
    plain_error, plain = played(armature, count, ends)
    found = zip(source, plain, round_the_seam, strict=True)
    told_hitches = (f"{mean:.2f} / {largest:.2f}" for each in found for mean, largest in each)
    length = f"{analysis.loop[1] - analysis.loop[0]:.4g}"
    told = (
        name,
        action.name.replace("|", " "),
        length,
        str(count),
        f"{plain_error:.2f}",
        f"{error:.2f}",
        *told_hitches,
    )
    return told, [bool(ours[0] <= theirs[0]) for ours, theirs in zip(round_the_seam, source, strict=True)]


def main() -> None:
    files = [Path(each) for each in sys.argv[1:]] or character_files.all_files()
    if not files:
        sys.exit(character_files.MISSING)
    print(f"Blender {bpy.app.version_string}, numpy {np.__version__}\n")
    print(f"| {' | '.join(TITLES)} |\n|{'---|' * len(TITLES)}")
    smooth = []
    for file in files:
        for armature, action in actions_of(file):
            found = row(file.stem, armature, action)
            if found is not None:
                smooth.append(found[1])
                print(f"| {' | '.join(found[0])} |", flush=True)
    by_velocity, by_frames = np.sum(smooth, axis=0)
    print(f"\n{len(smooth)} loops; no more mean hitch than the source: {by_velocity}, by frames {by_frames}")


if __name__ == "__main__":
    main()
