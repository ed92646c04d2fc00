# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures 2, 3 and 4 of Roberts et al. 2018, and their published table, on the authors' own clip.

    python -m benchmarks.samba                      with a Python that has bpy

The clip is Mixamo's Samba Dancing, 547 frames (the authors had 1092 of it, every second of them one of
ours). Keys are those of Distil; Blender plays them in every way of keying; distances are between joints,
mean and largest, in millimetres for a character 1.7 m tall. The joints of the authors' character are not
known exactly, so the table compares like with like only about.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from benchmarks import drawing
from benchmarks.extension import bpy, part

actions, sampling, metrics = part("bridge.actions"), part("bridge.sampling"), part("core.metrics")
decimate, pictures = part("bridge.decimate").decimate, part("core.picture")
open_clip = part("bridge.files").open_clip
principal_components, poses_of = part("core").principal_components, part("bridge.pictures.sampled_poses")

# Keys, and the published mean and largest distance in millimetres.
PUBLISHED = {27: (152.7, 473.0), 55: (38.6, 246.0), 109: (6.16, 142.0), 218: (1.16, 23.4)}
OBJECTIVES = ("minimax", "chord", "curve")
WAYS = ("LINEAR", "AUTO", "SMOOTH", "FREE")
COUNTS = (6, 8, 11, 16, 22, 27, 38, 55, 77, 109)
MISSING = "no Samba_Dancing.fbx: put it in ../shared/characters or name its folder in POSEWRIGHT_CHARACTERS"


def clip_path() -> Path | None:
    beside = Path(__file__).resolve().parents[2] / "shared" / "characters"
    path = Path(os.environ.get("POSEWRIGHT_CHARACTERS") or beside) / "Samba_Dancing.fbx"
    return path if path.is_file() else None


class Dance:
    """The dancing armature, and how far what it plays is from the original."""

    def __init__(self, path: Path):
        with contextlib.redirect_stdout(io.StringIO()):
            self.armature = open_clip(path)[0]
        bpy.context.view_layer.objects.active = self.armature
        first, last = sampling.action_range(self.armature)
        self.frames = np.arange(np.ceil(first), np.floor(last) + 1.0)
        self.original = self._positions()
        self.scale = 1700.0 / sampling.height_of(self.armature)  # a dancer is seldom upright

    def _positions(self) -> np.ndarray:
        """(F, J, 3) where bones begin: their tails are an importer's guess."""
        motion = sampling.sample(self.armature, self.frames, bones=poses_of.drawn_bones(self.armature))
        heads = [row for row, name in enumerate(motion.names) if name.endswith(" head")]
        inner = sorted({*heads, *motion.parents[motion.parents >= 0].tolist()})
        return motion.positions[:, inner]

    def off(self) -> tuple[float, float]:
        distances = self.scale * metrics.joint_distances(self.original, self._positions())
        return float(distances.mean()), float(distances.max())

    def restore(self) -> None:
        if bpy.ops.posewright.restore.poll():
            bpy.ops.posewright.restore()

    def solve(self, algorithm: str, objective: str = "curve") -> None:
        asked = self.armature.posewright
        self.restore()
        asked.algorithm, asked.objective, asked.max_keys = algorithm, objective, max(PUBLISHED)
        bpy.ops.posewright.analyze()

    def played(self, count: int, way: str) -> tuple[float, float]:
        asked = self.armature.posewright
        asked.interpolation = way
        asked.key_count = count
        return self.off()

    def decimated(self, count: int) -> tuple[float, float]:
        """By Blender's own Decimate, with as many keys on every curve on average."""
        self.restore()
        action = self.armature.animation_data.action
        copy = action.copy()
        slot = actions.slot_of(self.armature)
        handle = actions.slot_handle(slot)
        actions.assign(self.armature, copy, actions.slot_with_handle(copy, handle))
        try:
            decimate(actions.curves_of(self.armature), bpy.context.scene, 1.0 - count / len(self.frames))
            return self.off()
        finally:
            actions.assign(self.armature, action, slot)
            bpy.data.actions.remove(copy)

    def components(self) -> Iterator[tuple[float, float]]:
        """Compression in percent and mean distance of the first 1, 2, ... components."""
        flat = self.original.reshape(len(self.original), -1)
        everything = principal_components(flat)
        for count in range(1, 25):
            kept = everything.first(count)
            error = metrics.mean_joint_distance(self.original, kept.motion().reshape(self.original.shape))
            yield 100.0 * (1.0 - kept.stored / flat.size), self.scale * error


