# SPDX-License-Identifier: GPL-3.0-or-later
"""From Analyze to a reduced action and back, as a script drives it."""

from collections import deque

import numpy as np
import pytest


def test_analyze_makes_a_reduced_action_and_leaves_the_source(distil, swinging):
    import bpy

    source = swinging.animation_data.action
    before = distil.actions.fingerprint(distil.playing(swinging))
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    state = swinging.posewright
    assert state.problem == ""
    assert state.reduced.posewright.source == source
    assert swinging.animation_data.action == state.reduced != source
    assert swinging.posewright.reduced.posewright.source_print == before
    counts = {len(curve.keyframe_points) for curve in distil.playing(swinging)}
    assert counts == {1, state.key_count}, "the channel that stands still has one key"
    assert distil.actions.channel_of(distil.playing(swinging)[0]).group == "bone 0"


def test_key_count_bakes_that_solution(distil, swinging):
    import bpy

    bpy.ops.posewright.analyze()
    analysis = distil.reductions.get(swinging).analysis()
    frames = analysis.frames
    swinging.posewright.show_original = True
    reference = distil.positions(swinging, frames)
    errors = []
    for count in (3, 6, 12, 24):
        swinging.posewright.key_count = count
        assert swinging.posewright.problem == ""
        assert not swinging.posewright.show_original
        expected = frames[analysis.solutions.keys(count)]
        for curve in distil.playing(swinging):
            if len(curve.keyframe_points) > 1:
                np.testing.assert_allclose(distil.actions.key_points(curve)[:, 0], expected)
        errors.append(distil.error(swinging, frames, reference))
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.02 < errors[0]


def test_key_count_takes_the_nearest_offered(distil, swinging):
    import bpy

    bpy.ops.posewright.analyze()
    counts = distil.reductions.get(swinging).analysis().solutions.counts
    swinging.posewright.key_count = 1
    assert swinging.posewright.key_count == counts[0] == 2


@pytest.mark.parametrize(
    ("way", "interpolation"),
    [
        ("FREE", "BEZIER"),
        ("SMOOTH", "BEZIER"),
        ("AUTO", "BEZIER"),
        ("LINEAR", "LINEAR"),
        ("STEPPED", "CONSTANT"),
    ],
)
def test_ways_of_keying(distil, swinging, way, interpolation):
    import bpy

    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 10
    swinging.posewright.interpolation = way
    curve = distil.playing(swinging)[0]
    assert {key.interpolation for key in curve.keyframe_points} == {interpolation}
    types = {key.handle_left_type for key in curve.keyframe_points}
    assert types <= {"FREE": {"FREE"}, "SMOOTH": {"FREE", "ALIGNED"}, "AUTO": {"AUTO_CLAMPED"}}.get(
        way, {"VECTOR"}
    )


def test_show_original_and_back(distil, swinging):
    import bpy

    bpy.ops.posewright.analyze()
    state = swinging.posewright
    state.show_original = True
    assert swinging.animation_data.action == state.reduced.posewright.source
    state.show_original = False
    assert swinging.animation_data.action == state.reduced


def test_restore_leaves_nothing(distil, swinging):
    import bpy

    source = swinging.animation_data.action
    before = distil.actions.fingerprint(distil.playing(swinging)), source.users, source.use_fake_user
    for _ in range(2):
        bpy.ops.posewright.analyze()
        bpy.ops.posewright.restore()
        assert swinging.animation_data.action == source
        assert (
            distil.actions.fingerprint(distil.playing(swinging)),
            source.users,
            source.use_fake_user,
        ) == before
        assert list(bpy.data.actions) == [source]
        assert distil.reductions.find(swinging) is None
        assert not bpy.ops.posewright.restore.poll()


def test_apply_keeps_the_reduced_action_and_the_source(distil, swinging, capfd):
    import bpy

    bpy.ops.posewright.analyze()
    reduced, source = swinging.posewright.reduced, swinging.posewright.reduced.posewright.source
    swinging.posewright.show_original = True
    assert bpy.ops.posewright.apply() == {"FINISHED"}
    assert f'"{reduced.name}" is an ordinary action now' in capfd.readouterr().out, "its panel is gone"
    assert swinging.animation_data.action == reduced
    assert distil.reductions.find(swinging) is None
    assert source.use_fake_user
    assert not bpy.ops.posewright.apply.poll()


