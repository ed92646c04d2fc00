# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours can be seen on their background, and told apart with every kind of colour vision."""

import itertools

import numpy as np
import pytest

from core.picture import THEMES, time_colours

# What people with a full deficiency see, for linear colours (Machado, Oliveira and Fernandes 2009).
VISION = {
    "typical": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
}
PAPER = {"light": (1.0, 1.0, 1.0), "dark": (0.115, 0.115, 0.115)}


def linear(colour):
    values = np.asarray(colour[:3], float)
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(first, second):
    bright, dark = sorted(
        (float(linear(each) @ [0.2126, 0.7152, 0.0722]) for each in (first, second)), reverse=True
    )
    return (bright + 0.05) / (dark + 0.05)


def lab(colour, vision):
    """CIE L*a*b* of a colour as somebody sees it."""
    seen = np.clip(np.asarray(VISION[vision]) @ linear(colour), 0.0, 1.0)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ seen / [0.9505, 1.0, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16.0 / 116.0)
    return np.array([116.0 * f[1] - 16.0, 500.0 * (f[0] - f[1]), 200.0 * (f[1] - f[2])])


def apart(first, second, vision):
    return float(np.linalg.norm(lab(first, vision) - lab(second, vision)))


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("theme", THEMES)
def test_left_right_and_centre_can_be_told_apart(theme, vision):
    colours = THEMES[theme]
    for first, second in itertools.combinations((colours.left, colours.right, colours.centre), 2):
        assert apart(first, second, vision) > 20.0


@pytest.mark.parametrize("theme", PAPER)
def test_limbs_and_text_stand_out_from_the_background(theme):
    colours = THEMES[theme]
    assert contrast(colours.ink, PAPER[theme]) > 7.0
    for colour in (colours.left, colours.right, colours.centre):
        assert contrast(colour, PAPER[theme]) > 2.8


@pytest.mark.parametrize("paper", PAPER.values())
def test_middle_tones_are_seen_on_light_and_on_dark(paper):
    colours = THEMES["transparent"]
    for colour in (colours.left, colours.right, colours.centre):
        assert contrast(colour, paper) > 2.4


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("theme", PAPER)
def test_curves_of_a_plot_can_be_told_apart_by_most(theme, vision):
    """Seven hues cannot all keep apart with every vision; marks of different shape do the rest."""
    found = [apart(*pair, vision) for pair in itertools.combinations(THEMES[theme].series[:6], 2)]
    assert np.mean(np.array(found) > 12.0) > 0.85


def test_time_grows_lighter_all_the_way():
    lightness = [lab(colour, "typical")[0] for colour in time_colours(np.linspace(0.0, 1.0, 21))]
    assert np.all(np.diff(lightness) > 0.0)
