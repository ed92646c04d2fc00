# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever goes wrong below, nobody says that it was done: buttons, properties and the command line."""

import importlib

import bpy
import numpy as np
import pytest

PACKAGE = "bl_ext.user_default.posewright"
SENTENCE = "Made to fail: try something else."

# Every verb of Distil, and a function that it cannot do without.
VERBS = (
    ("analyze", {}, "bridge.distil.solving.analysis", "select_with_holds"),
    ("analyze", {}, "bridge.distil.keying", "write_keys"),
    ("analyze", {}, "bridge.distil.reduced_action", "play"),
    ("analyze_selected_keys", {}, "bridge.distil.solving.analysis", "select_with_holds"),
    ("leave_out_first_pose", {}, "bridge.distil.solving.analysis", "select_with_holds"),
    ("retime_by_tapping", {"frames": "5 9"}, "bridge.distil.keying", "write_keys"),
    ("echo_edit", {}, "bridge.distil.editing.echo", "echoes"),
    ("restore", {}, "bridge.distil.endings", "play"),
    ("apply", {}, "bridge.distil.endings", "play"),
    ("back_to_keys", {}, "bridge.distil.reduced_action", "play"),
    ("sweet_spot", {"direction": "NEXT"}, "bridge.distil.keying", "write_keys"),
    ("sweet_spot", {"direction": "PREVIOUS"}, "bridge.distil.reductions", "check_bones"),
    ("suggested_keys", {}, "bridge.distil.keying", "write_keys"),
    ("extend_scene", {}, "bridge.distil.scene_range", "extend"),
    ("keys_below", {}, "bridge.distil.keying", "write_keys"),
    ("keys_below", {}, "bridge.stages", "posed"),
    ("measure", {}, "bridge.stages", "posed"),
    ("lock_extremes", {}, "bridge.distil.solving.analysis", "select_with_holds"),
    ("unlock_extremes", {}, "bridge.distil.keying", "write_keys"),
    ("mark_contact", {"bone": "Bone"}, "bridge.distil.feet.stances", "mark"),
    ("release_edits", {}, "bridge.distil.keying", "write_keys"),
    ("reduce_actions", {}, "bridge.distil.keying", "write_keys"),
    ("reduce_selected", {}, "bridge.distil.keying", "write_keys"),
    ("bone_weights", {"preset": "hierarchy"}, "bridge.distil.solving.weight_presets", "preset_weights"),
    ("fixed_frame_add", {"frames": "12"}, "operators.fixed_frames", "numbers"),
    ("compare", {"algorithms": {"greedy"}}, "bridge.pictures.comparison", "source_action"),
)
PROPERTIES = (
    ("key_count", 9, "bridge.distil.keying", "write_keys"),
    ("interpolation", "LINEAR", "bridge.distil.keying", "write_keys"),
    ("detail", 0.5, "bridge.distil.detail_layer.detail", "write"),
    ("stagger", 2, "bridge.distil.editing.stagger", "bones_of"),
    ("show_original", True, "bridge.distil.reduced_action", "play"),
)


@pytest.fixture
def fails(distil, monkeypatch):
    """Let a function of the extension fail from now on."""

    def let_fail(module, name):
        def fail(*_, **__):
            raise distil.core.InputError(SENTENCE)

        monkeypatch.setattr(importlib.import_module(f"{PACKAGE}.{module}"), name, fail)

    return let_fail


@pytest.fixture
def reduced(distil, swinging):
    """A reduced action with seven keys, an unreduced one beside it, and the rig selected."""
    first = swinging.animation_data.action
    distil.swing(swinging, frames=50, name="Another").animation_data.action.use_fake_user = True
    distil.actions.assign(swinging, first, distil.actions.versions.slots_in(first)[0])
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    swinging.posewright.key_count = 7
    swinging.select_set(True)
    return swinging


def everything(distil, rig):
    asked = rig.posewright
    return (
        [asked.key_count, asked.interpolation, asked.detail, asked.show_original, asked.reduced.name],
        distil.actions.fingerprint(distil.playing(rig)),
        [len(curve.keyframe_points) for curve in distil.playing(rig)],
        sorted(action.name for action in bpy.data.actions),
        [(each.name, each.weight) for each in asked.bone_weights],
        [each.frame for each in asked.fixed_frames],
        [track.name for track in rig.animation_data.nla_tracks],
    )


@pytest.mark.parametrize(("verb", "options", "module", "name"), VERBS)
def test_a_button_reports_what_went_wrong_and_changes_nothing(
    distil, reduced, fails, monkeypatch, verb, options, module, name
):
    if verb == "unlock_extremes":
        bpy.ops.posewright.lock_extremes()
    if verb == "sweet_spot":  # a swing has none that anybody would see
        measuring = importlib.import_module(f"{PACKAGE}.bridge.distil.measuring")
        monkeypatch.setattr(measuring, "sweet_spots_of", lambda _: np.array([4, 12]))
    if verb in {"release_edits", "echo_edit"}:
        distil.playing(reduced)[0].keyframe_points[2].co[1] += 0.3
        reduced.posewright.key_count += 1
    if verb == "suggested_keys":
        reduced.posewright.algorithm = "saliency"  # the only one that suggests a number
        bpy.ops.posewright.analyze()
    if verb == "analyze_selected_keys":
        for curve in distil.playing(reduced):
            for point in curve.keyframe_points:
                point.select_control_point = True
    before = everything(distil, reduced)
    fails(module, name)
    with pytest.raises(RuntimeError, match=SENTENCE):
        getattr(bpy.ops.posewright, verb)(**options)
    assert everything(distil, reduced) == before


@pytest.mark.parametrize(("prop", "value", "module", "name"), PROPERTIES)
def test_a_property_keeps_the_sentence_for_the_panel(distil, reduced, fails, prop, value, module, name):
    before = everything(distil, reduced)
    fails(module, name)
    setattr(reduced.posewright, prop, value)
    assert reduced.posewright.problem == SENTENCE
    assert everything(distil, reduced) == before


def test_every_verb_of_distil_is_tried(distil):
    from bl_ext.user_default.posewright.panels import menu

    tried = {f"posewright.{verb}" for verb, *_ in VERBS}
    assert set(menu.DISTIL) | {"posewright.sweet_spot"} <= tried


def test_another_action_is_not_counted_as_baked(distil, reduced):
    """What was seen: the number went up while the action kept its keys."""
    other = bpy.data.actions["Another"]
    distil.actions.assign(reduced, other, distil.actions.versions.slots_in(other)[0])
    keys = [len(curve.keyframe_points) for curve in distil.playing(reduced)]
    assert not bpy.ops.posewright.sweet_spot.poll()
    with pytest.raises(distil.core.InputError, match="now plays Another, which was not analysed"):
        distil.reduced_action.bake(reduced, 9)
    assert [len(curve.keyframe_points) for curve in distil.playing(reduced)] == keys
