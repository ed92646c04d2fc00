# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures 3, 4 and 6 of Halit and Capin 2010: saliency over time, and sweeps of k and sigma.

    python -m benchmarks.saliency_sweeps

For every k and sigma the algorithm's own keys are taken, whatever their number, and played by quaternion
slerp; the error is that of Table 1, the mean squared difference of body coordinates. The paper says that
the error falls clearly up to k = 7, and grows clearly from sigma = 3 on for dynamic motion.
"""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np

from benchmarks import drawing
from benchmarks.paper_tables import PAPER, Clip, Printed
from core import metrics, select
from core.picture import draw_saliency
from core.selection.saliency import motion_saliency

KS = (1, 2, 3, 5, 7, 10, 14, 20)
SIGMAS = (1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 14.0, 20.0)
SHOWN = ("02_01", 10.0)  # a walk, as in the paper's Figures 3 and 4

Point = tuple[int, float]  # keys and error


def own_error(clip: Clip, sigma: float, k: int) -> Point:
    seen = clip.in_angles()
    solutions = select(seen, "saliency", sigma=sigma, k=k, max_keys=len(seen))
    keys = solutions.keys(solutions.own_count)
    played = clip.played_body(clip.played_angles(keys, fitted=False))
    return len(keys), metrics.mean_squared_error(clip.body_positions, played)


def sweeps(printed: Printed) -> tuple[list[Point], list[Point]]:
    """Over k with the paper's sigma, and over sigma with the paper's k."""
    clip = Clip(printed.clip)
    over_k = [own_error(clip, printed.sigma, k) for k in KS]
    return over_k, [own_error(clip, sigma, printed.k) for sigma in SIGMAS]


def figure_6() -> None:
    figure, panels = plt.subplots(2, len(PAPER), figsize=(11, 6), layout="constrained")
    for column, printed in enumerate(PAPER):
        print(f"\nFigure 6: {printed.title} ({printed.clip}), paper: sigma {printed.sigma}, k {printed.k}")
        for row, (name, values, points) in enumerate(
            zip(("k", "sigma"), (KS, SIGMAS), sweeps(printed), strict=True)
        ):
            _print_sweep(name, values, points)
            panel = panels[row, column]
            panel.plot(values, [error for _, error in points], label="error", **drawing.style(0))
            beside = panel.twinx()
            beside.plot(values, [count for count, _ in points], label="keys", **drawing.style(1))
            beside.grid(visible=False)
            panel.set_xlabel(name)
            panel.set_title(printed.title if row == 0 else "")
            if column == 0:
                panel.set_ylabel("error (circles)")
            if column == len(PAPER) - 1:
                beside.set_ylabel("own keys (triangles)")
    drawing.save(figure, "paper-004-figure-6")


def _print_sweep(name: str, values: Sequence[float], points: Sequence[Point]) -> None:
    for value, (count, error) in zip(values, points, strict=True):
        print(f"   {name:>5} {value:5g}   {count:5} keys   error {error:.4g}")


def figures_3_and_4() -> None:
    name, sigma = SHOWN
    motion = Clip(name).motion
    seen = motion_saliency(motion, sigma=sigma)
    solutions = select(motion, "saliency", sigma=sigma)
    keys = solutions.keys(solutions.own_count)
    title = f"{name} (walk), sigma {sigma:g}"
    candidates = np.any(seen.candidates[:1], axis=0)  # of the strongest component alone, as in the paper
    canvas = draw_saliency(motion.frames, seen.values, candidates, keys, title=title, width=1100, height=340)
    drawing.save_canvas(canvas, "paper-004-figures-3-4")


def main() -> None:
    figures_3_and_4()
    figure_6()


if __name__ == "__main__":
    main()
