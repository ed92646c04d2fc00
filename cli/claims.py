# SPDX-License-Identifier: GPL-3.0-or-later
"""Who works on a result: of several batches over the same files, only one at a time does.

A claim is a lock on a small hidden file beside the result. The system gives it up when everybody who holds it
has ended, however that came about, so a killed batch leaves nothing locked. The worker holds it as well: one
that outlives its batch for a moment still keeps others away.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from pathlib import Path

from ..bridge.whole_files import hidden_name

# What disks say that know no locks. Two batches may then do the same work, though under names of their own.
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}
_BEYOND_THE_END = 1 << 40


class Claim:
    """The right to work on one result; give it back with `release`."""

    def __init__(self, path: Path, descriptor: int):
        self._path = path
        self._descriptor = descriptor

    @staticmethod
    def take(output: Path) -> Claim | None:
        """The claim on a result, or None while somebody else has it."""
        path = hidden_name(output, ".claim")
        path.parent.mkdir(parents=True, exist_ok=True)
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            if not lock(descriptor, wait=False):
                os.close(descriptor)
                return None
            if _is_still(path, descriptor):
                return Claim(path, descriptor)
            os.close(descriptor)  # whoever had it removed the file between opening and locking

    @property
    def inherited(self) -> tuple[int, ...]:
        """What a worker must be handed to hold the claim too; on Windows that is not possible."""
        return () if sys.platform == "win32" else (self._descriptor,)

    def release(self) -> None:
        if sys.platform == "win32":
            os.close(self._descriptor)
            with contextlib.suppress(OSError):  # somebody has opened it already
                self._path.unlink()
        else:
            self._path.unlink(missing_ok=True)
            os.close(self._descriptor)


def lock(descriptor: int, *, wait: bool) -> bool:
    """Lock an open file for this process and those that inherit it; whether that was possible."""
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(descriptor, _BEYOND_THE_END, os.SEEK_SET)  # others cannot read what is locked
            msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        return error.errno in _NO_LOCKS
    return True


def _is_still(path: Path, descriptor: int) -> bool:
    """Whether an open file is the one that others would find under its name."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    opened = os.fstat(descriptor)
    return (found.st_dev, found.st_ino) == (opened.st_dev, opened.st_ino)
