# SPDX-License-Identifier: GPL-3.0-or-later
"""What a frame costs while the cursor is dragged: all that Blender does and our part of it.

In processor time, so that what else a machine does makes no difference.

python -m benchmarks.perform        with a Python that has bpy
"""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

from benchmarks import one_thread  # noqa: F401  # isort: skip
import numpy as np

from benchmarks.extension import bpy, part

# There once Blender is loaded:
from mathutils import Vector  # isort: skip
from benchmarks.random_character import random_character  # isort: skip

spatial = SimpleNamespace(
    cursor_baking=part("bridge.spatial.takes.cursor_baking"),
    moments=part("bridge.spatial.blending.moments"),
    live=part("bridge.spatial.live"),
    poses=part("bridge.spatial.posing.poses"),
    sets=part("bridge.spatial.sets"),
)
random = np.random.default_rng(5)


def milliseconds(work: Callable[[Vector], object], repeats: int = 200) -> float:
    """The median for many places of the cursor."""
    times = []
    for step in range(repeats):
        place = Vector((np.sin(step / 9.0), np.cos(step / 7.0), np.sin(step / 5.0)))
        start = time.process_time()
        work(place)
        times.append(time.process_time() - start)
    return float(np.median(times)) * 1e3


def measure(bones: int, keys: int) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        rig = random_character(bones, keys, random)
    settings = rig.posewright.spatial
    cursor, update = settings.sets[0].cursor, bpy.context.view_layer.update

    def drag(place: Vector) -> None:
        cursor.location = place
        update()

    def pose_by_hand(place: Vector) -> None:
        cursor.location = place
        spatial.poses.set_all_channels(rig, channels)
        update()

    def compute(place: Vector) -> None:
        moment = replace(spatial.moments.moment_of(rig), points=np.array([place])).counting()
        spatial.poses.apply_pose(rig, spatial.moments.pose_at(moment))

    def move_a_marker(place: Vector) -> None:
        marker.location = place
        update()

    channels, marker = spatial.poses.all_channels(rig), settings.sets[0].keys[0].marker
    idle = milliseconds(drag)
    by_hand = milliseconds(pose_by_hand)
    settings.live = True
    update()
    live = milliseconds(drag)
    markers = milliseconds(move_a_marker)
    settings.live = False
    ours = milliseconds(compute)
    frames = 1000
    path = [(frame, tuple(random.uniform(-1, 1, 3))) for frame in range(1, frames + 1, 10)]
    start = time.process_time()
    spatial.cursor_baking.bake_path(rig, path)
    bake = time.process_time() - start
    print(
        f"{bones:5d} {keys:5d} {idle:13.2f} {by_hand:13.2f} {live:13.2f} {ours:13.2f} {markers:13.2f} "
        f"{bake / (path[-1][0]) * 1e3:13.3f}"
    )


def main() -> None:
    print(f"Blender {bpy.app.version_string}. Processor milliseconds a frame, medians, without drawing.\n")
    print("bones  keys   cursor only  posed by hand   live cursor     our part   live marker   baked frame")
    for bones, keys in ((13, 7), (100, 10), (100, 30), (300, 30), (706, 30)):
        measure(bones, keys)


if __name__ == "__main__":
    main()
