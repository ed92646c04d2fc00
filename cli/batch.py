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
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .journal import Journal
from .plan import Job

Result = dict[str, Any]
WORKER = Path(__file__).with_name("worker.py")


def run_batch(jobs: list[Job], *, workers: int | None, overwrite: bool) -> Iterator[Result]:
    """The result of every job, in the order in which they finish."""
    todo: list[tuple[Job, Journal]] = []
    journals: dict[Path, Journal] = {}
    for job in jobs:
        folder = Path(job.output).parent
        journal = journals.setdefault(folder, Journal(folder, job.verb))
        early = _known_before(job, journal, overwrite)
        if early is None:
            todo.append((job, journal))
        else:
            yield early
    yield from _run_all(todo, min(workers or os.cpu_count() or 1, max(len(todo), 1)))


def _known_before(job: Job, journal: Journal, overwrite: bool) -> Result | None:
    """Results that need no work: finished earlier, or not allowed."""
    if not Path(job.input).is_file():
        return _failed(job, f"There is no file {job.input}.")
    if overwrite:
        return None
    earlier = journal.result(job)
    if earlier is not None:
        return earlier | {"status": "kept"}
    if Path(job.output).exists() and not journal.was_started(job):
        return _failed(job, f"{job.output} is already there: add --overwrite to replace it.")
    return None


def _run_all(todo: list[tuple[Job, Journal]], workers: int) -> Iterator[Result]:
    """Feeds a few threads, each of which waits for one Blender; stops them all on Ctrl-C."""
    running: set[subprocess.Popen[bytes]] = set()
    with ThreadPoolExecutor(workers) as pool:
        waiting: dict[Future[Result], tuple[Job, Journal]] = {}
        queue = iter(todo)
        try:
            while True:
                for job, journal in _take(queue, workers - len(waiting)):
                    journal.start(job)
                    waiting[pool.submit(_run_one, job, running)] = (job, journal)
                if not waiting:
                    return
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    job, journal = waiting.pop(future)
                    result = future.result()
                    if result["status"] == "done":
                        journal.finish(job, result)
                    yield result
        except BaseException:
            for process in tuple(running):
                process.kill()
            raise


def _take(queue: Iterator[Any], count: int) -> Iterator[Any]:
    for _, item in zip(range(count), queue, strict=False):
        yield item


def _run_one(job: Job, running: set[subprocess.Popen[bytes]]) -> Result:
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="posewright-") as folder:
        order, answer = Path(folder, "job.json"), Path(folder, "result.json")
        order.write_text(json.dumps(asdict(job)), encoding="utf-8")
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


def _failed(job: Job, reason: str) -> Result:
    return {"status": "failed", "input": job.input, "output": job.output, "reason": reason}
