# SPDX-License-Identifier: GPL-3.0-or-later
"""Reconstruction against NumPy's and SciPy's interpolation."""

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline, PchipInterpolator
from scipy.spatial.transform import Rotation, Slerp

from core import InputError, reconstruct, reconstruct_quaternions
from core.reconstruct import INTERPOLATIONS, monotone_slopes

rng = np.random.default_rng(3)
FRAMES = np.cumsum(rng.uniform(0.2, 2.0, 50)) - 12.0
VALUES = np.cumsum(rng.normal(size=(50, 5)), axis=0)
KEYS = np.array([0, 4, 5, 17, 30, 49])


def test_linear_is_numpys_interpolation():
    ours = reconstruct(VALUES, KEYS, "linear", frames=FRAMES)
    for channel in range(5):
        np.testing.assert_allclose(ours[:, channel], np.interp(FRAMES, FRAMES[KEYS], VALUES[KEYS, channel]))


@pytest.mark.parametrize("keys", [KEYS, [0, 20, 49], [0, 49]])
def test_hermite_is_scipys_pchip(keys):
    theirs = PchipInterpolator(FRAMES[keys], VALUES[keys])(FRAMES)
    np.testing.assert_allclose(reconstruct(VALUES, keys, "hermite", frames=FRAMES), theirs, atol=1e-12)
    spline = CubicHermiteSpline(FRAMES[keys], VALUES[keys], monotone_slopes(FRAMES[keys], VALUES[keys]))
    np.testing.assert_allclose(
        reconstruct(VALUES, keys, "hermite", frames=FRAMES), spline(FRAMES), atol=1e-12
    )


@pytest.mark.parametrize("flat", [[0.0, 0.0, 1.0, 3.0], [0.0, 1.0, 0.0, 5.0], [0.0, 10.0, 9.0, 9.0]])
def test_hermite_at_flats_and_turns_is_scipys_pchip(flat):
    values = np.interp(np.arange(31), [0, 3, 20, 30], flat)[:, None]
    theirs = PchipInterpolator([0, 3, 20, 30], flat)(np.arange(31))
    np.testing.assert_allclose(reconstruct(values, [0, 3, 20, 30], "hermite")[:, 0], theirs, atol=1e-12)


def test_stepped_holds_each_key():
    ours = reconstruct(VALUES, KEYS, "stepped", frames=FRAMES)
    for row in range(50):
        np.testing.assert_array_equal(ours[row], VALUES[KEYS[row >= KEYS][-1]])


@pytest.mark.parametrize("interpolation", INTERPOLATIONS)
def test_keys_are_kept_and_the_nearest_holds_outside(interpolation):
    ours = reconstruct(VALUES, [10, 20, 40], interpolation, frames=FRAMES)
    np.testing.assert_allclose(ours[[10, 20, 40]], VALUES[[10, 20, 40]], atol=1e-12)
    np.testing.assert_allclose(ours[:10], np.repeat(VALUES[10:11], 10, axis=0), atol=1e-12)
    np.testing.assert_allclose(ours[41:], np.repeat(VALUES[40:41], 9, axis=0), atol=1e-12)
    np.testing.assert_array_equal(reconstruct(VALUES, [10], interpolation)[3], VALUES[10])


@pytest.mark.parametrize("interpolation", INTERPOLATIONS)
def test_float32_is_computed_in_full_precision(interpolation):
    ours = reconstruct(VALUES.astype(np.float32), KEYS, interpolation)
    assert ours.dtype == np.float64


def test_bezier_never_loses_to_linear_or_hermite():
    errors = {name: np.sum((reconstruct(VALUES, KEYS, name) - VALUES) ** 2) for name in INTERPOLATIONS}
    assert errors["bezier"] <= min(errors["linear"], errors["hermite"])


def test_quaternions_turn_as_scipys_slerp():
    rotations = Rotation.random(50, random_state=1)
    ours = reconstruct_quaternions(rotations.as_quat()[:, None], KEYS, frames=FRAMES)
    theirs = Slerp(FRAMES[KEYS], rotations[KEYS])(FRAMES)
    difference = (Rotation.from_quat(ours[:, 0]) * theirs.inv()).magnitude()
    assert difference.max() < 1e-7


def test_quaternions_that_hardly_turn_or_flip_sign_stay_still():
    still = np.tile([1.0, 0.0, 0.0, 0.0], (9, 2, 1))
    still[4:, 0] *= -1
    ours = reconstruct_quaternions(still, [0, 8])
    np.testing.assert_allclose(np.abs(ours[..., 0]), 1.0)


def test_bad_input_is_told():
    with pytest.raises(InputError, match="choose one of linear"):
        reconstruct(VALUES, KEYS, "magic")
    with pytest.raises(InputError, match="length zero"):
        reconstruct_quaternions(np.zeros((5, 1, 4)), [0, 4])
    with pytest.raises(InputError, match="shape"):
        reconstruct_quaternions(np.zeros((5, 4)), [0, 4])
