# SPDX-License-Identifier: GPL-3.0-or-later
"""What is keyed while the original is shown becomes an edit of the keys, and the source stays what it was."""

import bpy
import numpy as np
import pytest

from tests.blender.distil.test_edits import FRAMES, columns, move_column, source_values
from tests.blender.distil.test_following import let_go


@pytest.fixture
def rig(distil, swinging):
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 9
    swinging.posewright.show_original = True
    return swinging


def source_print(distil, rig):
    reduction = distil.reductions.get(rig)
    return distil.actions.fingerprint(distil.analysis.channels.curves_in(reduction.source, reduction.handles))


def key(distil, rig, frame, offset, column=1):
    curve = distil.playing(rig)[column]
    curve.keyframe_points.insert(frame, curve.evaluate(frame) + offset)
    return curve.evaluate(frame)


def test_a_key_goes_to_the_keys_and_the_source_is_put_back(distil, rig, following):
    assert rig.posewright.show_original
    before, values = source_print(distil, rig), source_values(distil, rig)
    keyed = key(distil, rig, 50.0, 0.5)
    assert source_print(distil, rig) != before
    let_go(following)
    assert source_print(distil, rig) == before
    assert not rig.posewright.show_original
    assert "is as it was" in rig.posewright.problem
    for count in (5, 25, 9):
        rig.posewright.key_count = count
        assert rig.posewright.problem == ""
        assert 50.0 in columns(distil, rig)
        assert distil.playing(rig)[1].evaluate(50.0) == pytest.approx(keyed, abs=1e-5)
    change = distil.reductions.get(rig).analysis().values - values
    assert np.abs(np.delete(change, 1, axis=1)).max() < 1e-6
    assert np.all(np.abs(change[[47, 51], 1]) > 0.1), "it eases out"
    assert np.abs(change[[0, -1]]).max() < 1e-6


def test_turning_the_original_off_is_as_good(distil, rig):
    """In a script there is no window that would notice."""
    before = source_print(distil, rig)
    keyed = key(distil, rig, 50.0, 0.5)
    rig.posewright.show_original = False
    assert source_print(distil, rig) == before
    assert distil.playing(rig)[1].evaluate(50.0) == pytest.approx(keyed, abs=1e-5)
    assert distil.reductions.get(rig).edits.keyed.tolist() == [50.0]


def test_it_is_where_the_moment_plays_now(distil, swinging, following):
    """On the original's frame 50 is what the keys play six frames later."""
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 9
    at = columns(distil, swinging)[4]
    move_column(distil, swinging, at, 6.0)
    swinging.posewright.key_count = 9
    swinging.posewright.show_original = True
    keyed = key(distil, swinging, at, 0.5)
    let_go(following)
    assert distil.playing(swinging)[1].evaluate(at + 6.0) == pytest.approx(keyed, abs=1e-5)
    assert at + 6.0 in columns(distil, swinging)


def test_undo_takes_it_back_and_redo_makes_it_again(distil, rig, following):
    before = source_print(distil, rig)
    bpy.ops.ed.undo_push(message="shown")
    keyed = key(distil, rig, 50.0, 0.5)
    bpy.ops.ed.undo_push(message="keyed")
    let_go(following)
    bpy.ops.ed.undo()
    rig = bpy.context.view_layer.objects.active
    let_go(following)
    assert source_print(distil, rig) == before
    assert distil.reductions.get(rig).edits.is_none
    bpy.ops.ed.redo()
    rig = bpy.context.view_layer.objects.active
    let_go(following)
    assert source_print(distil, rig) == before
    assert distil.playing(rig)[1].evaluate(50.0) == pytest.approx(keyed, abs=1e-5)


def test_other_channels_and_removed_keys(distil, rig, following):
    """A channel that nobody had keyed goes to the keys; what was removed from the source comes back."""
    before = source_print(distil, rig)
    bone = rig.pose.bones["bone 1"]
    bone.scale = (2.0, 1.0, 1.0)
    bone.keyframe_insert("scale", frame=40)
    curve = distil.playing(rig)[0]
    curve.keyframe_points.remove(curve.keyframe_points[30])
    let_go(following)
    assert source_print(distil, rig) == before
    added = [each for each in distil.playing(rig) if each.data_path.endswith('"bone 1"].scale')]
    assert [each.evaluate(40.0) for each in added] == [2.0, 1.0, 1.0]
    assert not [
        each
        for each in distil.analysis.channels.curves_in(
            distil.reductions.get(rig).source, distil.reductions.get(rig).handles
        )
        if each.data_path.endswith('"bone 1"].scale')
    ]


