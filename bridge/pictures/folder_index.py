# SPDX-License-Identifier: GPL-3.0-or-later
"""The index of a folder, made by the command line in Blenders of their own, one a core."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import bpy

from ...core import InputError
from ...core.pose_index import PoseIndex
from ..index_files import INDEX_NAME
from ..preferred import EXTENSION
from ..steps import Steps

CHECKOUT = Path(__file__).resolve().parents[2]
WAIT = 0.02  # seconds between two looks at what the others do


@dataclass(frozen=True)
class Indexed:
    """What came of it."""

    path: Path
    clips: int
    frames: int
    left_out: tuple[str, ...]  # files, and why


def index_in_steps(folder: Path) -> Steps[Indexed]:
    """Index all clips below a folder; yields the share done. Closing it stops the others too."""
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}: choose one that holds clips.")
    process = subprocess.Popen(
        _command("index", str(folder)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )
    said: list[str] = []
    assert process.stdout is not None
    reader = Thread(target=said.extend, args=(process.stdout,), name="Posewright", daemon=True)
    reader.start()
    try:
        while True:
            try:
                process.wait(WAIT)
                break
            except subprocess.TimeoutExpired:
                yield _share(said)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()
        reader.join()
        process.stdout.close()
    return _result(folder / INDEX_NAME, process.returncode, said)


def _command(*words: str) -> list[str]:
    blender = bpy.app.binary_path
    if not blender:  # a module of Python: the checkout is the program
        return [sys.executable, str(CHECKOUT), *words]
    return [blender, "--background", "--addons", EXTENSION, "--command", "posewright", *words]


def _share(said: list[str]) -> float:
    """Of the files, as the lines "[3/14] walk.bvh: ..." tell."""
    done = [match for line in said[-20:] if (match := re.match(r"\[(\d+)/(\d+)\]", line))]
    return int(done[-1][1]) / int(done[-1][2]) if done else 0.0


def _result(path: Path, code: int, said: list[str]) -> Indexed:
    if code not in (0, 1) or not path.is_file():
        last = next((line.strip() for line in reversed(said) if line.strip()), "")
        raise InputError(f"{path.parent} could not be indexed: {last.removeprefix('posewright: ')}")
    index = PoseIndex.load(path)
    left_out = tuple(line.partition("] ")[2].strip() for line in said if ": FAILED. " in line)
    return Indexed(path, len(index.clips), len(index), left_out)
