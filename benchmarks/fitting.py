# SPDX-License-Identifier: GPL-3.0-or-later
"""What smooth keys cost: their error against that of free handles, and the time that fitting takes.

    python -m benchmarks.fitting [clip ...]

Keys are those of `salient` with `curve`. Handles are fitted to the clip's Euler angles and played through
its skeleton; errors are mean joint distances in millimetres of a character 1.7 m tall, and those of other
fits are told as multiples of the free one's. "Aligned" is the default way of keying, with the share of keys
that are smooth; "at 90%" is the same made to have nine keys of ten smooth. "Smooth" is smooth at every key:
with values as sampled; with poses that move by a millimetre a metre of height at most, as Smooth Everywhere
has it, and by two; and with values free. Then follows how far free ones move: median, 95th percentile and
largest of their root mean squares. "Joints" are free of the skeleton: each by itself on the best cubics
between the same keys.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from benchmarks.clips import CLIPS, load_clip, replay
from benchmarks.quality import millimetres
from benchmarks.timing import best
from core import Fitter, Motion, channel_influence, metrics, reconstruct, rotations, select
from core.fitting.bezier import Handles

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


TITLES = (
    "clip",
    "keys",
    "free, mm",
    "aligned",
    "smooth keys",
    "at 90%",
    "smooth, values sampled",
    "within 1 mm/m",
    "within 2",
    "values free",
    "poses move if free, mm/m",
    "joints",
)


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

    def off(handles: Handles) -> np.ndarray:
        return millimetres(motion, replay(name, in_degrees(handles.evaluate(motion.frames))))

    for count in counts:
        keys = solutions.keys(count)
        seen = float(joints.squared_errors(keys).sum())
        free = off(fitter.fit(keys)).mean()
        aligned = fitter.fit(keys, "aligned", seen_error=seen)
        smooth = fitter.fit(keys, "smooth")
        strays = straying(name, motion, keys)
        ratios = [
            f"{off(each).mean() / free:.2f}"
            for each in (
                mostly_smooth(fitter, keys, seen),
                fitter.fit(keys, "smooth", held=keys),
                fitter.fit(keys, "smooth", strays=strays),
                fitter.fit(keys, "smooth", strays=lambda values, strays=strays: strays(values) / 2.0),
                smooth,
            )
        ]
        own = reconstruct(motion.positions.reshape(len(motion), -1), keys, "bezier", frames=motion.frames)
        cells = (
            name,
            f"{count}",
            f"{free:.2f}",
            f"{off(aligned).mean() / free:.2f}",
            f"{smooth_share(aligned):.0%}",
            *ratios,
            ", ".join(f"{each:.1f}" for each in np.percentile(strays(smooth.values), (50, 95, 100))),
            f"{millimetres(motion, own.reshape(motion.positions.shape)).mean() / free:.2f}",
        )
        print(f"| {' | '.join(cells)} |", flush=True)


def straying(name: str, motion: Motion, keys: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """How far poses with other values are from the clip's at some keys, in millimetres a metre of height."""
    millimetre = metrics.standing_height(motion.positions) / 1000.0

    def strays(values: np.ndarray) -> np.ndarray:
        off = replay(name, in_degrees(values)) - motion.positions[keys]
        return np.sqrt(np.mean(np.sum(off**2, axis=2), axis=1)) / millimetre

    return strays


def smooth_share(handles: Handles) -> float:
    return 1.0 - float(handles.corners[1:-1].mean())


def mostly_smooth(fitter: Fitter, keys: np.ndarray, seen: float, wanted: float = 0.9) -> Handles:
    """The default fit if it were allowed as much error as nine smooth keys of ten take."""
    low, high = 0.0, 12.0
    for _ in range(12):
        middle = (low + high) / 2.0
        enough = smooth_share(fitter.fit(keys, "aligned", seen_error=seen * 2.0**middle)) >= wanted
        low, high = (low, middle) if enough else (middle, high)
    return fitter.fit(keys, "aligned", seen_error=seen * 2.0**high)


def print_times(frames: int, channels: int, count: int) -> None:
    noise = np.random.default_rng(0).normal(size=(frames, channels))
    fitter = Fitter(np.cumsum(noise, axis=0), influence=np.ones(channels))
    keys = np.unique(np.linspace(0, frames - 1, count).astype(int))
    seen = float(fitter.squared_errors(keys).sum())
    for mode in ("free", "aligned", "smooth"):
        seconds = best(lambda mode=mode: fitter.fit(keys, mode, seen_error=seen), 10)
        print(f"{frames} frames, {channels} channels, {count} keys   {mode:<8} {1000 * seconds:6.2f} ms")


def main(clips: list[str]) -> None:
    print(f"| {' | '.join(TITLES)} |\n|{'---|' * len(TITLES)}")
    for name in clips or CLIPS:
        print_errors(name)
    print()
    for size in SIZES:
        print_times(*size)


if __name__ == "__main__":
    main(sys.argv[1:])
