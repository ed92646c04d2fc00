# SPDX-License-Identifier: GPL-3.0-or-later
"""How workers end: one that cannot even begin says why, and none waits for what Blender leaves behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import pytest


@pytest.fixture
def started(tmp_path: Path, checkout: Path) -> Iterator[Any]:
    """`started(order)` is a worker with this order; its standard input stays open, as a batch keeps it."""
    if bpy.app.binary_path:
        pytest.skip("a worker in a real Blender is started another way")
    workers = []

    def start(order: str, **variables: str) -> subprocess.Popen[bytes]:
        (tmp_path / "job.json").write_text(order)
        words = [checkout / "cli" / "worker.py", tmp_path / "job.json", tmp_path / "result.json"]
        worker = subprocess.Popen(
            [sys.executable, *map(str, words)],
            env=os.environ | variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        workers.append(worker)
        return worker

    yield start
    for worker in workers:
        worker.kill()
        with worker:  # closes what it is told and says, and waits for its end
            pass


def test_an_error_that_ends_a_worker_is_its_last_words(started: Any) -> None:
    worker = started("no JSON at all")
    said = worker.stderr.read().decode()
    assert worker.wait() == 1
    assert "JSONDecodeError" in said.strip().splitlines()[-1]


def test_a_worker_does_not_wait_for_what_goes_on_in_its_end(started: Any, tmp_path: Path) -> None:
    """As threads of Blender 4.5's module do, for ever."""
    (tmp_path / "sitecustomize.py").write_text("import atexit, time\natexit.register(time.sleep, 1e6)\n")
    job = {"verb": "reduce", "input": str(tmp_path / "none.bvh"), "output": "", "settings": {}}
    worker = started(json.dumps({"job": job, "replace": False}), PYTHONPATH=str(tmp_path))
    assert worker.wait(timeout=120) == 0
    assert json.loads((tmp_path / "result.json").read_text())["status"] == "failed"
