# SPDX-License-Identifier: GPL-3.0-or-later
"""The index of a folder, made by the command line in Blenders of their own, one a core."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...core import InputError
from ...core.pose_index import PoseIndex
from ..command_line import Outcome, run_in_steps
from ..index_files import INDEX_NAME
from ..steps import Steps


@dataclass(frozen=True)
class Indexed:
    """What came of it."""

    path: Path
    clips: int
    frames: int
    left_out: tuple[str, ...]  # files, and why


def index_in_steps(folder: Path) -> Steps[Indexed]:
    """Index all clips below a folder; yields the share done. Closing it stops the others too."""
    check_folder(folder)
    outcome = yield from run_in_steps("index", str(folder))
    return _result(folder / INDEX_NAME, outcome)


def check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise InputError("There is no folder {folder}: choose one that holds clips.", folder=folder)


def _result(path: Path, outcome: Outcome) -> Indexed:
    if outcome.code not in (0, 1) or not path.is_file():
        raise InputError(
            "{folder} could not be indexed: {reason}", folder=path.parent, reason=outcome.last_words
        )
    index = PoseIndex.load(path)
    return Indexed(path, len(index.clips), len(index), outcome.left_out)
