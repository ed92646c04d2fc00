# SPDX-License-Identifier: GPL-3.0-or-later
"""A comparison as a plot, as a table to read and as comma-separated values."""

from __future__ import annotations

import csv
import io

import numpy as np

from ...core.picture import Canvas, Curve, draw_plot
from .comparison import Comparison, Result

_COLUMNS = ("algorithm", "keys", "compression", "mean_distance", "largest_distance", "seconds")


def plot(comparison: Comparison, theme: str) -> Canvas:
    """Error over compression, one curve an algorithm."""
    curves = []
    for name in comparison.algorithms:
        results = sorted(comparison.of(name), key=lambda result: result.compression)
        curves.append(
            Curve(
                name,
                np.array([result.compression for result in results]),
                1000.0 * np.array([result.mean_distance for result in results]),
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
    rows = [("algorithm", "keys", "compression", "mean (mm)", "largest (mm)", "seconds")]
    rows += [_readable(result) for result in comparison.results]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        f"{comparison.action}: {comparison.frames} frames, keyed as: {comparison.keyed_as}",
        "Distance between joints of the original and of the reduced motion, for a character 1.7 m tall.",
        "Seconds are for choosing the keys of all rows of an algorithm; for Decimate, of each row.",
        "",
        *("  ".join(_aligned(row, widths)) for row in rows),
        *("" if not comparison.notes else "\n" + note for note in comparison.notes),
    ]
    return "\n".join(lines) + "\n"


def _readable(result: Result) -> tuple[str, ...]:
    return (
        result.algorithm,
        f"{result.keys:.4g}",
        f"{result.compression:.1f}",
        f"{1000.0 * result.mean_distance:.2f}",
        f"{1000.0 * result.largest_distance:.1f}",
        f"{result.seconds:.2f}",
    )


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
    writer.writerow(("action", "frames", *_COLUMNS))
    for result in comparison.results:
        values = [getattr(result, column) for column in _COLUMNS]
        writer.writerow(
            (comparison.action, comparison.frames, values[0], *(f"{each:.6g}" for each in values[1:]))
        )
    return buffer.getvalue()
