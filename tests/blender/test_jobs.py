# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work under way, and what comes between: undo, another file, and handlers of other add-ons."""

from __future__ import annotations

import importlib

import bpy
import pytest


@pytest.fixture
def stepped(clean_blender):
    module = importlib.import_module(f"{clean_blender.__name__}.operators.stepped")
    yield module
    module.stop()


class Work:
    """Steps that note how far they came and how they ended."""

    def __init__(self, count=3):
        self.done, self.closed = 0, False
        self.steps = self._steps(count)

    def _steps(self, count):
        try:
            for number in range(count):
                self.done = number
                yield number / count
            return "all of it"
        finally:
            self.closed = True


def begin(stepped, work, **options):
    job = stepped.start("Working", work.steps, bpy.context.window_manager.windows[0], **options)
    next(work.steps)
    return job


@pytest.fixture
def jumps(clean_blender):
    """There is something to undo."""
    for name in ("One", "Two"):
        bpy.data.objects.new(name, None)
        bpy.ops.ed.undo_push(message=name)


@pytest.mark.parametrize("name", ["load_pre", "undo_pre", "redo_pre"])
def test_work_ends_before_a_jump_and_others_hear_of_it_too(stepped, jumps, name):
    calls, heard = getattr(bpy.app.handlers, name), []
    ways = {
        "load_pre": lambda: bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True),
        "undo_pre": bpy.ops.ed.undo,
        "redo_pre": bpy.ops.ed.redo,
    }
    if name == "redo_pre":
        bpy.ops.ed.undo()
    work = Work()
    job = begin(stepped, work)

    def another_addon(*_):
        heard.append(work.closed)

    calls.append(another_addon)
    try:
        ways[name]()
    finally:
        if another_addon in calls:  # another file takes away what is not persistent
            calls.remove(another_addon)
    assert heard == [True], "called, and after the work was ended"
    assert not job.open
    assert stepped.running() is None
