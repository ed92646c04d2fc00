# SPDX-License-Identifier: GPL-3.0-or-later
"""Several threads for large pieces of work, so that not one core computes while the others idle.

numpy lets other threads run while it computes. But handing Python over from one thread to another takes as
long as tens of thousands of additions: a piece should be few and large operations.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Piece = TypeVar("Piece")

# More would only wait for the memory, and for Python.
THREADS = min(os.cpu_count() or 1, 4)


def each(work: Callable[[Piece], None], pieces: Sequence[Piece]) -> None:
    """Do the work for every piece, in any order; when one fails, those that have not begun are dropped."""
    threads = min(THREADS, len(pieces))
    if threads <= 1:
        for piece in pieces:
            work(piece)
        return
    pool = ThreadPoolExecutor(threads, thread_name_prefix="Posewright")
    try:
        for future in [pool.submit(work, piece) for piece in pieces]:
            future.result()
    finally:
        pool.shutdown(cancel_futures=True)
