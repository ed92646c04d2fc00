# SPDX-License-Identifier: GPL-3.0-or-later
"""What comes between: a marker deleted and undone, another workspace, the add-on disabled."""

import importlib
import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from demo.bear import build_bear
from demo.spatial import KEYS, pose

PACKAGE = "bl_ext.user_default.posewright"


def part(name):
    return importlib.import_module(f"{PACKAGE}.{name}")


def bear():
    return bpy.data.objects["Bear"]


def settings():
    return bear().posewright.spatial


def scenario(ui):
    ui.clear()
    with ui.override():
        rig = build_bear()
        bpy.ops.posewright.spatial_set_add(name="Acting")
        for name, (place, turns, hips) in KEYS.items():
            pose(rig, turns, hips)
            settings().sets[0].cursor.location = place
            bpy.ops.posewright.spatial_key_add(name=name)
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_all()
    yield from ui.open_sidebar()
    yield from delete_a_marker_and_undo(ui)
    yield from change_the_workspace(ui, record=False)
    yield from change_the_workspace(ui, record=True)
    yield from disable_the_addon(ui)


def delete_a_marker_and_undo(ui):
    sets = part("bridge.spatial.sets")
    names = [key.name for key in settings().sets[0].keys]
    with ui.override():
        bpy.ops.object.select_all(action="DESELECT")
        marker = settings().sets[0].keys[1].marker
        marker.select_set(True)
        bpy.context.view_layer.objects.active = marker
        bpy.ops.ed.undo_push(message="Selected")
    for _ in range(2):
        yield from ui.press("DEL", ui.middle())
        yield from ui.until(
            lambda: len(sets.usable_keys(settings().sets[0])) == len(names) - 1, what="deleting"
        )
        with ui.override():
            bpy.context.view_layer.objects.active = bear()
        yield 0.3
        ui.screenshot("marker-deleted")
        yield from ui.press("Z", ui.middle(), ctrl=True)
        yield from ui.until(lambda: len(sets.usable_keys(settings().sets[0])) == len(names), what="undo")
        assert settings().sets[0].keys[1].marker.name in bpy.context.scene.objects


def change_the_workspace(ui, *, record):
    under_way = part("operators.under_way")
    with ui.override():
        bpy.context.view_layer.objects.active = bear()
        bpy.ops.posewright.perform("INVOKE_DEFAULT", record=record)
    yield from ui.until(lambda: under_way.performance is not None, what="performing")
    x, y = ui.middle()
    yield from ui.move(x, y)
    if record:
        ui.window.event_simulate(type="LEFTMOUSE", value="PRESS", x=x, y=y)
        yield 0.3
        for step in range(10):
            ui.window.event_simulate(type="MOUSEMOVE", value="NOTHING", x=x + 8 * step, y=y)
            yield 0.05
    home = ui.window.workspace
    ui.window.workspace = bpy.data.workspaces["Scripting"]
    yield from ui.until(lambda: under_way.performance is None, what="the end of the performance")
    if record:
        ui.window.event_simulate(type="LEFTMOUSE", value="RELEASE", x=x, y=y)
        action = bear().animation_data.action
        assert action is not None, "the take was written"
        assert action.frame_range[1] > action.frame_range[0]
    ui.window.workspace = home
    yield 0.5
    ui.screenshot(f"back-{'recorded' if record else 'performed'}")


def disable_the_addon(ui):
    before = tuple(settings().sets[0].cursor.location)
    live = settings().live
    with ui.override():
        bpy.context.view_layer.objects.active = bear()
        bpy.ops.posewright.perform("INVOKE_DEFAULT")
    yield 0.3
    yield from ui.drag(ui.middle(), (ui.middle()[0] + 60, ui.middle()[1]), 4)
    assert tuple(settings().sets[0].cursor.location) != before
    bpy.ops.preferences.addon_disable(module=PACKAGE)
    yield 0.5
    ui.screenshot("disabled")
    bpy.ops.preferences.addon_enable(module=PACKAGE)
    yield 0.3
    assert part("operators.under_way").performance is None
    assert tuple(settings().sets[0].cursor.location) == before
    assert settings().live == live
    with ui.override():
        bpy.context.view_layer.objects.active = bear()
        assert bpy.ops.posewright.perform.poll()
