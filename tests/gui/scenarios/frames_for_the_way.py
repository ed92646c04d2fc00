# SPDX-License-Identifier: GPL-3.0-or-later
"""Another way of keying and a number beyond the slider's end, in a real window: solved in the background."""

import bpy
from installed import part


def rig():
    return bpy.context.view_layer.objects.active


def analysis():
    return part("bridge.distil.reductions").get(rig()).analysis()


def keys():
    actions = part("bridge.actions")
    return actions.key_frames(actions.curves_of(rig())).tolist()


def idle():
    return part("operators.background_job").running() is None


def type_number(ui, number):
    """Into the slider: a double click opens it for typing."""
    counts = analysis().solutions.counts
    x, y = yield from ui.find(f"key_count_{counts[0]}_to_{counts[-1]}_of_{len(analysis().frames)}")
    yield from ui.press("RET", at=(x, y))
    yield from ui.press("A", at=(x, y), ctrl=True)
    names = ("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")
    for digit in str(number):
        ui.window.event_simulate(type=names[int(digit)], value="PRESS", x=x, y=y, unicode=digit)
        ui.window.event_simulate(type=names[int(digit)], value="RELEASE", x=x, y=y)
        yield None
    yield from ui.press("RET", at=(x, y))


def scenario(ui):
    ui.clear()
    ui.mocap("02_01")
    bpy.context.preferences.system.viewport_aa = "OFF"  # without a graphics card it takes most of the time
    bpy.ops.ed.undo_push(message="Import")
    yield from ui.frame_all()
    yield from ui.open_sidebar()
    yield from ui.press_button("posewright.analyze")
    yield from ui.until(lambda: rig().posewright.reduced, what="the analysis")
    yield 1.0
    rig().posewright.key_count = 12
    fitted = keys()
    ui.screenshot("1-fitted")

    # The keys at hand are stepped at once; a moment later they are on better frames.
    rig().posewright.interpolation = "STEPPED"
    assert keys() == fitted, "shown in the new way until others are found"
    assert rig().posewright.key_count == 12
    yield from ui.until(lambda: analysis().solutions.objective == "hold", what="other frames")
    yield from ui.until(idle, what="the end of the work")
    assert len(keys()) == rig().posewright.key_count == 12
    assert keys() != fitted
    ui.screenshot("2-stepped")
    rig().posewright.interpolation = "SMOOTH"
    yield from ui.until(lambda: keys() == fitted and idle(), what="the first frames again")

    # Half of the frames are on the slider, every number can be typed.
    most = int(analysis().solutions.counts[-1])
    assert most == len(analysis().frames) // 2
    yield 0.5
    yield from type_number(ui, most + 30)
    yield from ui.until(lambda: len(keys()) == most + 30 and idle(), what="more keys than the slider has")
    assert rig().posewright.problem == ""
    yield 0.5
    ui.screenshot("3-beyond")
    yield from ui.press("Z", ctrl=True, at=ui.middle())
    yield 0.5
    assert rig().posewright.key_count == 12, "one step of undo"
