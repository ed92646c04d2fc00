# SPDX-License-Identifier: GPL-3.0-or-later
"""All that is told of a motion at once is what each measure says by itself."""

from __future__ import annotations

import numpy as np
import pytest

from core import metrics
from core.feet.contacts import contact_at
from core.quality import PERCENTILES, Quality, quality_of

TIMES = np.arange(60) / 30.0


@pytest.fixture
def original() -> np.ndarray:
    """A foot that stands but for a moment, and a head above it."""
    foot = np.zeros((60, 3))
    foot[25:35, 2] = 0.3
    return np.stack([foot, foot + np.array([0.0, 0.0, 1.6])], axis=1)


def matrices(places: np.ndarray) -> np.ndarray:
    found = np.tile(np.eye(4), (*places.shape[:2], 1, 1))
    found[..., :3, 3] = places
    return found


def told(original: np.ndarray, played: np.ndarray) -> Quality:
    contacts = [contact_at(original[:, 0], 0, *rows) for rows in ((0, 24), (35, 59))]
    return quality_of(original, played, contacts, TIMES, (matrices(original), matrices(played)), 1.7)


def test_what_plays_the_original_has_nothing_to_tell(original):
    found = told(original, original)
    assert (found.slides, found.added_slide, found.sinking) == ((0.0, 0.0), 0.0, 0.0)
    assert (found.flight_error, found.added_jerk, found.beside) == (0.0, 0.0, (0.0, 0.0, 0.0))


def test_each_is_measured(original):
    played = original.copy()
    played[:25, 0, 0] = np.linspace(0.0, 0.02, 25)
    played[40, 0, 2] = -0.01
    played[30, :, 1] = 0.05
    found = told(original, played)
    assert found.slides == pytest.approx((0.02, 0.0))
    assert (found.slide, found.worst_slide) == pytest.approx((0.01, 0.02))
    assert found.added_slide == pytest.approx(0.02)
    assert found.sinking == pytest.approx(0.01)
    assert found.flight_error > 0.5
    assert found.added_jerk == metrics.added_jerk(original, played, TIMES) > 0.0
    assert found.beside == pytest.approx(
        np.percentile(np.linalg.norm(played - original, axis=2), PERCENTILES)
    )


def test_what_slides_in_the_original_is_not_added(original):
    original[:25, 0, 0] = np.linspace(0.0, 0.03, 25)
    played = original.copy()
    played[:25, 0, 0] *= 0.5
    assert told(original, played).added_slide == 0.0
    played[35:, 0, 0] = np.linspace(0.0, 0.01, 25)
    assert told(original, played).added_slide == pytest.approx(0.01)
    assert told(original, played).worst_slide == pytest.approx(0.015)


def test_nothing_that_stands_tells_nothing(original):
    found = quality_of(original, original + 0.1, [], TIMES, (matrices(original), matrices(original)), 1.7)
    assert (found.slide, found.worst_slide, found.added_slide, found.sinking) == (0.0, 0.0, 0.0, 0.0)
