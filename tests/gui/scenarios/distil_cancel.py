# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work in a real window: it shows how far it is, Esc stops it at once, and so does all that must."""

import importlib
import time

import bpy

PACKAGE = "bl_ext.user_default.posewright"


def part(name):
    return importlib.import_module(f"{PACKAGE}.{name}")


def rig():
    return bpy.context.view_layer.objects.active


def handlers():
    return [len(getattr(bpy.app.handlers, name)) for name in ("load_pre", "undo_pre", "redo_pre")]


def scenario(ui):
    stepped = part("operators.stepped")
    for name in list(bpy.data.objects.keys()):
        bpy.data.objects.remove(bpy.data.objects[name])
    ui.mocap("13_29")
    bpy.ops.ed.undo_push(message="Import")
    before = handlers()
    datablocks = len(bpy.data.actions), len(bpy.data.scenes), len(bpy.data.objects)
    yield from ui.frame_all()
    yield from ui.open_sidebar()

    # Esc, at several moments.
    for wait in (0.1, 1.0, 2.5, 4.0):
        yield from ui.press_button("posewright.analyze")
        yield wait
        job = stepped.running()
        assert job is not None, f"still at it after {wait} seconds"
        share = job.share
        ui.screenshot(f"after-{wait:g}-seconds")
        x, y = ui.middle()
        start = time.monotonic()
        ui.window.event_simulate(type="ESC", value="PRESS", x=x, y=y)
        while job.open and time.monotonic() < start + 5.0:
            yield 0.005
        print(f"at {share:.0%} Esc took {time.monotonic() - start:.3f} s")
        ui.window.event_simulate(type="ESC", value="RELEASE", x=x, y=y)
        yield 0.2
        assert not job.open
        assert stepped.running() is None
        assert not rig().posewright.stored
        assert handlers() == before
        assert (len(bpy.data.actions), len(bpy.data.scenes), len(bpy.data.objects)) == datablocks

    # Keys and clicks do nothing meanwhile; the view can be turned.
    yield from ui.press_button("posewright.analyze")
    yield 0.3
    yield from ui.press("X")
    yield from ui.press("Z", ctrl=True)
    assert stepped.running() is not None
    assert not [each for each in bpy.context.window_manager.operators if "delete" in each.bl_idname]
    angle = ui.area().spaces.active.region_3d.view_rotation.copy()
    yield from ui.drag(ui.middle(), (ui.middle()[0] + 80, ui.middle()[1]), button="MIDDLEMOUSE")
    assert ui.area().spaces.active.region_3d.view_rotation != angle
    assert stepped.running() is not None

    # Undo from elsewhere, such as a second window, ends it first.
    bpy.ops.ed.undo_push(message="Something")
    with ui.override():
        bpy.ops.ed.undo()
    yield 0.3
    assert stepped.running() is None
    assert not rig().posewright.stored

    # So does deleting what it works on ...
    yield from ui.press_button("posewright.analyze")
    yield 0.3
    kept = rig().data
    bpy.data.objects.remove(rig())
    yield 1.0
    assert stepped.running() is None
    bpy.data.armatures.remove(kept)

    # ... another file ...
    ui.mocap("13_29")
    yield 0.3
    yield from ui.press_button("posewright.analyze")
    yield 0.3
    bpy.ops.wm.read_homefile(use_factory_startup=False)
    yield 0.5
    assert stepped.running() is None
    assert handlers() == before

    # ... and the end of the add-on.
    ui.mocap("13_29")
    yield from ui.open_sidebar()
    yield 0.3
    yield from ui.press_button("posewright.analyze")
    yield 0.3
    bpy.ops.preferences.addon_disable(module=PACKAGE)
    yield 0.5
    bpy.ops.preferences.addon_enable(module=PACKAGE)
    yield 0.3
    assert part("operators.stepped").running() is None
