# SPDX-License-Identifier: GPL-3.0-or-later
"""The small plot of a panel."""

import numpy as np
import pytest

from core.picture.error_plot import ErrorPlot


@pytest.mark.parametrize("largest", [0.3, 0.01, 0.001])
@pytest.mark.parametrize("size", [110, 240])
def test_no_label_is_cut_off_at_the_left(largest, size):
    counts = np.arange(2, 42)
    errors = largest * np.geomspace(1.0, 1e-5, len(counts))
    plot = ErrorPlot(counts, errors, counts[:0], size, size, text=7.0, ink=(1.0, 1.0, 1.0, 0.8))
    assert not plot.at(6).pixels[:, 0].any()


def test_the_axis_ends_where_nobody_sees_an_error():
    counts = np.arange(2, 42)
    errors = np.geomspace(0.3, 1e-9, len(counts))
    plot = ErrorPlot(counts, errors, counts[:0], 240, 240, text=7.0, ink=(1.0, 1.0, 1.0, 0.8))
    assert plot._shown.min() == 1e-4
    still = ErrorPlot(counts, 1e-4 * errors, counts[:0], 240, 240, text=7.0, ink=(1.0, 1.0, 1.0, 0.8))
    assert still._shown.min() < still._shown.max() / 5.0, "what hardly moves is still drawn"
