# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose sheet: key poses side by side with their frame numbers.

After Tanuwijaya and Ohno, "A Simple and Efficient Method to Extract Keyposes from Mocap Data": poses stand
in a row without regard to where the actor was, which stays readable for motion in place, and the space
between them can follow the time between them. Two departures: height above the ground is kept, so a jump is
seen as a jump, and rows wrap, so that any number of poses fits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..errors import InputError
from ..motion import FloatArray, IntArray
from . import font
from .canvas import MOST_PIXELS, Canvas
from .colours import THEMES, Theme
from .drawn_poses import CENTRE, Poses
from .figure import Figures, Paint, draw_figure
from .views import View

SPACINGS = ("even", "time")


@dataclass(frozen=True)
class SheetStyle:
    """How a sheet looks.

    Attributes:
        pose_height: pixels from the lowest to the highest point of a pose, about.
        width: most pixels of a row; longer sheets wrap.
        spacing: "even", or "time" for gaps that grow with the frames between two poses.
        theme: a name from `THEMES`.
        title: a line above the poses; none if empty.
        legend: whether to say which colour is which side of the body.
    """

    pose_height: int = 240
    width: int = 2048
    spacing: str = "even"
    theme: str = "light"
    title: str = ""
    legend: bool = True


def draw_sheet(poses: Poses, view: View, style: SheetStyle | None = None) -> Canvas:
    """All poses as skeletons, in rows, with frame numbers; nothing is cut off and no two poses overlap."""
    return draw_figures(Figures.of(poses, view), style or SheetStyle())


def draw_figures(figures: Figures, style: SheetStyle, paint: Paint = draw_figure) -> Canvas:
    """A sheet of figures, each drawn by `paint`."""
    if style.spacing not in SPACINGS:
        raise InputError(
            "There is no spacing called {spacing!r}: choose one of {choices}.",
            spacing=style.spacing,
            choices=", ".join(SPACINGS),
        )
    figures = _levelled(figures)
    poses = figures.poses
    layout = _fitting_layout(figures, style)
    theme = THEMES[style.theme]
    canvas = Canvas(layout.width, layout.height, theme.background)
    _draw_heading(canvas, poses, style, theme, layout)
    for row, members in enumerate(layout.rows):
        ground = layout.top + row * layout.row_height + layout.above
        canvas.line([[layout.margin, ground], [layout.width - layout.margin, ground]], 1.0, theme.faint)
        for pose in members:
            centre = float(layout.centres[pose])
            paint(canvas, figures, int(pose), (centre, ground), layout.scale, theme, 1.0)
            label_at = (centre, ground + layout.below + 1.5 * layout.text)
            canvas.text(label_at, frame_label(float(poses.frames[pose])), layout.text, theme.ink, align=0.5)
    return canvas


def frame_label(frame: float) -> str:
    """A frame number, with a fraction only where it has one."""
    return f"{frame:.0f}" if frame.is_integer() else f"{frame:.2f}".rstrip("0")


def _levelled(figures: Figures) -> Figures:
    """Heights above the ground as they are, unless a climb would leave the rows mostly empty."""
    height = float((figures.high[:, 1] - figures.low[:, 1]).max())
    climb = float(figures.high[:, 1].max() - figures.low[:, 1].min())
    if climb <= 2.0 * height:
        return figures
    shift = figures.low[:, 1].copy()
    low, high = figures.low.copy(), figures.high.copy()
    low[:, 1] -= shift
    high[:, 1] -= shift
    heads, tails = figures.heads.copy(), figures.tails.copy()
    heads[..., 1] -= shift[:, None]
    tails[..., 1] -= shift[:, None]
    offsets = figures.offsets.copy()
    offsets[:, 1] += shift
    return replace(figures, heads=heads, tails=tails, offsets=offsets, low=low, high=high)


def _tallest(figures: Figures) -> float:
    return float((figures.high[:, 1] - figures.low[:, 1]).max())


def _fitting_layout(figures: Figures, style: SheetStyle) -> _Layout:
    """Poses as large as the style asks for, smaller where the sheet would become too large."""
    widest = float((figures.high[:, 0] - figures.low[:, 0]).max())
    scale = min(style.pose_height / _tallest(figures), 0.8 * style.width / widest)
    layout = _Layout.of(figures, style, scale)
    while layout.width * layout.height > MOST_PIXELS:
        scale *= 0.95 * np.sqrt(MOST_PIXELS / (layout.width * layout.height))
        layout = _Layout.of(figures, style, scale)
    return layout


