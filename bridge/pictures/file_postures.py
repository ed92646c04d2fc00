# SPDX-License-Identifier: GPL-3.0-or-later
"""All poses of a clip file, for an index. The file is opened in place of everything that is loaded."""

from __future__ import annotations

from pathlib import Path

from ...core import InputError
from ...core.pose_index import IndexedClip, PoseIndex, Postures
from ..character import describe
from ..files import open_file
from ..files.takes import Take, alone
from ..index_files import stamp_of
from ..steps import run
from .pose_search import postures_in_steps


def indexed(file: Path, name: str, wanted: tuple[str, ...] = ()) -> PoseIndex:
    """Every take of a file that a character with arms and legs plays.

    Args:
        name: what the index shall call the file.
        wanted: names of actions; all if left out.

    Raises:
        InputError: there is none.
    """
    stamp = stamp_of(file)
    takes = open_file(file, reduced_too=True).takes
    index, reasons = PoseIndex(), list(takes.left_out)
    for take in takes.chosen(wanted):
        try:
            index.add(IndexedClip(take.name, name, stamp), _postures(take))
        except InputError as problem:
            reasons.append(f"{take.name}: {problem}")
    if not index.clips:
        if reasons:
            raise InputError(reasons[0])
        raise InputError("{file} holds nothing that can be indexed.", file=file.name)
    return index


def _postures(take: Take) -> Postures:
    with alone(take) as armature:
        return run(postures_in_steps(armature, describe(armature)))
