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


def note_when_stopped(job):
    """When the work was over, before the window was drawn again."""
    times = []
    stop = job.stop

    def noted():
        stop()
        times.append(time.monotonic())

    job.stop = noted
    return times


def make_drawing_cheap(ui):
    """Without a graphics card drawing the view takes a second, and Esc cannot be handled meanwhile."""
    bpy.context.preferences.system.viewport_aa = "OFF"
    view = ui.area().spaces.active
    view.overlay.show_overlays = view.show_gizmo = False
    view.shading.type = "WIREFRAME"


def scenario(ui):
    stepped = part("operators.stepped")
    for name in list(bpy.data.objects.keys()):
        bpy.data.objects.remove(bpy.data.objects[name])
    ui.mocap("13_29")
    make_drawing_cheap(ui)
    long_clip = str(ui.temporary / "long.blend")
    bpy.ops.wm.save_as_mainfile(filepath=long_clip)
    bpy.ops.ed.undo_push(message="Import")
    before = handlers()
    datablocks = len(bpy.data.actions), len(bpy.data.scenes), len(bpy.data.objects)
    yield from ui.frame_all()
    yield from ui.open_sidebar()

    # Esc, at several moments. How long it took is written beside the screenshots.
    times = []
    for wanted in (0.0, 0.2, 0.4, 0.6):
        yield from ui.press_button("posewright.analyze")
        yield from ui.until(lambda: stepped.running() is not None, what="the start")
        job = stepped.running()
        yield from ui.until(lambda job=job, share=wanted: not job.open or job.share >= share, what="progress")
        assert job.open, "it was stopped on its way"
        share = job.share
        ui.screenshot(f"at-{wanted:.0%}")
        x, y = ui.middle()
        stopped = note_when_stopped(job)
        start = time.monotonic()
        ui.window.event_simulate(type="ESC", value="PRESS", x=x, y=y)
        ui.window.event_simulate(type="ESC", value="RELEASE", x=x, y=y)
        yield from ui.until(lambda job=job: not job.open, what="Esc")
        times.append(f"{share:.0%} done: Esc took {stopped[0] - start:.3f} s")
        yield 0.2
        assert not job.open
        assert stepped.running() is None
        assert not rig().posewright.stored
        assert handlers() == before
        assert (len(bpy.data.actions), len(bpy.data.scenes), len(bpy.data.objects)) == datablocks

    (ui.screenshots / f"{ui.name}.txt").write_text("\n".join(times) + "\n")

    # Keys and clicks do nothing meanwhile; the view can be turned.
    yield from ui.press_button("posewright.analyze")
    yield 0.3
    yield from ui.press("X")
    yield from ui.press("Z", ctrl=True)
    assert stepped.running() is not None
    assert not [each for each in bpy.context.window_manager.operators if "delete" in each.bl_idname]
    angle = ui.area().spaces.active.region_3d.view_rotation.copy()
    yield from ui.drag(ui.middle(), (ui.middle()[0] + 80, ui.middle()[1]), 4, "MIDDLEMOUSE")
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
    yield 0.2
    assert stepped.running() is not None
    bpy.data.objects.remove(rig())
    yield 1.0
    assert stepped.running() is None

    # ... another file ...
    bpy.ops.wm.open_mainfile(filepath=long_clip)
    yield 0.5
    yield from ui.open_sidebar()
    yield from ui.press_button("posewright.analyze")
    yield 0.2
    assert stepped.running() is not None
    bpy.ops.wm.open_mainfile(filepath=long_clip)
    yield 0.5
    assert stepped.running() is None
    assert handlers() == before

    # ... and the end of the add-on.
    yield from ui.open_sidebar()
    yield from ui.press_button("posewright.analyze")
    yield 0.2
    assert stepped.running() is not None
    bpy.ops.preferences.addon_disable(module=PACKAGE)
    yield 0.5
    bpy.ops.preferences.addon_enable(module=PACKAGE)
    yield 0.3
    assert part("operators.stepped").running() is None