@dataclass(frozen=True, eq=False)
class _Layout:
    """Where everything goes, in pixels."""

    rows: list[IntArray]
    centres: FloatArray  # (P,) x of each pose's ground point
    width: int
    height: int
    margin: float
    top: float
    above: float  # from the top of a row down to its ground
    below: float  # from the ground down to the lowest foot
    row_height: float
    text: float
    scale: float  # pixels a world unit

    @classmethod
    def of(cls, figures: Figures, style: SheetStyle, scale: float) -> _Layout:
        text = float(np.clip(0.06 * scale * _tallest(figures), 8.0, 40.0))
        left, right = _extents(figures, scale, text)
        gaps = _gaps(figures, style, left, right, text)
        margin = 1.5 * text
        rows = _wrapped(left, right, gaps, style.width - 2.0 * margin)
        centres, width = np.empty(len(figures)), 0.0
        for members in rows:
            at = margin
            for pose in members:
                at += left[pose]
                centres[pose] = at
                at += right[pose] + gaps[pose]
            width = max(width, at - gaps[members[-1]] + margin)
        heading = _heading_width(figures.poses, style, text)
        above = float(figures.high[:, 1].max()) * scale
        below = max(-float(figures.low[:, 1].min()) * scale, 0.0)
        row_height = above + below + 3.5 * text
        top = margin + (2.5 * text if heading else 0.0)
        return cls(
            rows=rows,
            centres=centres,
            width=int(np.ceil(max(width, heading + 2.0 * margin))),
            height=int(np.ceil(top + row_height * len(rows))),
            margin=margin,
            top=top,
            above=above,
            below=below,
            row_height=row_height,
            text=text,
            scale=scale,
        )


def _extents(figures: Figures, scale: float, text: float) -> tuple[FloatArray, FloatArray]:
    """(P,) pixels that each pose and its label need to the left and to the right of its ground point."""
    half_label = np.array([font.width(frame_label(frame), text) / 2.0 for frame in figures.poses.frames])
    left = np.maximum(-figures.low[:, 0] * scale, half_label)
    right = np.maximum(figures.high[:, 0] * scale, half_label)
    return left, right


def _gaps(
    figures: Figures, style: SheetStyle, left: FloatArray, right: FloatArray, text: float
) -> FloatArray:
    """(P,) pixels to leave after each pose."""
    gaps = np.full(len(figures), text)
    if style.spacing == "time" and len(figures) > 1:
        steps = np.diff(figures.poses.frames)
        typical = float((left + right).mean())
        gaps[:-1] += typical * steps / max(float(steps.mean()), 1e-12)
    return gaps


def _wrapped(left: FloatArray, right: FloatArray, gaps: FloatArray, width: float) -> list[IntArray]:
    """Poses in as few rows as `width` allows, filled evenly; a gap at the end of a row is not needed."""
    needed = left + right
    rows = _filled(needed, gaps, width)
    # The narrowest width that still gives this number of rows fills them evenly.
    low, high = float(needed.max()), width
    for _ in range(20):
        middle = (low + high) / 2.0
        if len(_filled(needed, gaps, middle)) > len(rows):
            low = middle
        else:
            high = middle
    return _filled(needed, gaps, high)


def _filled(needed: FloatArray, gaps: FloatArray, width: float) -> list[IntArray]:
    rows: list[list[int]] = [[]]
    used = 0.0
    for pose in range(len(needed)):
        if rows[-1] and used + needed[pose] > width + 1e-6:
            rows.append([])
            used = 0.0
        rows[-1].append(pose)
        # A gap wider than the sheet must not push the next pose out of an otherwise empty row.
        used += needed[pose] + gaps[pose]
    return [np.array(row, dtype=np.int64) for row in rows]


_LEGEND = (("left", -1), ("right", 1))


def _heading_width(poses: Poses, style: SheetStyle, text: float) -> float:
    words = [word for word, _ in _LEGEND] if _has_legend(poses, style) else []
    legend = sum(font.width(word, text) + 4.0 * text for word in words)
    return font.width(style.title, text) + legend + (2.0 * text if style.title and legend else 0.0)


def _has_legend(poses: Poses, style: SheetStyle) -> bool:
    return style.legend and bool(np.any(poses.sides != CENTRE))


def _draw_heading(canvas: Canvas, poses: Poses, style: SheetStyle, theme: Theme, layout: _Layout) -> None:
    """The title at the left, and at the right which colour is which side of the body."""
    baseline = layout.margin + layout.text
    canvas.text((layout.margin, baseline), style.title, layout.text, theme.ink)
    if not _has_legend(poses, style):
        return
    at = canvas.width - layout.margin
    for word, side in reversed(_LEGEND):
        canvas.text((at, baseline), word, layout.text, theme.ink, align=1.0)
        at -= font.width(word, layout.text) + layout.text
        middle = baseline - layout.text / 2.0
        canvas.capsule((at - 1.2 * layout.text, middle), (at, middle), 0.25 * layout.text, theme.side(side))
        at -= 3.0 * layout.text
