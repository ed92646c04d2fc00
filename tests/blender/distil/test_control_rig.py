# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigify's human, animated as animators do: its controls are keyed, what deforms decides, switches switch."""

from math import sin

import numpy as np
import pytest

from benchmarks.character_files import TURNED, animate_rigify, generate_rigify

FRAMES = np.arange(1.0, 61.0)
STILL = ("shoulder.L", "thigh_ik.R", "MCH-spine")


@pytest.fixture
def human(distil):
    """The torso, IK of feet and a hand and FK of an arm move; others are keyed and stand still.

    The right arm goes from FK to IK and back, and a property that nothing reads goes up and down.
    """
    rig = generate_rigify()
    animate_rigify(rig, len(FRAMES))
    bones = rig.pose.bones
    for name in STILL:
        bones[name].rotation_mode = "XYZ"
    bones["torso"]["mood"] = 0.0
    for frame in FRAMES:
        for name in STILL:
            bones[name].keyframe_insert("rotation_euler", frame=frame)
        bones["torso"]["mood"] = sin(frame / 8.0)
        bones["torso"].keyframe_insert('["mood"]', frame=frame)
    return rig


def deforming(distil, rig):
    """Where the deforming bones are, as Blender evaluates them."""
    names = [bone.name for bone in rig.data.bones if bone.use_deform]
    return distil.sampling.sample(rig, FRAMES, bones=names).positions


def keys_of(distil, rig):
    found = {}
    for curve in distil.playing(rig):
        name = curve.data_path.split('"')[1] + (
            curve.data_path.split('"')[3] if "][" in curve.data_path else ""
        )
        found.setdefault(name, set()).add(len(curve.keyframe_points))
    return found


def test_controls_are_keyed_and_what_deforms_stays_near(distil, human):
    import bpy

    original = deforming(distil, human)
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    human.posewright.key_count = 12
    keys = keys_of(distil, human)
    moving = {"torso", "foot_ik.L", "foot_ik.R", "hand_ik.L", *TURNED}
    assert {max(keys[name]) for name in moving} == {12}
    assert {name: keys[name] for name in STILL} == {name: {1} for name in STILL}
    assert set(keys) == {*moving, *STILL, "torsomood", "upper_arm_parent.RIK_FK"}, "no other bone got a key"
    far = np.linalg.norm(deforming(distil, human) - original, axis=2)
    assert far.mean() < 0.004
    measured = distil.measuring.measure(human)
    assert measured.mean == pytest.approx(far.mean(), rel=0.1)
    human.posewright.key_count = 30
    assert np.linalg.norm(deforming(distil, human) - original, axis=2).max() < 0.01


def test_switches_keep_their_keys_and_what_moves_nothing_is_not_lost(distil, human):
    import bpy

    curves = {curve.data_path: curve for curve in distil.playing(human)}
    [mood] = [path for path in curves if "mood" in path]
    before = [curves[mood].evaluate(frame) for frame in FRAMES]
    bpy.ops.posewright.analyze()
    human.posewright.key_count = 14
    curves = {curve.data_path: curve for curve in distil.playing(human)}
    [switch] = [curve for path, curve in curves.items() if "IK_FK" in path]
    assert [tuple(key.co) for key in switch.keyframe_points] == [(1, 1), (30, 1), (31, 0), (45, 0), (46, 1)]
    assert {switch.evaluate(frame) for frame in FRAMES} == {0.0, 1.0}
    after = [curves[mood].evaluate(frame) for frame in FRAMES]
    assert np.abs(np.subtract(after, before)).max() < 0.25


def test_parts_of_the_body_are_those_that_deform(distil):
    import bpy

    rig = generate_rigify()
    for preset, bones in (("hand", ("DEF-hand.L", "DEF-f_index.01.R")), ("foot", ("DEF-toe.R",))):
        bpy.ops.posewright.bone_weights(preset=preset)
        weights = {each.name: each.weight for each in rig.posewright.bone_weights}
        assert {weights[bone] for bone in bones} == {4.0}
        assert weights["DEF-spine"] == weights["DEF-shin.L"] == 1.0


def test_a_limb_is_staggered_by_the_controls_that_it_follows(distil, human):
    import bpy

    bpy.ops.posewright.analyze()
    human.posewright.key_count = 9
    analysis = distil.reductions.get(human).analysis()
    columns = analysis.frames[analysis.keys(9)]
    for part, late in (("left arm", {"hand_ik.L"}), ("right leg", {"foot_ik.R"}), ("head", {"head"})):
        human.posewright.stagger_part = part
        human.posewright.stagger = 2
        assert human.posewright.problem == ""
        assert human.posewright.stagger == 2
        frames = {
            curve.data_path.split('"')[1]: [point.co.x for point in curve.keyframe_points]
            for curve in distil.playing(human)
            if len(curve.keyframe_points) == 9
        }
        moved = {name for name, found in frames.items() if found[1] == columns[1] + 2}
        assert moved == late, "chest and torso are no limb's own"
        human.posewright.stagger = 0


def test_what_carries_feet_is_looked_for_again_with_every_analysis(distil, human):
    """Legs that were analysed in FK by mistake and switched to IK have controls by then."""
    import bpy
    from bl_ext.user_default.posewright.bridge.distil.feet import controls

    def after_analysis(switch):
        for side in "LR":
            human.pose.bones[f"thigh_parent.{side}"]["IK_FK"] = switch
        human.update_tag()
        bpy.context.view_layer.update()
        bpy.ops.posewright.analyze()
        found = controls.controls_of(distil.reductions.get(human))
        return {bone for end, bone in found.items() if "foot" in end}

    assert after_analysis(1.0) == set()
    assert after_analysis(0.0) == {"foot_ik.L", "foot_ik.R"}
