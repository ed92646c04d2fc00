# SPDX-License-Identifier: GPL-3.0-or-later
"""Hold Feet, baked: any rotation mode, nothing else suffers; contacts by hand, and what is told of feet."""

from __future__ import annotations

import numpy as np
import pytest

from tests.blender.standing_feet import SLIDES, with_few_keys
from tests.blender.test_dialogs import Asked


@pytest.mark.parametrize("mode", ["QUATERNION", "ZXY", "AXIS_ANGLE"])
def test_whatever_the_rotation_mode(feet, humanoid, distil, mode):
    """The mode is changed before the motion is keyed anew from what plays."""
    import bpy

    rig = humanoid()
    if mode != rig.pose.bones[0].rotation_mode:
        _key_in_mode(rig, mode)
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 6
    rig.posewright.hold = "BAKED"
    assert rig.posewright.problem == ""
    assert feet.slide(rig) < SLIDES


def _key_in_mode(rig, mode):
    import bpy

    scene = bpy.context.scene
    matrices = {}
    for frame in range(scene.frame_start, scene.frame_end + 1, 4):
        scene.frame_set(frame)
        matrices[frame] = [bone.matrix_basis.copy() for bone in rig.pose.bones]
    rig.animation_data_clear()
    for frame, found in matrices.items():
        for bone, matrix in zip(rig.pose.bones, found, strict=True):
            bone.rotation_mode = mode
            bone.matrix_basis = matrix
            attribute = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(mode)
            bone.keyframe_insert(attribute or "rotation_euler", frame=frame)
            if bone.parent is None:
                bone.keyframe_insert("location", frame=frame)


def test_only_legs_and_hips_are_touched(distil, walking):
    walking.posewright.hold = "BAKED"
    residual = walking.posewright.reduced.posewright.residual
    curves = distil.actions.bag_of(residual, distil.actions.slot_of(walking)).fcurves
    dense = {curve.data_path.split('"')[1] for curve in curves if not curve.mute}
    assert dense <= {
        "hips",
        *(f"{part}.{side}" for part in ("thigh", "shin", "foot", "toe") for side in "LR"),
    }


def test_detail_plays_as_strongly_as_without(distil, walking):
    """Away from the feet."""
    frames = distil.reductions.get(walking).analysis().frames

    def hand():
        return distil.sampling.sample(walking, frames, bones=["hand.L", "head"]).positions

    walking.posewright.detail = 0.6
    without = hand()
    walking.posewright.hold = "BAKED"
    hips = np.abs(hand() - without).max()
    assert hips < 0.02  # the hips may have given way a little
    walking.posewright.hold = "OFF"
    np.testing.assert_allclose(hand(), without, atol=1e-6)
    assert walking.posewright.detail == pytest.approx(0.6)


def test_contacts_are_found_once_and_kept(feet, walking):
    found = feet.contacts(walking)
    assert set(found) == {"foot.L", "foot.R"}
    assert walking.posewright.reduced.posewright.contacts
    walking.posewright.reduced.posewright.contacts = "{damaged"
    again = feet.contacts(walking)
    assert [(c.first, c.last) for c in again["foot.L"]] == [(c.first, c.last) for c in found["foot.L"]]


def test_a_rig_that_was_changed_is_looked_at_again(feet, walking, distil):
    """How an original stands is remembered, by what it is made of: not only the source tells that."""
    import bpy

    reduction = distil.reductions.get(walking)
    stood = feet.stances.reference(reduction).head("foot.L")
    walking.data.bones["toe.R"].name = "Zeh"
    assert set(feet.stances.reference(reduction).bones) <= set(walking.pose.bones.keys())
    constraint = walking.pose.bones["hips"].constraints.new("LIMIT_LOCATION")
    constraint.use_min_x, constraint.min_x = True, 5.0
    bpy.context.view_layer.update()
    assert np.abs(feet.stances.reference(reduction).head("foot.L") - stood).max() > 1.0


def test_what_never_stands_cannot_be_held(distil, swinging):
    import bpy

    bpy.ops.posewright.analyze()
    swinging.posewright.hold = "BAKED"
    assert "stands still" in swinging.posewright.problem
    assert swinging.posewright.hold == "OFF"


