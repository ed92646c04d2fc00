# SPDX-License-Identifier: GPL-3.0-or-later
"""Sampling gives Blender's own positions and leaves no trace."""

import bpy
import numpy as np
import pytest


@pytest.fixture
def sampling(clean_blender):
    from bl_ext.user_default.posewright.bridge import sampling

    return sampling


@pytest.fixture
def a_frame_at_a_time(sampling, monkeypatch):
    """However fast frames are, and Blender plays all of them."""
    from bl_ext.user_default.posewright.bridge import steps

    monkeypatch.setattr(sampling, "FEWEST", np.inf)
    monkeypatch.setattr(sampling, "pace", lambda: steps.Pace(0.0, in_thread=False))


@pytest.fixture
def stages(clean_blender):
    from bl_ext.user_default.posewright.bridge import stages

    return stages


@pytest.fixture
def swinging(make_rig, set_keys):
    rig = make_rig(3, rotation_mode="XYZ", location=(1, 2, 3))
    for bone in rig.pose.bones:
        set_keys(bone, "rotation_euler", {1: (0, 0, 0), 10: (1, 0, 0.5), 20: (-0.5, 0.5, 0)})
    return rig


def expected(rig, joints, frames):
    """The slow and certain way: the user's scene, one bone after the other."""
    import bpy

    rows = []
    for frame in frames:
        bpy.context.scene.frame_set(int(np.floor(frame)), subframe=frame - np.floor(frame))
        bones, world = rig.pose.bones, rig.matrix_world
        ends = [
            bones[bone].head if name.endswith(" head") else bones[bone].tail
            for name, bone in zip(joints.names, joints.bones, strict=True)
        ]
        rows.append([(world @ end)[:] for end in ends])
    return np.array(rows)


def check(sampling, rig, frames):
    motion = sampling.sample(rig, frames)
    np.testing.assert_allclose(motion.positions, expected(rig, sampling.joints_of(rig), frames), atol=1e-5)
    return motion


def test_positions_are_blenders(sampling, swinging):
    motion = check(sampling, swinging, np.arange(-5.0, 25.0))
    assert motion.names == ("bone 0 head", "bone 0", "bone 1", "bone 2")
    assert motion.parents.tolist() == [-1, 0, 1, 2]
    assert motion.fps == 24.0


@pytest.fixture
def played(sampling, stages, monkeypatch):
    """The frames that Blender is asked for, however few are to be sampled."""
    asked, set_frame = [], stages.set_frame
    monkeypatch.setattr(sampling, "FEWEST", 0)
    monkeypatch.setattr(stages, "set_frame", lambda scene, at: asked.append(at) or set_frame(scene, at))
    return asked


def follow_in_other_ways(rig):
    bones = rig.data.bones
    bones["bone 1"].inherit_scale, bones["bone 2"].use_inherit_rotation = "ALIGNED", False
    rig.scale, rig.rotation_euler.x = (0.1, 0.1, 0.1), 1.5


def hang_from_something(rig):
    rig.parent = bpy.data.objects.new("Carrier", None)
    rig.parent.location.y = 4.0
    bpy.context.scene.collection.objects.link(rig.parent)


def leave_a_bone_posed(rig):
    """Its location is not keyed, and as a connected bone the next does not go where its own says."""
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["bone 1"].use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.pose.bones["bone 0"].location = (1, 2, 3)
    rig.pose.bones["bone 1"].location = (1, 2, 3)


def mute_strips(rig):
    track = rig.animation_data.nla_tracks.new()
    other = rig.animation_data.action.copy()
    track.strips.new("Other", 1, other)
    track.mute = True


def key_what_is_not_there(rig):
    """A fourth component of a location, as a script may leave it, and a bone that was renamed."""
    curve = bag_of(rig).fcurves.new('pose.bones["bone 0"].location', index=3)
    curve.keyframe_points.insert(1, 5.0)
    curve = bag_of(rig).fcurves.new('pose.bones["gone"].location', index=0)
    curve.keyframe_points.insert(1, 5.0)


def bag_of(rig):
    from bl_ext.user_default.posewright.bridge import actions

    return actions.bag_of(rig.animation_data.action, actions.slot_of(rig))


