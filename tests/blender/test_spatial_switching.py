# SPDX-License-Identifier: GPL-3.0-or-later
"""Several sets: one takes over from another, and sets for different bones act together."""

from __future__ import annotations

from itertools import pairwise

import bpy
import numpy as np
import pytest

from tests.blender.spatial_bear import (
    BONES,
    cursor,
    local_turn,
    rest,
    select_bones,
    set_key,
    settings,
    turn,
)


@pytest.fixture
def bear(make_rig):
    """Two sets of one key each on the head (60 and -60 degrees), and one on the left arm."""
    rig = make_rig(BONES, name="Bear")
    for name, bone, angle in (("Left", "head", 60), ("Right", "head", -60), ("Wave", "arm.L", 45)):
        bpy.ops.posewright.spatial_set_add(name=name)
        rest(rig)
        select_bones(rig, bone)
        turn(rig, bone, 0, angle, 0)
        set_key(rig, (0, -2, 1), name, bones="SELECTED")
    rest(rig)
    return rig


def shares(rig):
    return [each.influence for each in settings(rig).sets]


def angle(rig, bone):
    matrix = local_turn(rig, bone)
    return np.degrees(np.arctan2(matrix[0, 2], matrix[0, 0]))


def test_a_new_set_takes_over_its_own_bones_with_its_first_key(bear):
    assert shares(bear) == [0, 1, 1]
    bpy.ops.posewright.spatial_set_add(name="Empty")
    assert shares(bear) == [0, 1, 1, 1], "a set without keys takes nothing from anybody"
    settings(bear).live = True
    assert angle(bear, "head") == pytest.approx(-60, abs=1e-3)


def test_the_keyed_shares_of_the_other_sets_stay_theirs_when_one_is_removed(bear):
    bpy.context.scene.frame_set(20)
    bpy.ops.posewright.spatial_set_switch(index=0, keyed=True)
    bpy.ops.posewright.spatial_set_switch(index=2, keyed=True)
    settings(bear).set_index = 0
    bpy.ops.posewright.spatial_set_remove()
    bpy.context.scene.frame_set(60)
    bpy.context.scene.frame_set(10)
    assert [each.name for each in settings(bear).sets] == ["Right", "Wave"]
    assert shares(bear) == [1, 1]
    bpy.context.scene.frame_set(50)
    assert shares(bear) == [0, 1], "Right was keyed to step back, and still does"


def test_a_set_that_moves_in_the_list_takes_its_keyed_share_along(bear):
    settings(bear).transition = 10
    bpy.context.scene.frame_set(1)
    bpy.ops.posewright.spatial_set_switch(index=0, keyed=True)  # Left acts, Right steps back
    settings(bear).set_index = 0
    bpy.ops.posewright.spatial_set_move(direction="DOWN")
    assert [each.name for each in settings(bear).sets] == ["Right", "Left", "Wave"]
    assert settings(bear).set_index == 1
    for frame, expected in ((1, [1, 0, 1]), (11, [0, 1, 1])):
        bpy.context.scene.frame_set(frame)
        assert shares(bear) == pytest.approx(expected)
    bpy.ops.posewright.spatial_set_move(direction="DOWN")
    bpy.ops.posewright.spatial_set_move(direction="DOWN")  # it is the last one already
    assert [each.name for each in settings(bear).sets] == ["Right", "Wave", "Left"]


@pytest.mark.parametrize("verb", ["move", "remove"])
def test_shares_that_are_keyed_in_the_nla_stay_with_their_sets(bear, verb):
    settings(bear).transition = 10
    bpy.context.scene.frame_set(1)
    bpy.ops.posewright.spatial_set_switch(index=0, keyed=True)  # Left acts, Right steps back
    data = bear.animation_data
    track = data.nla_tracks.new()
    for start in (1, 40):  # one action, played twice
        track.strips.new("switch", start, data.action)
    data.action = None
    settings(bear).set_index = 0
    if verb == "move":
        bpy.ops.posewright.spatial_set_move(direction="DOWN")
    else:
        bpy.ops.posewright.spatial_set_remove()
    for frame, right in ((1, 1), (20, 0)):
        bpy.context.scene.frame_set(frame)
        assert settings(bear).sets["Right"].influence == pytest.approx(right)
        assert settings(bear).sets["Wave"].influence == 1


