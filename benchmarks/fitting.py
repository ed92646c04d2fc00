# SPDX-License-Identifier: GPL-3.0-or-later
"""What smooth keys cost: the error of aligned handles against free ones, and the time that fitting takes.

    python -m benchmarks.fitting [clip ...]

Keys are those of `salient` with `curve`. Handles are fitted to the clip's Euler angles and played through
its skeleton; errors are mean joint distances in millimetres of a character 1.7 m tall.
"""

from __future__ import annotations

import sys

import numpy as np

from benchmarks.clips import CLIPS, load_clip, replay
from benchmarks.quality import millimetres
from benchmarks.timing import best
from core import Fitter, Motion, channel_influence, rotations, select

SHARES = (0.04, 0.06, 0.10)
SIZES = ((343, 96, 40), (600, 1200, 40), (600, 3000, 40))  # frames, channels, keys


def radians_without_jumps(motion: Motion) -> np.ndarray:
    """(F, C) the clip's channels: the root's place, then angles in radians."""
    channels = motion.channels.copy()
    # The file turns about Z, then Y, then X; Blender's order of the same is written XYZ.
    angles = np.radians(channels[:, 3:]).reshape(len(motion), -1, 3)[:, :, ::-1]
    smooth = rotations.continuous_euler(angles, "XYZ")[:, :, ::-1]
    channels[:, 3:] = smooth.reshape(len(motion), -1)
    return channels


def in_degrees(channels: np.ndarray) -> np.ndarray:
    return np.concatenate([channels[:, :3], np.degrees(channels[:, 3:])], axis=1)


def print_errors(name: str) -> None:
    motion = load_clip(name)
    values = radians_without_jumps(motion)
    kinds = ["location"] * 3 + ["euler"] * (values.shape[1] - 3)
    influence = channel_influence(motion, motion.owners, kinds)
    fitter, joints = (
        Fitter(values, motion.frames, influence=influence),
        Fitter(motion.points(), motion.frames),
    )
    counts = [round(share * len(motion)) for share in SHARES]
    solutions = select(motion, max_keys=max(counts))
    for count in counts:
        keys = solutions.keys(count)
        free = fitter.fit(keys)
        aligned = fitter.fit(keys, "aligned", seen_error=float(joints.squared_errors(keys).sum()))
        errors = [
            millimetres(motion, replay(name, in_degrees(handles.evaluate(motion.frames)))).mean()
            for handles in (free, aligned)
        ]
        smooth = 1.0 - aligned.corners[1:-1].mean()
        print(
            f"{name:<7} {count:4} keys   free {errors[0]:7.3f}   aligned {errors[1]:7.3f}   "
            f"ratio {errors[1] / errors[0]:.2f}   smooth keys {smooth:.0%}"
        )


def print_times(frames: int, channels: int, count: int) -> None:
    noise = np.random.default_rng(0).normal(size=(frames, channels))
    fitter = Fitter(np.cumsum(noise, axis=0), influence=np.ones(channels))
    keys = np.unique(np.linspace(0, frames - 1, count).astype(int))
    seen = float(fitter.squared_errors(keys).sum())
    for mode in ("free", "aligned"):
        seconds = best(lambda mode=mode: fitter.fit(keys, mode, seen_error=seen), 10)
        print(f"{frames} frames, {channels} channels, {count} keys   {mode:<8} {1000 * seconds:6.2f} ms")


def main(clips: list[str]) -> None:
    for name in clips or CLIPS[:4]:
        print_errors(name)
    for size in SIZES:
        print_times(*size)


if __name__ == "__main__":
    main(sys.argv[1:])
