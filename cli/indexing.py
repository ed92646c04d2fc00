# SPDX-License-Identifier: GPL-3.0-or-later
"""The verb index: the poses of all clips in one file, for Find Pose.

Every clip file is sampled in a Blender of its own and leaves a part; the parts are put together at the end.
What is in the index already, and has not changed since, is not looked at again.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..bridge.index_files import INDEX_NAME, file_in_index, index_at, save_index, stamp_of
from ..core.pose_index import PoseIndex
from .plan import Job


def index_path(words: argparse.Namespace) -> Path:
    """In the folder that was asked for, or in that of the clips."""
    folder = words.output or next((path for path in words.inputs if path.is_dir()), words.inputs[0].parent)
    return folder.resolve() / INDEX_NAME


def to_do(words: argparse.Namespace, jobs: Sequence[Job]) -> list[Job]:
    """The jobs whose clips are not in the index as they are now, each with a part of its own to write."""
    path = index_path(words)
    known = set() if words.overwrite else {(clip.file, clip.stamp) for clip in index_at(path).clips}
    return [_part(job, path) for job in jobs if _identity(Path(job.input), path) not in known]


def _identity(file: Path, index: Path) -> tuple[str, str]:
    return file_in_index(file, index), stamp_of(file) if file.is_file() else ""


def _part(job: Job, index: Path) -> Job:
    name = file_in_index(Path(job.input), index)
    part = parts_folder(index) / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.npz"
    return replace(job, output=str(part), settings={**job.settings, "name": name, "index": str(index)})


def gather(words: argparse.Namespace, jobs: Sequence[Job]) -> str:
    """Put the parts into the index, take out what is no longer there, and say what is in it."""
    path = index_path(words)
    index = index_at(path)
    parts = {job.input: PoseIndex.load(Path(job.output)) for job in jobs if Path(job.output).is_file()}
    done = {file_in_index(Path(file), path) for file in parts}
    gone = [clip for clip in index.clips if clip.file in done or not (path.parent / clip.file).is_file()]
    for clip in gone:
        index.remove(clip)
    for part in parts.values():
        index.update(part)
    if index.clips and (parts or gone):
        save_index(index, path)
    shutil.rmtree(parts_folder(path), ignore_errors=True)
    return f"{path}: {len(index.clips)} clips, {len(index)} frames"


def parts_folder(index: Path) -> Path:
    return index.with_name(f".{index.stem}-parts")