@pytest.mark.parametrize("mode", ["YXZ", "QUATERNION", "AXIS_ANGLE"])
@pytest.mark.parametrize(
    "prepare",
    [follow_in_other_ways, hang_from_something, leave_a_bone_posed, mute_strips, key_what_is_not_there],
)
def test_what_curves_alone_pose_is_worked_out(sampling, make_rig, set_keys, played, prepare, mode):
    rig = make_rig(3, rotation_mode=mode)
    path = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(
        mode, "rotation_euler"
    )
    for number, bone in enumerate(rig.pose.bones):
        width = len(getattr(bone, path))
        set_keys(bone, path, {1: np.eye(4)[number][:width], 12: np.arange(width) - 0.3, 20: [0.5] * width})
        set_keys(bone, "scale", {1: (1, 1, 1), 20: (1.5, 0.5, 1.1)})
    prepare(rig)
    bpy.context.view_layer.update()
    check(sampling, rig, np.arange(-3.0, 25.0, 0.5))
    assert len(played) == sampling.CHECKED


def constrain(rig):
    rig.pose.bones["bone 2"].constraints.new("LIMIT_ROTATION").use_limit_x = True


def drive(rig):
    rig.pose.bones["bone 2"].driver_add("location", 0).driver.expression = "frame / 10"


def move_the_armature(rig):
    rig.keyframe_insert("location", frame=1)
    rig.location.x = 5.0
    rig.keyframe_insert("location", frame=20)


def carry(rig):
    hang_from_something(rig)
    move_the_armature(rig.parent)


def play_a_strip(rig):
    mute_strips(rig)
    rig.animation_data.nla_tracks[0].mute = False
    rig.animation_data.action_blend_type = "ADD"


def play_half(rig):
    mute_strips(rig)
    rig.animation_data.action_influence = 0.5


@pytest.mark.parametrize("prepare", [constrain, drive, move_the_armature, carry, play_a_strip, play_half])
def test_what_more_than_curves_poses_is_played(sampling, swinging, played, prepare):
    prepare(swinging)
    bpy.context.view_layer.update()
    frames = np.arange(-3.0, 25.0, 0.5)
    check(sampling, swinging, frames)
    assert set(played) >= set(frames.tolist())


def turned(matrices, values):
    matrices[:, 1, :3, :3] = np.eye(3)


def moved(matrices, values):
    matrices[:, 1, :3, 3] += 0.001


def moved_later(matrices, values):
    matrices[values[:, 0] < 0.0, 2, :3, 3] += 0.5  # bone 0 turns to the other side at the end


@pytest.mark.parametrize("mistake", [turned, moved, moved_later])
def test_what_is_worked_out_must_be_what_blender_plays(sampling, swinging, played, monkeypatch, mistake):
    """Whatever it is that was not thought of."""
    matrices = sampling.ChannelPoses.matrices

    def mistaken(poses, values):
        found = matrices(poses, values)
        mistake(found, values)
        return found

    monkeypatch.setattr(sampling.ChannelPoses, "matrices", mistaken)
    frames = np.arange(1.0, 21.0)
    check(sampling, swinging, frames)
    assert set(played) >= set(frames.tolist())


def test_an_armature_that_something_unknown_moves_is_played(sampling, swinging, played, monkeypatch):
    from bl_ext.user_default.posewright.bridge import channel_poses

    carry(swinging)
    monkeypatch.setattr(channel_poses, "_stands_still", lambda _: True)
    frames = np.arange(1.0, 21.0)
    check(sampling, swinging, frames)
    assert set(played) >= set(frames.tolist())


