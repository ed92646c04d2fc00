# SPDX-License-Identifier: GPL-3.0-or-later
"""Indexes of poses on disk, and what they call the files that are in them."""

from __future__ import annotations

import os
from pathlib import Path

from ..core.pose_index import PoseIndex
from .whole_files import written_whole

INDEX_NAME = "posewright-poses.npz"  # of the index of a folder


def index_at(path: Path) -> PoseIndex:
    """The index that is there, or a new one."""
    return PoseIndex.load(path) if path.is_file() else PoseIndex()


def save_index(index: PoseIndex, path: Path) -> None:
    with written_whole(path) as partial:
        index.save(partial)


def file_in_index(file: Path, index: Path) -> str:
    """What an index calls a file: seen from itself, so that both can be moved together."""
    try:
        return Path(os.path.relpath(file.resolve(), index.resolve().parent)).as_posix()
    except ValueError:  # on another drive
        return str(file.resolve())


def stamp_of(file: Path) -> str:
    """Changes when the file does."""
    state = file.stat()
    return f"{state.st_size}:{state.st_mtime_ns}"
