# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work in a real window: it shows how far it is, Esc stops it at once, and so does all that must."""

import threading
import time
from typing import Any

import bpy
from installed import PACKAGE, part


def rig():
    return bpy.context.view_layer.objects.active


def handlers():
    names = ("load_pre", "undo_pre", "redo_pre", "save_pre")
    return [len(getattr(bpy.app.handlers, name)) for name in names]


def census():
    """Everything there is in the file, and who uses its actions."""
    kinds = [
        name for name in dir(bpy.data) if isinstance(getattr(bpy.data, name), bpy.types.bpy_prop_collection)
    ]
    there = {kind: sorted(each.name_full for each in getattr(bpy.data, kind)) for kind in kinds}
    return there, [(each.name, each.users, each.use_fake_user) for each in bpy.data.actions]


class Watch:
    """Presses Esc as soon as a job has come so far, and notes what happens when."""

    def __init__(self, ui, job, wanted):
        self.ui, self.job, self.wanted = ui, job, wanted
        self.pressed: Any = None
        self.over: Any = None
        self.left: float | None = None
        self.turns_after = 0
        self.turns, self.between = [0.0], [0.0]
        self.advance, self.stop = job.advance, job.stop
        job.advance, job.stop = self.noted_advance, self.noted_stop

    def noted_advance(self):
        start = time.monotonic()
        if self.left is not None:
            self.between.append(start - self.left)
        self.turns_after += self.pressed is not None
        try:
            self.advance()
        finally:
            self.left = time.monotonic()
            self.turns.append(self.left - start)
        if self.pressed is None and self.job.share >= self.wanted:
            self.press()

    def press(self):
        x, y = self.ui.middle()
        self.share, self.pressed = self.job.share, time.monotonic()
        for value in ("PRESS", "RELEASE"):
            self.ui.window.event_simulate(type="ESC", value=value, x=x, y=y)

    def noted_stop(self):
        self.asked = time.monotonic()
        self.stop()
        self.over = time.monotonic()

    def __str__(self):
        heard, ended = 1e3 * (self.asked - self.pressed), 1e3 * (self.over - self.asked)
        turn, between = 1e3 * max(self.turns), 1e3 * max(self.between)
        return (
            f"{self.share:4.0%} done: Esc heard after {heard:3.0f} ms and all over {ended:2.0f} ms later; "
            f"longest turn {turn:3.0f} ms, longest time between two turns, with drawing, {between:3.0f} ms"
        )


def make_drawing_cheap(ui):
    """Without a graphics card drawing the view takes a second, and Esc cannot be handled meanwhile."""
    bpy.context.preferences.system.viewport_aa = "OFF"
    view = ui.area().spaces.active
    view.overlay.show_overlays = view.show_gizmo = False
    view.shading.type = "WIREFRAME"


def scenario(ui):
    jobs: Any = part("operators.background_job")
    ui.clear()
    ui.mocap("13_29")
    make_drawing_cheap(ui)
    long_clip = str(ui.temporary / "long.blend")
    bpy.ops.wm.save_as_mainfile(filepath=long_clip)
    bpy.ops.ed.undo_push(message="Import")
    before = handlers()
    yield from ui.frame_all()
    yield from ui.open_sidebar()
    there = census()

    def start():
        yield from ui.press_button("posewright.analyze")
        yield from ui.until(lambda: jobs.running() is not None, what="the start")

    jobs.LONGEST_SLICE = jobs.SLICE  # short turns, however long drawing takes: else some stages pass in one
    # Esc while it samples, reads curves, solves, estimates errors and looks at the source once more.
    figures = []
    for wanted in (0.0, 0.1, 0.25, 0.36, 0.45, 0.6, 0.75, 0.87, 0.96):
        yield from start()
        job = jobs.running()
        watch = Watch(ui, job, wanted)
        yield from ui.until(lambda job=job: not job.open, seconds=60.0, what="Esc")
        assert watch.pressed is not None, "it was stopped on its way"
        figures.append(str(watch))
        assert watch.turns_after <= 1, "at most a turn that was due already comes before Esc"
        assert jobs.running() is None
        assert not [each for each in threading.enumerate() if each.name == "Posewright"]
        assert not rig().posewright.reduced
        assert handlers() == before
        assert census() == there
    print("\n".join(figures))
    (ui.screenshots / f"{ui.name}.txt").write_text("\n".join(figures) + "\n")

    jobs.SLICE = jobs.LONGEST_SLICE = (
        0.001  # from here on it takes its time, so that there is some to do things in
    )

    # Keys and clicks do nothing meanwhile; the view can be turned.
    yield from start()
    yield 0.3
    ui.screenshot("at-work")
    yield from ui.press("X")
    yield from ui.press("Z", ctrl=True)
    assert jobs.running() is not None
    assert not [each for each in bpy.context.window_manager.operators if "delete" in each.bl_idname]
    angle = ui.area().spaces.active.region_3d.view_rotation.copy()
    yield from ui.drag(ui.middle(), (ui.middle()[0] + 80, ui.middle()[1]), 4, "MIDDLEMOUSE")
    assert ui.area().spaces.active.region_3d.view_rotation != angle
    assert jobs.running() is not None

    # Undo from elsewhere, such as a second window, ends it first.
    bpy.ops.ed.undo_push(message="Something")
    with ui.override():
        bpy.ops.ed.undo()
    assert jobs.running() is None
    assert not rig().posewright.reduced

    # So does saving, and the file has what was there before.
    yield from start()
    copy = str(ui.temporary / "saved meanwhile.blend")
    bpy.ops.wm.save_as_mainfile(filepath=copy, copy=True)
    assert jobs.running() is None
    with bpy.data.libraries.load(copy) as (saved, _):
        assert saved.actions == [each.name for each in bpy.data.actions]
        assert saved.scenes == ["Scene"]
    assert not rig().posewright.reduced
    yield from ui.move(*ui.middle())  # the operator hears of it with the next event
    ui.screenshot("saved-meanwhile")

    # So does deleting what it works on ...
    yield from start()
    bpy.data.objects.remove(rig())
    yield from ui.until(lambda: jobs.running() is None, what="the end")

    # ... another file ...
    bpy.ops.wm.open_mainfile(filepath=long_clip)
    yield 0.5
    yield from ui.open_sidebar()
    yield from start()
    bpy.ops.wm.open_mainfile(filepath=long_clip)
    yield 0.5
    assert jobs.running() is None
    assert handlers() == before

    # ... and the end of the add-on.
    yield from ui.open_sidebar()
    yield from start()
    bpy.ops.preferences.addon_disable(module=PACKAGE)
    yield 0.5
    bpy.ops.preferences.addon_enable(module=PACKAGE)
    yield 0.3
    assert part("operators.background_job").running() is None