@pytest.mark.parametrize("scale", [(1.0, 1.3, 0.8), (1.0, 1.0, 1.05)])
def test_who_is_scaled_unevenly_is_held_by_pins_alone(feet, walking, scale):
    """Legs that are distorted change their lengths as they turn, which no turn can make up for."""
    import bpy

    walking.scale = scale
    bpy.context.view_layer.update()
    walking.posewright.hold = "BAKED"
    assert "even scale" in walking.posewright.problem
    assert walking.posewright.hold == "OFF"
    walking.posewright.hold = "PINS"
    assert (walking.posewright.hold, walking.posewright.problem) == ("PINS", "")
    assert feet.slide(walking) < SLIDES


def test_who_is_scaled_evenly_or_mirrored_is_held(feet, walking):
    import bpy

    walking.scale = (-0.5, 0.5, 0.5)
    bpy.context.view_layer.update()
    walking.posewright.hold = "BAKED"
    assert walking.posewright.problem == ""
    assert feet.slide(walking) < 0.5 * SLIDES


@pytest.mark.parametrize("hold", ["BAKED", "PINS"])
@pytest.mark.parametrize("scaled", ["object", "hips"])
def test_who_is_scaled_to_nothing_at_first_is_held_once_there(feet, humanoid, set_keys, scaled, hold):
    """As characters are made to appear. Nobody stands there before, and nothing was held at all."""
    import bpy

    rig = humanoid()
    owner = rig if scaled == "object" else rig.pose.bones["hips"]
    set_keys(owner, "scale", {1: (0.0,) * 3, 40: (0.0,) * 3, 41: (1.0,) * 3})
    bpy.context.scene.frame_set(100)
    with_few_keys(rig)
    rig.posewright.hold = hold
    assert (rig.posewright.problem, rig.posewright.hold) == ("", hold)
    assert min(each.first for some in feet.contacts(rig).values() for each in some) >= 40
    assert feet.slide(rig) < SLIDES


def test_a_form_that_there_is_none_of(distil, walking):
    with pytest.raises(distil.core.InputError, match="choose one of"):
        distil.reduced_action.set_hold(walking, "GLUED")


def test_feet_that_do_not_hang_from_the_legs_are_held_by_themselves(feet, import_character, distil):
    """As in rigs whose legs reach for the feet; exported, these have keys of their own."""
    import bpy

    rig = import_character("RobotExpressive.glb", "WalkJump")
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 2
    assert feet.slide(rig) > 0.05
    rig.posewright.hold = "BAKED"
    assert rig.posewright.problem == ""
    assert feet.slide(rig) < SLIDES


@pytest.mark.parametrize("hold", ["BAKED", "PINS"])
@pytest.mark.parametrize("action", ["Unarmed_Melee_Attack_Kick", "Spellcast_Shoot"])
def test_a_leg_is_reached_though_the_hips_are_turned_away(import_character, distil, action, hold):
    """With two keys the pelvis does not turn, and the way to the original's leads away from the foot."""
    import bpy

    knight = import_character("Knight.glb", action)
    bpy.ops.posewright.analyze()
    knight.posewright.key_count = 2
    knight.posewright.hold = hold
    assert knight.posewright.problem == ""
    assert distil.measuring.measure(knight).quality.worst_slide < SLIDES


def test_contacts_can_be_marked_by_hand(feet, walking, distil):
    import bpy

    walking.posewright.hold = "BAKED"
    before = len(feet.contacts(walking)["foot.L"])
    bpy.ops.posewright.mark_contact(bone="toe.L", first=1, last=240, stands=False)
    assert feet.contacts(walking)["foot.L"] == []
    assert len(feet.contacts(walking)["foot.R"]) > 0
    bpy.ops.posewright.mark_contact(bone="shin.L", first=20, last=60)
    [marked] = feet.contacts(walking)["foot.L"]
    assert (marked.first, marked.last) == (19, 59)
    assert before > 0
    assert feet.slide(walking) < SLIDES  # the marked one is held as well
    bpy.ops.posewright.mark_contact(bone="hand.R", first=10, last=40)
    assert feet.slide(walking) < SLIDES
    bpy.ops.posewright.analyze()
    assert (feet.contacts(walking)["foot.L"][0].first, len(feet.contacts(walking)["hand.R"])) == (19, 1)
    said = feet.stances.by_hand(distil.reductions.get(walking))
    assert said == {"foot.L": [(1.0, 240.0)], "hand.R": [(10.0, 40.0)]}


