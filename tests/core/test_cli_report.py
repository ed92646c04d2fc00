# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run says, on terminals and into files that are not as they should be."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

FAILED = {"status": "failed", "input": "歩く.bvh", "output": "歩く_reduced.bvh", "reason": "It is empty."}


def test_a_terminal_that_cannot_show_a_name_gets_what_it_can(
    cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", terminal)
    report = cli.report.Report(1, None)
    report.add(FAILED)
    assert report.close() == 1
    assert b"[1/1] \\u6b69\\u304f.bvh: FAILED. It is empty." in terminal.buffer.getvalue()


def test_a_report_that_cannot_be_written_is_said(
    cli: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    report = cli.report.Report(0, str(tmp_path / "file" / "report.json"))
    assert report.close() == 1
    assert "report.json cannot be written" in capsys.readouterr().err


def test_many_actions_of_a_file_are_one_line_and_notes_follow_it(
    cli: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    clips = [
        {"armature": "Rig", "action": f"a{n}", "frames": 10, "keys": 2, "mean_error_percent": n / 10}
        for n in range(5)
    ]
    report = cli.report.Report(1, None)
    told = {"status": "done", "input": "k.glb", "output": "k_reduced.glb", "clips": clips, "notes": ["Mind."]}
    report.add(told)
    said = capsys.readouterr().out
    assert "5 actions, 50 frames, 10 keys, mean error at most 0.40 % of the height (a4) -> k_red" in said
    assert said.endswith("\n    Mind.\n")