def test_a_driven_share_stays_with_its_set(bear):
    bear.driver_add("posewright.spatial.sets[1].influence").driver.expression = "frame / 100"
    settings(bear).set_index = 1
    bpy.ops.posewright.spatial_set_move(direction="UP")
    bpy.context.scene.frame_set(50)
    assert settings(bear).sets["Right"].influence == pytest.approx(0.5)


def test_keying_a_switch_changes_nothing_at_its_first_frame_however_often(bear):
    settings(bear).transition = 10
    bpy.context.scene.frame_set(20)
    for _ in range(2):
        bpy.ops.posewright.spatial_set_switch(index=0, keyed=True)
        assert shares(bear) == [0, 1, 1]
        assert settings(bear).set_index == 0
    for frame, expected in ((20, [0, 1, 1]), (30, [1, 0, 1])):
        bpy.context.scene.frame_set(frame)
        assert shares(bear) == expected


def test_a_switch_cannot_be_keyed_in_an_action_of_another_file(bear, tmp_path):
    bpy.ops.posewright.spatial_set_switch(index=0, keyed=True)
    action = bear.animation_data.action
    name = action.name
    bpy.data.libraries.write(str(tmp_path / "actions.blend"), {action})
    bpy.data.actions.remove(action)
    with bpy.data.libraries.load(str(tmp_path / "actions.blend"), link=True) as (_, wanted):
        wanted.actions = [name]
    bear.animation_data.action = wanted.actions[0]
    before = shares(bear)
    with pytest.raises(RuntimeError, match="is linked from another file and cannot be keyed"):
        bpy.ops.posewright.spatial_set_switch(index=1, keyed=True)
    assert shares(bear) == before


def test_switching_leaves_sets_that_move_other_bones_alone(bear):
    bpy.ops.posewright.spatial_set_switch(index=0)
    assert shares(bear) == [1, 0, 1]
    bpy.ops.posewright.spatial_set_switch(index=1)
    assert shares(bear) == [0, 1, 1]
    settings(bear).live = True
    assert angle(bear, "head") == pytest.approx(-60, abs=1e-3)
    assert angle(bear, "arm.L") == pytest.approx(45, abs=1e-3)


def test_keyed_switching_blends_from_one_set_to_the_other(bear):
    bpy.ops.posewright.spatial_set_switch(index=0)
    settings(bear).transition = 10
    bpy.context.scene.frame_set(20)
    bpy.ops.posewright.spatial_set_switch(index=1, keyed=True)
    settings(bear).live = True
    seen = []
    for frame in (1, 20, 23, 25, 27, 30, 50):
        bpy.context.scene.frame_set(frame)
        seen.append(angle(bear, "head"))
    assert seen[:2] == pytest.approx([60, 60], abs=1e-3)
    assert seen[3] == pytest.approx(0, abs=1e-2)
    assert seen[-2:] == pytest.approx([-60, -60], abs=1e-3)
    assert all(first >= second - 1e-3 for first, second in pairwise(seen))


def test_a_keyed_switch_is_baked_as_it_is_shown(bear):
    bpy.ops.posewright.spatial_set_switch(index=0)
    settings(bear).transition = 10
    bpy.context.scene.frame_set(5)
    bpy.ops.posewright.spatial_set_switch(index=1, keyed=True)
    settings(bear).live = True
    bpy.context.scene.frame_set(8)
    shown = angle(bear, "head"), angle(bear, "arm.L")
    settings(bear).live = False
    bpy.ops.posewright.bake_cursor(frame_start=1, frame_end=20)
    bpy.context.scene.frame_set(8)
    assert (angle(bear, "head"), angle(bear, "arm.L")) == pytest.approx(shown, abs=1e-3)


def test_removing_the_acting_set_leaves_another_acting(bear):
    bpy.ops.posewright.spatial_set_switch(index=0)
    settings(bear).sets[2].influence = 0
    bpy.ops.posewright.spatial_set_remove()
    assert sum(shares(bear)) > 0


def test_switching_to_a_set_that_is_not_there(bear):
    with pytest.raises(RuntimeError, match="no set number 7"):
        bpy.ops.posewright.spatial_set_switch(index=7)


def test_each_set_has_its_own_cursor(bear):
    assert len({each.cursor for each in settings(bear).sets}) == 3
    assert cursor(bear) == settings(bear).sets[2].cursor
