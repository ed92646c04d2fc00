# SPDX-License-Identifier: GPL-3.0-or-later
"""How the time of the nested algorithms grows with the number of frames.

    python -m benchmarks.algorithms [most frames]

Long clips are made of a real one (06_13, 31 joints, 96 channels) played forth and back. Every time is the
best of a few runs of a whole `select`, all K up to a tenth of the frames, in seconds of processor time, which
other programs on the machine disturb least. On an idle machine a user waits no longer than that.
"""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.clips import load_clip
from core import Motion, select

SIZES = (1250, 2500, 5000, 10_000, 25_000, 50_000, 100_000)
SALIENCY_PAPER_SECONDS = 11.0  # for 100,000 frames, as its Figure 7 says
RUNS = 3
ENOUGH = 4.0  # seconds after which a case is not run again


@dataclass(frozen=True)
class Timing:
    label: str
    frames: tuple[int, ...]
    seconds: tuple[float, ...]

    @property
    def exponent(self) -> float:
        """The power of the number of frames that the time grows with, fitted over all sizes."""
        return float(np.polyfit(np.log(self.frames), np.log(self.seconds), 1)[0])


@dataclass(frozen=True)
class Case:
    label: str
    algorithm: str
    options: dict[str, Any]
    most_keys: Callable[[int], int] = lambda frames: frames // 10


CASES = (
    Case("greedy", "greedy", {}),
    Case("decimation", "decimation", {}),
    Case("saliency", "saliency", {}),
    Case("keyposes, 100 keys", "keyposes", {}, most_keys=lambda _: 100),
    Case("keyposes, N/10 keys", "keyposes", {}),
)


def long_motion(frames: int) -> Motion:
    """A real clip, forth and back, until it has so many frames."""
    clip = load_clip("06_13")
    once = np.arange(len(clip))
    rows = np.resize(np.concatenate([once, once[::-1]]), frames)
    return Motion(
        clip.positions[rows],
        channels=clip.channels[rows],
        owners=clip.owners,
        names=clip.names,
        parents=clip.parents,
        fps=clip.fps,
    )


def best_time(run: Callable[[], object], runs: int = RUNS) -> float:
    """Seconds of the quickest of a few runs: the one that other programs disturbed least."""
    times: list[float] = []
    while len(times) < runs and sum(times) < ENOUGH:
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def measure(cases: Iterable[Case] = CASES, sizes: tuple[int, ...] = SIZES) -> list[Timing]:
    """The time of every case at every size."""
    cases = list(cases)
    seconds: dict[str, list[float]] = {case.label: [] for case in cases}
    for size in sizes:
        motion = long_motion(size)
        for case in cases:
            most = case.most_keys(size)
            seconds[case.label].append(
                best_time(lambda c=case, m=motion, k=most: select(m, c.algorithm, max_keys=k, **c.options))
            )
    return [Timing(label, sizes, tuple(times)) for label, times in seconds.items()]


def demands() -> list[tuple[str, float, float]]:
    """What was asked for: a sentence, the seconds measured, and the seconds allowed."""
    clip = load_clip("06_13")
    long = long_motion(100_000)
    return [
        (
            f"decimation ranks {len(clip)} frames x {clip.channels.shape[1]} channels",
            best_time(lambda: select(clip, "decimation", max_keys=len(clip))),
            2.0,
        ),
        (
            "saliency of 100,000 frames, 20 times faster than its paper",
            best_time(lambda: select(long, "saliency"), runs=7),
            SALIENCY_PAPER_SECONDS / 20.0,
        ),
    ]


def main() -> None:
    most = int(sys.argv[1]) if len(sys.argv) > 1 else SIZES[-1]
    sizes = tuple(size for size in SIZES if size <= most)
    print(f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}")
    print(f"{'seconds at frames':22}" + "".join(f"{size:>9}" for size in sizes) + "   exponent")
    for timing in measure(sizes=sizes):
        print(
            f"{timing.label:22}" + "".join(f"{s:9.3f}" for s in timing.seconds) + f"{timing.exponent:11.2f}"
        )
    print()
    for what, measured, allowed in demands():
        print(f"{what}: {measured:.2f} s, at most {allowed:.2f} s were asked for")


if __name__ == "__main__":
    main()
