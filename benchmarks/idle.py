# SPDX-License-Identifier: GPL-3.0-or-later
"""What Posewright costs a big file that does not use it: its handlers, called as Blender calls them.

And whether its panels are to be drawn, which a redraw of a sidebar asks of each, for what may be active.

python -m benchmarks.idle        with a Python that has bpy
"""

from __future__ import annotations

from collections import defaultdict

from benchmarks.extension import bpy, part
from benchmarks.timing import best

OBJECTS, ARMATURES = 10_000, 3


def fill_file() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    data = [None] * OBJECTS + [bpy.data.armatures.new("Armature") for _ in range(ARMATURES)]
    for number, each in enumerate(data):
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(f"Object {number}", each))
    bpy.context.view_layer.update()


def main() -> None:
    fill_file()
    print(f"Blender {bpy.app.version_string}, {OBJECTS} objects: milliseconds of all handlers")
    kinds = {
        id(getattr(bpy.app.handlers, name)): name
        for name in dir(bpy.app.handlers)
        if isinstance(getattr(bpy.app.handlers, name), list)
    }
    graph = bpy.context.evaluated_depsgraph_get()
    seconds: dict[str, float] = defaultdict(float)
    for calls, handler in part("handlers").HANDLERS:
        seconds[kinds[id(calls)]] += best(lambda call=handler: call(bpy.context.scene, graph))
    for kind, cost in sorted(seconds.items()):
        print(f"{kind:22} {1e3 * cost:8.3f}")
    for kind in ("EMPTY", "ARMATURE"):
        bpy.context.view_layer.objects.active = next(each for each in bpy.data.objects if each.type == kind)
        polls = [each.poll for each in part("panels").CLASSES if hasattr(each, "poll")]
        cost = best(lambda asked=polls: [poll(bpy.context) for poll in asked])
        print(f"all panels, {kind.lower():10} {1e3 * cost:8.3f}")


if __name__ == "__main__":
    main()
