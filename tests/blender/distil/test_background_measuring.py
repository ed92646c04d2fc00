# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shown is measured in the background, and nobody notices but by the figures."""

import importlib

import bpy
import pytest


@pytest.fixture
def background(posewright, monkeypatch):
    module = importlib.import_module(f"{posewright.__name__}.handlers.background_measuring")
    monkeypatch.setattr(module, "REST", 0.0)
    monkeypatch.setattr(module, "TURN", 0.0001)
    yield module
    module.unregister()


@pytest.fixture
def reduction(distil, swinging):
    bpy.ops.posewright.analyze()
    return distil.reductions.get(swinging)


def turns(background):
    """All turns that are left; how many there were."""
    count = 0
    while background._measuring.turn() is not None:
        count += 1
        assert count < 10_000
    return count


def in_the_file():
    return [[each.name for each in kind] for kind in (bpy.data.actions, bpy.data.objects, bpy.data.scenes)]


@pytest.mark.parametrize("detail", [0.0, 0.7])
def test_it_finds_what_measuring_at_once_finds(distil, swinging, reduction, background, detail):
    swinging.posewright.detail = detail
    expected = distil.measuring.measure(swinging)
    reduction.state.measured_count = 0
    assert background.ask(reduction)
    before = in_the_file()
    assert turns(background) >= 1
    assert distil.changes.is_measured(reduction)
    assert reduction.state.measured_mean == pytest.approx(expected.mean)
    assert reduction.state.measured_largest == pytest.approx(expected.largest)
    assert in_the_file() == before


def test_nothing_that_the_user_sees_is_touched(swinging, reduction, background):
    scene = bpy.context.scene
    scene.frame_set(37)
    pose = [bone.matrix.copy() for bone in swinging.pose.bones]
    background.ask(reduction)
    while background._measuring.turn() is not None:
        assert swinging.animation_data.action == reduction.action
        assert scene.frame_current == 37
        assert [bone.matrix for bone in swinging.pose.bones] == pose


def test_it_begins_anew_when_something_else_plays(distil, swinging, reduction, background):
    swinging.posewright.key_count = 5
    background.ask(reduction)
    for _ in range(3):
        background._measuring.turn()
    swinging.posewright.key_count = 9
    background.ask(reduction)
    assert background._measuring.work is None
    turns(background)
    assert reduction.state.measured_count == 9
    assert reduction.state.measured_mean == pytest.approx(distil.measuring.measure(swinging).mean)


def test_keys_that_were_edited_meanwhile_are_not_what_was_measured(distil, swinging, reduction, background):
    background.ask(reduction)
    background._measuring.turn()
    curve = distil.playing(swinging)[0]
    curve.keyframe_points[1].co[1] += 0.3
    curve.update()
    turns(background)
    distil.changes.is_measured(reduction)
    assert not distil.changes.is_measured(reduction)


@pytest.mark.parametrize("what", ["undo", "save", "job", "unregister"])
def test_it_gives_way(swinging, reduction, background, tmp_path, what):
    bpy.ops.ed.undo_push(message="one")
    bpy.ops.ed.undo_push(message="two")
    before = in_the_file()
    background.ask(reduction)
    background._measuring.turn()
    assert in_the_file() != before, "a stand-in plays"
    if what == "undo":
        bpy.ops.ed.undo()
    elif what == "save":
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"), copy=True)
    elif what == "job":
        background.busy.begin(None)
        background.busy.end(None)
    else:
        background.unregister()
    assert in_the_file() == before


def reduce_less(rig):
    rig.posewright.key_count = 5


def edit_and_reduce_less(rig):
    """A key count after an edit writes anew what the edits are."""
    bpy.context.scene.frame_set(60)
    rig.pose.bones[1].rotation_euler.x += 0.4
    rig.pose.bones[1].keyframe_insert("rotation_euler")
    rig.posewright.key_count = 6


def hold_feet(rig):
    rig.posewright.hold = "BAKED"


def more_detail(rig):
    rig.posewright.detail = 0.3


def restore(_rig):
    bpy.ops.posewright.restore()


def apply(_rig):
    bpy.ops.posewright.apply()


def analyze_again(_rig):
    bpy.ops.posewright.analyze()


def show_original(rig):
    rig.posewright.show_original = True


VERBS = (
    reduce_less,
    edit_and_reduce_less,
    hold_feet,
    more_detail,
    restore,
    apply,
    analyze_again,
    show_original,
)


@pytest.mark.parametrize("detail", [0.0, 0.7])
@pytest.mark.parametrize("verb", VERBS)
def test_what_is_done_meanwhile_comes_out_as_ever(swinging, reduction, background, verb, detail):
    """The stand-in that plays the reduced action is nobody who needs it."""
    swinging.posewright.detail = detail
    action, bare = reduction.action, in_the_file()
    background.ask(reduction)
    background._measuring.turn()
    assert in_the_file() != bare, "a stand-in plays"
    verb(swinging)
    assert in_the_file()[1:] == bare[1:], "and gives way"
    reduced = [each for each in bpy.data.actions if each.posewright.source is not None]
    if verb in (restore, apply):
        assert not reduced
        assert swinging.posewright.reduced is None
    else:
        assert len(reduced) == 1
        assert verb is analyze_again or reduced == [action]
    assert [each for each in bpy.data.objects if each.type == "ARMATURE"] == [swinging]


def follow_itself(rig):
    """Have a bone of the rig follow something that hangs from the rig."""
    target = bpy.data.objects.new("Target", None)
    target.parent = rig
    rig.pose.bones[2].constraints.new("COPY_LOCATION").target = target


def test_what_cannot_be_measured_is_let_be_for_a_while(swinging, reduction, background, monkeypatch):
    def fails(_armature):
        raise background.InputError("Leave Edit Mode first.")

    monkeypatch.setattr(background.measuring, "measure_in_steps", fails)
    assert background.ask(reduction)
    assert turns(background) == 0
    assert not background.ask(reduction)
    background._measuring.in_vain_until = 0.0
    assert background.ask(reduction)
    swinging.posewright.show_original = True
    assert not background.ask(reduction), "there is nothing to compare with"


def test_what_would_be_seen_is_never_begun(swinging, reduction, background):
    follow_itself(swinging)
    assert not background.ask(reduction)
    background._measuring.in_vain_until = 0.0
    assert not background.ask(reduction)


@pytest.mark.parametrize("begun", [False, True])
def test_what_would_be_seen_by_now_is_not_begun_again(swinging, reduction, background, begun):
    background.ask(reduction)
    if begun:
        background._measuring.turn()
        background.busy.stop_background()  # it gives way to a drag, and would begin anew after that
    follow_itself(swinging)
    before = in_the_file()
    assert background._measuring.turn() is None
    assert swinging.animation_data.action == reduction.action
    assert in_the_file() == before


def test_an_original_shown_meanwhile_is_not_what_was_measured(distil, swinging, reduction, background):
    background.ask(reduction)
    background._measuring.turn()
    assert background._measuring.work is not None
    before = in_the_file()
    swinging.posewright.show_original = True
    turns(background)
    assert in_the_file() != before, "the stand-in is gone"
    swinging.posewright.show_original = False
    assert not distil.changes.is_measured(reduction)
    assert background.ask(reduction)
    turns(background)
    assert distil.changes.is_measured(reduction)
