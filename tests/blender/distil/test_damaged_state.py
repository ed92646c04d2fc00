# SPDX-License-Identifier: GPL-3.0-or-later
"""What an action knows about itself may be damaged: panels draw, verbs say so, and Analyze mends it."""

import bpy
import pytest

from tests.blender.panel_recorder import draw

DAMAGES = {
    "garbage": lambda text: "no solutions at all",
    "truncated": lambda text: text[: len(text) // 2],
    "other letters": lambda text: "\N{SNOWMAN}" + text[1:],
    "empty": lambda text: "",
}


@pytest.fixture(params=DAMAGES)
def damaged(request, distil, swinging):
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 6
    state = swinging.posewright.reduced.posewright
    state.stored = DAMAGES[request.param](state.stored)
    state.token = "of nothing that is known"
    distil.reductions._CACHE.clear()
    return swinging


def test_panels_draw_and_say_what_to_do(distil, damaged):
    drawn = draw(distil.panels.POSEWRIGHT_PT_distil)
    assert "posewright.analyze" in drawn
    draw(distil.panels.POSEWRIGHT_PT_distil_tiers)


@pytest.mark.parametrize("verb", ["sweet_spot", "keys_below", "measure", "lock_extremes", "pose_sheet"])
def test_verbs_say_so(distil, damaged, verb, capfd):
    with pytest.raises(RuntimeError) as problem:
        getattr(bpy.ops.posewright, verb)()
    assert "Traceback" not in str(problem.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [("key_count", 9), ("interpolation", "LINEAR"), ("detail", 0.5), ("show_markers", True)],
)
def test_properties_keep_a_sentence(distil, damaged, name, value, capfd):
    setattr(damaged.posewright, name, value)
    assert damaged.posewright.problem
    assert "Traceback" not in "".join(capfd.readouterr())


def test_restore_apply_and_analyze_still_work(distil, damaged):
    damaged.posewright.show_original = True
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    damaged.posewright.key_count = 7
    assert damaged.posewright.problem == ""
    state = damaged.posewright.reduced.posewright
    state.stored, state.token = "broken", "again"
    assert bpy.ops.posewright.restore() == {"FINISHED"}
    assert len(distil.playing(damaged)[0].keyframe_points) == 120


OTHER_DAMAGE = [
    ("extremes", "here and there"),
    ("extremes", "3 100000"),
    ("extremes", "-7"),
    ("source_slots", "one two"),
    ("source_slots", "99999999999999999999"),
    ("silenced", "{"),
    ("silenced", "[1, 2]"),
    ("silenced", '{"tracks": 3, "constraints": 7}'),
]


@pytest.mark.parametrize(("name", "value"), OTHER_DAMAGE)
def test_other_words_of_the_action_are_damaged(distil, swinging, name, value, capfd):
    bpy.ops.posewright.analyze()
    state = swinging.posewright.reduced.posewright
    setattr(state.source.posewright if name == "silenced" else state, name, value)
    draw(distil.panels.POSEWRIGHT_PT_distil)
    draw(distil.panels.POSEWRIGHT_PT_distil_tiers)
    for change in ({"key_count": 9}, {"interpolation": "LINEAR"}, {"detail": 0.5}):
        for setting, wanted in change.items():
            setattr(swinging.posewright, setting, wanted)
    swinging.posewright.detail = 0.0
    assert bpy.ops.posewright.restore() == {"FINISHED"}
    assert len(distil.playing(swinging)[0].keyframe_points) == 120
    assert "Traceback" not in "".join(capfd.readouterr())
