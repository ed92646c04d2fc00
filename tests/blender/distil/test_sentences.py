# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input gets a sentence: those that no other test comes across, and a check that none is left out."""

import ast
import string
from pathlib import Path

import bpy
import pytest

CHECKOUT = Path(__file__).resolve().parents[3]
# Where Distil's sentences are. Those of core have their own tests.
OPERATORS = (
    *("analyze", "apply", "restore", "sweet_spot", "keys_below", "measure", "lock_extremes"),
    *("reduce_many", "bone_weights", "fixed_frames", "armature_operator", "stepped", "background_job"),
)
SOURCES = (
    *(CHECKOUT / "bridge" / "distil").rglob("*.py"),
    *(CHECKOUT / "operators" / f"{name}.py" for name in OPERATORS),
)
ENOUGH = 14  # letters in a row that tell a sentence from all others


def test_nothing_is_analysed_yet(distil, swinging):
    with pytest.raises(distil.core.InputError, match="Rig is not analysed yet: press Analyze first"):
        distil.reductions.get(swinging).analysis()
    with pytest.raises(RuntimeError, match="poll"):
        bpy.ops.posewright.restore()


def test_extremes_locked_twice_and_unlocked_twice(distil, swinging):
    from bl_ext.user_default.posewright.bridge.distil.solving import extremes

    bpy.ops.posewright.analyze()
    with pytest.raises(distil.core.InputError, match="No extremes are locked"):
        extremes.unlock(swinging)
    bpy.ops.posewright.lock_extremes()
    with pytest.raises(distil.core.InputError, match="locked already: unlock them to choose others"):
        next(extremes.lock_in_steps(swinging, bpy.context.scene))


def test_no_action_for_the_armature(make_rig):
    make_rig(2)
    with pytest.raises(RuntimeError, match="No action in this file moves Rig's bones"):
        bpy.ops.posewright.reduce_actions()


def test_an_algorithm_of_a_newer_version(distil, swinging, monkeypatch):
    """A file may name one that this version does not have."""
    from bl_ext.user_default.posewright.bridge.distil.solving import settings

    monkeypatch.setattr(settings, "ALGORITHMS", {})
    with pytest.raises(RuntimeError, match="There is no algorithm called 'salient': choose another one"):
        bpy.ops.posewright.analyze()


def test_an_override_that_is_not_editable(distil, swinging):
    """Blender makes such overrides of the parts of a hierarchy that nobody asked to edit."""
    from types import SimpleNamespace

    armature = SimpleNamespace(
        name="Rig",
        library=None,
        is_editable=True,
        data=swinging.data,
        animation_data=None,
        override_library=SimpleNamespace(is_system_override=True),
    )
    with pytest.raises(distil.core.InputError, match="make it editable in the Outliner first"):
        distil.editable.check_editable(armature)


def test_the_slider_keeps_the_sentence_until_it_works_again(distil, swinging):
    bpy.ops.posewright.analyze()
    other = distil.swing(swinging, frames=50, name="Other").animation_data.action
    swinging.posewright.key_count = 9
    assert "now plays Other, which was not analysed" in swinging.posewright.problem
    bpy.ops.posewright.back_to_keys()
    assert swinging.posewright.problem == ""
    assert other.name == "Other"


def test_why_a_button_is_grey(distil, make_rig):
    def reason(operator):
        with pytest.raises(RuntimeError) as problem:
            operator()
        return str(problem.value)

    bpy.ops.object.empty_add()
    assert "Select an armature" in reason(bpy.ops.posewright.analyze)
    assert "Select armatures that have actions" in reason(bpy.ops.posewright.reduce_selected)
    rig = make_rig(3, rotation_mode="XYZ")
    for operator in (bpy.ops.posewright.analyze, bpy.ops.posewright.compare, bpy.ops.posewright.pose_sheet):
        assert "Give the armature an action first" in reason(operator)
    rig.animation_data_create().nla_tracks.new().strips.new("Swing", 1, bpy.data.actions.new("Swing"))
    assert "The strips of Rig move nothing that is there" in reason(bpy.ops.posewright.analyze)
    for operator in (bpy.ops.posewright.compare, bpy.ops.posewright.pose_sheet):
        assert "All its animation is in the NLA" in reason(operator)
    rig.animation_data_clear()
    distil.swing(rig)
    assert "Analyze the armature first" in reason(bpy.ops.posewright.apply)
    assert "No frame is fixed" in reason(bpy.ops.posewright.fixed_frame_remove)
    assert "No extremes are locked" in reason(bpy.ops.posewright.unlock_extremes)
    bpy.ops.posewright.analyze()
    bpy.ops.posewright.lock_extremes()
    assert "The extremes are locked already" in reason(bpy.ops.posewright.lock_extremes)


def test_too_small_an_error_says_how_close_it_came(distil, swinging, capfd):
    bpy.ops.posewright.analyze()
    swinging.posewright.wanted_error = 1e-6
    bpy.ops.posewright.keys_below()
    assert "Not even the most keys are within" in "".join(capfd.readouterr())
    assert swinging.posewright.key_count == distil.reductions.get(swinging).analysis().solutions.counts[-1]


def test_every_sentence_is_read_by_a_test():
    read = "\n".join(_strings(path) for path in sorted(Path(__file__).parent.glob("test_*.py")))
    unread = [
        f"{path.relative_to(CHECKOUT)}:{line} {' ... '.join(fragments)}"
        for path in SOURCES
        for line, fragments in _sentences(path)
        if not any(
            fragment[start : start + ENOUGH] in read
            for fragment in fragments
            for start in range(max(len(fragment) - ENOUGH + 1, 0))
        )
    ]
    assert not unread, "\n".join(unread)


def _sentences(path):
    """The fixed fragments of every sentence that a file raises."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call) or getattr(node.func, "id", "") != "InputError":
            continue
        if node.args and isinstance(node.args[0], ast.Constant):
            yield node.lineno, [fragment for fragment, *_ in string.Formatter().parse(node.args[0].value)]


def _strings(path):
    nodes = ast.walk(ast.parse(path.read_text()))
    return "\n".join(
        node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
