# SPDX-License-Identifier: GPL-3.0-or-later
"""The strip of contacts: bars where feet stand, lines where the user said so, a mark at the frame."""

import itertools

import numpy as np
import pytest

from core.picture import font
from core.picture.canvas import Canvas
from core.picture.colours import THEMES
from core.picture.contact_plot import ContactPlot, Lane, stance_mark

INK = (1.0, 1.0, 1.0, 1.0)
LEFT, RIGHT = (np.array(THEMES["dark"].side(side)) for side in (-1, 1))
PLOT = ContactPlot(
    [Lane(-1, [(0.0, 50.0)]), Lane(1, [(50.0, 100.0)], by_hand=[(20.0, 40.0)])], 0.0, 100.0, 202, 60, 6.0, INK
)


def shown(colour: np.ndarray, pixels: np.ndarray) -> np.ndarray:
    return np.all(np.abs(pixels - colour) < 0.02, axis=2)


def test_bars_are_where_feet_stand():
    pixels = PLOT.at(-1.0).pixels
    left, right = (shown(colour, pixels).any(axis=0) for colour in (LEFT, RIGHT))
    assert left[2:100].all()
    assert not left[102:].any()
    assert right[102:200].all()
    assert not right[:100].any()
    assert (
        np.flatnonzero(shown(LEFT, pixels).any(axis=1)).max()
        < np.flatnonzero(shown(RIGHT, pixels).any(axis=1)).min()
    ), "one lane is below the other"


def test_what_was_said_by_hand_is_underlined():
    pixels = PLOT.at(-1.0).pixels[:48]  # without the numbers
    said = shown(np.array(INK), pixels).any(axis=0)
    np.testing.assert_array_equal(np.flatnonzero(said)[[0, -1]], [41, 80])


def test_the_frame_is_marked_where_it_is_shown_only():
    plain, marked = PLOT.at(-1.0).pixels, PLOT.at(50.0).pixels
    changed = np.flatnonzero(np.any(plain != marked, axis=(0, 2)))
    assert changed.min() >= 98
    assert changed.max() <= 104
    np.testing.assert_array_equal(plain, PLOT.at(101.0).pixels)


def test_a_single_frame_is_seen():
    plot = ContactPlot([Lane(0, [(7.0, 7.0)])], 7.0, 7.0, 100, 30, 6.0, INK)
    assert shown(np.array(THEMES["dark"].side(0)), plot.at(0.0).pixels).any()


def test_no_number_is_cut_where_one_part_ends():
    plot = ContactPlot([], 1000.0, 9999.0, 400, 50, 6.0, INK, parts=4)
    parts = np.split(plot.at(0.0).pixels, 4, axis=1)
    assert all(part[:, :6].any() for part in parts), "every part begins with one"
    assert not any(part[:, -1].any() for part in parts[:3])


def test_numbers_do_not_run_into_each_other(monkeypatch):
    """In a narrow sidebar there is no room for all of them; the last frame is always told."""
    written: list[tuple[float, float, str]] = []

    def note(_canvas, position, string, size, _colour):
        written.append((position[0], position[0] + font.width(string, size), string))

    monkeypatch.setattr(Canvas, "text", note)
    for width, count in ((400, 5), (120, 4), (70, 3), (30, 1)):
        written.clear()
        ContactPlot([Lane(-1, [])], 1.0, 2343.0, width, 60, 6.0, INK, parts=4).at(1.0)
        ordered = sorted(written)
        assert ordered[-1][2] == "2343"
        assert ordered[-1][1] <= width
        assert all(end < start for (_, end, _), (start, _, _) in itertools.pairwise(ordered))
        assert len(ordered) >= count - 1


@pytest.mark.parametrize("side", [-1, 0, 1])
@pytest.mark.parametrize("ink", [INK, (0.0, 0.0, 0.0, 0.8)])
def test_a_mark_has_the_colour_of_its_lanes_and_is_hollow_while_nothing_stands(side, ink):
    lane = ContactPlot([Lane(side, [(1.0, 20.0)])], 1.0, 20.0, 100, 30, 6.0, ink).at(50.0).straight()
    stands, lifted = (stance_mark(32, side, each, ink).straight() for each in (True, False))
    assert np.allclose(stands[16, 16], lane[10, 50], atol=1 / 255)
    assert lifted[16, 16, 3] == 0.0
    assert lifted[..., 3].max() > 0.9, "its rim is there"
