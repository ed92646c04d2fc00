# SPDX-License-Identifier: GPL-3.0-or-later
"""Two batches over the same clips, run for real: every result is made once and whole, whoever is killed."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import bpy
import pytest

from tests.blender.test_cli import make_clip

FOLDER = Path(__file__).resolve().parents[2]
CLIPS = 4


@pytest.fixture(autouse=True)
def with_bpy_as_a_module() -> None:
    if bpy.app.binary_path:
        pytest.skip("tested with Blender as a module; here it would start and kill the tests' own Blender")


@pytest.fixture
def clips(posewright: Any, tmp_path: Path) -> Path:
    folder = tmp_path / "clips"
    folder.mkdir()
    for number in range(CLIPS):
        make_clip(posewright, folder / f"c{number}.bvh", 30)
    return folder


def start(clips: Path, *words: object) -> subprocess.Popen[str]:
    said = [
        sys.executable,
        FOLDER,
        "reduce",
        clips,
        "-o",
        clips.parent / "out",
        "--keys",
        6,
        "--jobs",
        1,
        *words,
    ]
    return subprocess.Popen(
        [str(word) for word in said], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def statuses(report: str) -> Counter[str]:
    return Counter(file["status"] for file in json.loads(report)["files"])


def check_results(posewright: Any, out: Path, parts: tuple[str, ...] = ("",)) -> None:
    """All are there and whole, and nothing else is."""
    names = {f"c{number}_reduced.bvh" for number in range(CLIPS)}
    told = {f"posewright-reduce{part}.{kind}" for part in parts for kind in ("csv", "html")}
    told |= {"posewright-reduce.jsonl", "posewright-sheets"}
    assert {path.name for path in out.iterdir()} == names | told
    assert {path.name for path in (out / "posewright-sheets").iterdir()} == {f"{name}.png" for name in names}
    files = importlib.import_module(f"{posewright.__name__}.bridge.files")
    for name in names:
        assert len(files.open_clip(out / name)) == 1
    finished = [json.loads(line) for line in (out / "posewright-reduce.jsonl").read_text().splitlines()]
    assert Counter(entry["output"] for entry in finished if "result" in entry) == {
        str(out / name): 1 for name in names
    }


def test_two_batches_started_together_share_the_work(posewright: Any, clips: Path) -> None:
    batches = [start(clips, "--json") for _ in range(2)]
    ended = [batch.communicate() for batch in batches]
    assert [batch.returncode for batch in batches] == [0, 0], ended
    told = [statuses(out) for out, _ in ended]
    assert told[0]["done"] + told[1]["done"] == CLIPS
    assert told[0]["kept"] + told[1]["kept"] == CLIPS
    check_results(posewright, clips.parent / "out")


def test_one_of_two_batches_is_killed_and_the_other_does_it_all(posewright: Any, clips: Path) -> None:
    """Killed at its first result: it is in the middle of its second."""
    killed, other = start(clips), start(clips, "--json")
    assert killed.stdout is not None
    assert "FAILED" not in killed.stdout.readline()
    killed.kill()
    killed.communicate()
    said, errors = other.communicate()
    assert other.returncode == 0, said + errors
    assert statuses(said)["failed"] == 0
    check_results(posewright, clips.parent / "out")
