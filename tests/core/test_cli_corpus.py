# SPDX-License-Identifier: GPL-3.0-or-later
"""All clips of a run at a glance: the table, the CSV and the page say the same, whatever clips are called."""

from __future__ import annotations

import csv
import importlib
import io
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

ODD = '50% <b>&amp; "walk" #1 歩く.bvh'


@pytest.fixture(scope="session")
def corpus(cli: Any) -> Any:
    return importlib.import_module("posewright.cli.corpus")


@pytest.fixture(scope="session")
def page(cli: Any) -> Any:
    return importlib.import_module("posewright.cli.page").page


def done(folder: Path, name: str, *clips: dict[str, Any], seconds: float = 3.0) -> dict[str, Any]:
    output = folder / "out" / name
    return {
        "status": "done",
        "input": str(folder / "in" / name),
        "output": str(output),
        "seconds": seconds,
        "clips": [{"armature": "Rig", "sheet": str(output) + ".png"} | clip for clip in clips],
    }


def clip(frames: int, keys: int, mean: float, largest: float, action: str = "walk") -> dict[str, Any]:
    return {
        "action": action,
        "frames": frames,
        "keys": keys,
        "mean_error_percent": mean,
        "largest_error_percent": largest,
    }


@pytest.fixture
def results(tmp_path: Path) -> list[dict[str, Any]]:
    failed = {
        "status": "failed",
        "output": "",
        "reason": "It is <empty>.",
        "input": str(tmp_path / "in/z.bvh"),
    }
    two = done(tmp_path, "b/two.glb", clip(100, 5, 1.0, 8.0), clip(50, 7, 3.0, 4.0, "run"), seconds=4.0)
    return [failed, two, done(tmp_path, ODD, clip(200, 12, 2.0, 16.0))]


def test_the_table_has_a_line_a_clip_and_what_they_come_to(
    corpus: Any, results: list[dict[str, Any]], tmp_path: Path
) -> None:
    lines = corpus.table(corpus.rows_of(results), tmp_path / "in").splitlines()
    assert lines[0].split() == ["clip", "frames", "keys", "mean", "%", "largest", "%", "seconds"]
    assert len({len(line) for line in lines}) == 1, "in columns"
    assert lines[1].startswith(ODD)
    assert lines[1].split()[-5:] == ["200", "12", "2.00", "16.00", "3.0"]
    assert lines[2].split()[:2] == ["b/two.glb", "(run)"]
    assert lines[3].split() == ["b/two.glb", "(walk)", "100", "5", "1.00", "8.00", "2.0"]
    assert lines[4].split() == ["z.bvh"]
    assert lines[5].split() == ["all", "4", "350", "24", "2.00", "16.00", "7.0"]


def test_the_csv_can_be_read_back(corpus: Any, results: list[dict[str, Any]], tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(corpus.comma_separated(corpus.rows_of(results)))))
    assert [row["status"] for row in rows] == ["done", "done", "done", "failed"]
    assert rows[0]["clip"] == str(tmp_path / "in" / ODD)
    assert (rows[0]["frames"], rows[0]["keys"], rows[0]["mean_error_percent"]) == ("200", "12", "2")
    assert rows[3]["reason"] == "It is <empty>."
    assert rows[3]["frames"] == ""


class Links(HTMLParser):
    """What a page refers to, and what it says."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_needs_nothing_but_the_files_beside_it(
    corpus: Any, page: Any, results: list[dict[str, Any]], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    read = Links()
    read.feed(page("A <day>", corpus.rows_of(results), tmp_path / "in", out))
    assert not {"script", "link", "iframe"} & set(read.tags)
    assert ODD in read.text
    assert "It is <empty>." in read.text
    assert "A <day>" in read.text
    assert len(read.links) == 9, "each result, and each sheet as a picture to be opened"
    assert {unquote(link) for link in read.links} == {
        name + ending for name in (ODD, "b/two.glb") for ending in ("", ".png")
    }
    assert not any(":" in link or link.startswith("/") for link in read.links)


def test_rows_of_a_comparison_come_from_its_table(corpus: Any, tmp_path: Path) -> None:
    table = tmp_path / "walk_compare.csv"
    table.write_text(
        "action,frames,algorithm,keys,compression,mean_distance,largest_distance,slide,worst_slide,sinking,"
        "flight_error,added_jerk,beside_50th,beside_95th,beside_99th,seconds\n"
        "walk,200,Salient,4,50,0.2,0.9,0.1,0.3,0.05,0.2,3,0.01,0.02,0.03,0.5\n"
        "walk,200,Salient,10,20,0.01,0.04,0.003,0.007,0.002,0.1,2.5,0.004,0.005,0.006,0.5\n"
        "walk,200,Greedy,9,22.2,0.02,0.08,0.005,0.01,0.003,0.1,2,0.007,0.008,0.009,0.1\n"
    )
    result = done(tmp_path, "walk.bvh", {"picture": str(table.with_suffix(".png")), "table": str(table)})
    rows = corpus.rows_of([result])
    assert [(row["algorithm"], row["keys"], row["mean_mm"], row["worst_slide_mm"]) for row in rows] == [
        ("Salient", 10.0, pytest.approx(10.0), pytest.approx(7.0)),
        ("Greedy", 9.0, pytest.approx(20.0), pytest.approx(10.0)),
    ]
    line = corpus.table(rows, tmp_path / "in").splitlines()[1]
    figures = "200 10 10.0 40.0 3.0 7.0 2.0 100 2.5 4.0 5.0 6.0 0.5"  # what Compare tells, in millimetres
    assert line.split()[-13:] == figures.split()
    table.write_text("something else\n1\n")
    assert len(corpus.rows_of([result])) == 1, "the clip is still told of"


def test_all_failed_is_told_too(
    corpus: Any, page: Any, results: list[dict[str, Any]], tmp_path: Path
) -> None:
    rows = corpus.rows_of(results[:1])
    assert "z.bvh" in corpus.table(rows, tmp_path / "in")
    assert "It is &lt;empty&gt;." in page("A day", rows, tmp_path / "in", tmp_path)
    assert len(corpus.comma_separated(rows).splitlines()) == 2


@pytest.mark.parametrize(
    ("shard", "name"), [("1/1", "posewright-reduce"), ("2/2", "posewright-reduce-2-of-2")]
)
def test_parts_of_a_folder_are_told_of_apart(cli: Any, tmp_path: Path, shard: str, name: str) -> None:
    for clip_name in ("a.bvh", "deep/b.bvh"):
        (tmp_path / clip_name).parent.mkdir(exist_ok=True)
        (tmp_path / clip_name).write_text("motion")
    words = cli.arguments.parser().parse_args(["reduce", str(tmp_path), "--shard", shard])
    summary = cli.report.Summary.of(words, cli.plan.plan(words))
    assert summary.name == name


def test_one_file_alone_gets_no_page(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "a.bvh").write_text("motion")
    for given, corpus in ((tmp_path / "a.bvh", False), (tmp_path, True)):
        words = cli.arguments.parser().parse_args(["reduce", str(given)])
        assert cli.plan.is_corpus(words) is corpus
        assert bool(cli.plan.plan(words)[0].sheet) is corpus


def test_a_sheet_more_or_less_is_the_same_job(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "a.bvh").write_text("motion")
    jobs = [
        cli.plan.plan(cli.arguments.parser().parse_args(["reduce", str(given)]))[0]
        for given in (tmp_path / "a.bvh", tmp_path)
    ]
    assert jobs[0].digest() == jobs[1].digest()
