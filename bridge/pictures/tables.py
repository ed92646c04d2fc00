# SPDX-License-Identifier: GPL-3.0-or-later
"""A comparison as a plot, as a table to read and as comma-separated values."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

import numpy as np

from ...core.picture import Canvas, Curve, draw_plot
from .comparison import Comparison, Result

MILLIMETRES = 1000.0
# What is told of a result: a name for scripts, and for people a head, a factor and digits.
_COLUMNS: tuple[tuple[str, str, float, str, Callable[[Result], float]], ...] = (
    ("keys", "keys", 1.0, ".4g", lambda each: each.keys),
    ("compression", "compression", 1.0, ".1f", lambda each: each.compression),
    ("mean_distance", "mean (mm)", MILLIMETRES, ".2f", lambda each: each.likeness.mean_distance),
    ("largest_distance", "largest (mm)", MILLIMETRES, ".1f", lambda each: each.likeness.largest_distance),
    ("slide", "slide (mm)", MILLIMETRES, ".1f", lambda each: each.likeness.quality.slide),
    ("worst_slide", "worst (mm)", MILLIMETRES, ".1f", lambda each: each.likeness.quality.worst_slide),
    ("sinking", "sinking (mm)", MILLIMETRES, ".1f", lambda each: each.likeness.quality.sinking),
    ("flight_error", "flight (mm/s)", MILLIMETRES, ".0f", lambda each: each.likeness.quality.flight_error),
    ("added_jerk", "jerk (m/s3)", 1.0, ".1f", lambda each: each.likeness.quality.added_jerk),
    ("beside_50th", "beside 50th", MILLIMETRES, ".1f", lambda each: each.likeness.quality.beside[0]),
    ("beside_95th", "95th", MILLIMETRES, ".1f", lambda each: each.likeness.quality.beside[1]),
    ("beside_99th", "99th (mm)", MILLIMETRES, ".1f", lambda each: each.likeness.quality.beside[2]),
    ("seconds", "seconds", 1.0, ".2f", lambda each: each.seconds),
)


def plot(comparison: Comparison, theme: str) -> Canvas:
    """Error over compression, one curve an algorithm."""
    curves = []
    for name in comparison.algorithms:
        results = sorted(comparison.of(name), key=lambda result: result.compression)
        curves.append(
            Curve(
                name,
                np.array([result.compression for result in results]),
                1000.0 * np.array([result.likeness.mean_distance for result in results]),
            )
        )
    return draw_plot(
        curves,
        title=f"{comparison.action}, {comparison.frames} frames, keyed as: {comparison.keyed_as}",
        x_label="compression (frames for each key)",
        y_label="mean joint distance (mm, for a height of 1.7 m)",
        theme=theme,
    )


def table(comparison: Comparison) -> str:
    """For the Text Editor, in columns."""
    rows = [("algorithm", *(head for _, head, _, _, _ in _COLUMNS))]
    rows += [_readable(result) for result in comparison.results]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        f"{comparison.action}: {comparison.frames} frames, keyed as: {comparison.keyed_as}",
        "Distance between joints of the original and of the reduced motion, for a character 1.7 m tall.",
        "Slide: of feet that stand in the original, on average and at worst; they are not held here.",
        "Sinking: how deep they get below what they stand on. Flight: the level speed's error in the air.",
        "Jerk: how much rougher it is. Beside: percentiles of the error 3 cm beside bones.",
        "Seconds are for choosing the keys of all rows of an algorithm; for Decimate, of each row.",
        "",
        *("  ".join(_aligned(row, widths)) for row in rows),
        *("" if not comparison.notes else "\n" + note for note in comparison.notes),
    ]
    return "\n".join(lines) + "\n"


def _readable(result: Result) -> tuple[str, ...]:
    figures = (f"{factor * value(result):{digits}}" for _, _, factor, digits, value in _COLUMNS)
    return (result.algorithm, *figures)


def _aligned(row: tuple[str, ...], widths: list[int]) -> list[str]:
    name, *numbers = row
    return [
        name.ljust(widths[0]),
        *(text.rjust(width) for text, width in zip(numbers, widths[1:], strict=True)),
    ]


def comma_separated(comparison: Comparison) -> str:
    """For spreadsheets and scripts; distances in metres."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(("action", "frames", "algorithm", *(name for name, *_ in _COLUMNS)))
    for result in comparison.results:
        figures = (f"{value(result):.6g}" for *_, value in _COLUMNS)
        writer.writerow((comparison.action, comparison.frames, result.algorithm, *figures))
    return buffer.getvalue()
