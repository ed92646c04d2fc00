# SPDX-License-Identifier: GPL-3.0-or-later
"""Orders of frames, and removing them one by one."""

from __future__ import annotations

import numpy as np
import pytest

from core.progress import Progress
from core.selection.ranking import ends_first, first_of_each, spread
from core.selection.thinning import thin_out


def test_ends_come_before_other_fixed_rows():
    assert ends_first(np.array([0, 3, 8, 9])).tolist() == [0, 9, 3, 8]
    assert ends_first(np.array([0, 1])).tolist() == [0, 1]


def test_each_row_stays_where_it_came_first():
    assert first_of_each(np.array([2, 0, 2, 3, 0, 1, 3])).tolist() == [2, 0, 3, 1]


@pytest.mark.parametrize("count", [1, 2, 3, 17, 64, 100])
def test_spread_ranks_every_row_once_and_halves_the_gaps(count):
    ranks = spread(count)
    assert sorted(ranks.tolist()) == list(range(count))
    for taken in (4, 8, 16):
        if taken <= count:
            rows = np.sort(np.argsort(ranks)[:taken])
            assert np.diff(np.append(rows, count)).max() <= 2.0 * 2 ** np.ceil(np.log2(count)) / taken


def test_the_cheapest_row_goes_and_its_neighbours_are_asked_again():
    """Costs are gaps between values: 5 goes first, then what it left is measured anew."""
    values = [0.0, 4.0, 5.0, 5.5, 20.0, 30.0]
    asked = []

    def gap(before: int, row: int, after: int) -> float:
        asked.append((before, row, after))
        return values[after] - values[before]

    first = np.array([0.0, *(values[n + 1] - values[n - 1] for n in range(1, 5)), 0.0])
    stays = np.array([True, False, False, False, False, True])
    order, costs = thin_out(first, stays, gap, Progress(None))
    assert order.tolist() == [2, 1, 3, 4]
    assert costs.tolist() == [1.5, 5.5, 20.0, 30.0]
    assert asked == [(0, 1, 3), (1, 3, 4), (0, 3, 4), (0, 4, 5)]


def test_rows_of_equal_cost_leave_even_gaps():
    stays = np.zeros(17, dtype=bool)
    stays[[0, -1]] = True
    order, _ = thin_out(np.zeros(17), stays, lambda *_: 0.0, Progress(None))
    left = sorted(set(range(17)) - set(order[:8].tolist()))
    assert np.diff(left).max() == 2
