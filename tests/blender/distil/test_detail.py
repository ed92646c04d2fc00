# SPDX-License-Identifier: GPL-3.0-or-later
"""Detail: strength 0 plays the clean keys, strength 1 the original, and edits are kept."""

import numpy as np
import pytest

FRAMES = np.arange(1.0, 121.0)


@pytest.fixture
def reduced(distil, swinging):
    """The swinging chain with few keys, and what it played before and after."""
    import bpy

    original = distil.positions(swinging, FRAMES)
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 6
    return swinging, original, distil.positions(swinging, FRAMES)


def largest(first, second):
    return np.abs(first - second).max()


def test_strength_goes_from_clean_to_original(distil, reduced):
    rig, original, clean = reduced
    assert largest(original, clean) > 0.05
    for strength, expected in ((1.0, original), (0.0, clean), (1.0, original)):
        rig.posewright.detail = strength
        assert rig.posewright.problem == ""
        assert largest(distil.positions(rig, FRAMES), expected) < 1e-4
    rig.posewright.detail = 0.5
    half = distil.positions(rig, FRAMES)
    assert 0.01 < largest(half, original) < largest(clean, original)
    assert rig.animation_data.action == rig.posewright.reduced


def test_the_window_follows_every_strength(reduced):
    """As in a drag of the slider: evaluated after each value, with no new frame and no new scene."""
    import bpy

    rig, _, _ = reduced
    scene, source, keys = bpy.context.scene, rig.posewright.reduced.posewright.source, rig.posewright.reduced

    def shown():
        bpy.context.view_layer.update()
        evaluated = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        return np.array([bone.matrix for bone in evaluated.pose.bones])

    def with_action(action):
        rig.animation_data.action = action
        return shown()

    scene.frame_set(10)
    original, clean = with_action(source), with_action(keys)
    lost = largest(clean, original)
    assert lost > 0.01
    for strength in (0.1, 0.5, 1.0, 0.3, 1.0, 0.0, 1.0):
        rig.posewright.detail = strength
        assert largest(shown(), original) == pytest.approx((1.0 - strength) * lost, abs=0.1 * lost)
        scene.frame_set(10)
        assert largest(shown(), original) == pytest.approx((1.0 - strength) * lost, abs=0.1 * lost)
    assert largest(with_action(source), original) < 1e-6, "nothing of the detail plays on another action"
    assert largest(with_action(keys), original) < 1e-4


def test_the_window_follows_the_detail_of_shape_keys(swinging, smiling):
    import bpy

    face, _ = smiling

    def shown():
        bpy.context.view_layer.update()
        return face.evaluated_get(bpy.context.evaluated_depsgraph_get()).key_blocks["Smile"].value

    bpy.context.scene.frame_set(10)
    original = shown()
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 3
    clean = shown()
    assert abs(clean - original) > 0.01
    for strength in (0.1, 0.5, 1.0, 0.3):
        swinging.posewright.detail = strength
        assert shown() == pytest.approx(clean + strength * (original - clean), abs=1e-4)


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "ZYX", "AXIS_ANGLE"])
def test_every_kind_of_rotation_and_scale(distil, make_rig, mode):
    import bpy

    rig = make_rig(2, rotation_mode=mode)
    time = np.arange(1.0, 81.0)
    bone = rig.pose.bones["bone 0"]
    attribute = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(
        mode, "rotation_euler"
    )
    for frame in time:
        t = frame * 0.1
        value = (np.sin(t), np.cos(0.7 * t), 0.3 * np.sin(2.1 * t))
        setattr(bone, attribute, value if attribute == "rotation_euler" else (1.2 + np.sin(0.5 * t), *value))
        bone.scale = (1.5 + 0.5 * np.sin(t), 1.0, 1.2)
        bone.location = value
        for path in (attribute, "scale", "location"):
            bone.keyframe_insert(path, frame=frame)
    original = distil.positions(rig, time)
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 5
    clean = distil.positions(rig, time)
    rig.posewright.detail = 1.0
    assert rig.posewright.problem == ""
    assert largest(distil.positions(rig, time), original) < 1e-4 < largest(clean, original)
    rig.posewright.detail = 0.0
    assert largest(distil.positions(rig, time), clean) < 1e-4


