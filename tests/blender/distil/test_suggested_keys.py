# SPDX-License-Identifier: GPL-3.0-or-later
"""The number of keys that an algorithm suggests can be had everywhere."""

import bpy
import pytest

from tests.blender.panel_recorder import draw


def keys_of(distil, rig):
    return distil.actions.key_frames(distil.playing(rig)).tolist()


@pytest.fixture
def by_saliency(swinging):
    swinging.posewright.algorithm = "saliency"
    swinging.posewright.options.saliency.sigma = 1.0
    return swinging


def test_saliency_suggests_a_number_of_keys(distil, by_saliency):
    bpy.ops.posewright.analyze()
    solutions = distil.reductions.get(by_saliency).analysis().solutions
    assert bpy.ops.posewright.suggested_keys() == {"FINISHED"}
    assert by_saliency.posewright.key_count == solutions.own_count
    analysed = distil.reductions.get(by_saliency).analysis()
    assert keys_of(distil, by_saliency) == analysed.frames[solutions.keys(solutions.own_count)].tolist()


def test_the_slider_reaches_what_is_suggested(distil, by_saliency, monkeypatch):
    """Without Most Keys the range of the slider is ours to choose, so it includes the suggestion."""
    monkeypatch.setattr(distil.analysis.Settings, "most_keys", lambda self, frames: self.max_keys or 5)
    bpy.ops.posewright.analyze()
    solutions = distil.reductions.get(by_saliency).analysis().solutions
    assert solutions.own_count > 5
    assert solutions.counts[-1] == solutions.own_count


def test_most_keys_is_the_users_word_and_the_sentence_says_what_to_do(distil, by_saliency):
    by_saliency.posewright.max_keys = 4
    bpy.ops.posewright.analyze()
    before = by_saliency.posewright.key_count
    with pytest.raises(RuntimeError, match="at most 4 were allowed: set Most Keys to zero"):
        bpy.ops.posewright.suggested_keys()
    assert by_saliency.posewright.key_count == before


def test_other_algorithms_say_who_suggests(swinging):
    bpy.ops.posewright.analyze()
    with pytest.raises(RuntimeError, match="choose Saliency"):
        bpy.ops.posewright.suggested_keys()


def test_the_panel_offers_the_number_only_where_there_is_one(distil, by_saliency):
    main = distil.panels.POSEWRIGHT_PT_distil
    bpy.ops.posewright.analyze()
    suggested = distil.reductions.get(by_saliency).analysis().solutions.own_count
    assert f"Use Suggested Keys ({suggested})" in draw(main)
    by_saliency.posewright.algorithm = "greedy"
    bpy.ops.posewright.restore()
    bpy.ops.posewright.analyze()
    assert "Use Suggested Keys" not in draw(main)
