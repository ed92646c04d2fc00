# SPDX-License-Identifier: GPL-3.0-or-later
"""How long something takes on a machine that may be busy."""

from __future__ import annotations

import time
from collections.abc import Callable


def best(work: Callable[[], object], repeats: int = 5) -> float:
    """Seconds of the fastest of some runs: the machine may be busy with something else."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)
