# SPDX-License-Identifier: GPL-3.0-or-later
"""How Analyze grows with bones and with frames: processor seconds from the press to the first keys.

python -m benchmarks.scaling        with a Python that has bpy
"""

from __future__ import annotations

import contextlib
import io
import time

from benchmarks import one_thread  # noqa: F401  # isort: skip
import numpy as np

from benchmarks.bridge import build_rig
from benchmarks.extension import bpy

BONES, FRAMES = (125, 250, 500, 1000), (125, 250, 500, 1000)


def seconds(bones: int, frames: int) -> float:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    build_rig(bones, frames)
    start = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        bpy.ops.posewright.analyze()
    return time.process_time() - start


def exponent(sizes: tuple[int, ...], times: np.ndarray) -> float:
    """The power with which the time grows; one is linear."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def main() -> None:
    seconds(BONES[0], FRAMES[0])  # what is loaded once
    print(f"Blender {bpy.app.version_string}; processor seconds of Analyze\n")
    print(f"| bones \\ frames | {' | '.join(map(str, FRAMES))} | exponent |\n|{'---|' * (len(FRAMES) + 2)}")
    found = []
    for bones in BONES:
        found.append([seconds(bones, frames) for frames in FRAMES])
        cells = " | ".join(f"{each:.2f}" for each in found[-1])
        print(f"| {bones} | {cells} | {exponent(FRAMES, np.array(found[-1])):.2f} |", flush=True)
    grown = " | ".join(f"{exponent(BONES, times):.2f}" for times in np.array(found).T)
    print(f"| exponent | {grown} | |")


if __name__ == "__main__":
    main()
