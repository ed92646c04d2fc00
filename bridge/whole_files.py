# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that get their name only once they are complete, whoever else writes to the same folder."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from ..core import InputError

# So much of a name is kept in hidden ones: enough to recognise it, and never too long for the disk.
_RECOGNISABLE = 40


_ZSTANDARD, _TABLE_OF_FRAMES = b"\x28\xb5\x2f\xfd", b"\xb1\xea\x92\x8f"
_END_OF_A_BLEND = 64  # bytes

# Tells what this process writes from what any other does.
_OURS = secrets.token_hex(4)


@contextlib.contextmanager
def written_whole(path: Path, *, replace: bool = True) -> Iterator[Path]:
    """A path to write to, of a name that nobody else has; at the end what is there becomes `path`.

    Whatever goes wrong, nothing half-written stays, and troubles with the disk are told in a sentence.

    Raises:
        FileExistsError: without `replace`, a file has appeared at `path` meanwhile; it is left alone.
    """
    partial = partial_path(path)
    try:
        with disk_troubles_told(path):
            yield partial
            publish(partial, path, replace=replace)
    finally:
        partial.unlink(missing_ok=True)


def partial_path(path: Path) -> Path:
    """Where this process writes what will become `path`; the same ending, so exporters accept it."""
    return hidden_name(path, f"-{_OURS}.partial{path.suffix}")


def publish(partial: Path, path: Path, *, replace: bool = True) -> None:
    """Give a complete file its name; without `replace`, only if no file has that name."""
    if path.suffix.lower() == ".blend" and _is_cut_off(partial):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
    if replace:
        partial.replace(path)
        return
    try:
        os.link(partial, path)  # fails where there is a file; a rename would replace it
        partial.unlink()
    except FileExistsError:
        raise
    except OSError:  # a disk without hard links: what appears in this very moment would be replaced
        if path.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        partial.replace(path)


@contextlib.contextmanager
def disk_troubles_told(path: Path) -> Iterator[None]:
    """While `path` is written: what goes wrong with the disk becomes a sentence, other errors stay."""
    try:
        yield
    except Exception as error:
        trouble = _trouble_with_the_disk(path, error)
        if trouble is None:
            raise
        raise trouble from error


def _is_cut_off(blend: Path) -> bool:
    """Whether a .blend lacks its end: Blender calls one saved that a full disk has cut off.

    Plain ones end with a block ENDB, compressed ones with the table of their frames.
    """
    with blend.open("rb") as file:
        compressed = file.read(4) == _ZSTANDARD
        file.seek(-min(_END_OF_A_BLEND, file.seek(0, os.SEEK_END)), os.SEEK_END)
        end = file.read()
    return not end.endswith(_TABLE_OF_FRAMES) if compressed else b"ENDB" not in end


def hidden_name(path: Path, ending: str) -> Path:
    """A hidden name beside `path` that tells it from all others and keeps within what disks allow."""
    digest = hashlib.sha256(path.name.encode(errors="surrogatepass")).hexdigest()[:8]
    return path.with_name(f".{path.stem[:_RECOGNISABLE]}.{digest}{ending}")


def remove_leftovers(path: Path) -> None:
    """Remove what killed processes left half-written for `path`; only while nobody else writes it."""
    start = hidden_name(path, "-").name
    for file in path.parent.iterdir():
        if file.name.startswith(start) and file.name.endswith(f".partial{path.suffix}"):
            file.unlink(missing_ok=True)


_DISK_TROUBLES = (
    (errno.ENOSPC, "The disk with {folder} is full: free some space, or choose another folder."),
    (errno.EDQUOT, "Your share of the disk with {folder} is used up: free some space."),
    (errno.EROFS, "{folder} can only be read: choose another folder for the results."),
    (errno.EACCES, "You may not write to {folder}: choose another folder for the results."),
)


def _trouble_with_the_disk(path: Path, error: Exception) -> InputError | None:
    """A sentence for troubles with the disk and not with what is written; Blender may only quote them."""
    if isinstance(error, InputError):
        return None
    if path.is_dir():
        return InputError(
            "{path} is a folder: move it away, or choose another folder for the results.", path=path
        )
    code = error.errno if isinstance(error, OSError) else None
    for number, sentence in _DISK_TROUBLES:
        if code == number or (code is None and os.strerror(number) in str(error)):
            return InputError(sentence, folder=path.parent)
    return None