def test_poses_are_kept_up_to_a_limit(sampling, swinging, played, monkeypatch):
    """What is beyond it is evaluated again, and is the same."""
    frames = np.arange(1.0, 21.0)
    monkeypatch.setattr(sampling, "posing_curves", lambda _: None)
    monkeypatch.setattr(sampling, "KEPT_BYTES", 5 * 3 * 16 * 4)  # five poses of three bones
    with sampling.poses_kept(swinging):
        first, second = (sampling.sample(swinging, frames).positions for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert len(played) == 20 + 15


def test_a_key_that_is_no_number_is_a_sentence(sampling, swinging, posewright):
    from bl_ext.user_default.posewright.bridge import actions

    actions.curves_of(swinging)[3].keyframe_points[1].co[1] = np.nan  # of bone 1, on frame 10
    with pytest.raises(posewright.core.InputError, match="bone 1 is nowhere on frame"):
        sampling.sample(swinging, np.arange(1.0, 21.0))


def test_sub_frames(sampling, swinging):
    check(sampling, swinging, np.array([-2.25, 1.0, 3.5, 3.75, 10.125, 20.0]))


def test_constraints_drivers_and_parents_count(sampling, swinging):
    import bpy

    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = (3, 0, 1)
    target.keyframe_insert("location", frame=1)
    target.location = (0, 3, 2)
    target.keyframe_insert("location", frame=20)
    ik = swinging.pose.bones["bone 2"].constraints.new("IK")
    ik.target = target
    carrier = bpy.data.objects.new("Carrier", None)
    bpy.context.scene.collection.objects.link(carrier)
    swinging.parent = carrier
    carrier.rotation_euler.z = 0.7
    carrier.keyframe_insert("location", frame=1)
    carrier.location.x = 5
    carrier.keyframe_insert("location", frame=15)
    driver = swinging.pose.bones["bone 0"].driver_add("location", 0).driver
    driver.expression = "frame / 10"
    motion = check(sampling, swinging, np.arange(1.0, 21.0))
    assert np.ptp(motion.positions[:, 0, 0]) > 3


def test_drivers_that_read_the_scene(sampling, swinging):
    import bpy

    driver = swinging.pose.bones["bone 0"].driver_add("location", 0).driver
    variable = driver.variables.new()
    variable.targets[0].id_type = "SCENE"
    variable.targets[0].id = bpy.context.scene
    variable.targets[0].data_path = "frame_current"
    driver.expression = f"{variable.name} / 10"
    bpy.context.scene.frame_set(7)
    motion = sampling.sample(swinging, np.arange(1.0, 21.0))
    assert bpy.context.scene.frame_current == 7
    assert np.ptp(motion.positions[:, 0, 0]) == pytest.approx(1.9, abs=1e-4)


def state():
    import bpy

    context = bpy.context
    return (
        context.scene.name,
        context.scene.frame_current,
        context.scene.frame_subframe,
        context.mode,
        [o.name for o in context.selected_objects],
        context.view_layer.objects.active.name,
        [scene.name for scene in bpy.data.scenes],
        [(o.name, o.users, o.hide_viewport) for o in bpy.data.objects],
        context.object.data.pose_position,
        [
            matrix
            for bone in context.object.pose.bones
            for matrix in (bone.matrix.copy(), bone.matrix_basis.copy())
        ],
    )


def test_nothing_is_left_behind(sampling, swinging, a_frame_at_a_time):
    import bpy

    bpy.ops.object.mode_set(mode="POSE")
    bpy.context.scene.frame_set(5, subframe=0.5)
    swinging.pose.bones["bone 1"].rotation_euler = (0.3, -0.2, 0.1)  # a pose that has no keys yet
    bpy.context.view_layer.update()
    swinging.hide_viewport = True
    swinging.data.pose_position = "REST"
    before = state()
    motion = sampling.sample(swinging, np.arange(1.0, 21.0))
    assert np.ptp(motion.positions, axis=0).max() > 0.5, "hidden or at rest, it is sampled all the same"
    assert state() == before
    slices = sampling.sample_in_slices(swinging, np.arange(1.0, 21.0))
    assert next(slices) == pytest.approx(1 / 20)
    assert state()[:6] == before[:6], "between slices there is a scene more, but what the user sees stays"
    slices.close()
    assert state() == before
    swinging.hide_viewport = False


def test_cancelling_leaves_nothing_behind(sampling, swinging, posewright):
    before = state()
    with pytest.raises(posewright.core.Cancelled):
        sampling.sample(swinging, np.arange(1.0, 21.0), progress=lambda share: False)
    assert state() == before


def test_the_temporary_scene_is_never_saved(sampling, stages, swinging, tmp_path, a_frame_at_a_time):
    import bpy

    slices = sampling.sample_in_slices(swinging, np.arange(1.0, 21.0))
    next(slices)
    assert any(stages.is_temporary(scene) for scene in bpy.data.scenes)
    path = str(tmp_path / "meanwhile.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    slices.close()
    assert not any(stages.is_temporary(scene) for scene in bpy.data.scenes)
    with bpy.data.libraries.load(path) as (there, _):
        assert there.scenes == ["Scene"]


def test_undo_does_not_bring_the_temporary_scene_back(sampling, swinging, a_frame_at_a_time):
    import bpy

    bpy.ops.ed.undo_push(message="Before")
    slices = sampling.sample_in_slices(swinging, np.arange(1.0, 21.0))
    next(slices)
    bpy.ops.ed.undo_push(message="Meanwhile")
    slices.close()
    bpy.ops.ed.undo_push(message="After")
    for jump in (bpy.ops.ed.undo, bpy.ops.ed.undo, bpy.ops.ed.redo):
        jump()
        assert [scene.name for scene in bpy.data.scenes] == ["Scene"]


def test_what_moves_on_negative_frames(sampling, make_rig, set_keys):
    rig = make_rig(2, rotation_mode="XYZ")
    set_keys(rig.pose.bones[1], "rotation_euler", {-10: (0, 0, 0), 10: (1, 0, 0.5)})
    motion = check(sampling, rig, np.array([-9.75, -3.0, -0.5, 0.0, 0.25, 3.999, 7.0]))
    assert np.all(np.linalg.norm(np.diff(motion.positions[:, -1], axis=0), axis=1) > 1e-3)


def test_slices_give_the_same_motion(sampling, swinging, a_frame_at_a_time):
    frames = np.arange(1.0, 21.0)
    work = sampling.sample_in_slices(swinging, frames)
    shares = []
    while True:
        try:
            shares.append(next(work))
        except StopIteration as done:
            motion = done.value
            break
    assert shares == sorted(shares)
    assert len(shares) == 20
    np.testing.assert_array_equal(motion.positions, sampling.sample(swinging, frames).positions)


def test_slices_evaluate_no_frame_twice(sampling, stages, swinging, monkeypatch, a_frame_at_a_time):
    seen = []
    go_to = stages.set_frame
    monkeypatch.setattr(stages, "set_frame", lambda scene, frame: (seen.append(frame), go_to(scene, frame)))
    frames = np.arange(1.0, 21.0)
    list(sampling.sample_in_slices(swinging, frames))
    assert seen == frames.tolist()


def test_between_slices_a_scene_that_drivers_read_is_at_the_users_frame(
    sampling, swinging, a_frame_at_a_time
):
    import bpy

    driver = swinging.pose.bones["bone 0"].driver_add("location", 0).driver
    variable = driver.variables.new()
    variable.targets[0].id_type = "SCENE"
    variable.targets[0].id = bpy.context.scene
    variable.targets[0].data_path = "frame_current"
    bpy.context.scene.frame_set(7)
    slices = sampling.sample_in_slices(swinging, np.arange(1.0, 21.0))
    for _ in range(3):
        next(slices)
        assert bpy.context.scene.frame_current == 7
    slices.close()


def test_edit_mode_is_a_sentence(sampling, swinging, posewright):
    import bpy

    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(posewright.core.InputError, match="Rig is in Edit Mode"):
        sampling.sample(swinging, [1.0, 2.0])
    assert bpy.context.mode == "EDIT_ARMATURE"


def test_some_bones_only(sampling, swinging, posewright):
    motion = sampling.sample(swinging, [1.0, 10.0], bones=["bone 0", "bone 2"])
    assert motion.names == ("bone 0 head", "bone 0", "bone 2 head", "bone 2")
    assert motion.parents.tolist() == [-1, 0, 1, 2]
    with pytest.raises(posewright.core.InputError, match="no bones that count"):
        sampling.sample(swinging, [1.0], bones=[])


def test_heads_apart_from_their_parent_are_joints(sampling, make_rig):
    rig = make_rig({"hip": ((0, 0, 0), (0, 0, 1), None), "arm": ((1, 0, 0.5), (2, 0, 0.5), "hip")})
    joints = sampling.joints_of(rig)
    assert joints.names == ("hip head", "hip", "arm head", "arm")
    assert joints.parents.tolist() == [-1, 0, 1, 2]


@pytest.mark.parametrize(
    ("keyed", "first", "last", "frames"),
    [
        ([1, 4], 1, 4, [1, 2, 3, 4]),
        ([-2, 2], -2, 2, [-2, -1, 0, 1, 2]),
        ([1, 2.5, 4], 1, 4, [1, 2, 2.5, 3, 4]),
        ([0, 0.4, 0.8, 1.2, 1.6, 2.0], 0, 2, [0, 0.4, 0.8, 1.2, 1.6, 2.0]),
        ([0.5, 3.5], 0.5, 3.5, [0.5, 1, 2, 3, 3.5]),
        ([0, 10], 2.5, 4.5, [2.5, 3, 4, 4.5]),
        ([1, 2.0012, 2.9985, 4.0016], 1, 4.0016, [1, 2, 3, 4.0016]),
        ([0.5, 1.3, 2.1, 5.5, 6.3], 0.5, 6.3, [0.5, 1.3, 2.1, 3, 4, 5, 5.5, 6.3]),
        ([0.5, 4.5, 8.5], 2.5, 6.5, [2.5, 3, 4, 4.5, 5, 6, 6.5]),
        ([0.5, 2.5, 4.5], 0.5, 4.5, [0.5, 2.5, 4.5]),
    ],
)
def test_frames_to_sample(sampling, keyed, first, last, frames):
    np.testing.assert_allclose(sampling.frames_to_sample(np.array(keyed, float), first, last), frames)


def test_real_capture(sampling, mocap):
    rig = mocap("02_01")
    frames = np.arange(1.0, 344.0, 20)
    motion = check(sampling, rig, frames)
    assert motion.fps == pytest.approx(120, abs=0.1)
    assert motion.positions.shape[1] >= 31
    assert 0 < sampling.height_of(rig) < 100


def test_the_side_of_an_end_bone_shows_how_it_is_twisted(sampling, swinging):
    import bpy

    frames = np.arange(1.0, 6.0)
    bone = swinging.pose.bones["bone 2"]
    bone.rotation_mode = "XYZ"
    for frame in frames:
        bone.rotation_euler.y = 0.3 * frame
        bone.keyframe_insert("rotation_euler", frame=frame)
    motion = sampling.sample(swinging, frames, sides=True)
    assert motion.names == ("bone 0 head", "bone 0", "bone 1", "bone 2", "bone 2 side")
    assert motion.parents.tolist() == [-1, 0, 1, 2, 3]
    for row, frame in enumerate(frames.astype(int)):
        bpy.context.scene.frame_set(frame)
        there = bone.tail + 0.5 * bone.length * bone.matrix.col[0].to_3d()
        expected_place = tuple(swinging.matrix_world @ there)
        np.testing.assert_allclose(motion.positions[row, 4], expected_place, atol=1e-5)


def test_the_side_is_that_of_the_last_bone_that_counts(sampling, swinging):
    motion = sampling.sample(swinging, [1.0], bones=["bone 0", "bone 1"], sides=True)
    assert motion.names == ("bone 0 head", "bone 0", "bone 1", "bone 1 side")


@pytest.mark.parametrize(
    ("keyed", "expected"),
    [
        ([0.0, 0.8, 1.6, 2.4, 3.2], [0, 1, 2, 3, 4]),
        ([1.0, 2.0, 3.0], [1, 2, 3]),
        ([0.9999999, 2.0000002, 3.0000002], [1, 2, 3]),
        ([-2.5, 1.25], [-3, -2, -1, 0, 1, 2]),
        ([5.0, 5.2], [5, 6]),
        ([0.96, 2.0, 31.03], list(range(1, 32))),
        (np.arange(60) * 1.001 + 1.0, list(range(1, 61))),
        (np.arange(240) * 1.001 + 1.0, list(range(1, 241))),
        (np.arange(240) * 0.999 + 0.999, list(range(1, 241))),
        (np.arange(60) * 1.001 + 1.4, list(range(1, 62))),
        (np.append(np.arange(60) * 1.001 + 1.0, 60.5), list(range(1, 62))),
        ([5.0], [5]),
    ],
)
def test_whole_frames_hold_the_range(sampling, keyed, expected):
    frames = sampling.frames_to_sample(np.array(keyed), keyed[0], keyed[-1], whole_frames=True)
    assert frames.tolist() == expected


def test_joints_of_some_bones_in_a_random_tree(sampling, make_rig):
    """Against their definition, bone by bone."""
    generator = np.random.default_rng(3)
    heads = generator.integers(0, 3, (40, 3)).astype(float)
    tails = heads + generator.integers(4, 9, (40, 3))
    parents = [None if n % 13 == 0 else int(generator.integers(0, n)) for n in range(40)]
    bones = {}
    for n, parent in enumerate(parents):
        head = tails[parent] if parent is not None and n % 3 else heads[n]
        bones[f"b{n}"] = (head, tails[n] + 10.0 * n, None if parent is None else f"b{parent}")
        tails[n] += 10.0 * n
    rig = make_rig(bones)
    wanted = {bone.name for bone in rig.data.bones if generator.random() < 0.6}
    joints = sampling.joints_of(rig, wanted, sides=True)
    names, started = set(joints.names), 0
    for bone in rig.data.bones:
        if bone.name not in wanted:
            assert not {bone.name, f"{bone.name} head", f"{bone.name} side"} & names
            continue
        row = joints.names.index(bone.name)
        above = next((b.name for b in bone.parent_recursive if b.name in wanted), None)
        starts = (
            bone.parent is not None
            and bone.parent.name in wanted
            and (bone.head_local - bone.parent.tail_local).length < 1e-5
        )
        assert (f"{bone.name} head" in names) != starts
        started += starts
        assert (f"{bone.name} side" in names) != any(b.name in wanted for b in bone.children_recursive)
        top = row if starts else joints.names.index(f"{bone.name} head")
        parent = joints.parents[top]
        assert (joints.names[parent] if parent >= 0 else None) == above
    assert 0 < started < len(wanted)


def test_tails_that_an_importer_made_up_do_not_count(sampling, make_rig, set_keys):
    """glTF has no tails: Blender's import puts them metres away, and what swings there is no error."""
    from mathutils import Vector

    places = {"hips": (0, 0, 1), "spine": (0, 0, 1.2), "neck": (0, 0, 1.5), "head": (0, 0, 1.7)}
    places |= {"thigh": (0.1, 0, 0.9), "shin": (0.1, 0, 0.5), "foot": (0.1, 0, 0.1), "toe": (0.1, -0.1, 0)}
    above = {"spine": "hips", "neck": "spine", "head": "neck"}
    above |= {"thigh": "hips", "shin": "thigh", "foot": "shin", "toe": "foot"}
    rig = make_rig(
        {bone: (place, Vector(place) + Vector((0, 40, 3)), above.get(bone)) for bone, place in places.items()}
    )
    set_keys(rig.pose.bones["shin"], "rotation_quaternion", {1: (1, 0, 0, 0), 9: (0.9, 0.3, 0.2, 0.1)})
    motion = sampling.sample(rig, np.arange(1.0, 10.0), sides=True)
    assert np.abs(motion.positions).max() < 3.0
    rows = {name: row for row, name in enumerate(motion.names)}
    np.testing.assert_allclose(motion.positions[0, rows["thigh"]], places["shin"], atol=1e-4)
    np.testing.assert_allclose(motion.positions[0, rows["shin"]], places["foot"], atol=1e-4)
    assert "shin head" not in rows
    assert "head side" in rows
    toe = motion.positions[:, [rows["toe"], rows["toe side"]]]
    assert np.linalg.norm(np.diff(toe, axis=1), axis=2).min() > 0.001
    # What hangs from the shin turns with it.
    np.testing.assert_allclose(
        motion.positions[-1, rows["shin"]], rig.matrix_world @ _posed_head(rig, "foot", 9), atol=1e-4
    )


def _posed_head(rig, bone, frame):
    import bpy

    bpy.context.scene.frame_set(frame)
    return rig.pose.bones[bone].head


@pytest.mark.parametrize(("file", "hips"), [("Knight.glb", "hips"), ("Fox.glb", "b_Hip_01")])
def test_the_body_of_a_character_is_carried_by_its_hips(import_character, sampling, file, hips):
    """Not by the root bone on the ground that they hang from."""
    rig = import_character(file)
    motion = sampling.sample(rig, [5])
    bpy.context.scene.frame_set(5)
    begins = rig.matrix_world @ rig.pose.bones[hips].head
    np.testing.assert_allclose(motion.positions[0, motion.root], begins, atol=1e-4 * rig.dimensions.z)
