# SPDX-License-Identifier: GPL-3.0-or-later
"""`blender -b [file] --command posewright ...`: the command line, and the batch behind it."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path

from ..core import InputError
from . import asset_library, indexing
from .arguments import parser
from .batch import run_batch
from .plan import is_corpus, plan
from .report import Report, Summary

# Verbs whose results are put together in the end.
_GATHERED = {"index": indexing, "library": asset_library}
_USAGE_ERROR = 2
_INTERRUPTED = 130
_commands: list[object] = []


def main(argv: list[str]) -> int:
    """Carry out a command line; the exit code says how it went (0 all well, 1 some failed, 2 wrong words)."""
    try:
        words = _parse(argv)
        jobs = plan(words)
        if words.verb in _GATHERED:
            jobs = _GATHERED[words.verb].to_do(words, jobs)
    except SystemExit as end:  # argparse has said all there is to say
        return int(end.code or 0)
    except InputError as error:
        print(f"posewright: {error}", file=sys.stderr)
        return _USAGE_ERROR
    pictured = jobs and is_corpus(words) and words.verb not in _GATHERED
    report = Report(len(jobs), words.json, Summary.of(words, jobs) if pictured else None)
    results = []
    try:
        for result in run_batch(jobs, workers=words.jobs, overwrite=words.overwrite):
            report.add(result)
            results.append(result)
    except KeyboardInterrupt:
        print("posewright: stopped; the same command goes on from here.", file=sys.stderr)
        return _INTERRUPTED
    if words.verb == "index":
        report.say(indexing.gather(words, jobs))
    elif words.verb == "library":
        report.say(asset_library.gather(words, results))
    return report.close()


def _parse(argv: list[str]) -> argparse.Namespace:
    words = parser().parse_args(argv)
    if words.json not in (None, "-") and not words.json.endswith(".json"):
        # `--json clips/` means a report on the terminal and one more input.
        words.inputs.append(Path(words.json))
        words.json = "-"
    if not words.inputs:
        words.inputs.append(_open_file())
    if "bpy" not in sys.modules and importlib.util.find_spec("bpy") is None:
        raise InputError("This Python has no Blender in it: install the package bpy, or start it in Blender.")
    return words


def _open_file() -> Path:
    bpy = sys.modules.get("bpy")
    opened = bpy.data.filepath if bpy is not None else ""
    if not opened:
        raise InputError("Name files or folders to work on, or open a .blend before --command.")
    return Path(opened)


def register() -> None:
    import bpy

    _commands.append(bpy.utils.register_cli_command("posewright", main))


def unregister() -> None:
    import bpy

    while _commands:
        bpy.utils.unregister_cli_command(_commands.pop())
