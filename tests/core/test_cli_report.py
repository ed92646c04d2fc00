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
