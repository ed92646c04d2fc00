# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of all selection algorithms share: motions, marks and how solutions are compared."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core import ALGORITHMS, Motion

PARENTS = (-1, 0, 1, 2, 0, 4)

every_algorithm = pytest.mark.parametrize("name", sorted(ALGORITHMS))
every_objective = pytest.mark.parametrize(
    ("name", "objective"),
    [(name, objective) for name, entry in sorted(ALGORITHMS.items()) for objective in entry.objectives],
)
nested_algorithms = pytest.mark.parametrize(
    "name", sorted(name for name, entry in ALGORITHMS.items() if entry.nested)
)


def smooth_motion(count: int = 60, joints: int = 6, seed: int = 1, **keywords) -> Motion:
    """A walk of smooth waves on a grid of 1/1024, so that whole offsets can be added without rounding."""
    rng = np.random.default_rng(seed)
    time = np.arange(count)[:, None, None] / max(count - 1, 1)
    waves = sum(
        rng.normal(size=(1, joints, 3))
        / octave
        * np.sin(2 * np.pi * (octave * time + rng.random((1, joints, 3))))
        for octave in range(1, 6)
    )
    positions = np.round((waves + time * [3.0, 0.0, 0.0]) * 1024) / 1024
    keywords.setdefault("parents", PARENTS[:joints])
    return Motion(positions, **keywords)


def assert_promises(solutions, motion: Motion, fixed=(), first: int = 0, last: int | None = None) -> None:
    last = len(motion) - 1 if last is None else last
    always = {first, last, *fixed}
    assert len(solutions) == len(solutions.counts) == len(solutions.errors) > 0
    assert np.all(np.diff(solutions.counts) > 0)
    assert solutions.counts[0] >= 1
    assert np.all(np.isfinite(solutions.errors))
    assert np.all(solutions.errors >= 0.0)
    for k in solutions.counts.tolist():
        keys = solutions.keys(k)
        assert keys.dtype == np.int64
        assert len(keys) == k
        assert np.all(np.diff(keys) > 0)
        assert keys[0] >= first
        assert keys[-1] <= last
        assert always <= set(keys.tolist())
        assert math.isfinite(solutions.error(k))


def assert_same(one, other) -> None:
    assert one.counts.tolist() == other.counts.tolist()
    np.testing.assert_array_equal(one.errors, other.errors)
    for k in one.counts.tolist():
        np.testing.assert_array_equal(one.keys(k), other.keys(k))


def assert_alike(one, other, scale: float = 1.0) -> None:
    """Equal up to rounding, which may settle a tie differently: errors decide."""
    assert one.counts.tolist() == other.counts.tolist()
    largest = max(float(np.max(one.errors)), 1e-12)
    np.testing.assert_allclose(other.errors, one.errors * scale, rtol=1e-6, atol=1e-8 * largest * scale)
