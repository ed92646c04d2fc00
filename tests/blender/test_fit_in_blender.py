# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles played by Blender's own F-curves give what the core says they will."""

import bpy
import numpy as np
import pytest

from core import fit_handles
from core.fitting.bezier import Handles

rng = np.random.default_rng(11)
FRAMES = np.arange(-20.0, 81.0)
VALUES = np.cumsum(rng.normal(scale=0.1, size=(101, 3)), axis=0)


def played_by_blender(handles: Handles, channel: int, frames: np.ndarray) -> np.ndarray:
    scene = bpy.context.scene
    scene.animation_data_clear()
    scene["fitted"] = 0.0
    scene.keyframe_insert('["fitted"]', frame=0)
    action = scene.animation_data.action
    if hasattr(action, "layers") and len(action.layers):
        curve = action.layers[0].strips[0].channelbag(action.slots[0]).fcurves[0]
    else:
        curve = action.fcurves[0]
    points = curve.keyframe_points
    points.add(len(handles.frames) - 1)
    for point, at, value, left, right in zip(
        points,
        handles.frames,
        handles.values[:, channel],
        handles.left[:, channel],
        handles.right[:, channel],
        strict=True,
    ):
        point.interpolation = "BEZIER"
        point.handle_left_type = point.handle_right_type = "FREE"
        point.co, point.handle_left, point.handle_right = (at, value), left, right
    curve.update()
    return np.array([curve.evaluate(frame) for frame in frames])


@pytest.mark.parametrize("mode", ["free", "aligned"])
def test_blender_plays_fitted_handles_as_predicted(mode):
    handles = fit_handles(VALUES, [0, 1, 20, 45, 70, 100], mode, frames=FRAMES)
    at = np.linspace(-25.0, 85.0, 441)
    for channel in range(3):
        np.testing.assert_allclose(
            played_by_blender(handles, channel, at), handles.evaluate(at)[:, channel], atol=1e-5
        )


def test_blender_plays_handles_of_any_length_as_predicted():
    keys = np.array([0.0, 10.0, 30.0, 31.0])
    values = rng.normal(size=(4, 40))
    # Up to twice the segment: Blender shortens those that reach beyond it. Only one of the two, as
    # with both at full length the curve stands upright in the middle, where single precision shows.
    reach = np.diff(keys)[:, None] * rng.uniform(0.0, 2.0, size=(2, 3, 40))
    reach[0, :, ::2] *= 0.4
    reach[1, :, 1::2] *= 0.4
    left, right = np.zeros((4, 40, 2)), np.zeros((4, 40, 2))
    left[..., 0] = right[..., 0] = keys[:, None]
    right[:-1, :, 0] += reach[0]
    left[1:, :, 0] -= reach[1]
    left[..., 1], right[..., 1] = rng.normal(size=(2, 4, 40))
    handles = Handles(keys, values, left, right, np.ones((4, 40), dtype=bool))
    at = np.linspace(0.0, 31.0, 125)
    for channel in range(40):
        np.testing.assert_allclose(
            played_by_blender(handles, channel, at), handles.evaluate(at)[:, channel], atol=2e-5
        )
