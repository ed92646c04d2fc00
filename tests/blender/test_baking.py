# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys arrive on the curves as they were given, and play so."""

import numpy as np
import pytest


@pytest.fixture
def baking(clean_blender):
    from bl_ext.user_default.posewright.bridge import baking

    return baking


@pytest.fixture
def curves(clean_blender, make_rig):
    from bl_ext.user_default.posewright.bridge import actions

    rig = make_rig(1)
    action, slot = actions.new_action("Baked", rig)
    bag = actions.bag_of(action, slot, create=True)
    actions.assign(rig, action, slot)
    return actions.ensure_curves(
        bag, [actions.Channel('pose.bones["bone 0"].location', index, "bone 0") for index in range(3)]
    )


FRAMES = np.array([-4.0, 2.5, 9.0, 30.0])
VALUES = np.random.default_rng(0).normal(size=(4, 3))


def handles(reach):
    side = np.empty((4, 3, 2))
    side[..., 0] = FRAMES[:, None] + reach
    side[..., 1] = VALUES + np.arange(12).reshape(4, 3) * 0.1 * reach
    return side


def read(curve, attribute):
    return np.array([getattr(key, attribute) for key in curve.keyframe_points])


def test_free_handles_arrive_untouched(baking, curves):
    keys = baking.Keys(FRAMES, VALUES, handles(-1.0), handles(2.0), handle_type="FREE")
    baking.write_keys(curves, keys)
    for column, curve in enumerate(curves):
        np.testing.assert_allclose(read(curve, "co")[:, 0], FRAMES)
        np.testing.assert_allclose(read(curve, "co")[:, 1], VALUES[:, column], rtol=1e-6)
        np.testing.assert_allclose(read(curve, "handle_left"), keys.left[:, column], rtol=1e-6)
        np.testing.assert_allclose(read(curve, "handle_right"), keys.right[:, column], rtol=1e-6)


def test_aligned_handles_on_one_line_arrive_untouched(baking, curves):
    keys = baking.Keys(FRAMES, VALUES, handles(-1.5), handles(2.0), handle_type="ALIGNED")
    baking.write_keys(curves, keys)
    for column, curve in enumerate(curves):
        np.testing.assert_allclose(read(curve, "handle_left"), keys.left[:, column], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(read(curve, "handle_right"), keys.right[:, column], rtol=1e-4, atol=1e-5)
        assert set(read(curve, "handle_left_type")) == {"ALIGNED"}


def test_corners_are_free_and_the_rest_as_asked(baking, curves):
    corners = np.zeros((4, 3), bool)
    corners[1, 2] = True
    baking.write_keys(
        curves,
        baking.Keys(FRAMES, VALUES, handles(-1.0), handles(1.0), handle_type="ALIGNED", corners=corners),
    )
    assert read(curves[2], "handle_right_type").tolist() == ["ALIGNED", "FREE", "ALIGNED", "ALIGNED"]
    assert set(read(curves[0], "handle_left_type")) == {"ALIGNED"}


@pytest.mark.parametrize("interpolation", ["BEZIER", "LINEAR", "CONSTANT"])
def test_interpolation_and_types(baking, curves, interpolation):
    types = ["EXTREME", "BREAKDOWN", "KEYFRAME", "EXTREME"]
    baking.write_keys(curves, baking.Keys(FRAMES, VALUES, interpolation=interpolation, types=types))
    for column, curve in enumerate(curves):
        assert set(read(curve, "interpolation")) == {interpolation}
        assert read(curve, "type").tolist() == types
        assert curve.evaluate(2.5) == pytest.approx(VALUES[1, column])
    middle = {"LINEAR": VALUES[2:, 0].mean(), "CONSTANT": VALUES[2, 0]}.get(interpolation)
    if middle is not None:
        assert curves[0].evaluate(19.5) == pytest.approx(middle, abs=1e-6)


def test_automatic_handles_are_blenders(baking, curves):
    baking.write_keys(curves[:1], baking.Keys(FRAMES, VALUES[:, :1]))
    for frame, value in zip(FRAMES, VALUES[:, 0], strict=True):
        key = curves[1].keyframe_points.insert(frame, value)
        key.handle_left_type = key.handle_right_type = "AUTO_CLAMPED"
    curves[1].update()
    np.testing.assert_allclose(read(curves[0], "handle_left"), read(curves[1], "handle_left"), rtol=1e-5)
    np.testing.assert_allclose(read(curves[0], "handle_right"), read(curves[1], "handle_right"), rtol=1e-5)


@pytest.mark.parametrize("before", [1, 4])
def test_a_single_key_is_level_also_where_its_curve_goes_on(baking, curves, before):
    """Blender gives no handles to a key that is alone: they would lie at zero, and lead there."""
    baking.write_keys(curves, baking.Keys(FRAMES[:before], VALUES[:before]))
    baking.write_keys(curves, baking.Keys(FRAMES[:1], VALUES[1:2]))
    for curve, value in zip(curves, VALUES[1].astype(np.float32).tolist(), strict=True):
        curve.extrapolation = "LINEAR"
        assert [curve.evaluate(frame) for frame in (-90.0, -4.0, 3.0, 90.0)] == [value] * 4
        np.testing.assert_allclose(read(curve, "handle_left"), [[-5.0, value]])
        np.testing.assert_allclose(read(curve, "handle_right"), [[-3.0, value]])


def test_writing_again_replaces_all_keys(baking, curves):
    for count in (4, 2, 1, 3):
        baking.write_keys(curves, baking.Keys(FRAMES[:count], VALUES[:count]))
        assert [len(curve.keyframe_points) for curve in curves] == [count] * 3
        np.testing.assert_allclose(read(curves[1], "co")[:, 1], VALUES[:count, 1], rtol=1e-6)


def test_baked_keys_play(baking, curves):
    import bpy

    baking.write_keys(curves, baking.Keys(FRAMES, VALUES, interpolation="LINEAR"))
    bpy.context.scene.frame_set(9)
    np.testing.assert_allclose(bpy.context.object.pose.bones[0].location, VALUES[2], rtol=1e-6)
    baking.write_keys(curves, baking.Keys(FRAMES, VALUES + 1.0, interpolation="LINEAR"))
    bpy.context.view_layer.update()
    np.testing.assert_allclose(bpy.context.object.pose.bones[0].location, VALUES[2] + 1.0, rtol=1e-6)


def test_a_new_key_has_what_need_not_be_written(clean_blender, make_rig):
    """Whatever the preferences say: in keys that were just added these are left as they are."""
    import bpy
    from bl_ext.user_default.posewright.bridge import actions, baking

    edit = bpy.context.preferences.edit
    before = edit.keyframe_new_interpolation_type, edit.keyframe_new_handle_type
    edit.keyframe_new_interpolation_type, edit.keyframe_new_handle_type = "CONSTANT", "VECTOR"
    try:
        action, slot = actions.new_action("Fresh", rig := make_rig(1))
        actions.assign(rig, action, slot)
        bag = actions.bag_of(action, slot, create=True)
        curve = actions.ensure_curves(bag, [actions.Channel('pose.bones["bone 0"].location', 0)])[0]
        curve.keyframe_points.add(2)
        for key in curve.keyframe_points:
            assert {name: getattr(key, name) for name in baking.FRESH} == baking.FRESH
            assert key.handle_right_type == baking.FRESH["handle_left_type"]
    finally:
        edit.keyframe_new_interpolation_type, edit.keyframe_new_handle_type = before
