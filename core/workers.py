# SPDX-License-Identifier: GPL-3.0-or-later
"""Background threads for large pieces of work.

numpy lets other threads run while it computes. But handing Python over from one thread to another takes as
long as tens of thousands of additions: a piece should be few and large operations.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

Piece = TypeVar("Piece")

# More would wait for memory bandwidth and for the interpreter lock.
THREADS = min(os.cpu_count() or 1, 4)
_POLL = 0.02  # seconds between two heartbeats while waiting


def each(
    work: Callable[[Piece], None],
    pieces: Sequence[Piece],
    beat: Callable[[], None] = lambda: None,
    *,
    alone: bool = False,
) -> None:
    """Do the work for every piece, in any order, `alone` without other threads.

    Only the calling thread calls `beat`, every now and then. When that raises, or a piece fails, what has not
    begun is dropped, what runs is waited for, and the exception goes on: no thread is left behind.
    """
    threads = min(THREADS, len(pieces))
    if alone or threads <= 1:
        for piece in pieces:
            work(piece)
            beat()
        return
    pool = ThreadPoolExecutor(threads, thread_name_prefix="Posewright")
    try:
        for future in [pool.submit(work, piece) for piece in pieces]:
            while wait([future], timeout=_POLL).not_done:
                beat()
            future.result()
            beat()
    finally:
        pool.shutdown(cancel_futures=True)
