# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside Blender's window: plays a scenario step by step and reports how it went.

A scenario is a file with a generator function `scenario(ui)`. Between two steps it hands control back, so
that Blender can handle the events: `yield 0.2` waits that many seconds, `yield` just long enough. Steps of
`ui` that take time are generators too: `yield from ui.click(x, y)`. Plain `assert` statements decide.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import traceback
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import bpy

sys.path.insert(0, str(Path(__file__).parent))
sys.path.append(str(Path(__file__).parent / "scenarios"))
sys.path.append(str(Path(__file__).resolve().parents[2]))  # for `benchmarks` and `demo`

from interface import Interface, Skip

TICK = 0.05  # seconds in which Blender has certainly handled a simulated event and drawn


class Player:
    """Takes one step of the scenario each time Blender's timer calls."""

    def __init__(self, task: dict[str, Any]) -> None:
        self.task = task
        self.steps: Generator[float | None, None, None] | None = None

    def __call__(self) -> float | None:
        try:
            if self.steps is None:
                self.steps = self.load()(Interface(self.task))
            return next(self.steps) or TICK
        except StopIteration:
            self.finish(passed=True)
        except Skip as reason:
            self.finish(skipped=str(reason))
        except BaseException:
            self.screenshot_of_failure()
            self.finish(error=traceback.format_exc())
        return None

    def load(self) -> Callable[[Interface], Generator[float | None, None, None]]:
        path = Path(self.task["scenario"])
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.scenario

    def screenshot_of_failure(self) -> None:
        try:
            Interface(self.task).screenshot("failed")
        except Exception:
            traceback.print_exc()

    def finish(self, passed: bool = False, error: str = "", skipped: str = "") -> None:
        report = Path(self.task["report"])
        report.write_text(json.dumps({"passed": passed, "error": error, "skipped": skipped}))
        sys.stdout.flush()
        sys.stderr.flush()
        # Without the usual way out: it might ask whether to save, and there is nobody to answer.
        os._exit(0)


def main() -> None:
    task = json.loads(Path(sys.argv[sys.argv.index("--") + 1]).read_text())
    bpy.context.preferences.view.show_splash = False
    bpy.context.preferences.use_preferences_save = False
    bpy.app.timers.register(Player(task), first_interval=1.0, persistent=True)


main()
