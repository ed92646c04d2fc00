# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws docs/images/spatial.png: what blending matrices does that blending angles does not.

python docs/images/spatial.py        with a Python that has numpy and matplotlib
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[2]))
from core import SpatialKeyframes  # noqa: E402 - found beside this file

ANGLES = np.array([0.0, 30.0, 180.0, 270.0])
YELLOW, RED, BLUE, GREY = "#e8b400", "#d03030", "#2f6db5", "#9aa3ad"


def about_z(degrees: np.ndarray) -> np.ndarray:
    c, s, zero = np.cos(np.radians(degrees)), np.sin(np.radians(degrees)), np.zeros(len(degrees))
    rows = [np.stack(row, -1) for row in ((c, -s, zero), (s, c, zero), (zero, zero, zero + 1.0))]
    return np.stack(rows, -2)[:, None]


def ring() -> np.ndarray:
    return np.column_stack((np.cos(np.radians(ANGLES)), np.sin(np.radians(ANGLES)), 0.0 * ANGLES))


def grid() -> np.ndarray:
    x, y = np.meshgrid(np.linspace(-1.8, 1.8, 15), np.linspace(-1.8, 1.8, 15))
    return np.column_stack((x.ravel(), y.ravel(), 0.0 * x.ravel()))


def arrows(axis: plt.Axes, title: str, headings: np.ndarray) -> None:
    where, places = grid(), ring()
    across = [np.cos(headings), np.sin(headings)]
    axis.quiver(where[:, 0], where[:, 1], *across, color=GREY, pivot="mid", scale=22, width=0.006)
    facing = np.radians(ANGLES)
    axis.quiver(places[:, 0], places[:, 1], np.cos(facing), np.sin(facing), color=BLUE, scale=9, width=0.014)
    axis.scatter(places[:, 0], places[:, 1], s=110, color=YELLOW, edgecolor="black", zorder=3)
    for place, angle in zip(places, ANGLES, strict=True):
        label = place[:2] * 0.62 + ((0.0, 0.0) if angle != 30.0 else (-0.08, 0.14))
        axis.annotate(f"{angle:.0f}°", label, ha="center", va="center", fontsize=9, backgroundcolor="white")
    axis.set_title(title, fontsize=10)
    axis.set(aspect="equal", xticks=[], yticks=[], xlim=(-2, 2), ylim=(-2, 2))


def crossing(axis: plt.Axes) -> None:
    keys = SpatialKeyframes([[0, 0, 0], [1, 0, 0]], about_z(np.array([0.0, 180.0])))
    frames = np.arange(73)
    points = np.column_stack((frames / 72, 0.0 * frames, 0.0 * frames))
    for turned, colour, name in (
        (keys.poses(points)[0], GREY, "each frame on its own"),
        (keys.path(points)[0], RED, "with the frame before"),
    ):
        heading = np.degrees(np.arctan2(turned[:, 0, 1, 0], turned[:, 0, 0, 0]))
        axis.plot(frames, np.abs(heading), "o-", markersize=3, color=colour, label=name)
    axis.set_title("A cursor crosses between opposite poses", fontsize=10)
    axis.set(xlabel="frame", ylabel="turn in degrees", yticks=[0, 45, 90, 135, 180])
    axis.set_xlim(22, 50)
    axis.legend(frameon=False, fontsize=9, loc="upper left")
    axis.spines[["top", "right"]].set_visible(False)


def main() -> None:
    keys = SpatialKeyframes(ring(), about_z(ANGLES))
    weights = np.stack([keys.weights(point) for point in grid()])
    turned = keys.poses(grid())[0][:, 0]
    figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
    arrows(axes[0], "Blending angles: a seam between 270° and 0°", np.radians(weights @ ANGLES))
    arrows(axes[1], "Blending matrices, as Posewright does", np.arctan2(turned[:, 1, 0], turned[:, 0, 0]))
    crossing(axes[2])
    figure.savefig(HERE.with_suffix(".png"), dpi=90)


if __name__ == "__main__":
    main()