def test_custom_properties_with_a_default(distil, swinging):
    import bpy

    swinging.id_properties_ui("mood").update(default=0.7)
    curve = next(curve for curve in distil.playing(swinging) if curve.data_path == '["mood"]')
    original = [curve.evaluate(frame) for frame in FRAMES]
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 5
    swinging.posewright.detail = 1.0
    for frame in range(1, 121, 7):
        bpy.context.scene.frame_set(frame)
        assert swinging["mood"] == pytest.approx(original[frame - 1], abs=1e-4)


def test_sliding_keeps_the_detail_right(distil, reduced):
    rig, original, _ = reduced
    rig.posewright.detail = 1.0
    for count in (3, 12):
        rig.posewright.key_count = count
        assert largest(distil.positions(rig, FRAMES), original) < 1e-4
    for way in ("AUTO", "LINEAR", "STEPPED"):
        rig.posewright.interpolation = way
        assert largest(distil.positions(rig, FRAMES), original) < 1e-4


def test_detail_rides_on_edits(distil, reduced):
    rig, original, clean = reduced
    curve = next(c for c in distil.playing(rig) if c.data_path.endswith("location"))
    for key in curve.keyframe_points:
        key.co[1] += 2.0
        key.handle_left[1] += 2.0
        key.handle_right[1] += 2.0
    curve.update()
    edited = distil.positions(rig, FRAMES)
    rig.posewright.detail = 1.0
    both = distil.positions(rig, FRAMES)
    np.testing.assert_allclose(both - original, edited - clean, atol=1e-3)


def test_showing_the_original_silences_the_detail(distil, reduced):
    rig, original, _ = reduced
    rig.posewright.detail = 0.4
    before = distil.positions(rig, FRAMES)
    rig.posewright.show_original = True
    assert largest(distil.positions(rig, FRAMES), original) < 1e-5
    rig.posewright.show_original = False
    assert largest(distil.positions(rig, FRAMES), before) < 1e-6


def nla(rig):
    data = rig.animation_data
    return [
        (t.name, t.mute, [(s.name, s.action.name, s.influence, s.blend_type) for s in t.strips])
        for t in data.nla_tracks
    ]


def test_restore_removes_the_layer(distil, reduced):
    import bpy

    rig, original, _ = reduced
    rig.posewright.detail = 0.8
    bpy.ops.posewright.restore()
    assert nla(rig) == []
    assert rig.animation_data.action_blend_type == "REPLACE"
    assert largest(distil.positions(rig, FRAMES), original) < 1e-5
    assert [action.name for action in bpy.data.actions] == ["Swing"]


def test_restore_leaves_the_blending_of_faces_alone(distil, swinging, smiling):
    """With nothing below it Blender does not hear how the armature's action is blended."""
    import bpy

    face = smiling[0].animation_data
    swinging.animation_data.action_blend_type = "ADD"
    bpy.ops.posewright.analyze()
    swinging.posewright.detail = 0.8
    assert face.action_blend_type == "COMBINE"
    bpy.ops.posewright.restore()
    assert face.action_blend_type == "REPLACE"
    assert swinging.animation_data.action_blend_type == "ADD"


def test_a_face_of_which_nothing_plays_has_no_detail(distil, swinging, smiling):
    import bpy

    keys, _slot = smiling
    smile = keys.key_blocks["Smile"]
    distil.playing(keys)[0].mute = True
    smile.value = 0.3
    bpy.ops.posewright.analyze()
    swinging.posewright.detail = 1.0
    bpy.context.scene.frame_set(7)
    assert smile.value == pytest.approx(0.3)
    bpy.ops.posewright.restore()
    assert smile.value == pytest.approx(0.3)


def test_the_track_that_is_active_stays_so(distil, layered):
    import bpy

    tracks = layered.animation_data.nla_tracks
    tracks.active = tracks["Mine"]
    bpy.ops.posewright.analyze()
    layered.posewright.detail = 0.8
    assert tracks.active == tracks["Mine"]
    bpy.ops.posewright.restore()
    assert tracks.active == tracks["Mine"]


