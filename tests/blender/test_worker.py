# SPDX-License-Identifier: GPL-3.0-or-later
"""A worker that cannot even begin says why."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import bpy
import pytest


def test_an_error_that_ends_a_worker_is_its_last_words(tmp_path: Path, checkout: Path) -> None:
    if bpy.app.binary_path:
        pytest.skip("a worker in a real Blender is started another way")
    (tmp_path / "job.json").write_text("no JSON at all")
    worker = subprocess.Popen(
        [
            sys.executable,
            str(checkout / "cli" / "worker.py"),
            str(tmp_path / "job.json"),
            str(tmp_path / "out"),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    # Its standard input stays open, as a batch keeps it.
    assert worker.stderr is not None
    assert worker.stdin is not None
    said = worker.stderr.read().decode()
    assert worker.wait() == 1
    worker.stdin.close()
    worker.stderr.close()
    assert "JSONDecodeError" in said.strip().splitlines()[-1]
