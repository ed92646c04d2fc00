# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves that are read once: the same arrays without asking Blender again, as long as that is said."""

import hashlib

import numpy as np
import pytest


@pytest.fixture
def reading(posewright):
    from bl_ext.user_default.posewright.bridge import actions, curve_keys

    return actions, curve_keys


@pytest.fixture
def swinging(make_rig, set_keys):
    rig = make_rig(2, rotation_mode="XYZ")
    set_keys(rig.pose.bones[0], "rotation_euler", {1: (0, 0, 0), 5: (1, 0.5, 0), 9: (0, 2, 1)})
    return rig


def test_what_is_read_once_is_not_asked_for_again(reading, swinging):
    actions, curve_keys = reading
    curves, frames = actions.curves_of(swinging), np.arange(1.0, 9.5, 0.5)
    points, values = actions.key_points(curves[0]), actions.read_values(curves, frames)
    with curve_keys.read_once(swinging.animation_data.action, curves):
        assert np.array_equal(actions.key_points(curves[0]), points)
        assert np.array_equal(actions.read_values(curves, frames), values)
        for curve in curves:
            curve.keyframe_points[1].co.y += 1.0  # nobody may, so that it shows who looks again
        assert np.array_equal(actions.key_points(curves[0]), points)
        assert np.array_equal(actions.read_values(curves, frames), values)
        assert np.array_equal(actions.read_values(curves[1:], frames), values[:, 1:])
        assert not np.allclose(actions.read_values(curves, frames[1:]), values[1:])
    assert actions.key_points(curves[0])[1, 1] == points[1, 1] + 1.0
    assert not np.allclose(actions.read_values(curves, frames), values)


def test_what_was_read_can_be_changed_without_harm(reading, swinging):
    actions, curve_keys = reading
    curves, frames = actions.curves_of(swinging), np.arange(1.0, 9.5, 0.5)
    with curve_keys.read_once(swinging.animation_data.action, curves):
        expected = actions.read_values(curves, frames).copy()
        for found in (actions.read_values(curves, frames), actions.key_points(curves[0])):
            found[:] = 7.0
        first = actions.read_values(curves, frames)
        first[:] = 7.0
        assert np.array_equal(actions.read_values(curves, frames), expected)
        assert actions.key_points(curves[0])[0, 0] == 1.0


def test_the_larger_work_decides_how_long(reading, swinging):
    actions, curve_keys = reading
    action, curves = swinging.animation_data.action, actions.curves_of(swinging)
    found = []

    def find():
        found.append(1)
        return len(found)

    with curve_keys.read_once(action, curves):
        with curve_keys.read_once(action, curves):
            assert curve_keys.found_once(action, "number", find) == 1
        assert curve_keys.found_once(action, "number", find) == 1
    assert curve_keys.found_once(action, "number", find) == 2
    with pytest.raises(RuntimeError), curve_keys.read_once(action, curves):
        raise RuntimeError
    assert not curve_keys._curves
    assert not curve_keys._found


def test_long_values_are_read_again(reading, swinging, monkeypatch):
    actions, curve_keys = reading
    curves, frames = actions.curves_of(swinging), np.arange(1.0, 9.5, 0.5)
    monkeypatch.setattr(curve_keys, "KEPT_BYTES", 8 * len(frames) * len(curves) - 1)
    with curve_keys.read_once(swinging.animation_data.action, curves):
        actions.read_values(curves, frames)
        assert curve_keys.known_values(curves, frames) is None


def test_fingerprints_in_files_from_before_still_hold(reading, swinging):
    """They are of the same bytes as ever, in however many goes these are handed over."""
    actions, _ = reading
    digest = hashlib.blake2b(digest_size=12)
    for curve in actions.curves_of(swinging):
        digest.update(repr((curve.data_path, curve.array_index, curve.mute, 0, curve.extrapolation)).encode())
        count = len(curve.keyframe_points)
        for kind, names in (
            (np.float32, ("co", "handle_left", "handle_right")),
            (np.int32, ("interpolation", "easing")),
        ):
            for name in names:
                array = np.empty(count * (2 if kind is np.float32 else 1), kind)
                curve.keyframe_points.foreach_get(name, array)
                digest.update(array.tobytes())
    assert actions.fingerprint(actions.curves_of(swinging)) == digest.hexdigest()