@pytest.mark.parametrize("strength", [0.0, 0.6])
def test_apply_keeps_the_layer_that_has_a_strength(distil, reduced, strength):
    import bpy

    rig, _, _ = reduced
    rig.posewright.detail = 0.3
    rig.posewright.detail = strength
    before = distil.positions(rig, FRAMES)
    bpy.ops.posewright.apply()
    assert largest(distil.positions(rig, FRAMES), before) < 1e-5
    assert len(nla(rig)) == (strength > 0)
    assert rig.animation_data.action_blend_type == ("COMBINE" if strength > 0 else "REPLACE")


@pytest.fixture
def layered(distil, swinging):
    """The user has an NLA track of his own below the action."""
    return put_below(distil, swinging)


def put_below(distil, rig, turned=()):
    """A strip that moves one bone and scales another, and turns all by some values if there are any."""
    from bl_ext.user_default.posewright.bridge import actions

    action, slot = actions.new_action("Base", rig)
    bag = actions.bag_of(action, slot, create=True)
    paths = ['pose.bones["bone 0"].location', 'pose.bones["bone 2"].scale']
    channels = [actions.Channel(path, index) for path in paths for index in range(3)]
    values = np.full((2, 6), 1.5)
    attribute = "rotation_quaternion" if len(turned) == 4 else "rotation_euler"
    for bone in rig.pose.bones:
        path = bone.path_from_id(attribute)
        channels += [actions.Channel(path, index) for index in range(len(turned))]
        values = np.hstack([values, np.tile(turned, (2, 1))])
    distil.write(actions.ensure_curves(bag, channels), np.array([1.0, 60.0]), values)
    track = rig.animation_data.nla_tracks.new()
    track.name = "Mine"
    strip = track.strips.new("Base", 1, action)
    if actions.versions.HAS_SLOTS:
        strip.action_slot = slot
    return rig


def test_the_users_own_tracks_stay_and_do_not_shine_through(distil, layered):
    import bpy

    original, before = distil.positions(layered, FRAMES), nla(layered)
    bpy.ops.posewright.analyze()
    layered.posewright.key_count = 6
    clean = distil.positions(layered, FRAMES)
    for strength, expected in ((1.0, original), (0.0, clean)):
        layered.posewright.detail = strength
        assert layered.posewright.problem == ""
        assert largest(distil.positions(layered, FRAMES), expected) < 1e-4
        assert nla(layered)[0] == before[0]
    bpy.ops.posewright.restore()
    assert nla(layered) == before
    assert largest(distil.positions(layered, FRAMES), original) < 1e-5


@pytest.mark.parametrize("blending", ["REPLACE", "COMBINE", "ADD", "MULTIPLY"])
def test_blending_is_heard_above_muted_strips(distil, layered, blending):
    import bpy

    bone = layered.pose.bones["bone 1"]
    for frame in range(1, 121):  # a scale is added to one
        bone.scale[1] = 1.2 + 0.3 * np.sin(0.2 * frame)
        bone.keyframe_insert("scale", index=1, frame=frame)
    layered.animation_data.nla_tracks["Mine"].strips[0].mute = True
    layered.animation_data.action_blend_type = blending
    original = distil.positions(layered, FRAMES)
    bpy.ops.posewright.analyze()
    layered.posewright.key_count = 6
    assert largest(distil.positions(layered, FRAMES), original) > 1e-2
    layered.posewright.detail = 1.0
    assert largest(distil.positions(layered, FRAMES), original) < 1e-4
    bpy.ops.posewright.restore()
    assert layered.animation_data.action_blend_type == blending
    assert largest(distil.positions(layered, FRAMES), original) < 1e-5


def test_an_action_that_is_combined_already(distil, layered):
    import bpy

    layered.animation_data.action_blend_type = "COMBINE"
    original = distil.positions(layered, FRAMES)
    bpy.ops.posewright.analyze()
    layered.posewright.key_count = 6
    layered.posewright.detail = 1.0
    assert largest(distil.positions(layered, FRAMES), original) < 1e-4
    bpy.ops.posewright.restore()
    assert layered.animation_data.action_blend_type == "COMBINE"


