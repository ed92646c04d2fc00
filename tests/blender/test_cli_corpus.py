# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder in one command, run for real: every clip's figures in a table and its pictures on a page."""

from __future__ import annotations

import csv
import importlib
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.blender.test_cli import make_clip
from tests.core.test_cli_corpus import Links


@pytest.fixture
def clips(posewright: Any, tmp_path: Path) -> Path:
    folder = tmp_path / "day & night"
    (folder / "deep").mkdir(parents=True)
    make_clip(posewright, folder / "walk #1.bvh", 40)
    make_clip(posewright, folder / "deep" / "run.glb", 50)
    (folder / "empty.bvh").touch()
    return folder


def run(posewright: Any, *words: object) -> int:
    return importlib.import_module(f"{posewright.__name__}.cli").main([str(word) for word in words])


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def linked(page: Path) -> set[Path]:
    links = Links()
    links.feed(page.read_text(encoding="utf-8"))
    return {page.parent / unquote(link) for link in links.links}


@pytest.mark.parametrize("moved", [False, True])
def test_a_reduced_folder_can_be_judged_at_a_glance(
    posewright: Any, clips: Path, tmp_path: Path, moved: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run(posewright, "reduce", clips, "-o", out, "--keys", 6) == 1
    said = capfd.readouterr().out
    assert "mean %" in said
    assert "deep/run.glb" in said
    rows = {Path(row["clip"]).name: row for row in read(out / "posewright-reduce.csv")}
    assert set(rows) == {"walk #1.bvh", "run.glb", "empty.bvh"}
    assert (rows["walk #1.bvh"]["frames"], rows["walk #1.bvh"]["keys"]) == ("40", "6")
    assert float(rows["run.glb"]["mean_error_percent"]) <= float(rows["run.glb"]["largest_error_percent"])
    assert float(rows["run.glb"]["seconds"]) > 0.0
    assert "is empty" in rows["empty.bvh"]["reason"]
    if moved:
        out = out.rename(tmp_path / "elsewhere")
    files = linked(out / "posewright-reduce.html")
    assert {path.suffix for path in files} == {".bvh", ".glb", ".png"}
    assert all(path.is_file() for path in files), "also where the folder is moved to"
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in files if path.suffix == ".png")
    # Once more: nothing is done again, and the page is as full as before.
    if not moved:
        assert run(posewright, "reduce", clips, "-o", out, "--keys", 6) == 1
        assert linked(out / "posewright-reduce.html") == files


def test_a_compared_folder_too(posewright: Any, clips: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run(posewright, "compare", clips, "-o", out, "--algorithms", "greedy,decimation") == 1
    rows = read(out / "posewright-compare.csv")
    walk = [row["algorithm"] for row in rows if Path(row["clip"]).name == "walk #1.bvh"]
    assert len(walk) >= 2
    assert all(float(row["mean_mm"]) >= 0.0 for row in rows if row["status"] == "done")
    files = linked(out / "posewright-compare.html")
    assert len(files) == 2
    assert all(path.is_file() for path in files)
