# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes are kept beside each other, played, recorded over and thrown away."""

from __future__ import annotations

import importlib

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.blender.spatial_bear import FIVE_KEYS, bear_with_five_keys, local_turn, settings


@pytest.fixture
def takes(posewright):
    return importlib.import_module(f"{posewright.__name__}.bridge.spatial.takes.kept_takes")


@pytest.fixture
def bear(make_rig):
    rig = bear_with_five_keys(make_rig)
    settings(rig).record_takes = True
    return rig


@pytest.fixture
def record(session):
    def record(rig, key):
        performance = session(rig, bpy.context.scene)
        performance.start_recording(24.0)
        for time, place in ((1.0, FIVE_KEYS["front"][0]), (9.0, FIVE_KEYS[key][0])):
            performance.move_cursor(Vector(place))
            bpy.context.view_layer.update()
            performance.record(time)
        performance.write(error=None)
        performance.end()
        performance.end()  # as when the file is saved meanwhile

    return record


def head_at(rig, frame):
    bpy.context.scene.frame_set(1)
    bpy.context.scene.frame_set(frame)
    return local_turn(rig, "head").copy()


def test_every_recording_is_a_take_that_can_be_played_again(bear, record, takes):
    ends = []
    for key in ("left", "up", "down"):
        record(bear, key)
        ends.append(head_at(bear, 9))
    tracks = takes.takes_of(bear)
    assert [track.name for track in tracks] == ["Take 1", "Take 2", "Take 3"]
    assert all(track.mute for track in tracks)
    for index in (0, 2, 1):
        bpy.ops.posewright.spatial_take_choose(index=index)
        assert takes.playing(bear) == index
        np.testing.assert_allclose(head_at(bear, 9), ends[index], atol=1e-5)


def test_recording_over_a_take_leaves_it_as_it_is(bear, record, takes):
    record(bear, "left")
    kept = head_at(bear, 9)
    bpy.ops.posewright.spatial_take_choose(index=0)
    record(bear, "down")
    assert np.abs(head_at(bear, 9) - kept).max() > 0.1
    assert len(takes.takes_of(bear)) == 2
    bpy.ops.posewright.spatial_take_choose(index=0)
    np.testing.assert_allclose(head_at(bear, 9), kept, atol=1e-5)


def test_a_take_is_thrown_away(bear, record, takes):
    record(bear, "left")
    record(bear, "up")
    bpy.ops.posewright.spatial_take_delete(index=0)
    assert [track.name for track in takes.takes_of(bear)] == ["Take 2"]
    assert "Bear take 1" not in bpy.data.actions
    record(bear, "down")
    assert [track.name for track in takes.takes_of(bear)] == ["Take 2", "Take 3"], (
        "numbers are not used twice"
    )
    bpy.ops.posewright.spatial_take_choose(index=0)
    bpy.ops.posewright.spatial_take_delete(index=0)
    assert bear.animation_data.action.name == "Bear take 2", "what plays goes on"


def test_who_walked_in_another_take_stands_where_that_began(bear, record, takes):
    record(bear, "left")
    for frame, place in ((1, (0.5, 0, 0)), (9, (4, 3, 0))):
        bear.location = place
        bear.keyframe_insert("location", frame=frame)
    bear.rotation_euler[2] = 0.3  # has no keys
    takes.keep(bear)
    bpy.context.scene.frame_set(9)
    takes.choose(bear, 0)
    bpy.context.scene.frame_set(5)
    assert tuple(bear.location) == (0.5, 0.0, 0.0)
    assert bear.rotation_euler[2] == pytest.approx(0.3)
    takes.choose(bear, 1)
    bpy.context.scene.frame_set(9)
    assert tuple(bear.location) == (4.0, 3.0, 0.0)


def test_nothing_is_kept_unless_it_is_wanted(bear, record, takes):
    settings(bear).record_takes = False
    record(bear, "left")
    assert not takes.takes_of(bear)
    with pytest.raises(RuntimeError, match="No take was kept"):
        bpy.ops.posewright.spatial_take_choose(index=0)


def test_takes_survive_a_file(bear, record, takes, tmp_path):
    record(bear, "left")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "takes.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "takes.blend"))
    [track] = takes.takes_of(bpy.data.objects["Bear"])
    assert track.name == "Take 1"


def test_what_the_user_put_beside_a_take_stays(bear, record, takes):
    record(bear, "left")
    [track] = takes.takes_of(bear)
    track.strips.new("Mine", 500, bpy.data.actions.new("Mine"))
    bpy.ops.posewright.spatial_take_delete(index=0)
    assert [strip.name for track in bear.animation_data.nla_tracks for strip in track.strips] == ["Mine"]
    assert not takes.takes_of(bear)
