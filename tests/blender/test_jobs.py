# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work under way, and what comes between: undo, another file, saving, handlers of other add-ons."""

from __future__ import annotations

import importlib
from types import SimpleNamespace

import bpy
import pytest
from mathutils import Vector

from tests.blender.spatial_bear import bear_with_five_keys, cursor


@pytest.fixture
def jobs(clean_blender):
    module = importlib.import_module(f"{clean_blender.__name__}.operators.background_job")
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


def begin(jobs, work, **options):
    job = jobs.start("Working", work.steps, bpy.context.window_manager.windows[0], **options)
    next(work.steps)
    return job


@pytest.fixture
def jumps(clean_blender):
    """There is something to undo."""
    for name in ("One", "Two"):
        bpy.data.objects.new(name, None)
        bpy.ops.ed.undo_push(message=name)


@pytest.mark.parametrize("name", ["load_pre", "undo_pre", "redo_pre"])
def test_work_ends_before_a_jump_and_others_hear_of_it_too(jobs, jumps, name):
    calls, heard = getattr(bpy.app.handlers, name), []
    ways = {
        "load_pre": lambda: bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True),
        "undo_pre": bpy.ops.ed.undo,
        "redo_pre": bpy.ops.ed.redo,
    }
    if name == "redo_pre":
        bpy.ops.ed.undo()
    work = Work()
    job = begin(jobs, work)

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
    assert jobs.running() is None


