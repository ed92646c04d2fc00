# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures are measured a moment after the slider rests, and nothing in the window moves for it."""

import bpy
from installed import part


def scenario(ui):
    ui.clear()
    rig = ui.mocap("02_01")
    yield from ui.open_sidebar("Posewright")
    yield from ui.widen_sidebar()
    with ui.override():
        bpy.ops.posewright.analyze()
    bpy.context.scene.frame_set(50)

    def is_measured():
        return part("bridge.distil.editing.changes").is_measured(part("bridge.distil.reductions").get(rig))

    yield 0.2
    ui.screenshot("1-estimated")
    yield from ui.until(is_measured, what="the figures after the analysis")
    for change in ({"key_count": 14}, {"detail": 0.5}, {"hold": "PINS"}, {"interpolation": "LINEAR"}):
        for name, value in change.items():
            setattr(rig.posewright, name, value)
        assert not is_measured()
        ui.area().tag_redraw()
        yield from ui.until(is_measured, what=f"the figures with {change}")
    yield 0.3
    ui.screenshot("2-measured")
    assert bpy.context.scene.frame_current == 50
    assert len(bpy.data.scenes) == 1
    assert [each for each in bpy.data.objects if each.type == "ARMATURE"] == [rig]

    # Nothing is measured while it plays.
    with ui.override():
        bpy.ops.screen.animation_play()
    rig.posewright.key_count = 20
    yield 2.0
    assert not is_measured()
    with ui.override():
        bpy.ops.screen.animation_play()
    yield from ui.until(is_measured, what="the figures after playing")