def test_strips_show_the_contacts_and_what_was_said_by_hand(feet, walking, distil):
    import bpy
    from bl_ext.user_default.posewright.drawing.contact_lanes import lanes_of

    reduction = distil.reductions.get(walking)
    assert lanes_of(reduction) == ()
    walking.posewright.hold = "BAKED"
    bpy.ops.posewright.mark_contact(bone="foot.R", first=20, last=60)
    left, right = lanes_of(reduction)
    assert (left.side, right.side) == (-1, 1)
    assert list(left.stretches) == feet.stances.frames_of(reduction)["foot.L"]
    assert (left.by_hand, right.by_hand) == ((), ((20.0, 60.0),))


def test_the_dialog_offers_what_can_stand(walking):
    from bl_ext.user_default.posewright.operators import mark_contact

    offered = mark_contact.offered_limbs
    assert offered(walking, "") == ["foot.L", "foot.R", "hand.L", "hand.R"]
    assert offered(walking, "FOOT") == ["foot.L", "foot.R"]
    assert offered(walking, "shin.L") == offered(walking, ""), "nothing is offered less than everything"


def test_hips_that_are_said_to_be_a_control(import_character, capfd):
    """It is no part of the body, and where it is was not looked at: the slider printed a traceback."""
    import bpy

    knight = import_character("Knight.glb", "1H_Melee_Attack_Chop")
    knight.posewright.character.hips = "IK-foot.l"
    bpy.ops.posewright.analyze()
    for hold, hips in (("BAKED", "IK-foot.l"), ("PINS", "IK-foot.l"), ("BAKED", "IK-foot.r")):
        knight.posewright.character.hips = hips
        knight.posewright.hold = hold
        assert (knight.posewright.problem, knight.posewright.hold) == ("", hold)
    assert "Traceback" not in capfd.readouterr().err


def test_what_does_not_stand_is_all_of_the_contact_that_is_looked_at(feet, walking, distil):
    """Its ends are in no panel to be read, and a gap of one frame is what nobody wants."""
    import bpy

    walking.posewright.hold = "BAKED"
    first, last = feet.stances.frames_of(distil.reductions.get(walking))["foot.L"][1]
    walking.data.bones.active = walking.data.bones["shin.L"]
    bpy.context.scene.frame_set(round((first + last) / 2))
    asked = Asked(stands=False).invoked(mark_contact())
    assert (asked.bone, asked.first, asked.last) == ("shin.L", first, last)
    now = float(bpy.context.scene.frame_current)
    asked = Asked(stands=True).invoked(mark_contact())
    assert (asked.first, asked.last) == (now, now)
    asked = Asked(stands=False, last=now).invoked(mark_contact())
    assert (asked.first, asked.last) == (first, now), "what was given stays"
    bpy.context.scene.use_preview_range = True
    bpy.context.scene.frame_preview_start, bpy.context.scene.frame_preview_end = 20, 60
    asked = Asked(stands=False).invoked(mark_contact())
    assert (asked.first, asked.last) == (20.0, 60.0)
    bpy.context.scene.use_preview_range = False
    for bone, frame in (("head", now), ("shin.L", last + 1.0)):  # no limb; in the air
        walking.data.bones.active = walking.data.bones[bone]
        bpy.context.scene.frame_set(round(frame))
        asked = Asked(stands=False).invoked(mark_contact())
        assert (asked.first, asked.last) == (frame, frame)


def mark_contact():
    from bl_ext.user_default.posewright.operators import mark_contact as operators

    return operators.POSEWRIGHT_OT_mark_contact


def test_marks_that_make_no_sense_are_told(walking):
    import bpy

    with pytest.raises(RuntimeError, match="no leg and no arm"):
        bpy.ops.posewright.mark_contact(bone="head", first=1, last=9)
    with pytest.raises(RuntimeError, match="outside"):
        bpy.ops.posewright.mark_contact(bone="foot.L", first=5000, last=5009)


def test_measure_tells_the_slide(feet, walking, distil):
    figures = distil.measuring.measure(walking)
    np.testing.assert_allclose(sorted(figures.quality.slides), sorted(feet.slides(walking)), atol=1e-4)
    assert figures.quality.worst_slide > 0.02
    walking.posewright.hold = "BAKED"
    assert distil.measuring.measure(walking).quality.worst_slide < SLIDES


