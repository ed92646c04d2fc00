# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work in several threads, which run at once because numpy lets go of the interpreter as it reckons."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Portion = TypeVar("Portion")
Result = TypeVar("Result")

# Between numpy's calls only one thread runs at a time: more of them would wait for each other.
MOST_THREADS = 4
# Starting a thread for less costs more than it saves.
PORTIONS_FOR_A_THREAD = 2


def share_out(work: Callable[[Iterator[Portion]], Result], portions: Sequence[Portion]) -> list[Result]:
    """What `work` returns in each thread; the threads take the next of the `portions` whenever they are free.

    All threads have ended when this returns. An error in one of them is raised here.
    """
    threads = min(os.cpu_count() or 1, MOST_THREADS, len(portions) // PORTIONS_FOR_A_THREAD)
    # The iterator of a sequence, unlike a generator, may be shared.
    waiting = iter(portions)
    if threads < 2:
        return [work(waiting)]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, [waiting] * threads))
