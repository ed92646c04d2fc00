# SPDX-License-Identifier: GPL-3.0-or-later
"""The verb library: a .blend of actions with thumbnails for every clip file, and their catalogues."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..bridge.catalogue_files import FILE, add_catalogues
from .plan import Job


def catalogues_path(words: argparse.Namespace) -> Path:
    """In the folder that was asked for, or in that of the clips."""
    folder = words.output or next((path for path in words.inputs if path.is_dir()), words.inputs[0].parent)
    return folder.resolve() / FILE


def to_do(words: argparse.Namespace, jobs: Sequence[Job]) -> list[Job]:
    """The jobs, each of which knows the catalogues; what was made of a clip before it changed is removed."""
    path = catalogues_path(words)
    for job in jobs:
        clip, made = Path(job.input), Path(job.output)
        if clip.is_file() and made.is_file() and made.stat().st_mtime_ns < clip.stat().st_mtime_ns:
            made.unlink()
    return [replace(job, settings={**job.settings, "catalogues": str(path)}) for job in jobs]


def gather(words: argparse.Namespace, results: Iterable[dict[str, Any]]) -> str:
    """List the catalogues that the clips are in."""
    path = catalogues_path(words)
    add_catalogues(path, sorted({result["catalogue"] for result in results if "catalogue" in result}))
    return f"{path.parent}: a library for the Asset Browser, once it is added to Blender's preferences"
