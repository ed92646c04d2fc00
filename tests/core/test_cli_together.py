# SPDX-License-Identifier: GPL-3.0-or-later
"""What lets several batches work on one folder: claims, and a record that takes whatever is in it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2]
HOLD = """
import runpy, subprocess, sys
from pathlib import Path
runpy.run_path(sys.argv[1])["load_package"]()
from posewright.cli.claims import Claim
claim = Claim.take(Path(sys.argv[2]))
if sys.argv[3] == "with a worker":
    words = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    worker = subprocess.Popen(words, stdin=subprocess.PIPE, pass_fds=claim.inherited)
print("taken" if claim else "refused", flush=True)
sys.stdin.read()
"""


def hold(path: Path, how: str = "alone") -> subprocess.Popen[str]:
    """Another batch that claims a result, until it ends."""
    words = [sys.executable, "-c", HOLD, str(FOLDER / "tools" / "package.py"), str(path), how]
    other = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None
    assert other.stdout.readline().strip() == "taken"
    return other


def end(process: subprocess.Popen[str], how: int = signal.SIGKILL) -> None:
    process.send_signal(how)
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()


def test_of_two_claims_on_a_result_one_is_given(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "walk_reduced.bvh"
    claim = cli.claims.Claim.take(path)
    assert cli.claims.Claim.take(path) is None
    other = cli.claims.Claim.take(tmp_path / "run_reduced.bvh")
    assert other is not None
    claim.release()
    again = cli.claims.Claim.take(path)
    for each in (other, again):
        each.release()
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="Windows knows no such signal")
@pytest.mark.parametrize("how", ["alone", "with a worker"])
def test_the_claim_of_a_killed_batch_is_free_once_its_worker_has_ended(
    cli: Any, tmp_path: Path, how: str
) -> None:
    path = tmp_path / "walk_reduced.bvh"
    other = hold(path, how)
    assert cli.claims.Claim.take(path) is None
    end(other)
    claim = cli.claims.Claim.take(path)
    while claim is None:  # the worker ends when it hears of it
        claim = cli.claims.Claim.take(path)
    claim.release()
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot hand a claim on")
def test_a_worker_that_outlives_its_batch_keeps_the_claim(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "walk_reduced.bvh"
    claim = cli.claims.Claim.take(path)
    worker = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"],
        stdin=subprocess.PIPE,
        pass_fds=claim.inherited,
        text=True,
    )
    os.close(claim.inherited[0])  # as if this batch had been killed
    assert cli.claims.Claim.take(path) is None
    end(worker)
    again = cli.claims.Claim.take(path)
    assert again is not None
    again.release()


@pytest.fixture
def job(cli: Any, tmp_path: Path) -> Any:
    clip = tmp_path / "clips" / "walk.bvh"
    clip.parent.mkdir()
    clip.write_text("motion")
    return cli.plan.Job("reduce", str(clip), str(tmp_path / "out" / "walk_reduced.bvh"), {"keys": 5})


GARBAGE = {
    "bytes": b"\xff\xfe\x00\x80\n",
    "nul": b"\0" * 4096 + b"\n",
    "half a character": '{"job": "歩'.encode()[:-1] + b"\n",
    "a list": b"[1, 2]\n",
    "a number": b"17\n",
    "nothing of ours": b'{"output": 3, "job": null}\n',
    "no job": b'{"output": "x"}\n',
    "a result that is none": b'{"job": "x", "output": "y", "result": "done"}\n',
    "no status": b'{"job": "x", "output": "y", "result": {}}\n',
    "clips that are none": b'{"job": "x", "output": "y", "result": {"status": "done", "clips": [7]}}\n',
    "deep": b"[" * 100000 + b"\n",
    "cut off": b'{"job": "x", "out\n',
}


@pytest.mark.parametrize("garbage", GARBAGE)
def test_what_is_broken_in_a_record_is_counted_and_the_rest_is_read(cli: Any, job: Any, garbage: str) -> None:
    output = Path(job.output)
    journal = cli.journal.Journal(output.parent, "reduce")
    journal.start(job)
    output.write_text("done")
    with journal.path.open("ab") as file:
        file.write(GARBAGE[garbage])
    journal.finish(job, {"status": "done"})
    again = cli.journal.Journal(output.parent, "reduce")
    assert again.result(job) == {"status": "done"}
    assert again.broken == 1


def test_a_batch_warns_of_a_broken_record_and_goes_on(
    cli: Any, job: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    output = Path(job.output)
    output.parent.mkdir()
    (output.parent / "posewright-reduce.jsonl").write_bytes(b"\xff\xff\n[]\n")
    journal = cli.journal.Journal(output.parent, "reduce")
    output.write_text("done")
    journal.start(job)
    journal.finish(job, {"status": "done"})
    results = list(cli.batch.run_batch([job], workers=1, overwrite=False))
    assert [result["status"] for result in results] == ["kept"]
    assert "posewright-reduce.jsonl has 2 lines that cannot be read" in capsys.readouterr().err


def test_a_result_in_several_files_is_kept_as_long_as_all_are_there(cli: Any, job: Any) -> None:
    files = [Path(job.output).with_name(f"walk_{name}.bvh") for name in ("slow", "quick")]
    journal = cli.journal.Journal(files[0].parent, "reduce")
    journal.start(job)
    for file in files:
        file.write_text("done")
    result = {"status": "done", "clips": [{"file": str(file)} for file in files]}
    journal.finish(job, result)
    assert journal.result(job) == result
    files[1].unlink()
    assert journal.result(job) is None


def test_a_record_sees_what_another_batch_adds(cli: Any, job: Any) -> None:
    folder = Path(job.output).parent
    one, other = (cli.journal.Journal(folder, "reduce") for _ in range(2))
    one.start(job)
    Path(job.output).write_text("done")
    assert not other.was_started(job)
    other.refresh()
    assert other.was_started(job)
    one.finish(job, {"status": "done"})
    other.refresh()
    assert other.result(job) == {"status": "done"}


def test_a_line_that_is_still_being_written_is_read_later(cli: Any, job: Any) -> None:
    folder = Path(job.output).parent
    journal = cli.journal.Journal(folder, "reduce")
    journal.start(job)
    line = journal.path.read_bytes()
    other = cli.journal.Journal(folder, "reduce")
    journal.path.write_bytes(line + line[:20])
    other.refresh()
    journal.path.write_bytes(line + line)
    other.refresh()
    assert other.broken == 0
    assert other.was_started(job)


def run_one(cli: Any, job: Any, **options: Any) -> dict[str, Any]:
    (result,) = cli.batch.run_batch([job], workers=1, **({"overwrite": False} | options))
    return result


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_folder_where_the_result_should_be_is_told(cli: Any, job: Any, overwrite: bool) -> None:
    Path(job.output).mkdir(parents=True)
    assert "is a folder: move it away" in run_one(cli, job, overwrite=overwrite)["reason"]


def test_a_record_that_is_a_folder_is_told(cli: Any, job: Any) -> None:
    (Path(job.output).parent / "posewright-reduce.jsonl").mkdir(parents=True)
    result = run_one(cli, job)
    assert result["status"] == "failed"
    assert "Nothing can be written to" in result["reason"]


def test_a_folder_called_like_a_clip_is_no_clip_but_what_is_in_it_is(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "take.bvh").mkdir()
    (tmp_path / "take.bvh" / "walk.bvh").write_text("motion")
    words = cli.arguments.parser().parse_args(["reduce", str(tmp_path)])
    assert [Path(job.input).name for job in cli.plan.plan(words)] == ["walk.bvh"]


def test_what_another_batch_works_on_is_waited_for_and_then_kept(
    cli: Any, job: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other batch finishes while this one has nothing else to do."""
    output = Path(job.output)
    output.parent.mkdir()
    claim = cli.claims.Claim.take(output)

    def finish_meanwhile(_seconds: float) -> None:
        journal = cli.journal.Journal(output.parent, "reduce")
        journal.start(job)
        output.write_text("done")
        journal.finish(job, {"status": "done"})
        claim.release()

    monkeypatch.setattr(cli.batch.time, "sleep", finish_meanwhile)
    assert run_one(cli, job)["status"] == "kept"
    assert sorted(path.name for path in output.parent.iterdir()) == [
        "posewright-reduce.jsonl",
        "walk_reduced.bvh",
    ]