@pytest.mark.parametrize("heard", [False, True])
@pytest.mark.parametrize("blending", ["REPLACE", "COMBINE", "ADD", "SUBTRACT", "MULTIPLY"])
@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ"])
def test_an_action_that_plays_with_an_influence(distil, make_rig, mode, blending, heard):
    """Blender hears it only where strips play below the action."""
    import bpy

    rig = turning(make_rig(3, rotation_mode=mode))
    data = rig.animation_data
    data.action_influence, data.action_blend_type = 0.6, blending
    full = distil.positions(rig, FRAMES)
    if heard:
        put_below(distil, rig, (0.8, 0.5, 0.2, 0.1) if mode == "QUATERNION" else (0.9, 0.3, 0.2))
    original = distil.positions(rig, FRAMES)
    assert (largest(original, full) > 0.1) == heard
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 6
    clean = distil.positions(rig, FRAMES)
    far = largest(clean, original)
    assert far > 0.02
    for strength, expected in ((1.0, original), (0.0, clean), (1.0, original)):
        rig.posewright.detail = strength
        assert rig.posewright.problem == ""
        # Of a small turn that is combined twice, Blender keeps three digits.
        near = 3e-3 if (mode, blending, heard) == ("QUATERNION", "COMBINE", True) else 1e-4
        assert largest(distil.positions(rig, FRAMES), expected) < near
    rig.posewright.detail = 0.5
    half = distil.positions(rig, FRAMES)
    assert largest(half, (original + clean) / 2) < 0.3 * far
    bpy.ops.posewright.restore()
    assert data.action_influence == pytest.approx(0.6)
    assert data.action_blend_type == blending
    assert largest(distil.positions(rig, FRAMES), original) < 1e-5


def test_another_influence_makes_another_detail(distil, make_rig):
    import bpy

    rig = turning(make_rig(3, rotation_mode="XYZ"))
    rig.animation_data.action_blend_type = "COMBINE"
    put_below(distil, rig)
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 6
    rig.posewright.detail = 1.0
    rig.animation_data.action_influence = 0.3
    rig.posewright.show_original = True
    weaker = distil.positions(rig, FRAMES)
    rig.posewright.show_original = False
    rig.posewright.detail = 1.0
    assert largest(distil.positions(rig, FRAMES), weaker) < 1e-4


def turning(rig):
    """Every bone swings, in the mode that it has."""
    attribute = "rotation_quaternion" if rig.pose.bones[0].rotation_mode == "QUATERNION" else "rotation_euler"
    for row, bone in enumerate(rig.pose.bones):
        for frame in FRAMES:
            angle = 0.6 * np.sin(frame * (0.1 + 0.05 * row)) + 0.1 * np.sin(frame * 0.7)
            turned = (np.cos(angle), np.sin(angle), 0.0, 0.0)
            setattr(bone, attribute, turned if attribute == "rotation_quaternion" else (angle, 0.0, 0.2))
            bone.keyframe_insert(attribute, frame=frame)
    return rig


@pytest.mark.parametrize(
    ("first", "later"),
    [
        (("REPLACE", 1.0), ("REPLACE", 0.6)),
        (("REPLACE", 0.6), ("REPLACE", 1.0)),
        (("ADD", 1.0), ("REPLACE", 1.0)),
        (("COMBINE", 0.4), ("MULTIPLY", 0.7)),
    ],
)
def test_a_layer_is_made_anew_for_an_action_that_is_blended_otherwise_now(distil, layered, first, later):
    import bpy

    data = layered.animation_data
    data.action_blend_type, data.action_influence = later
    expected = distil.positions(layered, FRAMES)
    data.action_blend_type, data.action_influence = first
    bpy.ops.posewright.analyze()
    layered.posewright.key_count = 6
    layered.posewright.detail = 0.5
    layered.posewright.detail = 0.0
    if data.action_blend_type != later[0]:
        data.action_blend_type = later[0]
    data.action_influence = later[1]
    layered.posewright.detail = 1.0
    assert largest(distil.positions(layered, FRAMES), expected) < 1e-4
    layered.posewright.key_count = 9
    assert largest(distil.positions(layered, FRAMES), expected) < 1e-4
    bpy.ops.posewright.restore()
    assert data.action_blend_type == later[0]
    assert data.action_influence == pytest.approx(later[1])


