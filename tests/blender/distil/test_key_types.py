# SPDX-License-Identifier: GPL-3.0-or-later
"""The types of the source's keys say which of them must stay."""

import pytest


def call(distil, rig, frames, kind):
    for curve in distil.playing(rig):
        for point in curve.keyframe_points:
            if frames is None or point.co.x in frames:
                point.type = kind


def keyed(distil, rig, count):
    import bpy

    bpy.ops.posewright.analyze()
    rig.posewright.key_count = count
    return set(distil.actions.key_frames(distil.reductions.get(rig).curves).tolist())


@pytest.mark.parametrize("kind", ["EXTREME", "BREAKDOWN", "MOVING_HOLD"])
def test_types_that_mean_something_are_kept_if_wanted(distil, swinging, kind):
    call(distil, swinging, {17.0, 18.0, 19.0}, kind)
    assert not {17.0, 18.0, 19.0} <= keyed(distil, swinging, 6)
    swinging.posewright.fix_typed_keys = True
    assert {17.0, 18.0, 19.0} <= keyed(distil, swinging, 6)


def test_among_generated_keys_those_set_by_hand_are_kept(distil, swinging):
    call(distil, swinging, None, "GENERATED")
    call(distil, swinging, {17.0, 18.0, 19.0}, "KEYFRAME")
    swinging.posewright.fix_typed_keys = True
    assert {17.0, 18.0, 19.0} <= keyed(distil, swinging, 6)


def test_plain_keys_and_jitter_say_nothing(distil, swinging):
    call(distil, swinging, {40.0, 41.0, 42.0}, "JITTER")
    plain = keyed(distil, swinging, 6)
    swinging.posewright.fix_typed_keys = True
    assert keyed(distil, swinging, 6) == plain
