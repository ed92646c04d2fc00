# SPDX-License-Identifier: GPL-3.0-or-later
"""Extremes are locked, breakdowns go between them, and keys carry Blender's types."""

import pytest


def key_types(distil, rig):
    curve = distil.playing(rig)[0]
    return {key.co[0]: key.type for key in curve.keyframe_points}


def test_extremes_then_breakdowns(distil, swinging):
    import bpy

    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 6
    assert set(key_types(distil, swinging).values()) == {"KEYFRAME"}
    assert bpy.ops.posewright.lock_extremes() == {"FINISHED"}
    extremes = set(key_types(distil, swinging))
    assert swinging.posewright.problem == ""
    assert swinging.posewright.key_count == 6
    assert key_types(distil, swinging) == dict.fromkeys(extremes, "EXTREME")
    for count in (9, 15):
        swinging.posewright.key_count = count
        types = key_types(distil, swinging)
        assert len(types) == count
        assert {frame for frame, kind in types.items() if kind == "EXTREME"} == extremes
        assert {kind for frame, kind in types.items() if frame not in extremes} == {"BREAKDOWN"}
    swinging.posewright.key_count = 2
    assert set(key_types(distil, swinging)) == extremes, "fewer keys than extremes are not offered"


def test_poses_that_are_held_are_locked_as_they_are(distil, swinging):
    import bpy

    swinging.posewright.interpolation = "STEPPED"
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 6
    blocked = set(key_types(distil, swinging))
    bpy.ops.posewright.lock_extremes()
    assert key_types(distil, swinging) == dict.fromkeys(blocked, "EXTREME")
    swinging.posewright.interpolation = "SMOOTH"
    swinging.posewright.key_count = 12
    assert {frame for frame, kind in key_types(distil, swinging).items() if kind == "EXTREME"} == blocked


def test_unlock_goes_back(distil, swinging):
    import bpy

    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 5
    before = (
        distil.actions.fingerprint(distil.playing(swinging)),
        swinging.posewright.reduced.posewright.token,
    )
    bpy.ops.posewright.lock_extremes()
    assert not bpy.ops.posewright.lock_extremes.poll()
    swinging.posewright.key_count = 12
    assert bpy.ops.posewright.unlock_extremes() == {"FINISHED"}
    assert (
        distil.actions.fingerprint(distil.playing(swinging)),
        swinging.posewright.reduced.posewright.token,
    ) == before
    assert set(key_types(distil, swinging).values()) == {"KEYFRAME"}
    assert not bpy.ops.posewright.unlock_extremes.poll()


def test_tiers_survive_the_file(distil, swinging, tmp_path):
    import bpy

    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 5
    bpy.ops.posewright.lock_extremes()
    swinging.posewright.key_count = 11
    expected = key_types(distil, swinging)
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    distil.reductions._CACHE.clear()
    bpy.ops.wm.open_mainfile(filepath=path)
    rig = bpy.data.objects["Rig"]
    rig.posewright.key_count = 7
    rig.posewright.key_count = 11
    assert key_types(distil, rig) == expected
    bpy.ops.posewright.unlock_extremes()
    rig.posewright.key_count = 3
    assert len(key_types(distil, rig)) == 3
    assert rig.posewright.problem == ""


@pytest.mark.parametrize("algorithm", ["greedy", "decimation", "saliency", "keyposes"])
def test_with_every_algorithm(distil, swinging, algorithm):
    import bpy

    swinging.posewright.algorithm = algorithm
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 6
    extremes = set(key_types(distil, swinging))
    bpy.ops.posewright.lock_extremes()
    swinging.posewright.key_count = 12
    assert swinging.posewright.problem == ""
    assert extremes <= set(key_types(distil, swinging))


def test_locking_keeps_keys_that_were_edited(distil, swinging):
    import bpy

    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 6
    key = distil.playing(swinging)[0].keyframe_points[2]
    frame = key.co[0]
    key.co[1] = edited = key.co[1] + 0.4
    assert bpy.ops.posewright.lock_extremes() == {"FINISHED"}
    values = {key.co[0]: key.co[1] for key in distil.playing(swinging)[0].keyframe_points}
    assert values[frame] == pytest.approx(edited)
    assert set(key_types(distil, swinging).values()) == {"EXTREME"}
    swinging.posewright.key_count = 9
    assert len(key_types(distil, swinging)) == 9


@pytest.mark.parametrize(("name", "value"), [("interpolation", "LINEAR"), ("key_count", 40)])
def test_extremes_stay_if_frames_are_chosen_again_after_retiming(distil, swinging, name, value):
    import bpy

    swinging.posewright.max_keys = 12
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 6
    bpy.ops.posewright.lock_extremes()
    bpy.ops.posewright.retime_pose(frame=1.0, to=-19.0)
    extremes = _extremes(distil, swinging)
    assert len(extremes) == 6
    assert extremes[0] == -19.0
    setattr(swinging.posewright, name, value)
    assert swinging.posewright.problem == ""
    assert _extremes(distil, swinging) == extremes


def _extremes(distil, rig):
    return [frame for frame, kind in key_types(distil, rig).items() if kind == "EXTREME"]
