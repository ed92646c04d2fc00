# SPDX-License-Identifier: GPL-3.0-or-later
"""Many at once: one that cannot be reduced does not stop the others, and stopping leaves nothing."""

import bpy
import numpy as np
import pytest


@pytest.fixture
def many(distil):
    from bl_ext.user_default.posewright.bridge.distil import many

    return many


@pytest.fixture
def with_pose(distil, swinging):
    """A second action that moves, and one that holds a single pose, as in a pose library."""
    first = swinging.animation_data.action
    second = distil.swing(swinging, frames=50, name="Short").animation_data.action
    slot = distil.actions.slot_of(swinging)
    pose, pose_slot = distil.actions.new_action("A pose", swinging)
    distil.actions.assign(swinging, pose, pose_slot)
    swinging.pose.bones["bone 1"].rotation_euler = (0.3, 0.0, 0.0)
    swinging.pose.bones["bone 1"].keyframe_insert("rotation_euler", frame=1)
    distil.actions.assign(swinging, second, slot)
    return swinging, first, second, pose


def test_a_pose_among_the_actions_is_left_out(with_pose, capfd):
    rig, first, second, _ = with_pose
    assert bpy.ops.posewright.reduce_actions() == {"FINISHED"}
    assert rig.animation_data.action == second
    assert {f"{first.name} reduced", f"{second.name} reduced"} <= set(bpy.data.actions.keys())
    assert "A pose reduced" not in bpy.data.actions
    said = "".join(capfd.readouterr())
    assert "2 actions reduced" in said
    assert "1 left out: All keys of the action are on frame 1" in said


def test_poses_of_spatial_keys_are_no_actions_to_reduce(distil, swinging, capfd):
    assert bpy.ops.posewright.spatial_set_add(name="Set") == {"FINISHED"}
    assert bpy.ops.posewright.spatial_key_add(bones="ALL") == {"FINISHED"}
    assert bpy.ops.posewright.reduce_actions() == {"FINISHED"}
    assert "left out" not in "".join(capfd.readouterr())


def another_action(distil, rig, name):
    """A copy of what plays, and its slot that moves the armature."""
    handle = distil.actions.slot_handle(distil.actions.slot_of(rig))
    copy = rig.animation_data.action.copy()
    copy.name = name
    return copy, distil.actions.slot_with_handle(copy, handle)


@pytest.mark.parametrize("nothing", [False, True], ids=["another", "nothing"])
def test_a_face_that_plays_another_action_than_its_armature(distil, swinging, smiling, nothing):
    """As where the armature was given another action of a glTF by hand: the face goes on with the first."""
    face, _ = smiling
    first = swinging.animation_data.action
    second, slot = another_action(distil, swinging, "Second")
    second.use_fake_user = True
    distil.actions.assign(swinging, None if nothing else second, slot)
    assert bpy.ops.posewright.reduce_actions() == {"FINISHED"}
    made = [action for action in bpy.data.actions if action.posewright.source]
    assert {action.posewright.source.name: action.name for action in made} == {
        "Second": "Second reduced",
        "Swing": "Swing reduced",
    }
    assert len(made) == 2
    assert swinging.animation_data.action == (None if nothing else second)
    assert face.animation_data.action == first


def test_nothing_but_poses(distil, with_pose):
    rig, first, second, pose = with_pose
    distil.actions.assign(rig, pose, distil.actions.versions.slots_in(pose)[0])
    bpy.data.actions.remove(first)
    bpy.data.actions.remove(second)
    with pytest.raises(RuntimeError, match="All keys of the action are on frame 1: there is no motion"):
        bpy.ops.posewright.reduce_actions()
    assert rig.animation_data.action == pose


def stop_at(work, share):
    """Let the work come so far, and stop it there as Esc does."""
    while next(work) < share:
        pass
    work.close()


SHARES = [0.0, 0.2, 0.3, 0.49, 0.55, 0.7, 0.76, 0.9]


