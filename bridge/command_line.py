# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line's verbs, carried out by other Blenders beside the window."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import bpy

from .preferred import EXTENSION
from .steps import Steps

CHECKOUT = Path(__file__).resolve().parents[1]
WAIT = 0.02  # seconds between two looks at what the others do


@dataclass(frozen=True)
class Outcome:
    """How a command ended, and the lines that it said."""

    code: int
    said: tuple[str, ...]

    @property
    def left_out(self) -> tuple[str, ...]:
        """Files that failed, and why."""
        return tuple(line.partition("] ")[2].strip() for line in self.said if ": FAILED. " in line)

    @property
    def last_words(self) -> str:
        last = next((line.strip() for line in reversed(self.said) if line.strip()), "")
        return last.removeprefix("posewright: ")


def run_in_steps(*words: str) -> Steps[Outcome]:
    """Carry out a command; yields the share done. Closing it stops the others too."""
    process = subprocess.Popen(
        _command(*words),
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
    return Outcome(process.returncode, tuple(said))


def _command(*words: str) -> list[str]:
    blender = bpy.app.binary_path
    if not blender:  # a module of Python: the checkout is the program
        return [sys.executable, str(CHECKOUT), *words]
    return [blender, "--background", "--addons", EXTENSION, "--command", "posewright", *words]


def _share(said: list[str]) -> float:
    """Of the files, as the lines "[3/14] walk.bvh: ..." tell."""
    done = [match for line in said[-20:] if (match := re.match(r"\[(\d+)/(\d+)\]", line))]
    return int(done[-1][1]) / int(done[-1][2]) if done else 0.0
