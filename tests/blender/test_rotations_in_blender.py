# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations mean in core what they mean to Blender."""

import numpy as np
import pytest


@pytest.mark.parametrize("order", ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"])
def test_conversions_agree_with_mathutils(posewright, order):
    from mathutils import Euler, Quaternion, Vector

    rotations = posewright.core.rotations
    angles = np.random.default_rng(5).uniform(-4.0, 4.0, (40, 3))
    for euler in angles:
        theirs = Euler(euler, order).to_matrix()
        np.testing.assert_allclose(rotations.euler_to_matrix(euler, order), np.array(theirs), atol=1e-6)
        back = rotations.matrix_to_euler(np.array(theirs), order)
        np.testing.assert_allclose(np.array(Euler(back, order).to_matrix()), np.array(theirs), atol=1e-6)
    axis, angle = Vector((0.2, -0.4, 0.7)).normalized(), 2.3
    np.testing.assert_allclose(
        rotations.axis_angle_to_quaternion([angle, *axis]), np.array(Quaternion(axis, angle)), atol=1e-6
    )
