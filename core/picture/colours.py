# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours that can be told apart with every kind of colour vision, on light and on dark.

The hues are those of Okabe and Ito's palette. Left is always blue and right always orange; blue and
orange also differ in lightness, so a sheet printed in grey still tells them apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..motion import FloatArray

Colour = tuple[float, float, float, float]


def colour(code: str, alpha: float = 1.0) -> Colour:
    """From six hexadecimal digits."""
    red, green, blue = (int(code[at : at + 2], 16) / 255.0 for at in (0, 2, 4))
    return (red, green, blue, alpha)


def mixed(first: Colour, second: Colour, share: float) -> Colour:
    """`share` of the second colour in the first."""
    red, green, blue, alpha = (a + (b - a) * share for a, b in zip(first, second, strict=True))
    return (red, green, blue, alpha)


@dataclass(frozen=True)
class Theme:
    """The colours of a picture."""

    background: Colour
    ink: Colour
    faint: Colour
    left: Colour
    right: Colour
    centre: Colour
    series: tuple[Colour, ...]  # of curves in a plot, in order

    def side(self, side: int) -> Colour:
        """The colour of a limb: -1 left, 0 centre, 1 right."""
        return (self.left, self.centre, self.right)[side + 1]


_ON_LIGHT = ("0072B2", "D55E00", "009E73", "B0609A", "8A6D00", "2E9CD8", "333333")
_ON_DARK = ("56B4E9", "E69F00", "1FBF92", "E394C4", "F0E442", "D9753A", "DDDDDD")

THEMES: dict[str, Theme] = {
    "light": Theme(
        background=colour("FFFFFF"),
        ink=colour("222222"),
        faint=colour("C8C8C8"),
        left=colour("0072B2"),
        right=colour("E07B00"),
        centre=colour("4A4A4A"),
        series=tuple(map(colour, _ON_LIGHT)),
    ),
    "dark": Theme(
        background=colour("1D1D1D"),
        ink=colour("E6E6E6"),
        faint=colour("4A4A4A"),
        left=colour("56B4E9"),
        right=colour("F0A020"),
        centre=colour("C4C4C4"),
        series=tuple(map(colour, _ON_DARK)),
    ),
    # Middle tones: the background shows through and may be light or dark.
    "transparent": Theme(
        background=(0.0, 0.0, 0.0, 0.0),
        ink=colour("808080"),
        faint=colour("808080", 0.5),
        left=colour("2A8FD0"),
        right=colour("EA8A00"),
        centre=colour("8C8C8C"),
        series=tuple(map(colour, _ON_LIGHT)),
    ),
}

# From early to late: blue over green to yellow, lightness rising all the way (as in viridis), with
# the darkest and the lightest end cut off so that both themes keep a contrast.
_TIME = np.array(
    [[0.30, 0.40, 0.82], [0.12, 0.56, 0.66], [0.26, 0.73, 0.46], [0.66, 0.82, 0.20], [0.96, 0.86, 0.15]]
)


def time_colours(shares: ArrayLike, ends: ArrayLike | None = None) -> FloatArray:
    """(N, 3) colours for times from 0 (early) to 1 (late); `ends` (2, 3) are others than ours."""
    table = _TIME if ends is None else np.asarray(ends, np.float64)
    shares = np.clip(np.asarray(shares, np.float64), 0.0, 1.0)
    stops = np.linspace(0.0, 1.0, len(table))
    return np.stack([np.interp(shares, stops, table[:, channel]) for channel in range(3)], axis=-1)
