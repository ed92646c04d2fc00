# SPDX-License-Identifier: GPL-3.0-or-later
"""What the bridge costs: sampling and baking against the plain way, in one run, and the slider.

python -m benchmarks.bridge        with a Python that has bpy
"""

from __future__ import annotations

import contextlib
import io

import numpy as np

from benchmarks.extension import bpy, part
from benchmarks.timing import best

actions, baking, sampling = part("bridge.actions"), part("bridge.baking"), part("bridge.sampling")

BONES, FRAMES = 31, 4905


def build_rig(bones: int, frames: int) -> bpy.types.Object:
    """A tree of bones with every channel keyed on every frame, as capture is."""
    rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for number in range(bones):
        bone = rig.data.edit_bones.new(f"bone {number}")
        bone.head, bone.tail = (0, 0, number), (0, 0, number + 1)
        if number % 6:
            bone.parent = rig.data.edit_bones[number - 1]
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ"
    curves = new_curves(rig, [f'pose.bones["bone {n}"].rotation_euler' for n in range(bones)])
    moments = np.arange(1.0, frames + 1.0)
    phases = np.random.default_rng(1).uniform(0.0, 6.0, len(curves))
    baking.write_keys(
        curves, baking.Keys(moments, np.sin(moments[:, None] / 40.0 + phases), interpolation="LINEAR")
    )
    return rig


def new_curves(rig: bpy.types.Object, paths: list[str]) -> list:
    action, slot = actions.new_action("Benchmark", rig)
    actions.assign(rig, action, slot)
    bag = actions.bag_of(action, slot, create=True)
    return actions.ensure_curves(bag, [actions.Channel(path, index) for path in paths for index in range(3)])


def add_heavy_mesh(rig: bpy.types.Object) -> None:
    """A character of 150,000 vertices that the rig deforms."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=390, y_subdivisions=390)
    mesh = bpy.context.object
    for bone in rig.pose.bones:
        mesh.vertex_groups.new(name=bone.name).add(range(len(mesh.data.vertices)), 0.1, "REPLACE")
    mesh.modifiers.new("Armature", "ARMATURE").object = rig


def measure_sampling() -> None:
    rig = build_rig(BONES, FRAMES)
    add_heavy_mesh(rig)
    frames = np.arange(1.0, FRAMES + 1.0)
    ours = best(lambda: sampling.sample(rig, frames), 2)
    scene, part = bpy.context.scene, 30
    plain = best(lambda: [scene.frame_set(frame) for frame in range(1, part + 1)], 1) * FRAMES / part
    curves = actions.curves_of(rig)
    reading = best(lambda: actions.read_values(curves, frames))
    print(f"sampling {BONES} bones x {FRAMES} frames  {ours:9.2f} s")
    print(f"  frame_set with a heavy mesh    {plain:9.2f} s   {plain / ours:.0f} times as long")
    print(f"  {len(curves)} channels into an array    {reading:9.2f} s")


def measure_baking(bones: int, keys: int) -> None:
    rig = build_rig(bones, 2)
    curves = new_curves(rig, [f'pose.bones["bone {n}"].rotation_euler' for n in range(bones)])
    random = np.random.default_rng(0)
    frames, values = np.arange(keys, dtype=float), random.normal(size=(keys, len(curves)))
    side = np.stack([np.broadcast_to(frames[:, None], values.shape), values], axis=2)
    whole = baking.Keys(frames, values, side, side, handle_type="FREE")
    points = np.ascontiguousarray(side.swapaxes(0, 1), np.float32).reshape(len(curves), -1)
    enums = np.zeros(keys, np.int32)

    def bare() -> None:
        for column, curve in enumerate(curves):
            curve.keyframe_points.clear()
            curve.keyframe_points.add(keys)
            for name in ("co", "handle_left", "handle_right"):
                curve.keyframe_points.foreach_set(name, points[column])
            for name in ("interpolation", "handle_left_type", "handle_right_type", "type"):
                curve.keyframe_points.foreach_set(name, enums)
            curve.update()

    def ours() -> None:
        for curve in curves:
            curve.keyframe_points.clear()
        baking.write_keys(curves, whole)

    plain, written = best(bare, 9), best(ours, 9)
    title = f"baking {len(curves)} channels x {keys} keys"
    print(f"{title:32} {written * 1e3:8.2f} ms  {written / plain:.2f} times the bare loop")


def measure_slider(bones: int, frames: int, keys: int, limit: float) -> None:
    """From a new value of `key_count` to baked keys, in the default way of keying."""
    rig = build_rig(bones, frames)
    with contextlib.redirect_stdout(io.StringIO()):
        bpy.ops.posewright.analyze()
    values = iter([keys - 1, keys] * 10)

    def slide() -> None:
        rig.posewright.key_count = next(values)

    slide()
    times = sorted(best(slide, 1) for _ in range(19))
    title = f"slider {bones} bones x {frames} frames"
    print(
        f"{title:32} {times[0] * 1e3:8.2f} ms  at {keys} keys; median {times[9] * 1e3:.2f} ms, "
        f"aim {limit * 1e3:.0f} ms"
    )


def main() -> None:
    print(f"Blender {bpy.app.version_string}, numpy {np.__version__}")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    measure_sampling()
    for bones in (32, 400):
        measure_baking(bones, 40)
    for bones, frames, limit in ((31, 400, 0.016), (31, 4905, 0.016), (300, 400, 0.1)):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        measure_slider(bones, frames, 40, limit)


if __name__ == "__main__":
    main()
