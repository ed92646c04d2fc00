# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels that count beside the joints when poses are compared."""

import numpy as np
import pytest

from core import InputError, Motion


def test_channels_with_influence_add_to_the_distance_of_poses():
    random = np.random.default_rng(2)
    positions, channels = random.normal(size=(6, 3, 3)), random.normal(size=(6, 4))
    influence = np.array([0.0, 2.0, 0.5, 0.0])
    plain = Motion(positions, channels=channels).points()
    points = Motion(positions, channels=channels, influence=influence).points()
    assert points.shape[1] == plain.shape[1] + 2
    expected = np.sum((plain[4] - plain[1]) ** 2) + (channels[4] - channels[1]) ** 2 @ influence
    assert np.sum((points[4] - points[1]) ** 2) == pytest.approx(expected)
    part = Motion(positions, channels=channels, influence=influence).between(1, 4)
    np.testing.assert_array_equal(part.influence, influence)


@pytest.mark.parametrize("influence", [[1.0], [1.0, -1.0], [1.0, np.nan]])
def test_bad_influence_is_a_sentence(influence):
    with pytest.raises(InputError, match="Influence must be"):
        Motion(np.zeros((5, 1, 3)), channels=np.zeros((5, 2)), influence=influence)


def test_influence_needs_channels():
    with pytest.raises(InputError, match="there are no channels"):
        Motion(np.zeros((5, 1, 3)), influence=[1.0])