def table(dance: Dance) -> None:
    print(f"\nSamba, {len(dance.frames)} frames: mean / largest distance in mm for a height of 1.7 m")
    print(f"{'':22}" + "".join(f"{count:>12} keys" for count in PUBLISHED))
    print(f"{'published':22}" + "".join(f"{mean:>9.2f} /{most:6.1f}" for mean, most in PUBLISHED.values()))
    for objective in OBJECTIVES:
        dance.solve("salient", objective)
        for way in WAYS:
            figures = [dance.played(count, way) for count in PUBLISHED]
            cells = "".join(f"{mean:>9.2f} /{most:6.1f}" for mean, most in figures)
            print(f"{objective + ', ' + way.lower():22}{cells}")


def figures_2_and_4(dance: Dance) -> None:
    compression = [100.0 * (1.0 - count / len(dance.frames)) for count in COUNTS]
    lines: dict[str, tuple[list[float], list[float]]] = {}
    for label, algorithm, objective, way in (
        ("curve keys, fitted handles", "salient", "curve", "FREE"),
        ("optimal (minimax), straight lines", "salient", "minimax", "LINEAR"),
        ("chord keys, straight lines", "salient", "chord", "LINEAR"),
        ("greedy, straight lines", "greedy", "curve", "LINEAR"),
    ):
        dance.solve(algorithm, objective)
        lines[label] = ([dance.played(count, way)[0] for count in COUNTS], compression)
    decimated = [dance.decimated(count)[0] for count in COUNTS[::3]]
    lines["Blender's Decimate"] = (decimated, compression[::3])
    stored, errors = zip(*dance.components(), strict=True)
    lines["principal components"] = (list(errors), list(stored))
    print("\nFigures 2 and 4 on Samba: mean distance in mm")
    print(f"{'keys':>36}" + "".join(f"{count:8}" for count in COUNTS))
    for label, (means, at) in lines.items():
        if at is compression:
            print(f"{label:>36}" + "".join(f"{mean:8.2f}" for mean in means))
    figure, panels = plt.subplots(1, 2, figsize=(11, 4.4), sharey=True, layout="constrained")
    for panel, shown in zip(panels, ((0, 1, 2, 3), (0, 1, 2, 4, 5)), strict=True):
        for number in shown:
            label, (means, at) = list(lines.items())[number]
            panel.plot(means, at, label=label, ms=5, **drawing.style(number))
        panel.set_xscale("log")
        panel.set_ylim(78.0, 100.0)
        panel.set_xlabel("mean joint distance, mm (lower is better)")
        panel.legend(fontsize=8, loc="lower left")
    panels[0].set_ylabel("compression, % (higher is better)")
    figure.suptitle(f"Samba, {len(dance.frames)} frames: Figures 2 and 4 of Roberts et al.")
    drawing.save(figure, "paper-000-samba")


def figure_3(dance: Dance) -> None:
    """Five keys, and the poses between them as straight lines play them, faint."""
    rows = []
    for algorithm, objective in (("greedy", "minimax"), ("salient", "minimax")):
        dance.solve(algorithm, objective)
        dance.played(5, "LINEAR")
        keys = poses_of.keyed_frames(dance.armature)
        frames = np.unique(np.concatenate([keys, np.linspace(keys[0], keys[-1], 21).round()]))
        shown = poses_of.sample_poses(dance.armature, frames)
        importance = np.isin(frames, keys).astype(float)
        style = pictures.SynopsisStyle(900, 260, trim=True, fade="importance")
        figures = pictures.Figures.of(shown, pictures.View.named("front", shown))
        rows.append(pictures.draw_overlapping(figures, style, importance=importance))
        print(f"   Figure 3, {algorithm}: keys at {[int(frame) for frame in keys]}")
    canvas = pictures.Canvas(max(row.width for row in rows), sum(row.height for row in rows), (1.0,) * 4)
    for number, row in enumerate(rows):
        canvas.paste(row, 0, number * rows[0].height, 1.0)
    drawing.save_canvas(canvas, "paper-000-figure-3")


def main() -> None:
    path = clip_path()
    if path is None:
        print(MISSING)
        return
    dance = Dance(path)
    table(dance)
    figures_2_and_4(dance)
    figure_3(dance)


if __name__ == "__main__":
    main()
