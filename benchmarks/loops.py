# SPDX-License-Identifier: GPL-3.0-or-later
"""How smoothly loops go round their seam: the source, keys that know nothing of it, and keys of a loop.

A joint's hitch is how much its velocity changes at the seam, from just before the end to just after the
beginning, in per mille of the height a frame; the table has the mean and the largest of all joints.

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

STEP = 0.1  # frames
TITLES = ("character", "action", "frames", "keys", "error off, %", "error, %", "source", "off", "loop")


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


def hitch(armature: Any, ends: tuple[float, float]) -> np.ndarray:
    """(2,) mean and largest of the joints' jumps in velocity at the seam."""
    first, last = ends
    moments = np.array([first, first + STEP, last - STEP, last])
    begins, leaves, arrives, end = sampling.sample(armature, moments).positions
    jumps = np.linalg.norm((end - arrives) - (leaves - begins), axis=1) / STEP
    return 1e3 * np.array([jumps.mean(), jumps.max()]) / sampling.height_of(armature)


def played(armature: Any, count: int, ends: tuple[float, float]) -> tuple[float, np.ndarray]:
    """With so many keys: the mean error in percent of the height, and the hitch."""
    reduced_action.bake(armature, count)
    return 100.0 * measuring.measure(armature).mean_share, hitch(armature, ends)


def row(name: str, armature: Any, action: Any) -> tuple[tuple[str, ...], bool] | None:
    """A row of the table, and whether its mean hitch is not above the source's; None for what is no loop."""
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
    source = hitch(armature, analysis.loop)
    error, round_the_seam = played(armature, count, ends)
    armature.posewright.loop = "OFF"
    analyse.analyse(armature, bpy.context.scene)
    plain_error, plain = played(armature, count, ends)
    hitches = (f"{mean:.1f} / {largest:.1f}" for mean, largest in (source, plain, round_the_seam))
    length = f"{analysis.loop[1] - analysis.loop[0]:.4g}"
    told = (
        name,
        action.name.replace("|", " "),
        length,
        str(count),
        f"{plain_error:.2f}",
        f"{error:.2f}",
        *hitches,
    )
    return told, bool(round_the_seam[0] <= source[0])


def main() -> None:
    folder = character_files.character_folder()
    if folder is None:
        sys.exit(character_files.MISSING)
    files = [Path(each) for each in sys.argv[1:]] or character_files.character_files(folder)
    print(f"Blender {bpy.app.version_string}, numpy {np.__version__}\n")
    print(f"| {' | '.join(TITLES)} |\n|{'---|' * len(TITLES)}")
    smooth = []
    for file in files:
        for armature, action in actions_of(file):
            found = row(file.stem, armature, action)
            if found is not None:
                smooth.append(found[1])
                print(f"| {' | '.join(found[0])} |", flush=True)
    print(f"\n{len(smooth)} loops, {sum(smooth)} with no more mean hitch than their source")


if __name__ == "__main__":
    main()
