# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors that are estimated for every number of keys."""

import numpy as np
import pytest

from core import Motion, estimates, select
from core.progress import Progress


@pytest.fixture
def motion():
    rng = np.random.default_rng(1)
    return Motion(rng.normal(size=(50, 4, 3)).cumsum(axis=0)).with_weights([1, 2, 0, 0.5])


def distances(motion, rows):
    """(F, J) of joints on curves that are fitted through these rows."""
    played = estimates.joint_fitter(motion).fit(rows, "free").evaluate(motion.frames)
    return np.linalg.norm(played.reshape(motion.positions.shape) - motion.positions, axis=2)


def test_the_error_that_is_seen_is_that_of_curves_as_they_play(motion):
    rows = np.array([0, 7, 8, 30, 49])
    expected = np.sum(distances(motion, rows) ** 2, axis=0) @ motion.weights
    assert estimates.seen_error(motion, estimates.joint_fitter(motion), rows) == pytest.approx(expected)


@pytest.mark.parametrize("objective", ["curve", "chord"])
def test_the_fewest_and_the_most_keys_are_computed_and_those_between_lie_near(motion, objective):
    solutions = select(motion, objective=objective, max_keys=16)
    found = estimates.of_all_counts(motion, solutions, None, Progress(None))
    off = [distances(motion, solutions.keys(int(count))) for count in solutions.counts]
    expected = np.array([(d.mean(), d.max(), np.sum(d**2 @ motion.weights)) for d in off]).T
    assert found[:, [0, -1]] == pytest.approx(expected[:, [0, -1]])
    assert found[0] == pytest.approx(expected[0], rel=0.25), "even of a random walk"


def test_between_counts_that_are_computed_only_the_largest_error_runs_straight(motion):
    """The others follow the solutions' own errors; the largest hardly depends on them."""
    solutions = select(motion, max_keys=17)
    counts = np.log(solutions.counts)
    mean, largest, squared = np.log(estimates.of_all_counts(motion, solutions, None, Progress(None)))
    own = np.log(solutions.errors)
    chosen = np.unique(np.round(np.geomspace(1, len(counts), estimates.COMPUTED)).astype(int)) - 1
    for found, trend in ((mean, 0.5 * own), (largest, 0.0 * own), (squared, own)):
        straight = np.interp(counts, counts[chosen], (found - trend)[chosen])
        np.testing.assert_allclose(found - trend, straight, atol=1e-9)
