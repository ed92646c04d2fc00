# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors, estimated and as Blender plays; sweet spots; the fewest keys within an error; many at once."""

import bpy
import numpy as np
import pytest


@pytest.fixture
def measuring(distil):
    return distil.measuring


def test_measured_is_what_blender_plays(distil, swinging, measuring):
    frames = np.arange(1.0, 121.0)
    original = distil.positions(swinging, frames)
    bpy.ops.posewright.analyze()
    for count in (4, 10):
        swinging.posewright.key_count = count
        figures = measuring.measure(swinging)
        distances = np.linalg.norm(distil.positions(swinging, frames) - original, axis=2)
        assert figures.mean == pytest.approx(distances.mean())
        assert figures.largest == pytest.approx(distances.max())
        assert figures.mean_share == pytest.approx(distances.mean() / 3.0, rel=1e-4)
        assert figures.compression == pytest.approx(1 - count / 120)
    swinging.posewright.detail = 1.0
    assert measuring.measure(swinging).largest < 1e-4
    assert bpy.ops.posewright.measure() == {"FINISHED"}
    assert swinging.posewright.reduced.posewright.measured_count == 10


def test_an_armature_that_was_moved_is_measured_where_it_is(distil, swinging, measuring):
    bpy.ops.posewright.analyze()
    before = measuring.measure(swinging)
    swinging.location.x += 5.0
    assert measuring.measure(swinging).mean == pytest.approx(before.mean, rel=1e-3)


def test_a_character_that_pops_up_has_its_size_before(distil, swinging, measuring):
    for frame, scale in ((1, 0.0), (10, 1.0)):
        swinging.scale = (scale,) * 3
        swinging.keyframe_insert("scale", frame=frame)
    bpy.context.scene.frame_set(1)
    bpy.ops.posewright.analyze()
    bpy.ops.posewright.keys_below()
    bpy.ops.posewright.measure()
    assert measuring.estimated(distil.reductions.get(swinging)).height == pytest.approx(3.0)


def test_what_was_measured_holds_until_something_else_plays(distil, swinging):
    bpy.ops.posewright.analyze()
    asked = swinging.posewright
    asked.interpolation = "STEPPED"
    bpy.ops.posewright.measure()
    assert distil.changes.is_measured(distil.reductions.get(swinging))
    stepped = asked.reduced.posewright.measured_mean
    asked.interpolation = "SMOOTH"
    assert not distil.changes.is_measured(distil.reductions.get(swinging))
    bpy.ops.posewright.measure()
    assert 0.0 < asked.reduced.posewright.measured_mean < stepped / 2
    asked.detail = 1.0
    assert not distil.changes.is_measured(distil.reductions.get(swinging))
    asked.detail = 0.0
    bpy.ops.posewright.measure()
    bone = swinging.pose.bones[0]
    bone.location.z += 0.5
    bone.keyframe_insert("location", frame=1)
    distil.changes.is_measured(distil.reductions.get(swinging))  # looks at a few curves each time
    assert not distil.changes.is_measured(distil.reductions.get(swinging))
    bpy.ops.posewright.measure()
    assert distil.changes.is_measured(distil.reductions.get(swinging))


def test_the_original_is_not_measured_against_itself(distil, swinging):
    bpy.ops.posewright.analyze()
    swinging.posewright.show_original = True
    with pytest.raises(RuntimeError, match="Show Original"):
        bpy.ops.posewright.measure()


@pytest.mark.parametrize("clip", ["02_01", "85_02"])
@pytest.mark.parametrize("way", ["FREE", "SMOOTH"])
def test_estimates_are_near_what_blender_plays(distil, mocap, measuring, clip, way):
    """Also where a body turns fast, as in the second clip."""
    rig = mocap(clip)
    rig.posewright.interpolation = way
    bpy.ops.posewright.analyze()
    for count in (6, 14, 40):
        rig.posewright.key_count = count
        assert measuring.estimated(distil.reductions.get(rig)).mean == pytest.approx(
            measuring.measure(rig).mean, rel=0.25
        )


def test_estimates_of_tiers_are_near_what_blender_plays(distil, swinging, measuring):
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 6
    bpy.ops.posewright.lock_extremes()
    for count in (8, 14, 20):
        swinging.posewright.key_count = count
        assert measuring.estimated(distil.reductions.get(swinging)).mean == pytest.approx(
            measuring.measure(swinging).mean, rel=0.35
        )


def test_nothing_else_is_played_while_estimates_are_set_right(distil, swinging):
    swinging.pose.bones[0].constraints.new("LIMIT_SCALE")  # so that Blender has to play them
    source = swinging.animation_data.action
    shown = distil.actions.fingerprint(distil.playing(swinging))
    work = distil.analyse.analyse_in_steps(swinging, bpy.context.scene)
    while len(bpy.data.actions) == 1:  # until other keys are measured
        next(work)
        assert swinging.animation_data.action == source
    work.close()
    assert swinging.animation_data.action == source
    assert list(bpy.data.actions) == [source]
    assert list(bpy.data.objects) == [swinging]
    assert distil.actions.fingerprint(distil.playing(swinging)) == shown
    assert swinging.posewright.reduced is None


