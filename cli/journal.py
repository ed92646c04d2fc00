# SPDX-License-Identifier: GPL-3.0-or-later
"""A record of a batch beside its results, so that a stopped batch can go on where it stopped.

Several batches may write to it at once: each adds whole lines at its end and reads what others have added.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from threading import Lock
from typing import Any

from .claims import lock
from .plan import Job

# What a clip of a result may have on disk.
_FILES = ("file", "picture", "table")


class Journal:
    """One line a start and one a finish, each on disk before the batch goes on.

    Attributes:
        broken: how many lines could not be understood; what they told of is done again.
    """

    def __init__(self, folder: Path, verb: str):
        self.path = folder / f"posewright-{verb}.jsonl"
        self.broken = 0
        self._read = 0  # bytes
        self._lock = Lock()
        # Only the last job that wrote a file says what is in it.
        self._last: dict[str, dict[str, Any]] = {}
        self.refresh()

    def refresh(self) -> None:
        """Read what others, or we ourselves, have added."""
        with self._lock:
            try:
                with self.path.open("rb") as file:
                    file.seek(self._read)
                    news = file.read()
            except FileNotFoundError:
                return
            # A line that is being written, or that a killed batch left half, is not complete yet.
            complete = news.rfind(b"\n") + 1
            self._read += complete
            for line in news[:complete].splitlines():
                self._remember(line)

    def result(self, job: Job) -> dict[str, Any] | None:
        """What an earlier run said of the very same job, if that went well and all its files are there."""
        result = self._entry(job).get("result")
        if result is None or result["status"] != "done":
            return None
        clips = result.get("clips", ())
        files = [clip[name] for clip in clips for name in _FILES if name in clip]
        # Where each clip has a file of its own there is none for all of them.
        promised = [] if any("file" in clip for clip in clips) else [job.output]
        return result if all(Path(file).exists() for file in promised + files) else None

    def was_started(self, job: Job) -> bool:
        """An output without a finish is an earlier run's own and may be replaced."""
        entry = self._entry(job)
        return bool(entry) and "result" not in entry

    def start(self, job: Job) -> None:
        self._append({"job": job.digest(), "input": job.input, "output": job.output})

    def finish(self, job: Job, result: dict[str, Any]) -> None:
        """After `start`: the result is of the input as it was then."""
        self._append(self._last[job.output] | {"result": result})

    def _entry(self, job: Job) -> dict[str, Any]:
        """The last one for the job's output, if that was the very same job."""
        entry = self._last.get(job.output, {})
        return entry if entry.get("job") == job.digest() else {}

    def _remember(self, line: bytes) -> None:
        if not line.strip():
            return
        entry = _understood(line)
        if entry is None:
            self.broken += 1
        else:
            self._last[entry["output"]] = entry

    def _append(self, entry: dict[str, Any]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._lock, self.path.open("ab+", buffering=0) as file:
            lock(file.fileno(), wait=True)
            # A run that was killed while it wrote leaves half a line; the next one must not be glued to it.
            end = file.seek(0, os.SEEK_END)
            torn = end > 0 and file.seek(end - 1) >= 0 and file.read(1) != b"\n"
            _write_all(file, (b"\n" if torn else b"") + json.dumps(entry).encode() + b"\n")
            os.fsync(file.fileno())
            self._last[entry["output"]] = entry


def _write_all(file: Any, text: bytes) -> None:
    """In one piece wherever the system can: others read the file meanwhile."""
    while text:
        text = text[file.write(text) :]


def _understood(line: bytes) -> dict[str, Any] | None:
    """An entry as we write them, or None for anything else that may have come into the file."""
    try:
        entry = json.loads(line.decode())
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        return None
    if not isinstance(entry, dict) or not all(isinstance(entry.get(name), str) for name in ("job", "output")):
        return None
    return entry if _is_result(entry.get("result", {"status": "started"})) else None


def _is_result(result: Any) -> bool:
    if not isinstance(result, dict) or not isinstance(result.get("status"), str):
        return False
    clips = result.get("clips", [])
    return isinstance(clips, list) and all(
        isinstance(clip, dict) and all(isinstance(clip.get(name, ""), str) for name in _FILES)
        for clip in clips
    )