def test_bones_near_rest_lose_no_digits(distil, make_rig):
    """Blender tells small turns by their cosine, in single precision, when it combines them."""
    import bpy

    rig = make_rig(6, rotation_mode="QUATERNION")
    for row, bone in enumerate(rig.pose.bones):
        for frame in FRAMES:
            angle = 0.002 * np.sin(frame * (0.1 + 0.05 * row))
            bone.rotation_quaternion = (np.cos(angle), np.sin(angle), 0.0, 0.0)
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    original = distil.positions(rig, FRAMES)
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 6
    rig.posewright.detail = 1.0
    assert largest(distil.positions(rig, FRAMES), original) < 1e-5


def test_what_cannot_have_detail_says_so(distil, reduced):
    rig, _, _ = reduced
    rig.animation_data.use_nla = False
    rig.posewright.detail = 0.6
    assert "switch it on in the NLA Editor" in rig.posewright.problem
    rig.animation_data.use_nla = True
    rig.posewright.detail = 0.7
    assert rig.posewright.problem == ""


def test_saved_and_opened_again(distil, reduced, tmp_path):
    import bpy

    rig, original, _ = reduced
    rig.posewright.detail = 0.5
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    rig = bpy.data.objects["Rig"]
    rig.posewright.detail = 1.0
    assert largest(distil.positions(rig, FRAMES), original) < 1e-4
    rig.posewright.key_count = 9
    assert largest(distil.positions(rig, FRAMES), original) < 1e-4


def test_sub_frames_and_negative_frames(distil, make_rig):
    import bpy

    rig = distil.swing(make_rig(3, rotation_mode="XYZ"), start=-20.5)
    frames = np.arange(120) - 20.5
    original = distil.positions(rig, frames)
    rig.posewright.sub_frames = True
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 6
    rig.posewright.detail = 1.0
    assert largest(distil.positions(rig, frames), original) < 1e-4


def test_a_deleted_track_is_made_again(distil, reduced):
    rig, original, _ = reduced
    rig.posewright.detail = 0.5
    rig.animation_data.nla_tracks.remove(rig.animation_data.nla_tracks[0])
    rig.posewright.detail = 1.0
    assert rig.posewright.problem == ""
    assert largest(distil.positions(rig, FRAMES), original) < 1e-4


@pytest.mark.parametrize("deleted", [("Detail",), ("Reset",), ("Detail", "Reset")])
@pytest.mark.parametrize("wanted", [0.5, 0.0, None], ids=["another", "none", "restored"])
def test_a_layer_of_which_tracks_were_deleted_leaves_nothing_behind(distil, layered, deleted, wanted):
    """Its driver would go on to add the keys to the user's own track, and move the character away."""
    import bpy

    original, data = distil.positions(layered, FRAMES), layered.animation_data
    bpy.ops.posewright.analyze()
    layered.posewright.key_count = 6
    layered.posewright.detail = 0.5
    expected = {None: original, 0.5: distil.positions(layered, FRAMES)}
    layered.posewright.detail = 0.0
    expected[0.0] = distil.positions(layered, FRAMES)
    layered.posewright.detail = 0.3
    for track in list(data.nla_tracks):
        if track.name.startswith(tuple(f"Posewright {name}" for name in deleted)):
            data.nla_tracks.remove(track)
    if wanted is not None:
        layered.posewright.detail = wanted
        assert layered.posewright.problem == ""
        assert largest(distil.positions(layered, FRAMES), expected[wanted]) < 1e-4
    bpy.ops.posewright.restore()
    assert [name for name, *_ in nla(layered)] == ["Mine"]
    assert (data.action_blend_type, len(data.drivers)) == ("REPLACE", 0)
    assert largest(distil.positions(layered, FRAMES), original) < 1e-5


