# SPDX-License-Identifier: GPL-3.0-or-later
"""The dot above a ghost lights up below the mouse, and a click on it goes to that pose and nowhere else."""

import bpy
import numpy as np
from bone_selection import selected
from installed import part


def scenario(ui):
    dots = part("drawing.ghost_handles")
    ui.clear()
    rig = ui.mocap("13_11")
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 7
    ghosts = bpy.context.scene.posewright.ghosts
    ghosts.show, ghosts.spread, ghosts.between = True, 0.4, 1
    bpy.ops.object.mode_set(mode="POSE")
    yield from ui.frame_all()
    bpy.context.scene.frame_set(1)
    yield from ui.move(*ui.middle())
    yield 2.5
    with ui.override():
        frames, places, _ = dots._dots(bpy.context)
    region = ui.region("WINDOW")
    ui.screenshot("ghost_dots")
    seen = [row for row in range(len(frames)) if 80 < places[row][0] < region.width - 320]
    assert len(seen) >= 3, f"several ghosts are in sight: {places.tolist()}"
    target = seen[len(seen) // 2]
    x, y = (int(region.x + places[target][0]), int(region.y + places[target][1]))
    yield from ui.move(x, y)
    yield 0.4
    ui.screenshot("ghost_dots_hovered")
    chosen = selected(rig)
    yield from ui.click(x, y)
    yield 0.6
    assert bpy.context.scene.frame_current == round(frames[target]), "a click goes there"
    assert selected(rig) == chosen, "and selects nothing"
    ui.screenshot("ghost_dots_clicked")

    bone = rig.pose.bones["Head"]
    head = rig.matrix_world @ ((bone.head + bone.tail) * 0.5)
    at = ui.on_screen(head)
    with ui.override():
        _, places, _ = dots._dots(bpy.context)
    clear = np.linalg.norm(places - np.subtract(at, (region.x, region.y)), axis=1)
    assert np.nanmin(clear) > dots.REACH, "the dots are beside the bones"
    yield from ui.click(*at)
    yield 0.5
    assert selected(rig), "bones are selected as ever"
    assert bpy.context.scene.frame_current == round(frames[target])
