# SPDX-License-Identifier: GPL-3.0-or-later
"""How the figures of the benchmarks look, and where they go."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
from PIL import Image

from core.picture import Canvas

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images"

# Colours that readers with any colour vision can tell apart, and marks besides.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
MARKS = "o^sDvP"

plt.rcParams.update(
    {"axes.grid": True, "grid.alpha": 0.3, "axes.spines.top": False, "axes.spines.right": False}
)


def style(number: int) -> dict[str, str]:
    """Colour and mark of a line."""
    return {"color": COLOURS[number % len(COLOURS)], "marker": MARKS[number % len(MARKS)]}


def save(figure: plt.Figure, name: str) -> None:
    """Write a figure into the documentation and say how large it is."""
    path = FOLDER / f"{name}.png"
    FOLDER.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=80)
    plt.close(figure)
    _say(path)


def save_canvas(canvas: Canvas, name: str) -> None:
    """Write a picture of ours into the documentation, in few colours so that it is small."""
    path = FOLDER / f"{name}.png"
    FOLDER.mkdir(parents=True, exist_ok=True)
    Image.fromarray(canvas.bytes()).convert("RGB").quantize(64).save(path, optimize=True)
    _say(path)


def _say(path: Path) -> None:
    print(f"{path.name}: {path.stat().st_size // 1024} kB")


def legend_below(figure: plt.Figure, panel: plt.Axes, columns: int) -> None:
    """One legend for panels that share their lines."""
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False)