def test_a_layer_that_was_cut_in_two_is_made_again(distil, reduced):
    """Both pieces are on one track, which can be removed once."""
    import bpy

    rig, original, _ = reduced
    rig.posewright.detail = 1.0
    [track] = rig.animation_data.nla_tracks
    for wanted in (1.0, None):
        piece = track.strips[0]
        track.strips.new("piece", int(piece.frame_end) + 10, piece.action)
        if wanted is None:
            bpy.ops.posewright.restore()
            break
        rig.posewright.key_count = 7
        assert rig.posewright.problem == ""
        assert largest(distil.positions(rig, FRAMES), original) < 1e-4
        [track] = rig.animation_data.nla_tracks
        assert len(track.strips) == 1
    assert not rig.animation_data.nla_tracks
    assert largest(distil.positions(rig, FRAMES), original) < 1e-5


def test_what_the_user_put_on_the_track_of_a_layer_stays(distil, reduced):
    import bpy

    rig, _, _ = reduced
    rig.posewright.detail = 1.0
    [track] = rig.animation_data.nla_tracks
    own = rig.posewright.reduced.posewright.source.copy()
    track.strips.new("mine", 200, own)
    rig.posewright.detail = 0.0
    bpy.ops.posewright.restore()
    [track] = rig.animation_data.nla_tracks
    assert [strip.action for strip in track.strips] == [own]
    assert len(rig.animation_data.drivers) == 0


@pytest.mark.parametrize("gone", ["unlinked", "deleted"])
def test_the_layer_of_a_face_that_does_not_come_along_any_more_is_gone_after_restore(
    distil, swinging, smiling, gone
):
    import bpy

    face, _ = smiling
    bpy.ops.posewright.analyze()
    swinging.posewright.detail = 0.8
    if gone == "unlinked":
        distil.actions.assign(face, None)
    else:
        bpy.data.objects.remove(bpy.data.objects["Cube"])
    bpy.ops.posewright.restore()
    assert [action.name for action in bpy.data.actions] == ["Swing"]
    for owner in (swinging, face):
        assert not owner.animation_data.nla_tracks
        assert not owner.animation_data.drivers


def test_a_layer_whose_action_was_deleted_leaves_nothing_behind(distil, reduced):
    import bpy

    rig, original, _ = reduced
    rig.posewright.detail = 0.5
    bpy.data.actions.remove(rig.posewright.reduced.posewright.residual)
    rig.posewright.detail = 1.0
    assert rig.posewright.problem == ""
    assert largest(distil.positions(rig, FRAMES), original) < 1e-4
    bpy.data.actions.remove(rig.posewright.reduced.posewright.residual)
    bpy.ops.posewright.restore()
    assert (rig.animation_data.action_blend_type, len(rig.animation_data.drivers)) == ("REPLACE", 0)


def test_what_was_applied_with_a_layer_is_not_analysed_without_it(distil, reduced):
    """Keys alone would look different from what plays."""
    import bpy

    rig = reduced[0]
    rig.posewright.detail = 0.5
    kept = distil.endings.apply(rig)
    with pytest.raises(distil.core.InputError, match="was applied with a layer of detail or held feet"):
        distil.analyse.analyse(rig, bpy.context.scene)
    assert rig.animation_data.action == kept


def test_analyze_is_refused_before_it_loses_a_layer_that_it_could_not_make_again(distil, reduced):
    import bpy

    rig, _, _ = reduced
    rig.posewright.detail = 0.5
    before = rig.posewright.reduced
    stored, tracks = before.posewright.stored, [track.name for track in rig.animation_data.nla_tracks]
    rig.animation_data.use_nla = False
    rig.posewright.objective = "chord"
    with pytest.raises(RuntimeError, match="NLA is switched off"):
        bpy.ops.posewright.analyze()
    assert rig.animation_data.action == before
    assert (before.posewright.stored, before.posewright.key_count) == (stored, 6)
    assert [track.name for track in rig.animation_data.nla_tracks] == tracks
    rig.animation_data.use_nla = True
    bpy.ops.posewright.analyze()
    assert rig.posewright.detail == 0.5
