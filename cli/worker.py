# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs in a Blender of its own: does one job and leaves its result as a file.

Called as a script with two paths: the job to read and the result to write.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import threading
import traceback
from pathlib import Path
from types import ModuleType
from typing import NoReturn

REPOSITORY = "posewright_worker"


def _end_with_parent() -> None:
    """A batch that is killed closes our standard input: stop at once instead of working for nobody."""

    def watch() -> None:
        # Not through `sys.stdin`: its lock, held here, would abort Python where an error ends the work, and
        # the error would not be the last words.
        while os.read(0, 1024):
            pass
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _enabled_extension(folder: Path) -> ModuleType:
    """The extension in this folder, enabled by Blender itself, in a repository of this process alone."""
    import bpy  # Blender as a module must be loaded before anything that uses it

    bpy.context.preferences.extensions.repos.new(
        name="Posewright's worker", module=REPOSITORY, custom_directory=str(folder.parent), source="USER"
    )
    name = f"bl_ext.{REPOSITORY}.{folder.name}"
    bpy.ops.preferences.addon_enable(module=name)
    return importlib.import_module(name)


def _work(order: Path, answer: Path) -> None:
    package = _enabled_extension(Path(__file__).resolve().parents[1])
    jobs = importlib.import_module(".cli.jobs", package.__name__)
    result = jobs.carry_out(json.loads(order.read_text(encoding="utf-8")))
    partial = answer.with_suffix(".partial")
    partial.write_text(json.dumps(result), encoding="utf-8")
    partial.replace(answer)


def _leave(code: int) -> NoReturn:
    """Without the usual end, in which Blender's module may crash, or wait for its own threads for ever."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    _end_with_parent()
    try:
        _work(*(Path(word) for word in sys.argv[-2:]))
    except Exception:
        traceback.print_exc()
        _leave(1)
    _leave(0)