def test_knees_of_straight_legs_bend_and_not_back(import_character, distil, feet):
    """Reduced, they are bent back by a degree; and IK leaves a leg that is straight as it is.

    The source has keys between frames, too, where nobody looks for a slide.
    """
    import bpy

    knight = import_character("Knight.glb", "1H_Melee_Attack_Slice_Horizontal")
    bpy.ops.posewright.analyze()
    frames = distil.reductions.get(knight).analysis().frames
    for hold, count in (("BAKED", 3), ("PINS", 3), ("PINS", 8)):
        knight.posewright.key_count = count
        knight.posewright.hold = hold
        assert distil.measuring.measure(knight).quality.worst_slide < SLIDES
        for side in "lr":
            bones = [f"{name}.{side}" for name in ("upperleg", "lowerleg", "foot")]
            posed = feet.stances.posed_now(knight, frames, bones)
            hip, knee, ankle = map(posed.head, bones)
            bent = np.einsum("fij,fi->fj", posed.rotations(bones[1]), np.cross(knee - hip, ankle - knee))
            assert np.all(bent @ bent[0] >= -1e-4 * bent[0] @ bent[0])


@pytest.mark.parametrize("detail", [0.0, 0.5])
def test_feet_stay_between_whole_frames_as_well(import_character, feet, detail):
    """A knee turns by 50 degrees within a frame, and moved its foot by 22 mm on the way."""
    import bpy

    knight = import_character("Knight.glb", "1H_Melee_Attack_Slice_Horizontal")
    bpy.ops.posewright.analyze()
    knight.posewright.key_count = 8
    knight.posewright.detail = detail
    knight.posewright.hold = "BAKED"
    contacts, whole = feet.all_contacts(knight), feet.points(knight)
    for later in (0.25, 0.5, 0.8):
        between = feet.points(knight, later)
        for each in contacts:
            inside = slice(each.first, each.last)
            apart = between[inside, each.point] - whole[inside, each.point]
            assert np.linalg.norm(apart, axis=1).max() < 0.003


def test_what_was_measured_is_kept_with_the_action(walking, distil):
    figures = distil.measuring.measure(walking)
    reduction = distil.reductions.get(walking)
    kept = distil.changes.measured_quality(reduction)
    assert kept == figures.quality
    assert kept.worst_slide > kept.slide > 0.0
    assert kept.added_jerk > 0.0
    assert 0.0 < kept.beside[0] < kept.beside[1] < kept.beside[2]
    reduction.state.measured_quality = "{damaged"
    assert distil.changes.measured_quality(reduction).slides == ()


def test_the_report_is_a_line_in_the_units_of_the_panel(distil, walking, capfd):
    """Blender cuts the middle out of a longer one. The panel Quality shows the rest."""
    import bpy

    from tests.blender.panel_recorder import draw

    bpy.ops.posewright.measure()
    (said,) = (line for line in capfd.readouterr().out.splitlines() if "Mean error" in line)
    shown = draw(distil.panels.POSEWRIGHT_PT_distil_quality)
    assert "not measured" not in shown
    for row in ("Slides Farthest", "Sinks", "Added Jerk", "Points Beside Bones", "50% Within", "99% Within"):
        assert row in shown
    assert len(said) < 150
    length = distil.lengths.length
    figures = distil.changes.measured_quality(distil.reductions.get(walking))
    for value in (figures.slide, figures.worst_slide):
        assert length(bpy.context, value) in said
    assert length(bpy.context, figures.worst_slide) in shown


def test_beside_bones_is_what_their_matrices_say(feet, walking, distil):
    """Against matrices that are read frame by frame, another way."""
    from bl_ext.user_default.posewright.bridge import character
    from bl_ext.user_default.posewright.core import metrics

    figures = distil.measuring.measure(walking)
    reduction = distil.reductions.get(walking)
    bones, frames = character.bones_that_matter(walking), reduction.analysis().frames
    played = feet.stances.posed_now(walking, frames, bones).matrices
    walking.posewright.show_original = True
    original = feet.stances.posed_now(walking, frames, bones).matrices
    distance = 0.03 * figures.height / 1.7
    errors = metrics.errors_beside_bones(original, played, distance)
    np.testing.assert_allclose(figures.quality.beside, np.percentile(errors, [50, 95, 99]), rtol=1e-3)


def test_the_fewest_keys_with_which_no_foot_slides_farther(walking, distil):
    import bpy

    asked = walking.posewright
    asked.wanted_what, asked.wanted_slide = "SLIDE", 0.3
    assert bpy.ops.posewright.keys_below() == {"FINISHED"}
    wanted, count = 0.003 * distil.sampling.height_of(walking), asked.key_count
    assert distil.measuring.measure(walking).quality.added_slide <= wanted
    counts = distil.reductions.get(walking).analysis().solutions.counts
    assert counts[0] < count < counts[-1]
    asked.key_count = int(counts[counts < count][-1])
    assert distil.measuring.measure(walking).quality.added_slide > wanted