def save(tmp_path):
    path = str(tmp_path / "meanwhile.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    return path


def begin_until(jobs, steps, share, **options):
    """A job that has come so far; with None it has not begun."""
    job = jobs.start("Working", steps, bpy.context.window_manager.windows[0], **options)
    while share is not None and next(steps) < share:
        pass
    return job


@pytest.fixture
def waving(make_rig, set_keys):
    rig = make_rig(3, rotation_mode="XYZ")
    for n, bone in enumerate(rig.pose.bones):
        set_keys(bone, "rotation_euler", {frame: (frame % (7 + n) * 0.1, 0, 0.3) for frame in range(1, 60)})
    rig.animation_data.action.name = "Wave"
    rig.animation_data.action.use_fake_user = False
    return rig


# Before the armature plays something else, while the scratch copy is played, and after.
@pytest.mark.parametrize("share", [0.2, 0.86, 0.88, 0.9, 0.92, 0.94, 0.96])
def test_saved_while_analysing_the_file_has_the_source(jobs, waving, tmp_path, share):
    package = jobs.__name__.removesuffix(".operators.background_job")
    analyse = importlib.import_module(f"{package}.bridge.distil.analyse")
    job = begin_until(jobs, analyse.analyse_in_steps(waving, bpy.context.scene), share)
    path = save(tmp_path)
    assert not job.open
    bpy.ops.wm.open_mainfile(filepath=path)
    assert [action.name for action in bpy.data.actions] == ["Wave"]
    assert bpy.data.objects["Rig"].animation_data.action.name == "Wave"
    assert [scene.name for scene in bpy.data.scenes] == ["Scene"]


def test_saved_while_comparing_the_file_has_no_stand_in(jobs, waving, tmp_path):
    package = jobs.__name__.removesuffix(".operators.background_job")
    comparison = importlib.import_module(f"{package}.bridge.pictures.comparison")
    steps = comparison.compare_in_steps(waving, bpy.context.scene, ["greedy"], with_decimate=False)
    begin_until(jobs, steps, 0.5)
    bpy.ops.wm.open_mainfile(filepath=save(tmp_path))
    assert [thing.name for thing in bpy.data.objects] == ["Rig"]
    assert [action.name for action in bpy.data.actions] == ["Wave"]


def test_saved_while_baking_the_file_is_at_the_users_frame(jobs, make_rig, set_keys, tmp_path):
    bear = bear_with_five_keys(make_rig)
    set_keys(cursor(bear), "location", {1: (0.0, -1.5, 2.0), 40: (0.2, -1.6, 2.9)})
    package = jobs.__name__.removesuffix(".operators.background_job")
    baking = importlib.import_module(f"{package}.bridge.spatial.takes.cursor_baking")
    bpy.context.scene.frame_set(7)
    begin_until(jobs, baking.bake_cursors_in_steps([bear], bpy.context.scene, 1, 40), 0.1)
    assert bpy.context.scene.frame_current != 7
    bpy.ops.wm.open_mainfile(filepath=save(tmp_path))
    assert bpy.context.scene.frame_current == 7
    assert bpy.data.objects["Bear"].animation_data is None


def test_who_began_it_may_finish_it_before_the_file_is_saved(jobs, tmp_path):
    work = Work(count=30)
    job = begin(jobs, work, before_saving=jobs.Job.finish)
    save(tmp_path)
    assert work.closed
    assert work.done == 29
    assert job.open, "whoever began it has not heard of its end yet"
    for _ in range(2):
        with pytest.raises(StopIteration) as outcome:
            job.advance()
        assert outcome.value.value == "all of it"
    job.stop()
    assert jobs.running() is None


def test_a_problem_while_it_is_finished_is_told_as_any_other(jobs, posewright, tmp_path):
    def steps():
        yield 0.1
        raise posewright.core.InputError("This cannot be.")

    work = steps()
    job = begin_until(jobs, work, 0.1, before_saving=jobs.Job.finish)
    save(tmp_path)
    with pytest.raises(posewright.core.InputError, match="cannot be"):
        job.advance()


def test_a_job_that_saving_has_stopped_says_so(jobs, tmp_path):
    stepped = importlib.import_module(jobs.__name__.replace("background_job", "stepped"))

    class Operator(stepped.SteppedOperator):
        job = begin(jobs, Work())
        said = ""

        def report(self, _kind, text):
            self.said = text

    operator = Operator()
    save(tmp_path)
    assert operator.modal(bpy.context, None) == {"CANCELLED"}
    assert "Stopped because the file was saved" in operator.said


@pytest.mark.parametrize(
    ("verb", "esc"),
    [
        ("analyze", "Cancel"),
        ("reduce_actions", "Keep What Is Done"),
        ("reduce_selected", "Cancel"),
        ("index_folder", "Keep What Is Done"),
        ("make_library", "Keep What Is Done"),
    ],
)
def test_a_job_says_what_esc_does(jobs, verb, esc):
    kind = getattr(bpy.types, f"POSEWRIGHT_OT_{verb}")

    class Operator(kind.__mro__[1]):
        doing, esc = kind.doing, kind.esc

        def steps(self, _context):
            return Work().steps

    Operator().begin(
        SimpleNamespace(
            window=bpy.context.window_manager.windows[0],
            window_manager=SimpleNamespace(modal_handler_add=lambda _: None),
        )
    )
    assert jobs.running().esc == esc


@pytest.mark.parametrize(
    ("kind", "works"), [("TIMER", True), ("TIMER_REPORT", False), ("TIMER_AUTOSAVE", False)]
)
def test_only_its_own_timer_moves_a_job_on(jobs, kind, works):
    """Where drawing is slow all timers are due at once, and Esc would wait for a turn of each."""
    stepped = importlib.import_module(jobs.__name__.replace("background_job", "stepped"))
    work = Work(1000000)

    class Operator(stepped.SteppedOperator):
        job = begin(jobs, work)

    assert Operator().modal(bpy.context, SimpleNamespace(type=kind, value="NOTHING")) == {"PASS_THROUGH"}
    assert (work.done > 0) == works


@pytest.mark.parametrize("share", [None, 0.0, 0.5], ids=["not-begun", "writing", "distilling"])
def test_a_take_that_is_being_written_is_in_the_file(jobs, make_rig, tmp_path, share):
    """As Perform does it: a key on every frame, and distilling may go on after the file was saved."""
    package = jobs.__name__.removesuffix(".operators.background_job")
    sessions = importlib.import_module(f"{package}.bridge.spatial.session")
    bear = bear_with_five_keys(make_rig)
    session = sessions.Session(bear, bpy.context.scene)
    for n in range(30):
        session.move_cursor(Vector((n / 20, -1.5 + n / 50, 2.0)))
        session.record(1.0 + n)
        bpy.context.view_layer.update()

    def keep(job):
        if not session.written:
            session.hurry()
            job.finish()
        session.end()

    steps = session.write_in_steps(error=0.02)
    job = begin_until(jobs, steps, share, before_saving=keep)
    distilling = share == 0.5
    assert session.written == distilling
    path = save(tmp_path)
    assert job.open
    result = end_of(job)
    assert result < 30 if distilling else result == 30
    job.stop()
    session.end()
    bpy.ops.wm.open_mainfile(filepath=path)
    actions = importlib.import_module(f"{package}.bridge.actions")
    bear = bpy.data.objects["Bear"]
    assert {len(curve.keyframe_points) for curve in actions.curves_of(bear)} == {30}
    assert not bear.posewright.spatial.live


def end_of(job):
    while True:
        try:
            job.advance()
        except StopIteration as done:
            return done.value


@pytest.mark.parametrize(("name", "value"), [("detail", 1.0), ("key_count", 5), ("interpolation", "STEPPED")])
def test_what_a_script_writes_meanwhile_is_refused(jobs, waving, name, value):
    """Detail written while frames were chosen again made every frame an edit."""
    bpy.ops.posewright.analyze()
    before = getattr(waving.posewright, name)
    begin(jobs, Work())
    setattr(waving.posewright, name, value)
    assert "Wait until the work is done" in waving.posewright.problem
    assert getattr(waving.posewright, name) == before
    jobs.stop()
    setattr(waving.posewright, name, value)
    assert waving.posewright.problem == ""
    assert getattr(waving.posewright, name) == value
