# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells of a filmstrip: where they are, and that poses fit into them."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.picture.strip import Strip, cell_projections


def test_all_cells_are_in_the_middle_where_they_fit() -> None:
    strip = Strip.fitting((100.0, 500.0), 10.0, (50.0, 80.0), 4, 0)
    assert (strip.left, strip.first, strip.count) == (200.0, 0, 4)
    assert strip.cell_at(200.0, 10.0) == 0
    assert strip.cell_at(399.0, 89.0) == 3
    assert strip.cell_at(199.0, 20.0) is None
    assert strip.cell_at(400.0, 20.0) is None
    assert strip.cell_at(250.0, 90.0) is None


@settings(deadline=None)
@given(st.integers(1, 200), st.integers(0, 199), st.floats(60.0, 3000.0))
def test_the_current_cell_is_visible_and_found_where_it_is_drawn(
    cells: int, current: int, width: float
) -> None:
    current = min(current, cells - 1)
    strip = Strip.fitting((0.0, width), 10.0, (62.0, 84.0), cells, current)
    assert current in strip.cells
    assert strip.first >= 0
    assert strip.first + strip.count <= cells
    assert strip.cell_at(strip.left_of(current) + 31.0, 50.0) == current


def test_frames_are_between_the_poses_before_and_after_them() -> None:
    strip = Strip.fitting((0.0, 150.0), 10.0, (50.0, 80.0), 5, 2)
    assert (strip.left, strip.first, strip.count) == (0.0, 1, 3)
    frames = np.array([1.0, 10.0, 30.0, 40.0, 90.0])
    np.testing.assert_allclose(strip.across([10.0, 20.0, 40.0, 35.0], frames), [25.0, 50.0, 125.0, 100.0])
    np.testing.assert_allclose(strip.across([1.0, -5.0, 90.0], frames), [0.0, 0.0, 150.0])


def test_poses_fit_into_their_cells_at_one_scale() -> None:
    random = np.random.default_rng(4)
    bodies = [random.normal(size=(30, 3)) * size + random.normal(size=3) * 9.0 for size in (0.5, 1.0, 1.5)]
    axes = np.linalg.qr(random.normal(size=(3, 3)))[0]
    projections = cell_projections(bodies, axes, 0.75)
    widths = []
    for points, projection in zip(bodies, projections, strict=True):
        seen = points @ projection[:3, :3].T + projection[:3, 3]
        assert np.all(np.abs(seen) <= 1.0 + 1e-9)
        across = points @ axes[0]
        widths.append(np.ptp(seen[:, 0]) / np.ptp(across))
        towards = np.argmax(points @ axes[2])
        assert np.argmin(seen[:, 2]) == towards, "what is nearer hides what is farther"
    np.testing.assert_allclose(widths, widths[0])