def test_a_file_that_shows_the_original_is_watched_too(distil, rig, following, tmp_path):
    before = source_print(distil, rig)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shown.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shown.blend"))
    rig = bpy.data.objects["Rig"]
    bpy.context.view_layer.objects.active = rig
    keyed = key(distil, rig, 50.0, 0.5)
    let_go(following)
    assert source_print(distil, rig) == before
    assert distil.playing(rig)[1].evaluate(50.0) == pytest.approx(keyed, abs=1e-5)


def test_more_than_keys_cannot_be_put_back_and_is_told(distil, rig, following):
    distil.playing(rig)[0].modifiers.new("NOISE")
    let_go(following)
    assert rig.posewright.show_original
    rig.posewright.show_original = False
    assert "not only its keys" in rig.posewright.problem
    assert len(FRAMES) == 120


def test_a_curve_that_was_removed_is_put_back_and_the_keys_are_shown_again(distil, rig):
    source = rig.animation_data.action
    bag = distil.actions.bag_of(source, distil.actions.slot_of(rig))

    def curves():
        return {
            (each.data_path, each.array_index): distil.actions.fingerprint([each]) for each in bag.fcurves
        }

    before = curves()
    bag.fcurves.remove(bag.fcurves[0])
    rig.posewright.show_original = False
    assert rig.animation_data.action == rig.posewright.reduced
    assert curves() == before
    assert not distil.changes.is_stale(distil.reductions.get(rig))
    rig.posewright.show_original = True
    key(distil, rig, 50.0, 0.5)
    rig.posewright.show_original = False
    assert curves() == before, "it is watched from now on, too"


def test_a_removed_curve_gets_back_what_it_had_besides_keys(distil, swinging):
    """Fingerprints tell of all but points of envelopes and of looks."""
    curve = distil.playing(swinging)[0]
    curve.modifiers.new("CYCLES").mode_after = "MIRROR"
    curve.modifiers.new("NOISE").strength = 0.01
    line = curve.modifiers.new("GENERATOR")
    line.poly_order, line.use_additive = 3, True
    line.coefficients = (0.1, 0.0, 0.0, 1e-7)
    envelope = curve.modifiers.new("ENVELOPE")
    for frame in (10.0, 90.0):
        envelope.control_points.add(frame)
    envelope.control_points.foreach_set("min", (-2.0, -1.5))
    curve.extrapolation, curve.color_mode, curve.color = "LINEAR", "CUSTOM", (1.0, 0.5, 0.0)
    bpy.ops.posewright.analyze()
    swinging.posewright.show_original = True
    source = swinging.animation_data.action
    bag = distil.actions.bag_of(source, distil.actions.slot_of(swinging))
    played = [bag.fcurves[0].evaluate(frame) for frame in range(-20, 200, 7)]
    path, index = bag.fcurves[0].data_path, bag.fcurves[0].array_index
    bag.fcurves.remove(bag.fcurves[0])
    swinging.posewright.show_original = False
    assert "Ctrl Z" not in swinging.posewright.problem
    assert swinging.animation_data.action == swinging.posewright.reduced
    back = next(each for each in bag.fcurves if (each.data_path, each.array_index) == (path, index))
    assert [back.evaluate(frame) for frame in range(-20, 200, 7)] == pytest.approx(played, abs=1e-6)
    assert tuple(back.color) == pytest.approx((1.0, 0.5, 0.0))


def test_however_many_originals_are_shown_each_is_put_back(distil, make_rig, following):
    rigs = []
    for number in range(6):
        rig = distil.swing(make_rig(3, rotation_mode="XYZ"), start=1 + number, name=f"Swing {number}")
        bpy.context.view_layer.objects.active = rig
        bpy.ops.posewright.analyze()
        rig.posewright.show_original = True
        rigs.append(rig)
    before = [source_print(distil, rig) for rig in rigs]
    keyed = [key(distil, rig, 50.0, 0.5) for rig in rigs]
    let_go(following)
    assert [source_print(distil, rig) for rig in rigs] == before
    assert [distil.playing(rig)[1].evaluate(50.0) for rig in rigs] == pytest.approx(keyed, abs=1e-5)