@pytest.mark.parametrize("share", SHARES)
def test_stopped_half_way_what_is_finished_stays(distil, many, with_pose, share):
    rig, *_ = with_pose
    sources = {action.name: action for action in bpy.data.actions}
    fake_users = {name: action.use_fake_user for name, action in sources.items()}
    outcome = many.Outcome()
    stop_at(many.reduce_actions_in_steps(rig, bpy.context.scene, 0.005, outcome), share)
    made = [action for action in bpy.data.actions if action.name not in sources]
    assert len(made) == len(outcome.figures) == (share > 0.4)
    for action in made:
        assert action.posewright.measured_count == action.posewright.key_count > 1
        fake_users[action.posewright.source.name] = True
    assert {name: action.use_fake_user for name, action in sources.items()} == fake_users
    assert list(bpy.data.objects) == [rig]


def test_the_armature_goes_on_playing_what_it_plays(many, with_pose):
    rig, _, second, _ = with_pose
    rig.posewright.show_markers = True
    for _ in many.reduce_actions_in_steps(rig, bpy.context.scene, 0.005):
        assert rig.animation_data.action == second
        assert not bpy.context.scene.timeline_markers
    assert rig.posewright.reduced.posewright.source == second


def test_progress_is_seen_from_the_start(many, with_pose):
    shares = list(many.reduce_actions_in_steps(with_pose[0], bpy.context.scene, 0.005))
    assert shares == sorted(shares)
    assert sum(0.0 < share < 0.2 for share in shares) >= 3


def test_what_was_applied_is_not_reduced_once_more(distil, swinging):
    bpy.ops.posewright.analyze()
    bpy.ops.posewright.apply()
    applied = swinging.animation_data.action
    with pytest.raises(RuntimeError, match="not reduced yet"):
        bpy.ops.posewright.reduce_actions()
    distil.swing(swinging, frames=70, name="Other")
    distil.actions.assign(swinging, applied, distil.actions.versions.slots_in(applied)[0])
    assert bpy.ops.posewright.reduce_actions() == {"FINISHED"}
    assert sorted(bpy.data.actions.keys()) == ["Other", "Other reduced", "Swing", "Swing reduced"]
    assert swinging.animation_data.action == applied
    assert swinging.posewright.reduced is None


@pytest.mark.parametrize("share", SHARES)
def test_stopped_half_way_no_armature_is_reduced(distil, many, make_rig, share):
    rigs = [distil.swing(make_rig(3, name=name, rotation_mode="XYZ"), name=name) for name in ("One", "Two")]
    stop_at(many.reduce_armatures_in_steps(rigs, bpy.context.scene, 0.0005), share)
    for rig in rigs:
        assert rig.posewright.reduced is None
        assert rig.animation_data.action.name == rig.name
    assert sorted(bpy.data.actions.keys()) == ["One", "Two"]


def everything(distil, rig):
    """An armature with its analysis, what it plays, and all there is in the file."""
    reduced = rig.posewright.reduced
    known = () if reduced is None else distil.actions.state_names(reduced)
    values = {name: getattr(reduced.posewright, name) for name in known if name != "gate"}
    tracks = [
        (track.name[:10], track.mute, strip.action.name, round(strip.influence, 6))
        for track in rig.animation_data.nla_tracks
        for strip in track.strips
    ]
    bpy.context.scene.frame_set(33)
    return (
        {name: getattr(value, "name", value) for name, value in values.items()},
        rig.animation_data.action.name,
        rig.animation_data.action_blend_type,
        tracks,
        [distil.actions.fingerprint(distil.playing(rig)), *(bone.matrix.copy() for bone in rig.pose.bones)],
        sorted((action.name, action.users, action.use_fake_user) for action in bpy.data.actions),
        sorted((marker.name, marker.frame) for marker in bpy.context.scene.timeline_markers),
    )


def analysed_and_edited(distil, rig):
    rig.posewright.show_markers = True
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    rig.posewright.key_count = 9
    curve = distil.playing(rig)[0]
    curve.keyframe_points[3].co[1] += 0.1
    curve.update()


def with_detail(distil, rig):
    analysed_and_edited(distil, rig)
    rig.posewright.detail = 0.4


def showing_the_original(distil, rig):
    analysed_and_edited(distil, rig)
    rig.posewright.show_original = True


