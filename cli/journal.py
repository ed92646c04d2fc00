# SPDX-License-Identifier: GPL-3.0-or-later
"""A record of a batch beside its results, so that a stopped batch can go on where it stopped."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from .plan import Job


class Journal:
    """One line a start and one a finish, each on disk before the batch goes on."""

    def __init__(self, folder: Path, verb: str):
        self._path = folder / f"posewright-{verb}.jsonl"
        text = self._path.read_text(encoding="utf-8") if self._path.exists() else ""
        # A run that was killed while it wrote leaves half a line; the next one must not be glued to it.
        self._torn = bool(text) and not text.endswith("\n")
        # Only the last job that wrote a file says what is in it.
        self._last = {entry["output"]: entry for entry in _entries(text)}

    def result(self, job: Job) -> dict[str, Any] | None:
        """What an earlier run said of the very same job, if that went well and all its files are there."""
        result = self._entry(job).get("result")
        if result is None or result["status"] != "done":
            return None
        pictures = [
            clip[name] for clip in result.get("clips", ()) for name in ("picture", "table") if name in clip
        ]
        return result if all(Path(file).exists() for file in (job.output, *pictures)) else None

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

    def _append(self, entry: dict[str, Any]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(("\n" if self._torn else "") + json.dumps(entry) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self._torn = False
        self._last[entry["output"]] = entry


def _entries(text: str) -> list[dict[str, Any]]:
    entries = []
    for line in text.splitlines():
        try:
            entries.append(json.loads(line))
        except json.JSONDecodeError:
            continue  # torn
    return [entry for entry in entries if "output" in entry]
