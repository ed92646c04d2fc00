# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves where their values are, each in its own colour, and round ticks."""

import numpy as np
import pytest

from core import InputError
from core.picture import THEMES, Curve, draw_plot, plot


def falling(label, factor=1.0, count=40):
    x = np.geomspace(2.0, 200.0, count)
    return Curve(label, x, factor * 0.001 * x**1.5)


def test_every_curve_has_ink_at_each_of_its_values():
    curves = [falling(f"curve {n}", 2.0**n) for n in range(5)]
    for theme in ("light", "dark"):
        canvas = draw_plot(curves, title="Test", x_label="x", y_label="y", theme=theme)
        picture = canvas.straight()[..., :3]
        text = canvas.height / 48.0
        legend = plot.font.width("curve 0", text) + 5.6 * text
        left = 3.8 * text + plot._widest_tick(curves, 0.9 * text)
        axes = plot._Axes.around(
            curves, left=left, top=4.5 * text, right=1200 - legend, bottom=720 - 4.5 * text
        )
        for number, curve in enumerate(curves):
            x, y = axes.across(curve.x).astype(int), axes.down(curve.y).astype(int)
            colour = np.array(THEMES[theme].series[number][:3])
            close = np.zeros(len(x), bool)
            for dx in range(-6, 7):
                for dy in range(-6, 7):
                    close |= np.abs(picture[y + dy, x + dx] - colour).max(axis=1) < 0.08
            assert close.mean() > 0.95, f"curve {number} in {theme}"


def test_nothing_touches_the_border_even_with_long_labels():
    canvas = draw_plot(
        [falling("A rather long name of an algorithm, with a comma"), falling("b", 0.01)],
        title="Title",
        x_label="compression",
        y_label="mean joint distance",
    )
    picture = canvas.straight()[..., :3]
    border = np.concatenate([picture[:4].reshape(-1, 3), picture[-4:].reshape(-1, 3)])
    sides = np.concatenate([picture[:, :4].reshape(-1, 3), picture[:, -4:].reshape(-1, 3)])
    assert np.all(border == 1.0)
    assert np.all(sides == 1.0)


def test_zero_errors_are_left_out_and_nothing_at_all_is_refused():
    exact = Curve("exact", np.array([2.0, 4.0, 8.0]), np.array([0.0, 0.0, 0.1]))
    draw_plot([exact], title="", x_label="", y_label="")
    with pytest.raises(InputError, match="nothing to plot"):
        draw_plot([Curve("exact", np.ones(3), np.zeros(3))], title="", x_label="", y_label="")


@pytest.mark.parametrize("limits", [(0.003, 7.0), (1.9, 2.1), (1.0, 10.0), (2.0, 4906.0), (1e-9, 1e9)])
def test_ticks_are_few_round_and_inside(limits):
    found = plot.ticks(limits)
    assert 0 < len(found) <= 9
    assert all(limits[0] <= value <= limits[1] for value in found)
    assert all(len(f"{value:.6e}".split("e")[0].rstrip("0").rstrip(".")) <= 3 for value in found)


def test_the_vertical_label_keeps_clear_of_the_numbers_beside_it():
    curve = Curve("tiny", np.array([2.0, 200.0]), np.array([0.00001, 0.1]))
    picture = draw_plot([curve], title="", x_label="", y_label="mean joint distance").straight()[..., 0]
    rows = slice(picture.shape[0] // 8, -picture.shape[0] // 8)
    inked = (picture[rows] < 0.6).any(axis=0)
    first = int(np.argmax(inked))
    gaps = np.flatnonzero(~inked[first:])
    assert gaps[0] < 30, "the label ends"
    assert not inked[first + gaps[0] : first + gaps[0] + 3].any(), "and there is space before the numbers"
