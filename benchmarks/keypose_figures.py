# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures 2, 3, 5, 6, 7, 8 and 10 of Tanuwijaya and Ohno on our clips.

    python -m benchmarks.keypose_figures

All with the paper's nine joints and without ends. The two methods it compares with:

- Morishima et al. 2007, as the paper writes it down: the poses in order of time whose distances from one to
  the next add up to most (found exactly, by dynamic programming).
- Assa et al. 2005 without its reduction of dimensions. The paper does not write its search down; what stands
  here for it takes local extremes of the distance from the average of a window, largest first.

How unlike the poses are is printed as the smallest distance between any two of them, over the largest.
"""

from __future__ import annotations

from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np

from benchmarks import drawing
from benchmarks.clips import CLIPS, load_clip
from benchmarks.timing import best
from core import Motion, metrics, reconstruct, select
from core.anatomy import nine_joints_by_name
from core.picture import Canvas, Poses, SheetStyle, View, draw_sheet
from core.selection.keyposes import matched_poses
from core.selection.weights import nine_joint_weights
from core.smooth import smoothed

CYCLIC, NOT_CYCLIC, WEIGHTED, JUMP, LONG = "02_01", "13_11", "85_02", "49_02", "13_18"
LONG_FRAMES = 1471  # of the kicks that the paper took the time of
EMPHASIS = 10.0  # of the joints that Figure 8 gives more weight; the paper does not say how much

Keys = np.ndarray


def nine(name: str) -> Motion:
    motion = load_clip(name)
    return motion.with_weights(nine_joint_weights(motion))


def ours(motion: Motion, count: int, **options) -> Keys:
    return select(motion, "keyposes", ends=False, max_keys=max(count, 2), **options).keys(count)


def distances(motion: Motion) -> np.ndarray:
    """(F, F) of all pairs of poses, as `keyposes` measures them."""
    poses = matched_poses(motion, root_weight=5.0, travel=False, up="Z")
    squares = np.sum(poses**2, axis=1)
    return np.sqrt(np.maximum(squares[:, None] + squares[None] - 2.0 * poses @ poses.T, 0.0))


def longest_way(apart: np.ndarray, count: int) -> Keys:
    """The ordered rows whose steps add up to most (Morishima et al.)."""
    frames = len(apart)
    total = np.zeros(frames)
    came_from = []
    for _ in range(count - 1):
        reachable = np.where(np.tri(frames, k=-1, dtype=bool), total[None] + apart, -np.inf)
        came_from.append(reachable.argmax(axis=1))
        total = reachable.max(axis=1)
    keys = [int(total.argmax())]
    for before in reversed(came_from):
        keys.append(int(before[keys[-1]]))
    return np.array(keys[::-1])


def local_extremes(motion: Motion, count: int) -> Keys:
    """Where the pose is farthest from the average around it (what stands for Assa et al.)."""
    poses = matched_poses(motion, root_weight=5.0, travel=False, up="Z")
    away = np.linalg.norm(poses - smoothed(poses, len(poses) / 15.0), axis=1)
    inner = away[1:-1]
    peaks = np.flatnonzero((inner > away[:-2]) & (inner >= away[2:])) + 1
    return np.sort(peaks[np.argsort(-away[peaks])][:count])


def distinct(apart: np.ndarray, keys: Keys) -> float:
    between = apart[np.ix_(keys, keys)][np.triu_indices(len(keys), 1)]
    return float(between.min() / apart.max())


def sheet(name: str, rows: dict[str, Keys], motion: Motion) -> None:
    """One row of poses a method, below each other."""
    style = {"pose_height": 120, "width": 1100, "legend": False}
    everything = Poses.from_motion(motion, np.unique(np.concatenate(list(rows.values()))))
    view = View.named("best", everything)
    drawn = [
        draw_sheet(Poses.from_motion(motion, keys), view, SheetStyle(title=title, **style))
        for title, keys in rows.items()
    ]
    canvas = Canvas(
        max(each.width for each in drawn), sum(each.height for each in drawn), (1.0, 1.0, 1.0, 1.0)
    )
    top = 0
    for each in drawn:
        canvas.paste(each, 0, top, 1.0)
        top += each.height
    drawing.save_canvas(canvas, name)


def figure_2() -> None:
    motion, count = nine(NOT_CYCLIC), 6
    apart = distances(motion)
    rows = {"Key Poses": ours(motion, count), "extremes of a window": local_extremes(motion, count)}
    report("2", NOT_CYCLIC, rows, apart)
    sheet("paper-001-figure-2", rows, motion)


def figure_3() -> None:
    """A sine wave with two frequencies, as in the paper: neither method sees time."""
    time = np.linspace(0.0, 1.0, 400)
    wave = np.sin(9.0 * np.pi * time) * (0.6 + 0.4 * np.sin(2.0 * np.pi * time))
    positions = np.zeros((len(wave), 2, 3))
    positions[:, 1, 0] = wave
    figure, panels = plt.subplots(2, 2, figsize=(11, 5), sharex=True, sharey=True, layout="constrained")
    kept: dict[str, list[set[int]]] = {}
    for column, count in enumerate((5, 7)):
        apart = np.abs(wave[:, None] - wave[None])
        found = {"Key Poses": ours(Motion(positions), count), "longest way": longest_way(apart, count)}
        for row, (label, keys) in enumerate(found.items()):
            panels[row, column].plot(time, wave, color="grey")
            panels[row, column].plot(time[keys], wave[keys], "o", color=drawing.COLOURS[row], ms=8)
            panels[row, column].set_title(f"{label}, k = {count}")
            kept.setdefault(label, []).append(set(keys.tolist()))
        report("3", f"sine, k = {count}", found, apart)
    for label, (few, many) in kept.items():
        print(f"   {label}: {len(few & many)} of the 5 are among the 7")
    drawing.save(figure, "paper-001-figure-3")


def figures_5_and_6() -> None:
    for number, name in (("5", CYCLIC), ("6", NOT_CYCLIC)):
        motion = nine(name)
        apart = distances(motion)
        rows = {"Key Poses": ours(motion, 7), "longest way": longest_way(apart, 7)}
        report(number, name, rows, apart)
        sheet(f"paper-001-figure-{number}", rows, motion)


def figure_7() -> None:
    motion = nine(LONG).between(1, LONG_FRAMES)
    counts = (1, 2, 5, 10, 20, 40, 80, 160)
    seconds = [best(lambda count=count: ours(motion, count), 3) for count in counts]
    print(f"\nFigure 7: seconds to choose k of {len(motion)} poses ({LONG})")
    for count, took in zip(counts, seconds, strict=True):
        print(f"   {count:4} {took:.4f}")
    figure, panel = plt.subplots(figsize=(5.5, 3.6), layout="constrained")
    panel.plot(counts, 1000.0 * np.array(seconds), **drawing.style(0))
    panel.set_xlabel("k")
    panel.set_ylabel("milliseconds")
    panel.set_title(f"Time to choose k of {len(motion)} poses")
    drawing.save(figure, "paper-001-figure-7")


def figure_8() -> None:
    motion = nine(WEIGHTED)
    joints = nine_joints_by_name(motion.names, motion.parents)
    apart = distances(motion)

    def weighted(*parts: str) -> Motion:
        weights = motion.weights.copy()
        weights[[row for joint, row in joints.items() if joint.split()[-1] in parts]] = EMPHASIS
        return motion.with_weights(weights)

    rows = {
        "more weight for hands and elbows": ours(weighted("hand", "elbow"), 7),
        "no weights": ours(motion, 7),
        "more weight for feet and knees": ours(weighted("foot", "knee"), 7),
    }
    report("8", WEIGHTED, rows, apart)
    sheet("paper-001-figure-8", rows, motion)


def figure_10() -> None:
    """Without matching, the height of the root is in every joint: the root has a hidden weight."""
    motion = nine(JUMP)
    unmatched = motion.positions[:, motion.weights > 0.0] * [0.0, 0.0, 1.0]
    unmatched += (motion.positions - motion.positions[:, :1])[:, motion.weights > 0.0] * [1.0, 1.0, 0.0]
    flat = unmatched.reshape(len(motion), -1)
    apart = distances(motion)
    rows = {
        "without matching": farthest_first(flat - flat.mean(axis=0), 3),
        "roots matched, weight 5": ours(motion, 3),
    }
    report("10", JUMP, rows, apart)
    sheet("paper-001-figure-10", rows, motion)


def farthest_first(poses: np.ndarray, count: int) -> Keys:
    """The paper's Algorithm 1 for poses whose mean is zero."""
    left = np.linalg.norm(poses, axis=1)
    keys: list[int] = []
    while len(keys) < count:
        keys.append(int(left.argmax()))
        left = np.minimum(left, np.linalg.norm(poses - poses[keys[-1]], axis=1))
    return np.sort(keys)


