# SPDX-License-Identifier: GPL-3.0-or-later
"""What edits cost: the slider without and with them, and taking an edit in, in one run.

The slider is told in processor time, so that what else a machine does makes no difference.

python -m benchmarks.edits        with a Python that has bpy
"""

from __future__ import annotations

import contextlib
import io
import time

import numpy as np

from benchmarks.bridge import build_rig
from benchmarks.extension import bpy, part
from benchmarks.timing import best

actions = part("bridge.actions")

BONES, FRAMES, KEYS = 31, 600, 40


def slide(rig: bpy.types.Object) -> list[float]:
    """From a new value of `key_count` to baked keys, at about so many keys: sorted processor times."""
    values = iter([KEYS - 1, KEYS] * 10)

    def step() -> float:
        start = time.process_time()
        rig.posewright.key_count = next(values)
        return time.process_time() - start

    step()
    return sorted(step() for _ in range(19))


def pose(rig: bpy.types.Object, bones: int) -> None:
    """Turn some bones at a key."""
    frame = np.unique(actions.key_frames(actions.curves_of(rig)))[KEYS // 2]
    for curve in actions.curves_of(rig)[: 3 * bones]:
        curve.keyframe_points.insert(frame, curve.evaluate(frame) + 0.3)


def retime(rig: bpy.types.Object) -> None:
    """Drag a column by two frames."""
    frame = np.unique(actions.key_frames(actions.curves_of(rig)))[KEYS // 3]
    for curve in actions.curves_of(rig):
        for point in curve.keyframe_points:
            if abs(point.co.x - frame) < 1e-3:
                point.co.x += 2.0
                point.handle_left.x += 2.0
                point.handle_right.x += 2.0


def main() -> None:
    rig = build_rig(BONES, FRAMES)
    with contextlib.redirect_stdout(io.StringIO()):
        bpy.ops.posewright.analyze()
    rig.posewright.key_count = KEYS
    print(f"{BONES} bones x {FRAMES} frames, {KEYS} keys, Blender {bpy.app.version_string}")
    _print("slider without edits", slide(rig))
    for name, edit in (
        ("one bone posed", lambda: pose(rig, 1)),
        ("all bones posed", lambda: pose(rig, BONES)),
        ("a column moved", lambda: retime(rig)),
    ):
        edit()
        taken = best(lambda: setattr(rig.posewright, "key_count", KEYS), 1)
        print(f"{name:28} {taken * 1e3:8.2f} ms  to take it in, once")
        _print("  slider from then on", slide(rig))
    stored = rig.posewright.reduced.posewright
    print(
        f"stored: {len(stored.edits) / 1024:.0f} kB of edits, {len(stored.stored) / 1024:.0f} kB of solutions"
    )


def _print(title: str, times: list[float]) -> None:
    print(f"{title:28} {times[0] * 1e3:8.2f} ms  at best, median {times[len(times) // 2] * 1e3:.2f} ms")


if __name__ == "__main__":
    main()
