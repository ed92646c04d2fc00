# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters that rest elsewhere than they play, as files have it: at the origin, lying, on their heads."""

from __future__ import annotations

from math import pi

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from tests.blender.test_cousins import build
from tests.blender.test_ready_sets import go_to, level
from tests.core.skeletons import PERSON, both_sides


def ahead(rig, bone):
    return -(rig.matrix_world @ rig.pose.bones[bone].head).y


# How a rest pose is moved and turned from where the character plays.
RESTS = {
    "hips at the origin": Matrix.Translation((0.0, 0.0, -1.0)),
    "a little in the ground": Matrix.Translation((0.0, 0.0, -0.08)),
    "far above": Matrix.Translation((0.0, 0.0, 90.0)),
    "on its back": Matrix.Rotation(-pi / 2.0, 4, "X"),
    "on its belly": Matrix.Rotation(pi / 2.0, 4, "X"),
    "on its side": Matrix.Rotation(pi / 2.0, 4, "Y"),
    "on its head": Matrix.Rotation(pi, 4, "Y"),
    "looking back": Matrix.Rotation(pi, 4, "Z"),
}


@pytest.fixture
def resting_elsewhere(make_rig):
    """A person who stands on the ground by keys of its hips, as BVH and glTF files have it."""

    def make(rest):
        rig = build(make_rig, both_sides(PERSON))
        stands = rig.data.bones["hips"].matrix_local.copy()
        rig.data.transform(RESTS[rest])
        hips = rig.pose.bones["hips"]
        hips.matrix = Matrix.Translation((2.0, 1.0, 0.0)) @ stands
        for path in ("location", "rotation_quaternion"):
            hips.keyframe_insert(path, frame=1)
        bpy.context.view_layer.update()
        return rig

    return make


@pytest.mark.parametrize("rest", RESTS)
def test_ready_sets_are_on_the_ground_that_the_character_is_shown_on(resting_elsewhere, rest):
    """Who rests with its hips at the origin walked below the ground, and who rests on its head walked so."""
    rig = resting_elsewhere(rest)
    bpy.ops.posewright.spatial_set_ready(kind="LOOK")
    bpy.ops.posewright.spatial_set_ready(kind="WALK")
    look, walk = rig.posewright.spatial.sets
    assert look.keys["front"].marker.matrix_world.translation.z == pytest.approx(1.62, abs=0.05)
    for key in walk.keys:
        go_to(rig, key.name)
        assert min(level(rig, toes) for toes in ("toe.L", "toe.R")) == pytest.approx(0.02, abs=0.03)
        assert level(rig, "head") > 1.5


@pytest.mark.parametrize("rest", RESTS)
def test_a_walk_is_drawn_on_the_ground_that_the_character_is_shown_on(resting_elsewhere, rest):
    rig = resting_elsewhere(rest)
    bpy.ops.posewright.spatial_set_ready(kind="WALK")
    path = [{"name": "", "place": (2.0, 1.0 - way, 0.0), "seconds": way} for way in np.linspace(0.0, 3.0, 20)]
    bpy.ops.posewright.spatial_doodle(path=path)
    toes, hips = [], []
    for frame in range(1, round(rig.animation_data.action.frame_range[1]) + 1):
        bpy.context.scene.frame_set(frame)
        toes.append(min(level(rig, bone) for bone in ("toe.L", "toe.R")))
        hips.append((rig.matrix_world @ rig.pose.bones["hips"].head)[:2])
        assert ahead(rig, "toe_end.L") > ahead(rig, "toe.L"), "it goes forward"
    assert np.max(np.abs(np.array(toes) - 0.02)) < 0.05
    np.testing.assert_allclose(hips[0], (2.0, 1.0), atol=0.15)
    np.testing.assert_allclose(hips[-1], (2.0, -2.0), atol=0.15)


def test_a_new_cursor_is_before_who_rests_lying_and_stands(resting_elsewhere):
    for rest in RESTS:
        rig = resting_elsewhere(rest)
        bpy.ops.posewright.spatial_set_add(name="Set")
        place = rig.posewright.spatial.sets[0].cursor.matrix_world.translation
        assert place.y < 1.0 - 0.3, rest
        assert place.x == pytest.approx(2.0, abs=0.01)
        assert 0.5 < place.z < 1.5


def test_poses_are_mirrored_between_the_sides_as_they_are_shown(resting_elsewhere):
    """Of one who rests on the side, the left is above the right there: mirrored, it stood on its head."""
    for rest in RESTS:
        rig = resting_elsewhere(rest)
        arm = rig.pose.bones["upper_arm.L"]
        arm.matrix = arm.matrix @ Matrix.Rotation(1.0, 4, "X")
        bpy.context.view_layer.update()
        places = {bone.name: np.array(bone.head) for bone in rig.pose.bones}
        bpy.ops.posewright.spatial_set_add(name="Set")
        bpy.ops.posewright.spatial_key_add(bones="ALL", name="Key")
        bpy.ops.posewright.spatial_key_mirror()
        rig.animation_data_clear()
        bpy.ops.posewright.spatial_key_go_to()
        hips = np.array(rig.pose.bones["hips"].head)
        for name, place in places.items():
            found = np.array(rig.pose.bones[bpy.utils.flip_name(name)].head) - hips
            expected = (place - places["hips"]) * [-1, 1, 1]
            np.testing.assert_allclose(found, expected, atol=0.02, err_msg=f"{rest}: {name}")