def test_analysing_again_starts_from_the_source(distil, swinging):
    import bpy

    source = swinging.animation_data.action
    had = source.use_fake_user
    bpy.ops.posewright.analyze()
    bpy.ops.posewright.analyze()
    assert swinging.posewright.reduced.posewright.source == source
    assert len(bpy.data.actions) == 2
    assert len(distil.reductions.get(swinging).analysis().frames) == 120
    bpy.ops.posewright.restore()
    assert source.use_fake_user == had


def test_analysing_again_keeps_what_was_done_to_curves_besides_their_keys(distil, swinging):
    """Mutes, locks and modifiers; and channels that were added, also those that a modifier alone moves."""
    import bpy

    def looks():
        return {
            (curve.data_path, curve.array_index): (
                (curve.mute, curve.lock, curve.extrapolation, len(curve.keyframe_points) > 0),
                [(each.type, each.mute) for each in curve.modifiers],
            )
            for curve in distil.playing(swinging)
        }

    bpy.ops.posewright.analyze()
    noisy, muted, locked = distil.playing(swinging)[:3]
    noisy.modifiers.new("NOISE").mute = True
    muted.mute = locked.lock = True
    bag = distil.actions.bag_of(swinging.animation_data.action, distil.actions.slot_of(swinging))
    goes_on, hidden, generated = (
        bag.fcurves.new('pose.bones["bone 2"].location', index=index) for index in range(3)
    )
    for curve in (goes_on, hidden):
        curve.keyframe_points.insert(1.0, 0.1)
        curve.keyframe_points.insert(30.0, 0.3)
    goes_on.extrapolation, hidden.mute = "LINEAR", True
    goes_on.modifiers.new("CYCLES")
    generated.modifiers.new("GENERATOR")
    expected = looks()
    for _ in range(2):
        bpy.ops.posewright.analyze()
        assert looks() == expected
        assert not distil.changes.was_edited(distil.reductions.get(swinging))
    swinging.posewright.key_count = 9
    assert swinging.posewright.problem == ""
    assert looks() == expected


def test_a_failed_analysis_changes_nothing(distil, swinging):
    import bpy

    bpy.ops.posewright.analyze()
    state = swinging.posewright
    before = (
        state.reduced.posewright.token,
        state.key_count,
        swinging.animation_data.action,
        len(bpy.data.actions),
    )
    state.range_from, state.range_start, state.range_end = "NUMBERS", 500, 600
    with pytest.raises(RuntimeError, match="No animation lies in the frames to reduce"):
        bpy.ops.posewright.analyze()
    token = state.reduced.posewright.token
    assert (token, state.key_count, swinging.animation_data.action, len(bpy.data.actions)) == before


def test_closing_an_analysis_half_way_changes_nothing(distil, swinging):
    import bpy
    from bl_ext.user_default.posewright.bridge.distil import analyse

    before = swinging.animation_data.action, len(bpy.data.actions), len(bpy.data.scenes)
    work = analyse.analyse_in_steps(swinging, bpy.context.scene)
    shares = [next(work) for _ in range(2)]
    work.close()
    assert 0 < shares[0] <= shares[1] < 1
    assert (swinging.animation_data.action, len(bpy.data.actions), len(bpy.data.scenes)) == before
    assert distil.reductions.find(swinging) is None


def test_an_armature_deleted_meanwhile_leaves_no_copy_of_its_action(distil, swinging):
    import bpy

    distil.delete_while_measuring(swinging)
    assert [action.name for action in bpy.data.actions] == ["Swing"]
    assert [scene.name for scene in bpy.data.scenes] == ["Scene"]


def test_analysis_beside_the_window_gives_the_same(distil, swinging):
    import bpy
    from bl_ext.user_default.posewright.bridge.distil import analyse

    bpy.ops.posewright.analyze()
    token = swinging.posewright.reduced.posewright.token
    bpy.ops.posewright.restore()
    deque(analyse.analyse_in_steps(swinging, bpy.context.scene), maxlen=0)
    assert swinging.posewright.reduced.posewright.token == token