def gone_on_to_another_action(distil, rig):
    analysed_and_edited(distil, rig)
    rig.posewright.show_markers = False
    distil.swing(rig, frames=70, name=f"{rig.name} other")


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize(
    "prepare", [analysed_and_edited, with_detail, showing_the_original, gone_on_to_another_action]
)
def test_stopped_half_way_every_armature_has_its_analysis_back(distil, many, make_rig, prepare, share):
    rigs = [distil.swing(make_rig(3, name=name, rotation_mode="XYZ"), name=name) for name in ("One", "Two")]
    for rig in rigs:
        prepare(distil, rig)
    before = [everything(distil, rig) for rig in rigs]
    stop_at(many.reduce_armatures_in_steps(rigs, bpy.context.scene, 0.0005), share)
    for rig, expected in zip(rigs, before, strict=True):
        for now, then in zip(everything(distil, rig), expected, strict=True):
            assert now == then


def test_one_armature_that_cannot_be_reduced(distil, make_rig, set_keys, capfd):
    still = make_rig(2, name="Still")
    set_keys(still.pose.bones[0], "location", {1: (0, 0, 0), 20: (0, 0, 0)})
    rig = distil.swing(make_rig(3, rotation_mode="XYZ"))
    still.select_set(True)
    assert bpy.ops.posewright.reduce_selected() == {"FINISHED"}
    assert rig.posewright.reduced.posewright.stored
    assert still.posewright.reduced is None
    assert "1 left out: Nothing moves in" in "".join(capfd.readouterr())


def sharing(distil, make_rig, set_keys, first, second):
    """Two armatures that play slots of one action, and that action."""
    one, two = (make_rig(3, rotation_mode="XYZ", name=name) for name in (first, second))
    action = distil.swing(one).animation_data.action
    distil.actions.assign(two, action, action.slots.new(id_type="OBJECT", name=second))
    turns = {frame: (np.sin(frame / 7.0), 0.0, 0.0) for frame in range(1, 60)}
    set_keys(two.pose.bones["bone 0"], "rotation_euler", turns)
    return one, two, action


@pytest.mark.skipif(bpy.app.version < (4, 4, 0), reason="actions have slots from Blender 4.4 on")
def test_an_action_that_others_play_too_is_reduced_as_this_armature_plays_it(distil, make_rig, set_keys):
    _, rig, action = sharing(distil, make_rig, set_keys, "Other", "Own")
    for playing in (action, None):
        rig.animation_data.action = playing
        bpy.ops.posewright.reduce_actions()
        made = bpy.data.actions["Swing reduced"]
        assert [slot.identifier for slot in made.slots] == ["OBOwn"]
        bpy.data.actions.remove(made)


@pytest.mark.skipif(bpy.app.version < (4, 4, 0), reason="actions have slots from Blender 4.4 on")
@pytest.mark.parametrize("applied", [False, True])
def test_each_character_has_its_part_of_a_shared_action_reduced(distil, make_rig, set_keys, applied):
    """As glTF files with two characters are imported: the second was told that nothing is left to reduce."""
    one, two, action = sharing(distil, make_rig, set_keys, "One", "Two")
    for rig in (one, two):
        bpy.context.view_layer.objects.active = rig
        if applied:
            bpy.ops.posewright.analyze()
            bpy.ops.posewright.apply()
        else:
            assert bpy.ops.posewright.reduce_actions() == {"FINISHED"}
        with pytest.raises(RuntimeError, match="not reduced yet"):
            bpy.ops.posewright.reduce_actions()
    made = [each for each in bpy.data.actions if each != action]
    assert sorted(slot.identifier for each in made for slot in each.slots) == ["OBOne", "OBTwo"]


def test_all_actions_twice_does_not_reduce_what_was_reduced(distil, swinging):
    distil.swing(swinging, frames=70, name="Other")
    bpy.ops.posewright.reduce_actions()
    names = {action.name for action in bpy.data.actions}
    with pytest.raises(RuntimeError, match="not reduced yet"):
        bpy.ops.posewright.reduce_actions()
    assert {action.name for action in bpy.data.actions} == names


def test_another_armature_that_plays_the_same_action_is_left_alone(distil, swinging, make_rig):
    other = make_rig(len(swinging.data.bones), name="Other")
    source = swinging.animation_data.action
    distil.actions.assign(other, source, distil.actions.slot_of(swinging))
    keys = distil.actions.fingerprint(distil.playing(other))
    bpy.context.view_layer.objects.active = swinging
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    swinging.posewright.detail = 1.0
    assert swinging.animation_data.action != source
    assert other.animation_data.action == source
    assert not other.animation_data.nla_tracks
    assert distil.actions.fingerprint(distil.playing(other)) == keys
