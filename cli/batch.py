# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs jobs in processes of their own: one Blender a file, as many at once as there are cores.

A Blender that ends with its file gives all its memory back, and a file that crashes it takes no other
file along.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from ..bridge.whole_files import remove_leftovers
from .claims import Claim
from .journal import Journal
from .plan import Job, already_there

Result = dict[str, Any]
WORKER = Path(__file__).with_name("worker.py")
_PATIENCE = 0.5  # seconds between two looks at what another batch is doing


def run_batch(jobs: list[Job], *, workers: int | None, overwrite: bool) -> Iterator[Result]:
    """The result of every job, in the order in which they finish."""
    tasks: list[_Task] = []
    journals: dict[Path, Journal] = {}
    for job in jobs:
        folder = Path(job.output).parent
        try:
            if folder not in journals:
                journals[folder] = Journal(folder, job.verb)
                _warn_of_broken_lines(journals[folder])
        except OSError as error:
            yield _failed(job, _unwritable(job, error))
        else:
            tasks.append(_Task(job, journals[folder], overwrite))
    yield from _run_all(tasks, min(workers or os.cpu_count() or 1, max(len(tasks), 1)))


@dataclass(frozen=True)
class _Task:
    job: Job
    journal: Journal
    overwrite: bool


def _warn_of_broken_lines(journal: Journal) -> None:
    if journal.broken:
        lines = "a line" if journal.broken == 1 else f"{journal.broken} lines"
        _warn(f"{journal.path} has {lines} that cannot be read; what they told of is done again.")


def _warn(sentence: str) -> None:
    encoding = sys.stderr.encoding or "utf-8"
    shown = f"posewright: {sentence}".encode(encoding, "backslashreplace").decode(encoding)
    print(shown, file=sys.stderr, flush=True)


def _run_all(tasks: list[_Task], workers: int) -> Iterator[Result]:
    """Feeds a few threads, each of which waits for one Blender; stops them all on Ctrl-C.

    What another batch is working on comes last: by then it is done, or can be done here.
    """
    running: set[subprocess.Popen[bytes]] = set()
    with ThreadPoolExecutor(workers) as pool:
        try:
            while tasks:
                with_others: list[_Task] = []
                for task, result in _side_by_side(tasks, workers, pool, running):
                    if result is None:
                        with_others.append(task)
                    else:
                        yield result
                if len(with_others) == len(tasks):
                    time.sleep(_PATIENCE)
                elif with_others:
                    _warn(f"Another batch is working on {_files(len(with_others))}; waiting for it.")
                tasks = with_others
        except BaseException:
            for process in tuple(running):
                process.kill()
            raise


def _files(count: int) -> str:
    return "one of the files" if count == 1 else f"{count} of the files"


def _side_by_side(
    tasks: list[_Task], workers: int, pool: ThreadPoolExecutor, running: set[subprocess.Popen[bytes]]
) -> Iterator[tuple[_Task, Result | None]]:
    waiting: dict[Future[Result | None], _Task] = {}
    queue = iter(tasks)
    while True:
        for task in islice(queue, workers - len(waiting)):
            waiting[pool.submit(_settle, task, running)] = task
        if not waiting:
            return
        for future in wait(waiting, return_when=FIRST_COMPLETED).done:
            yield waiting.pop(future), future.result()


def _settle(task: _Task, running: set[subprocess.Popen[bytes]]) -> Result | None:
    """The result of a job, by doing it or from an earlier run; None while another batch does it."""
    job = task.job
    try:
        early = _known_before(task)
        if early is not None:
            return early
        claim = Claim.take(Path(job.output))
        if claim is None:
            return None
        try:
            return _settle_claimed(task, claim, running)
        finally:
            claim.release()
    except OSError as error:
        return _failed(job, _unwritable(job, error))


def _settle_claimed(task: _Task, claim: Claim, running: set[subprocess.Popen[bytes]]) -> Result:
    """Run a job between two lines of the record, unless another batch has just done it."""
    task.journal.refresh()
    early = _known_before(task)
    if early is not None:
        return early
    output = Path(task.job.output)
    if output.is_dir():
        return _failed(task.job, f"{output} is a folder: move it away, or choose another folder with -o.")
    interrupted = task.journal.was_started(task.job)
    if output.exists() and not interrupted and not task.overwrite:
        return _failed(task.job, already_there(output))
    if interrupted:
        remove_leftovers(output)
    task.journal.start(task.job)
    result = _run_one(task.job, task.overwrite or interrupted, claim, running)
    task.journal.finish(task.job, result)
    return result


def _known_before(task: _Task) -> Result | None:
    """Results that need no work: there is nothing to work on, or it was done earlier."""
    job = task.job
    if not Path(job.input).is_file():
        what = "a folder" if Path(job.input).is_dir() else "no file"
        return _failed(job, f"There is {what} {job.input}.")
    earlier = None if task.overwrite else task.journal.result(job)
    return None if earlier is None else earlier | {"status": "kept"}


def _run_one(job: Job, replace: bool, claim: Claim, running: set[subprocess.Popen[bytes]]) -> Result:
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="posewright-") as folder:
        order, answer = Path(folder, "job.json"), Path(folder, "result.json")
        told = {"job": asdict(job), "replace": replace}
        order.write_text(json.dumps(told), encoding="utf-8")
        log = Path(folder, "log.txt")
        with log.open("wb") as output:
            # The worker ends when its standard input closes, so none outlives a killed batch.
            process = subprocess.Popen(
                _command(order, answer),
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                pass_fds=claim.inherited,
            )
            running.add(process)
            process.wait()
            running.discard(process)
            if process.stdin is not None:
                with contextlib.suppress(OSError):
                    process.stdin.close()
        if answer.exists():
            result = json.loads(answer.read_text(encoding="utf-8"))
        else:
            result = _failed(job, _crash(process.returncode, log))
    return result | {"seconds": round(time.perf_counter() - start, 2)}


def _command(order: Path, answer: Path) -> list[str]:
    blender = _blender()
    if blender:
        head = [blender, "--background", "--factory-startup", "--python", str(WORKER), "--"]
    else:
        head = [sys.executable, str(WORKER)]
    return [*head, str(order), str(answer)]


def _blender() -> str:
    """The Blender we run in; nothing where Blender is a module of this Python."""
    bpy = sys.modules.get("bpy")
    return bpy.app.binary_path if bpy is not None else ""


def _crash(code: int, log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    last = f" Its last words: {lines[-1]}" if lines else ""
    return f"Blender stopped on this file with exit code {code}.{last}"


def _unwritable(job: Job, error: OSError) -> str:
    folder = Path(job.output).parent
    return f"Nothing can be written to {folder}: {error.strerror}. Choose another folder with -o."


def _failed(job: Job, reason: str) -> Result:
    return {"status": "failed", "input": job.input, "output": job.output, "reason": reason}
