# SPDX-License-Identifier: GPL-3.0-or-later
"""Hold Feet on rigs whose legs reach for controls: the controls stay level while a foot stands."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from benchmarks.character_files import generate_rigify
from tests.blender.standing_feet import SLIDES, shift, with_controls, with_few_keys

SIDES = "LR"


@pytest.fixture
def walking(humanoid, distil):
    """Two seconds of a walk by controls, with so few keys that its feet slide."""
    return with_few_keys(with_controls(humanoid()))


@pytest.fixture
def held(walking):
    walking.posewright.hold = "PINS"
    assert walking.posewright.problem == ""
    return walking


def control_curves(distil, rig, control="foot_ik.L", what="location"):
    path = f'pose.bones["{control}"].{what}'
    return sorted(
        (each for each in distil.playing(rig) if each.data_path == path), key=lambda each: each.array_index
    )


def test_keys_of_a_hold_are_level_and_nothing_else_is_made(distil, feet, walking):
    import bpy

    things = {*bpy.data.objects, *bpy.data.collections}
    others = {
        c.data_path: len(c.keyframe_points) for c in distil.playing(walking) if "_ik" not in c.data_path
    }
    walking.posewright.hold = "PINS"
    assert {*bpy.data.objects, *bpy.data.collections} == things
    assert not walking.animation_data.nla_tracks or walking.posewright.reduced.posewright.residual is not None
    now = {c.data_path: len(c.keyframe_points) for c in distil.playing(walking) if "_ik" not in c.data_path}
    assert now == others, "other bones keep their few keys"
    for curve in control_curves(distil, walking):
        holds = [key for key in curve.keyframe_points if key.type == "MOVING_HOLD"]
        assert len(holds) >= 2 * len(feet.contacts(walking)["foot.L"]) - 2
        for first, last in zip(holds[::2], holds[1::2], strict=True):
            assert first.co[1] == last.co[1]
            assert first.handle_right[1] == pytest.approx(first.co[1], abs=1e-6)
            assert last.handle_left[1] == pytest.approx(last.co[1], abs=1e-6)


def test_feet_leave_the_ground_between_two_holds(feet, walking):
    walking.posewright.key_count = 3
    walking.posewright.hold = "PINS"
    heights = feet.points(walking)[:, :, 2]
    for some in feet.contacts(walking).values():
        for before, after in pairwise(some):
            height = heights[before.last : after.first, before.point]
            assert height.max() > height[0] + 0.02


def test_a_control_that_is_moved_in_a_hold_stands_there_at_every_key_count(distil, feet, held):
    number = 1
    contact = feet.contacts(held)["foot.L"][number]
    frames = distil.reductions.get(held).analysis().frames[[contact.first, contact.last]]
    places = feet.places(held)
    before = feet.points(held)[contact.rows, contact.point].mean(axis=0)
    shift(control_curves(distil, held)[0], 0.05, *frames)
    places[number] = feet.points(held)[contact.rows, contact.point].mean(axis=0)
    assert np.linalg.norm(places[number] - before) == pytest.approx(0.05, abs=0.005)
    for count in (9, 4):
        held.posewright.key_count = count
        assert held.posewright.problem == ""
        assert feet.off_place(held, places) < SLIDES
        assert feet.slide(held) < SLIDES


def test_looking_for_controls_leaves_no_trace(distil, walking):
    """With automatic keying on, a pose that nobody keyed, and between two frames."""
    import bpy
    from bl_ext.user_default.posewright.bridge.distil.feet import controls

    scene = bpy.context.scene

    def everything():
        datablocks = {
            name: sorted(each.name for each in getattr(bpy.data, name))
            for name in ("actions", "objects", "armatures", "scenes", "collections")
        }
        posed = {bone.name: bone.matrix_basis.copy() for bone in walking.pose.bones}
        keys = [tuple(key.co) for curve in distil.playing(walking) for key in curve.keyframe_points]
        shown = (scene.frame_current_final, bpy.context.active_object, walking.mode)
        return datablocks, posed, keys, shown, len(bpy.app.handlers.frame_change_post)

    scene.tool_settings.use_keyframe_insert_auto = True
    scene.frame_set(17, subframe=0.25)
    walking.pose.bones["head"].scale.x = 1.125
    before = everything()
    controls._KNOWN.clear()
    found = controls.controls_of(distil.reductions.get(walking))
    scene.tool_settings.use_keyframe_insert_auto = False
    assert {f"foot_ik.{side}" for side in SIDES} == {*found.values()}
    assert everything() == before


def test_a_control_that_no_longer_carries_its_foot_is_none(distil, walking):
    """What is remembered of a rig ends where it is changed."""
    from bl_ext.user_default.posewright.bridge.distil.feet import controls

    reduction = distil.reductions.get(walking)
    assert "foot_ik.L" in controls.controls_of(reduction).values()
    held = walking.pose.bones["foot_ik.L"].constraints.new("LIMIT_LOCATION")
    for axis in "xyz":
        setattr(held, f"use_min_{axis}", True)
        setattr(held, f"use_max_{axis}", True)
    assert {*controls.controls_of(reduction).values()} == {"foot_ik.R"}


@pytest.mark.parametrize("hold", ["BAKED", "PINS"])
def test_a_foot_that_stands_at_the_seam_of_a_loop_stands_in_one_place(distil, feet, humanoid, hold):
    import bpy

    rig = with_controls(humanoid())
    frames = np.arange(1.0, 122.0)
    drift = 0.01 * np.sin((frames - 1.0) / 60.0 * np.pi)  # to one side after the seam, to the other before it
    lift = 0.15 * np.sin(np.clip((frames - 50.0) / 25.0, 0.0, 1.0) * np.pi) ** 2
    way = np.stack([drift, 0.0 * frames, lift], axis=1)
    local = np.linalg.solve(np.array(rig.data.bones["foot_ik.L"].matrix_local)[:3, :3], way.T)
    for curve in list(distil.playing(rig)):
        moves = curve.data_path == 'pose.bones["foot_ik.L"].location'
        values = curve.evaluate(1.0) + (local[curve.array_index] if moves else 0.0 * frames)
        distil.write([curve], frames, values[:, None])
        curve.modifiers.new("CYCLES")
    bpy.ops.posewright.analyze()
    rig.posewright.hold = hold
    assert rig.posewright.problem == ""
    contacts = feet.contacts(rig)["foot.L"]
    assert (contacts[0].first, contacts[-1].last, len(contacts)) == (0, 120, 2)
    points = feet.points(rig)[:, contacts[0].point]
    assert np.linalg.norm(points[-1] - points[0]) < 5e-4
    assert feet.slide(rig) < SLIDES


def test_a_control_may_be_deleted(held, capfd):
    import bpy

    bpy.ops.object.mode_set(mode="EDIT")
    held.data.edit_bones.remove(held.data.edit_bones["foot_ik.L"])
    bpy.ops.object.mode_set(mode="OBJECT")
    held.posewright.key_count = 9
    assert held.posewright.key_count == 9
    held.posewright.hold = "OFF"
    assert held.posewright.hold == "OFF"
    assert "Traceback" not in capfd.readouterr().err


def test_rigify_holds_by_its_own_controls(distil, feet):
    import bpy

    rig = generate_rigify()
    bones = rig.pose.bones
    for frame in range(1, 61):
        moment = (frame - 1) / 30.0
        bones["torso"].location = (0.0, -0.6 * moment, -0.06)
        bones["torso"].keyframe_insert("location", frame=frame)
        for name, phase in (("foot_ik.L", 0.0), ("foot_ik.R", 0.5)):
            step, share = divmod(moment + phase, 1.0)
            swing = max(0.0, (share - 0.6) / 0.4)
            drift = 0.008 * np.sin(8.0 * moment)  # which is what slides in captures
            bones[name].location = (
                0.0,
                0.6 * (phase - step - swing**2 * (3.0 - 2.0 * swing)) + drift,
                0.1 * np.sin(np.pi * swing),
            )
            bones[name].keyframe_insert("location", frame=frame)
    bpy.context.scene.render.fps = 30
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 5
    assert feet.slide(rig) > 0.02
    constraints = sum(len(bone.constraints) for bone in rig.pose.bones)
    for form in ("BAKED", "PINS"):
        rig.posewright.hold = form
        assert rig.posewright.problem == ""
        assert feet.slide(rig) < SLIDES
    assert sum(len(bone.constraints) for bone in rig.pose.bones) == constraints


@pytest.mark.parametrize(
    ("kind", "paws"),
    [
        ("basic_quadruped", ("foot_ik.L", "foot_ik.R", "front_foot_ik.L", "front_foot_ik.R")),
        ("horse", ("hind_foot_ik.L", "hind_foot_ik.R", "forefoot_ik.L", "forefoot_ik.R")),
    ],
)
def test_paws_and_hooves_of_rigify_hold_by_their_controls(distil, feet, kind, paws):
    """Their feet are in pieces, and their heels go up and down with the leg: what stands is below these."""
    import bpy

    rig = generate_rigify(kind)
    height = max(rig.dimensions.z, 0.1)
    bones = rig.pose.bones
    for frame in range(1, 61):
        moment = (frame - 1) / 30.0
        move(bones["torso"], (0.0, -0.3 * moment * height, 0.01 * np.sin(0.5 * frame) * height), frame)
        for number, name in enumerate(paws):
            phase = (0.0, 0.5, 0.25, 0.75)[number]
            step, share = divmod(moment + phase, 1.0)
            swing = max(0.0, (share - 0.5) / 0.5)
            along = 0.3 * (phase - 0.25 - step - swing**2 * (3.0 - 2.0 * swing))
            move(bones[name], (0.0, along * height, 0.08 * np.sin(np.pi * swing) * height), frame)
    bpy.context.scene.render.fps = 30
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 5
    assert all(2 <= len(found) <= 4 for found in feet.contacts(rig).values())
    assert len(feet.contacts(rig)) == 4
    assert feet.slide(rig) > 0.003 * height
    for form in ("BAKED", "PINS"):
        rig.posewright.hold = form
        assert rig.posewright.problem == ""
        assert feet.slide(rig) < 0.0005 * height


def move(bone, place, frame):
    """Key a bone at a place relative to where it rests, along the axes of the armature."""
    bone.location = np.array(bone.bone.matrix_local)[:3, :3].T @ np.array(place)
    bone.keyframe_insert("location", frame=frame)
