# SPDX-License-Identifier: GPL-3.0-or-later
"""The synopsis: a motion as one picture in which its poses overlap, earlier or less important ones fainter.

After Fig. 11 of Tanuwijaya and Ohno (the order in which poses were chosen as their transparency, which is
the fading by importance here) and the thumbnails of Halit
and Capin, "Multiscale motion saliency for keyframe extraction from motion capture sequences". Both note, or
show, that poses at their real places are confusing when the actor stays in place; here poses keep the order
and the rhythm of the travel, but are spread out where it is too little and drawn together where it is too
much for the picture.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..motion import FloatArray
from . import font
from .canvas import Canvas
from .colours import THEMES, Theme
from .drawn_poses import Poses
from .figure import Figures, Paint, draw_figure
from .sheet import frame_label
from .views import View

FADES = ("time", "importance")
_FAINTEST = 0.28
_LEAST_STEP = 0.6  # between neighbouring poses, as a share of a pose's width
_MOST_STEP = 1.05
_HEAP_STEP = 0.28  # neighbours come no closer, even if the figures get smaller


@dataclass(frozen=True)
class SynopsisStyle:
    """How a synopsis looks.

    Attributes:
        width, height: pixels of the picture.
        theme: a name from `THEMES`.
        labels: whether frame numbers are written below.
        trim: whether the picture is narrower where the poses do not need its width.
        fade: what makes a pose faint, of `FADES`: being early, or being less important.
    """

    width: int = 1024
    height: int = 512
    theme: str = "light"
    labels: bool = True
    trim: bool = False
    fade: str = "time"


def draw_synopsis(poses: Poses, view: View, style: SynopsisStyle | None = None) -> Canvas:
    """All poses as skeletons in one picture, as large as fits, nothing cut off."""
    return draw_overlapping(Figures.of(poses, view), style or SynopsisStyle())


def draw_overlapping(
    figures: Figures,
    style: SynopsisStyle,
    paint: Paint = draw_figure,
    importance: FloatArray | None = None,
) -> Canvas:
    """A synopsis of figures, each drawn by `paint`.

    Args:
        importance: (P,) of each pose, the higher the more; for a style that fades by it.
    """
    if style.fade not in FADES:
        raise InputError(
            "There is no fading by {fade!r}: choose one of {choices}.",
            fade=style.fade,
            choices=", ".join(FADES),
        )
    width, height, labels = style.width, style.height, style.labels
    colours = THEMES[style.theme]
    text = max(0.028 * height, 8.0) if labels else 0.0
    margin = 0.03 * min(width, height) + 1.0
    places = _places(figures, (width - 2 * margin) / max(height - 2 * margin - 3 * text, 1.0))
    low = (figures.low + places).min(axis=0)
    high = (figures.high + places).max(axis=0)
    room = np.array([width - 2 * margin, height - 2 * margin - 2.5 * text])
    scale = float((room / np.maximum(high - low, 1e-9)).min())
    if style.trim:
        room[0] = (high[0] - low[0]) * scale
    canvas = Canvas(round(room[0] + 2 * margin), height, colours.background)
    # In the middle of the room that is left.
    left = margin + (room[0] - (high[0] - low[0]) * scale) / 2.0 - low[0] * scale
    ground = margin + (room[1] + (high[1] - low[1]) * scale) / 2.0 + low[1] * scale
    order = np.arange(len(figures))
    if style.fade == "importance" and importance is not None:
        order = np.lexsort((order, importance))  # the most important on top
    opacities = _opacities(len(figures))
    for row, opacity in zip(order.tolist(), opacities.tolist(), strict=True):
        at = (left + places[row, 0] * scale, ground - places[row, 1] * scale)
        paint(canvas, figures, row, at, scale, colours, opacity)
    if labels:
        centres = left + places[:, 0] * scale
        _draw_labels(canvas, figures.poses, centres, ground - low[1] * scale + 2.0 * text, text, colours)
    return canvas


def _opacities(count: int) -> FloatArray:
    """Growing from pose to pose up to fully opaque."""
    return np.linspace(_FAINTEST if count > 1 else 1.0, 1.0, count)


def _places(figures: Figures, aspect: float) -> FloatArray:
    """(P, 2) where the ground point of each pose goes, in world units on the screen.

    Sideways, the steps between poses follow the real travel where the character travels, within limits
    that keep neighbours apart and the figures large; on the spot, all steps are equal.
    """
    places = np.zeros((len(figures), 2))
    if len(figures) < 2:
        return places
    width = float(np.median(figures.high[:, 0] - figures.low[:, 0]))
    steps = np.diff(figures.offsets[:, 0])
    onwards = -1.0 if steps.sum() < -0.5 * width else 1.0
    travelled = np.maximum(steps * onwards, 0.0)
    height = float(figures.high[:, 1].max() - figures.low[:, 1].min())
    # As wide as the picture allows without making the figures smaller, but never all on one heap.
    allowed = max(aspect * height - width, _HEAP_STEP * width * len(steps))
    places[1:, 0] = onwards * np.cumsum(_fitted(travelled, width, allowed))
    return places


def _fitted(travelled: FloatArray, width: float, allowed: float) -> FloatArray:
    """Steps in proportion to the travel, together at most `allowed`, none too short to tell apart."""
    least = min(_LEAST_STEP * width, allowed / len(travelled))
    low, high = 0.0, 1.0
    for _ in range(30):  # the largest share of the travel that fits
        share = (low + high) / 2.0
        fits = np.clip(share * travelled, least, _MOST_STEP * width).sum() <= allowed
        low, high = (share, high) if fits else (low, share)
    return np.clip(low * travelled, least, _MOST_STEP * width)


def _draw_labels(
    canvas: Canvas, poses: Poses, centres: FloatArray, baseline: float, text: float, theme: Theme
) -> None:
    """Frame numbers below, left out where they would run into one already written."""
    taken: list[tuple[float, float]] = []
    order = [0, len(poses) - 1, *range(1, len(poses) - 1)]
    for row in dict.fromkeys(order):
        label = frame_label(float(poses.frames[row]))
        half = font.width(label, text) / 2.0
        low, high = centres[row] - half - 0.4 * text, centres[row] + half + 0.4 * text
        if all(high < other_low or low > other_high for other_low, other_high in taken):
            taken.append((low, high))
            canvas.text((centres[row], baseline), label, text, theme.ink, align=0.5)
