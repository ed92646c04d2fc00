# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the distilled motion is from the capture, measured as Blender plays it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import bpy
import numpy as np

SHARES = (0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1)  # keys, as parts of the frames


@dataclass(frozen=True)
class Row:
    """One number of keys."""

    count: int
    share: float  # of the frames
    mean: float  # joint distance, in parts of the character's height
    largest: float


def measure(armature: bpy.types.Object, posewright: ModuleType) -> list[Row]:
    """Move the slider through some numbers of keys and compare what plays with the source."""
    settings, sampling = armature.posewright, posewright.bridge.sampling
    chosen = settings.key_count
    analysis = posewright.bridge.distil.reductions.get(armature).analysis()
    height = sampling.height_of(armature)
    settings.show_original = True
    source = sampling.sample(armature, analysis.frames).positions
    settings.show_original = False
    rows = []
    for count in _counts(analysis.solutions.counts, len(analysis.frames)):
        settings.key_count = count
        playing = sampling.sample(armature, analysis.frames).positions
        distances = posewright.core.metrics.joint_distances(source, playing) / height
        share = count / len(analysis.frames)
        rows.append(Row(count, share, float(distances.mean()), float(distances.max())))
    settings.key_count = chosen
    return rows


def _counts(offered: np.ndarray, frames: int) -> list[int]:
    wanted = [max(2, round(share * frames)) for share in SHARES]
    inside = [count for count in wanted if offered[0] <= count <= offered[-1]]
    return sorted({int(offered[np.argmin(np.abs(offered - count))]) for count in inside})


def table(rows: list[Row], height: float) -> str:
    """For the terminal. Distances are shown for a character of 1.7 m, whatever unit the file is in."""
    lines = ["   keys   of frames   mean off   most off", "   ----   ---------   --------   --------"]
    for row in rows:
        mean, largest = row.mean * height, row.largest * height
        lines.append(f"   {row.count:4d}   {row.share:8.1%}    {mean:5.2f} cm   {largest:5.1f} cm")
    return "\n".join(lines)


def draw_error_over_keys(
    armature: bpy.types.Object, rows: list[Row], posewright: ModuleType, path: Path
) -> None:
    """A picture with what is expected for every number of keys, and what was measured for some."""
    picture = posewright.core.picture
    analysis = posewright.bridge.distil.reductions.get(armature).analysis()
    height = posewright.bridge.sampling.height_of(armature)
    counts = analysis.solutions.counts.astype(float)
    expected = 100.0 * analysis.estimated_errors[0] / height
    measured = picture.Curve(
        "Measured", np.array([row.count for row in rows], float), np.array([100.0 * row.mean for row in rows])
    )
    canvas = picture.draw_plot(
        [picture.Curve("Expected", counts, expected), measured],
        title=f"{_source_name(armature)}, {len(analysis.frames)} frames: error over keys",
        x_label="keys",
        y_label="mean joint distance, % of the character's height",
    )
    posewright.bridge.pictures.images.save_png(canvas, str(path))


def _source_name(armature: bpy.types.Object) -> str:
    return armature.posewright.reduced.posewright.source.name
