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
from pathlib import Path
from typing import Any

from .journal import Journal
from .plan import Job, already_there

Result = dict[str, Any]
WORKER = Path(__file__).with_name("worker.py")


def run_batch(jobs: list[Job], *, workers: int | None, overwrite: bool) -> Iterator[Result]:
    """The result of every job, in the order in which they finish."""
    todo: list[_Task] = []
    journals: dict[Path, Journal] = {}
    for job in jobs:
        try:
            folder = Path(job.output).parent
            journal = journals.get(folder) or journals.setdefault(folder, Journal(folder, job.verb))
            early = _known_before(job, journal, overwrite)
        except OSError as error:
            yield _failed(job, _unwritable(job, error))
            continue
        if early is None:
            todo.append(_Task(job, journal, overwrite or journal.was_started(job)))
        else:
            yield early
    yield from _run_all(todo, min(workers or os.cpu_count() or 1, max(len(todo), 1)))


@dataclass(frozen=True)
class _Task:
    job: Job
    journal: Journal
    replace: bool  # whether it may replace files that are there


def _known_before(job: Job, journal: Journal, overwrite: bool) -> Result | None:
    """Results that need no work: finished earlier, or not allowed."""
    if not Path(job.input).is_file():
        return _failed(job, f"There is no file {job.input}.")
    if overwrite:
        return None
    earlier = journal.result(job)
    if earlier is not None:
        return earlier | {"status": "kept"}
    if _is_there(job.output) and not journal.was_started(job):
        return _failed(job, already_there(job.output))
    return None


def _is_there(path: str) -> bool:
    """Like Path.exists, which in newer versions of Python does not say that a name is too long."""
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _run_all(todo: list[_Task], workers: int) -> Iterator[Result]:
    """Feeds a few threads, each of which waits for one Blender; stops them all on Ctrl-C."""
    running: set[subprocess.Popen[bytes]] = set()
    with ThreadPoolExecutor(workers) as pool:
        waiting: set[Future[Result]] = set()
        queue = iter(todo)
        try:
            while True:
                for task in _take(queue, workers - len(waiting)):
                    waiting.add(pool.submit(_run_recorded, task, running))
                if not waiting:
                    return
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        except BaseException:
            for process in tuple(running):
                process.kill()
            raise


def _take(queue: Iterator[Any], count: int) -> Iterator[Any]:
    for _, item in zip(range(count), queue, strict=False):
        yield item


def _run_recorded(task: _Task, running: set[subprocess.Popen[bytes]]) -> Result:
    """Run a job between two lines of the record."""
    try:
        task.journal.start(task.job)
        result = _run_one(task, running)
        task.journal.finish(task.job, result)
    except OSError as error:
        return _failed(task.job, _unwritable(task.job, error))
    return result


def _run_one(task: _Task, running: set[subprocess.Popen[bytes]]) -> Result:
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="posewright-") as folder:
        order, answer = Path(folder, "job.json"), Path(folder, "result.json")
        told = {"job": asdict(task.job), "replace": task.replace}
        order.write_text(json.dumps(told), encoding="utf-8")
        log = Path(folder, "log.txt")
        with log.open("wb") as output:
            # The worker ends when its standard input closes, so none outlives a killed batch.
            process = subprocess.Popen(
                _command(order, answer), stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT
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
            result = _failed(task.job, _crash(process.returncode, log))
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
