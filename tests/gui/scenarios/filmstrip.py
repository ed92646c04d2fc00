# SPDX-License-Identifier: GPL-3.0-or-later
"""The filmstrip: a click goes to a pose, dragging one retimes it, and undo brings it back."""

import bpy
from installed import part


def scenario(ui):
    filmstrip = part("drawing.filmstrip")
    retiming = part("bridge.distil.editing.retiming")
    reductions = part("bridge.distil.reductions")
    ui.clear()
    rig = ui.mocap("13_11")
    yield from ui.frame_all()
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 9
    bpy.context.scene.posewright.ghosts.filmstrip = True
    bpy.context.scene.frame_set(1)
    yield from ui.move(*ui.middle())
    yield 2.0
    before = retiming.columns_of(reductions.get(rig))

    def cell(number):
        with ui.override():
            strip = filmstrip._strip(bpy.context, before)
        region = ui.region("WINDOW")
        x, y = strip.left_of(number) + strip.width / 2.0, strip.bottom + strip.height / 2.0
        return int(region.x + x), int(region.y + y)

    ui.screenshot("filmstrip")
    with ui.override():
        bpy.ops.posewright.leading_parts()
        rig.posewright.stagger_part = "left arm"
    yield 1.0
    ui.screenshot("filmstrip_leads")
    yield from ui.move(*cell(4))
    yield from ui.click(*cell(4))
    yield 0.5
    assert bpy.context.scene.frame_current == round(before[4]), "a click goes there"
    ui.screenshot("filmstrip_clicked")
    with ui.override():
        bpy.ops.ed.undo_push(message="before dragging")
    start = cell(6)
    # Four frames earlier: between its neighbours there is room for that.
    ui.window.event_simulate(type="LEFTMOUSE", value="PRESS", x=start[0], y=start[1])
    yield None
    for step in range(1, 5):
        yield from ui.move(start[0] - 6 * step, start[1])
    yield 0.5
    ui.screenshot("filmstrip_dragging")
    ui.window.event_simulate(type="LEFTMOUSE", value="RELEASE", x=start[0] - 24, y=start[1])
    yield 1.0
    after = retiming.columns_of(reductions.get(bpy.context.object))
    assert len(after) == len(before)
    assert abs(after[6] - (before[6] - 4.0)) <= 1.0, f"pose 6 went from {before[6]} to {after[6]}"
    assert abs(after[5] - before[5]) < 1e-3
    assert abs(after[7] - before[7]) < 1e-3
    yield from ui.move(*ui.middle())
    yield 1.0
    ui.screenshot("filmstrip_dragged")
    with ui.override():
        bpy.ops.ed.undo()
    yield 0.5
    again = retiming.columns_of(reductions.get(bpy.context.object))
    assert list(again) == list(before), "undo brings it back"