def test_saved_and_opened_again_the_slider_works(distil, swinging, tmp_path):
    import bpy

    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 15
    expected = distil.actions.fingerprint(distil.playing(swinging))
    swinging.posewright.key_count = 7
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    distil.reductions._CACHE.clear()
    bpy.ops.wm.open_mainfile(filepath=path)
    rig = bpy.data.objects["Rig"]
    assert rig.posewright.key_count == 7
    rig.posewright.key_count = 15
    assert rig.posewright.problem == ""
    assert distil.actions.fingerprint(distil.playing(rig)) == expected
    assert bpy.ops.posewright.restore() == {"FINISHED"}
    assert len(distil.playing(rig)[0].keyframe_points) == 120


def test_undo_and_redo(distil, swinging):
    import bpy

    def rig():
        return bpy.data.objects["Rig"]

    def snapshot():
        return (
            rig().posewright.key_count,
            rig().animation_data.action.name,
            distil.actions.fingerprint(distil.playing(rig())),
        )

    bpy.ops.ed.undo_push(message="start")
    snapshots = [snapshot()]
    bpy.ops.posewright.analyze()
    bpy.ops.ed.undo_push(message="analyze")
    snapshots.append(snapshot())
    for count in (5, 9):
        rig().posewright.key_count = count
        bpy.ops.ed.undo_push(message="slide")
        snapshots.append(snapshot())
    bpy.ops.posewright.restore()
    bpy.ops.ed.undo_push(message="restore")
    snapshots.append(snapshot())
    for expected in snapshots[-2::-1]:
        bpy.ops.ed.undo()
        assert snapshot() == expected
    for expected in snapshots[1:]:
        bpy.ops.ed.redo()
        assert snapshot() == expected
    bpy.ops.ed.undo()
    rig().posewright.key_count = 12
    assert rig().posewright.problem == ""


@pytest.mark.parametrize(("start", "frames"), [(-40, 60), (1000, 60)])
def test_any_start_frame(distil, make_rig, start, frames):
    import bpy

    rig = distil.swing(make_rig(3, rotation_mode="XYZ"), frames, start)
    bpy.ops.posewright.analyze()
    keyed = distil.actions.key_frames(distil.playing(rig))
    assert (keyed[0], keyed[-1]) == (start, start + frames - 1)


def test_capture_between_frames_keeps_its_beat(distil, swinging):
    import bpy

    for curve in distil.playing(swinging):
        points = distil.actions.key_points(curve)
        points[:, 0] = 1.0 + (points[:, 0] - 1.0) * 0.2
        curve.keyframe_points.foreach_set("co", points.astype(np.float32).ravel())
        curve.update()
    swinging.posewright.sub_frames = True
    bpy.ops.posewright.analyze()
    assert len(distil.reductions.get(swinging).analysis().frames) == 120


def test_what_is_reduced_again_gets_a_number(distil, swinging):
    import bpy

    names = []
    for _ in range(3):
        assert bpy.ops.posewright.analyze() == {"FINISHED"}
        names.append(swinging.posewright.reduced.name)
        assert bpy.ops.posewright.apply() == {"FINISHED"}
    assert names == ["Swing reduced", "Swing reduced 2", "Swing reduced 3"]
    # Blender's own numbers, of actions that would be called alike, are no part of the name.
    swinging.animation_data.action.name = "Swing reduced.001"
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    assert swinging.posewright.reduced.name.startswith("Swing reduced 2")
    # The word alone is a name like any other.
    assert bpy.ops.posewright.restore() == {"FINISHED"}
    swinging.animation_data.action.name = "reduced"
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    assert swinging.posewright.reduced.name == "reduced reduced"


def test_channels_of_a_scaled_armature_count_by_what_is_seen(distil, swinging):
    """Bones move in units of the armature, which importers scale by 100 or by 0.01."""
    import bpy

    bpy.ops.posewright.analyze()
    plain = distil.reductions.get(swinging).analysis().influence
    bpy.ops.posewright.restore()
    swinging.scale = (100.0, 100.0, 100.0)
    bpy.ops.posewright.analyze()
    scaled = distil.reductions.get(swinging).analysis().influence
    np.testing.assert_allclose(scaled, 1e4 * plain, rtol=1e-3)
