# SPDX-License-Identifier: GPL-3.0-or-later
"""F3 finds what Posewright does, in Object Mode and in Pose Mode; our words and plain ones find Analyze."""

import bpy


def scenario(ui):
    ui.clear()
    rig = ui.mocap("02_01")
    yield 0.5
    yield from ui.search("posewright")
    yield from ui.until(lambda: rig.posewright.reduced, what="the analysis")
    count = rig.posewright.key_count
    with ui.override():
        bpy.ops.object.mode_set(mode="POSE")
    yield 0.5
    yield from ui.search("next sweet spot")
    yield from ui.until(lambda: rig.posewright.key_count > count, what="the next sweet spot")
    yield from ui.search("posewright restore")
    yield from ui.until(lambda: not rig.posewright.reduced, what="the source")
    for words in ("distil", "reduce keys", "mocap"):
        if rig.posewright.reduced:
            bpy.ops.posewright.restore()
        yield from ui.search(words)
        yield from ui.until(lambda: rig.posewright.reduced, what=f"the analysis by {words}")