def report(number: str, what: str, rows: dict[str, Keys], apart: np.ndarray) -> None:
    print(f"\nFigure {number}: {what}")
    for label, keys in rows.items():
        print(f"   {label:34} frames {keys.tolist()}   least unlike {distinct(apart, keys):.2f}")


def section_4_3() -> None:
    """Joints as their parents see them, which the paper leaves aside: how well keys cover and play."""
    print("\nSection 4.3: spaces; all joints, 4 % of the frames")
    print(f"{'':8}{'':10}{'key poses: farthest from a key':>34}{'salient curve: mean off, mm':>32}")
    for name in CLIPS[:5]:
        motion = load_clip(name)
        count = round(0.04 * len(motion))
        poses = matched_poses(motion, root_weight=5.0, travel=False, up="Z")
        flat = motion.positions.reshape(len(motion), -1)
        for space in ("world", "root", "parent"):
            keys = select(motion, "keyposes", ends=False, max_keys=count, space=space).keys(count)
            left = np.linalg.norm(poses[:, None] - poses[None, keys], axis=2).min(axis=1).max()
            keys = select(motion, "salient", max_keys=count, space=space).keys(count)
            played = reconstruct(flat, keys, "bezier").reshape(motion.positions.shape)
            height = metrics.standing_height(motion.positions)
            off = 1000.0 * metrics.mean_joint_distance(motion.positions, played, height=height)
            print(f"{name:8}{space:10}{left:34.2f}{off:32.2f}")


FIGURES: tuple[Callable[[], None], ...] = (
    figure_2,
    figure_3,
    figures_5_and_6,
    figure_7,
    figure_8,
    figure_10,
    section_4_3,
)


def main() -> None:
    for figure in FIGURES:
        figure()


if __name__ == "__main__":
    main()
