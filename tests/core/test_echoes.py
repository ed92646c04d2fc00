# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses that happen again are found where they look most alike."""

from __future__ import annotations

import numpy as np

from core.editing.echoes import echoes


def circle(rounds: float, samples: int) -> np.ndarray:
    angles = np.linspace(0.0, 2.0 * np.pi * rounds, samples)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def test_a_pose_is_found_once_a_round() -> None:
    rows, alike = echoes(circle(4.0, 401), 120, 0.3, 10)
    assert rows.tolist() == [20, 220, 320]
    np.testing.assert_allclose(alike, 1.0)


def test_neighbours_are_no_echoes_and_the_less_alike_is_weaker() -> None:
    poses = circle(3.0, 301)
    poses[200:] *= 1.1  # the third round is wider
    rows, alike = echoes(poses, 50, 0.3, 10)
    assert rows.tolist() == [150, 250]
    np.testing.assert_allclose(alike, [1.0, 1.0 - (0.1 / 0.3) ** 2], atol=1e-9)


def test_others_are_not_found() -> None:
    rows, alike = echoes(np.linspace(0.0, 1.0, 50)[:, None], 10, 0.5, 5)
    assert len(rows) == len(alike) == 0
