# SPDX-License-Identifier: GPL-3.0-or-later
"""What ghosts cost a redraw: 20 ghosts of 31 bones, in a real window.

Start it in a Blender that has the extension enabled:

    blender --window-geometry 0 0 800 600 --python benchmarks/ghosts.py -- [clip.bvh]

Without a clip it makes a figure of 31 bones. It prints the time inside the draw callbacks, the time of a
whole redraw with and without ghosts, and what gathering 20 poses after a change of keys takes.
"""

from __future__ import annotations

import importlib
import math
import os
import sys
import time

import bpy
import numpy as np

GHOSTS, REDRAWS = 20, 30


def part(name: str):
    return importlib.import_module(f"bl_ext.user_default.posewright.{name}")


def figure(bones: int = 31):
    """Several chains that wave."""
    rig = bpy.data.objects.new("Figure", bpy.data.armatures.new("Figure"))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for number in range(bones):
        bone = rig.data.edit_bones.new(f"bone {number}")
        chain, link = divmod(number, 6)
        angle = chain * math.tau / 6.0
        out = np.array([math.cos(angle), math.sin(angle), 0.5])
        bone.head, bone.tail = out * link * 0.3, out * (link + 1) * 0.3
        bone.parent = rig.data.edit_bones.get(f"bone {number - 1}") if link else None
    bpy.ops.object.mode_set(mode="OBJECT")
    for frame in range(1, GHOSTS * 5 + 1, 5):
        for number, bone in enumerate(rig.pose.bones):
            bone.rotation_mode = "XYZ"
            bone.rotation_euler = (0.4 * math.sin(frame / 9.0 + number), 0.0, 0.3 * math.cos(frame / 7.0))
            bone.keyframe_insert("rotation_euler", frame=frame)
    return rig


def clip(path: str):
    bpy.ops.import_anim.bvh(filepath=path, global_scale=0.06)
    rig = bpy.context.object
    actions, baking = part("bridge.actions"), part("bridge.baking")
    curves = actions.curves_of(rig)
    frames = actions.key_frames(curves)[1:]
    frames = frames[np.linspace(0, len(frames) - 1, GHOSTS).astype(int)]
    baking.write_keys(curves, baking.Keys(frames, actions.read_values(curves, frames)))
    return rig


def timed(function):
    spent: list[float] = []

    def wrapped(*arguments):
        start = time.perf_counter()
        function(*arguments)
        spent.append(time.perf_counter() - start)

    return wrapped, spent


def redraws() -> float:
    """Milliseconds of a whole redraw of the viewport."""
    start = time.perf_counter()
    bpy.ops.wm.redraw_timer(type="DRAW", iterations=REDRAWS)
    return (time.perf_counter() - start) / REDRAWS * 1000.0


def measure():
    ghosts = part("drawing.ghost_overlay")
    source = part("bridge.pictures.ghosts")
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    given = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []
    with bpy.context.temp_override(window=window, area=area, region=region):
        rig = clip(given[0]) if given else figure()
        bpy.ops.view3d.view_all()
        settings = bpy.context.scene.posewright.ghosts
        without = redraws()
        solids, in_solids = timed(ghosts._draw_solids)
        labels, in_labels = timed(ghosts._draw_labels)
        ghosts._draw_solids, ghosts._draw_labels = solids, labels
        settings.show = True
        redraws()
        ghosts._gather_asked()
        redraws()  # makes the batches
        in_solids.clear()
        in_labels.clear()
        with_ghosts = redraws()
        data = ghosts.information(rig)
        start = time.perf_counter()
        for _ in range(10):
            source.gather(rig, ghosts.wanted_for(rig, settings))
        gathering = (time.perf_counter() - start) / 10 * 1000.0
    bones = len(data.bodies[0].corners) // 24
    print(f"Blender {bpy.app.version_string}, {len(data.frames)} ghosts of {bones} bones")
    for name, spent in (("solids", in_solids), ("numbers", in_labels)):
        values = np.array(spent) * 1000.0
        print(f"  {name}: median {np.median(values):.2f} ms, 95% {np.percentile(values, 95):.2f} ms a redraw")
    print(f"  whole redraw of the viewport: {without:.1f} ms without, {with_ghosts:.1f} ms with ghosts")
    print(f"  gathering after a change of keys: {gathering:.1f} ms")
    sys.stdout.flush()
    os._exit(0)


bpy.app.timers.register(measure, first_interval=1.5)