def test_sweet_spots_are_visited_up_and_down(distil, mocap, measuring):
    rig = mocap("02_01")
    bpy.ops.posewright.analyze()
    reduction = distil.reductions.get(rig)
    spots = measuring.sweet_spots_of(reduction).tolist()
    assert len(spots) > 1
    assert measuring.estimated(reduction, spots[-1]).mean_share > 1e-4, "no keys for what nobody sees"
    rig.posewright.key_count = 2
    visited = []
    for _ in spots:
        bpy.ops.posewright.sweet_spot(direction="NEXT")
        visited.append(rig.posewright.key_count)
    assert visited == [spot for spot in spots if spot > 2]
    bpy.ops.posewright.sweet_spot(direction="NEXT")
    assert rig.posewright.key_count == spots[-1], "there is none after the last"
    bpy.ops.posewright.sweet_spot(direction="PREVIOUS")
    assert rig.posewright.key_count == spots[-2]


def test_a_motion_without_sweet_spots_says_so(distil, swinging, measuring, capfd):
    bpy.ops.posewright.analyze()
    assert not len(measuring.sweet_spots_of(distil.reductions.get(swinging)))
    bpy.ops.posewright.sweet_spot(direction="NEXT")
    assert "This motion has no sweet spot" in "".join(capfd.readouterr())


def test_fewest_keys_within_an_error(distil, swinging, measuring):
    bpy.ops.posewright.analyze()
    for wanted in (3.0, 1.0, 0.3):
        swinging.posewright.wanted_error = wanted
        assert bpy.ops.posewright.keys_below() == {"FINISHED"}
        count = swinging.posewright.key_count
        assert measuring.measure(swinging).mean_share <= wanted / 100
        swinging.posewright.key_count = count - 3
        assert measuring.measure(swinging).mean_share > wanted / 100, "not many more keys than needed"


def test_all_actions_of_an_armature(distil, swinging):
    first = swinging.animation_data.action
    distil.swing(swinging, frames=60, start=10, name="Second")
    second = swinging.animation_data.action
    before = {action.name: distil.actions.fingerprint(distil.playing(swinging)) for action in [second]}
    swinging.posewright.wanted_error = 1.0
    assert bpy.ops.posewright.reduce_actions() == {"FINISHED"}
    names = {action.name for action in bpy.data.actions}
    assert names == {"Swing", "Second", "Swing reduced", "Second reduced"}
    assert swinging.animation_data.action == second
    assert distil.actions.fingerprint(distil.playing(swinging)) == before["Second"]
    assert swinging.posewright.reduced.name == "Second reduced"
    assert swinging.posewright.show_original
    made = bpy.data.actions["Swing reduced"]
    assert made.use_fake_user
    slot = (
        distil.actions.slot_with_handle(made, made.slots[0].handle)
        if distil.actions.versions.HAS_SLOTS
        else None
    )
    curves = distil.actions.bag_of(made, slot).fcurves
    assert 2 < len(curves[0].keyframe_points) < 40
    assert first.use_fake_user, "sources are never lost"


def test_reducing_all_actions_leaves_what_is_reduced_as_it_is(distil, swinging):
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 7
    reduced = swinging.animation_data.action
    before = distil.actions.fingerprint(distil.playing(swinging))
    distil.swing(swinging, frames=60, name="Second")
    assert bpy.ops.posewright.reduce_actions() == {"FINISHED"}
    assert {"Swing reduced", "Second reduced"} <= {action.name for action in bpy.data.actions}
    distil.actions.assign(swinging, reduced, distil.actions.versions.slots_in(reduced)[0])
    assert distil.actions.fingerprint(distil.playing(swinging)) == before
    assert swinging.posewright.key_count == 7


def test_all_selected_armatures(distil, make_rig, measuring):
    rigs = [
        distil.swing(make_rig(3, name=f"Rig {n}", rotation_mode="XYZ"), frames=60 + 20 * n, name=f"Swing {n}")
        for n in range(3)
    ]
    for rig in rigs:
        rig.select_set(True)
    rigs[-1].posewright.wanted_error = 1.0
    assert bpy.ops.posewright.reduce_selected() == {"FINISHED"}
    for rig in rigs:
        assert measuring.measure(rig).mean_share <= 0.01
        assert rig.animation_data.action == rig.posewright.reduced
        assert distil.changes.is_measured(distil.reductions.get(rig))
    bpy.ops.object.select_all(action="DESELECT")
    assert not bpy.ops.posewright.reduce_selected.poll()


def test_a_contact_that_is_corrected_makes_the_figures_old(distil, walking):
    """They tell how far contacts slide."""
    import bpy

    bpy.ops.posewright.measure()
    assert distil.changes.is_measured(distil.reductions.get(walking))
    bpy.ops.posewright.mark_contact(bone="foot.L", first=1.0, last=40.0)
    assert not distil.changes.is_measured(distil.reductions.get(walking))
