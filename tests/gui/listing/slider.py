# SPDX-License-Identifier: GPL-3.0-or-later
"""Twenty seconds of a walk at three keys, then more and more, while the slider moves."""

import bpy
from film import FRAMES, RATE, Film, tidy

COUNTS = (3, 4, 5, 7, 10, 16)  # keys, a turn of the film each


def scenario(ui):
    ui.clear()
    rig = ui.mocap("02_01")
    rig.data.display_type = "OCTAHEDRAL"
    tidy(ui)
    yield 1.0
    yield from ui.open_sidebar()
    yield from ui.widen_sidebar(60)
    with ui.override():
        bpy.ops.view3d.view_axis(type="LEFT")
        bpy.ops.posewright.analyze("EXEC_DEFAULT")
        bpy.context.scene.posewright.ghosts.show = True
    settings = bpy.context.scene.posewright.ghosts
    settings.labels = True
    scene = bpy.context.scene
    first, last = scene.frame_start, scene.frame_end
    scene.frame_set((first + last) // 2)
    yield from ui.frame_all()
    with ui.override():
        bpy.ops.view3d.zoom(delta=-2)
    yield 1.5
    film = Film(ui)
    turn = FRAMES // len(COUNTS) + 1
    step = scene.render.fps / scene.render.fps_base / RATE
    for number in range(FRAMES):
        row, within = divmod(number, turn)
        if within == 0:
            rig.posewright.key_count = COUNTS[row]
            yield 0.2
        scene.frame_set(first + round(number * step) % (last - first))
        yield from film.take()
