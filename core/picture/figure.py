# SPDX-License-Identifier: GPL-3.0-or-later
"""One pose as a picture: bones as capsules, far ones behind near ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..motion import FloatArray
from .canvas import Canvas
from .colours import Theme, mixed
from .drawn_poses import Poses
from .views import View

_HAZE = 0.35  # how far the furthest bone of a pose fades towards the background
_GAP = 0.4  # free space round a near bone that crosses a far one, as a share of its radius


@dataclass(frozen=True, eq=False)
class Figures:
    """Poses as seen, in world units on the screen (y up), each relative to the ground under it.

    Attributes:
        view: where they are seen from.
        distance: of the poses from a perspective camera, on average.
        heads, tails: (P, B, 3) right, up and nearness.
        radii: (B,) of the bones.
        offsets: (P, 2) where the ground point of each pose lies on the screen.
        low, high: (P, 2) corners of the box that holds all of a pose, thickness included.
    """

    poses: Poses
    view: View
    distance: float
    heads: FloatArray
    tails: FloatArray
    radii: FloatArray
    offsets: FloatArray
    low: FloatArray
    high: FloatArray

    @classmethod
    def of(cls, poses: Poses, view: View, skins: Sequence[FloatArray] | None = None) -> Figures:
        """As `view` sees the poses; `skins`, (N, 3) points for each pose, must fit in the boxes too."""
        points = np.concatenate([poses.ends, poses.grounds[:, None]], axis=1)
        distance = view.distance(points)
        seen = view.seen(points, distance)
        grounds = seen[:, -1:, :2].copy()
        ends = seen[:, :-1].copy()
        ends[..., :2] -= grounds
        heads, tails = np.split(ends, 2, axis=1)
        reach = np.concatenate([poses.radii, poses.radii])[None, :, None]
        low = (ends[..., :2] - reach).min(axis=1)
        high = (ends[..., :2] + reach).max(axis=1)
        for row, skin in enumerate(skins or ()):
            flat = view.of_row(row).seen(skin[None], distance)[0, :, :2] - grounds[row]
            low[row] = np.minimum(low[row], flat.min(axis=0))
            high[row] = np.maximum(high[row], flat.max(axis=0))
        return cls(poses, view, distance, heads, tails, poses.radii, grounds[:, 0], low, high)

    def __len__(self) -> int:
        return len(self.heads)


# Draws one pose: canvas, figures, row, pixel of its ground point, pixels a world unit, theme, opacity.
Paint = Callable[[Canvas, Figures, int, tuple[float, float], float, Theme, float], None]


def draw_figure(
    canvas: Canvas,
    figures: Figures,
    row: int,
    ground: tuple[float, float],
    scale: float,
    theme: Theme,
    opacity: float = 1.0,
) -> None:
    """Draw pose `row` with its ground point at pixel `ground`, `scale` pixels a world unit.

    The pose is drawn opaque on a layer of its own and laid down at once, so that its bones do not shine
    through each other however transparent it is.
    """
    low = np.floor([ground[0] + figures.low[row, 0] * scale, ground[1] - figures.high[row, 1] * scale]) - 2
    high = np.ceil([ground[0] + figures.high[row, 0] * scale, ground[1] - figures.low[row, 1] * scale]) + 2
    low = np.maximum(low, -canvas.width).astype(int)
    layer = Canvas(int(high[0] - low[0]), int(high[1] - low[1]))
    to_pixels = np.array([scale, -scale])
    origin = np.array(ground) - low
    starts = figures.heads[row, :, :2] * to_pixels + origin
    ends = figures.tails[row, :, :2] * to_pixels + origin
    nearness = (figures.heads[row, :, 2] + figures.tails[row, :, 2]) / 2.0
    haze = _HAZE * (nearness.max() - nearness) / max(float(np.ptp(nearness)), 0.1 * figures.poses.size)
    for bone in np.argsort(nearness, kind="stable"):
        radius = max(float(figures.radii[bone]) * scale, 0.6)
        _clear_around(layer, starts[bone], ends[bone], radius)
        colour = mixed(theme.side(int(figures.poses.sides[bone])), theme.faint, float(haze[bone]))
        layer.capsule(starts[bone], ends[bone], radius, (*colour[:3], 1.0))
    canvas.paste(layer, int(low[0]), int(low[1]), opacity)


def _clear_around(layer: Canvas, start: FloatArray, end: FloatArray, radius: float) -> None:
    """Free the middle of a bone from what lies behind it; at its joints it stays joined."""
    length = float(np.hypot(*(end - start)))
    inset = 1.6 * radius
    if length > 2.0 * inset:
        along = (end - start) * (inset / length)
        layer.gap(start + along, end - along, radius * (1.0 + _GAP) + 0.4)
