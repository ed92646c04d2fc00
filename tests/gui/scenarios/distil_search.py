# SPDX-License-Identifier: GPL-3.0-or-later
"""F3 finds what Posewright does, in Object Mode and in Pose Mode; our own words find Analyze first."""

import bpy


def search(ui, words):
    yield from ui.press("F3")
    yield 0.5
    x, y = ui.middle()
    for letter in words:
        kind = "SPACE" if letter == " " else letter.upper()
        ui.window.event_simulate(type=kind, value="PRESS", x=x, y=y, unicode=letter)
        ui.window.event_simulate(type=kind, value="RELEASE", x=x, y=y)
        yield None
    yield 0.7
    ui.screenshot(words.replace(" ", "-"))
    ui.window.event_simulate(type="RET", value="PRESS", x=x, y=y)
    ui.window.event_simulate(type="RET", value="RELEASE", x=x, y=y)
    yield 0.3


def scenario(ui):
    ui.clear()
    rig = ui.mocap("02_01")
    yield 0.5
    yield from search(ui, "posewright")
    yield from ui.until(lambda: rig.posewright.reduced, what="the analysis")
    count = rig.posewright.key_count
    with ui.override():
        bpy.ops.object.mode_set(mode="POSE")
    yield 0.5
    yield from search(ui, "next sweet spot")
    yield from ui.until(lambda: rig.posewright.key_count > count, what="the next sweet spot")
    yield from search(ui, "posewright restore")
    yield from ui.until(lambda: not rig.posewright.reduced, what="the source")
    yield from search(ui, "distil")
    yield from ui.until(lambda: rig.posewright.reduced, what="the analysis")
