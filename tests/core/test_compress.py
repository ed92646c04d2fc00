# SPDX-License-Identifier: GPL-3.0-or-later
"""Principal components against the theorem that says how good they are."""

import numpy as np
import pytest

from core import InputError
from core.compress import principal_components

rng = np.random.default_rng(5)
MOTION = rng.normal(size=(40, 6)) @ rng.normal(size=(6, 9)) + 50.0


def test_all_components_give_the_motion_back():
    np.testing.assert_allclose(principal_components(MOTION).motion(), MOTION, atol=1e-10)


@pytest.mark.parametrize("count", [0, 1, 3, 5])
def test_the_error_is_that_of_the_left_out_variances(count):
    kept = principal_components(MOTION).first(count)
    variances = np.sort(np.linalg.eigvalsh(np.cov(MOTION.T)))[::-1]
    expected = variances[count:].sum() * (len(MOTION) - 1)
    assert np.sum((kept.motion() - MOTION) ** 2) == pytest.approx(expected, abs=1e-8)


def test_every_stored_number_is_counted():
    assert principal_components(MOTION).first(2).stored == 9 + 2 * 9 + 40 * 2


def test_a_motionless_clip_and_a_wide_one_work():
    np.testing.assert_array_equal(principal_components(np.ones((5, 3))).first(1).motion(), np.ones((5, 3)))
    wide = rng.normal(size=(4, 30))
    np.testing.assert_allclose(principal_components(wide).motion(), wide, atol=1e-12)


def test_bad_input_is_told():
    with pytest.raises(InputError, match="components to choose from"):
        principal_components(MOTION).first(10)
