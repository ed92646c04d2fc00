# SPDX-License-Identifier: GPL-3.0-or-later
"""How long something takes on a machine that may be busy."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


def best(work: Callable[[], object], repeats: int = 5) -> float:
    """Seconds of the fastest of some runs: the machine may be busy with something else."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


@dataclass(frozen=True)
class Cost:
    """Seconds by the clock, and of the processor's time; more of the latter if several cores were at work."""

    wall: float
    processor: float


def turns(*works: Callable[[], object], repeats: int) -> list[list[Cost]]:
    """All runs of each of several works that take turns, so that all of them feel a busy spell."""
    seen: list[list[Cost]] = [[] for _ in works]
    for _ in range(repeats):
        for work, runs in zip(works, seen, strict=True):
            wall, processor = time.perf_counter(), time.process_time()
            work()
            runs.append(Cost(time.perf_counter() - wall, time.process_time() - processor))
    return seen


def fastest(runs: Sequence[Cost]) -> Cost:
    return Cost(min(run.wall for run in runs), min(run.processor for run in runs))
