# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person and a pipeline get to read of a run."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from ..bridge.whole_files import written_whole
from ..core import InputError
from . import corpus
from .page import page
from .plan import Job

Result = dict[str, Any]
_MOST_CLIPS = 3  # that are told one by one on the line of their file


@dataclass(frozen=True)
class Summary:
    """Where all clips of a run are told of together, and what they are named from."""

    name: str
    title: str
    folder: Path
    clips: Path

    @classmethod
    def of(cls, words: argparse.Namespace, jobs: Sequence[Job]) -> Summary:
        part, parts = words.shard
        shard = f"-{part}-of-{parts}" if parts > 1 else ""
        inputs = _folder_around([job.input for job in jobs])
        folder = words.output.resolve() if words.output else _folder_around([job.output for job in jobs])
        return cls(f"posewright-{words.verb}{shard}", f"{inputs.name}: {words.verb}", folder, inputs)


def _folder_around(files: Sequence[str]) -> Path:
    try:
        return Path(os.path.commonpath([Path(file).parent for file in files]))
    except ValueError:  # on several drives
        return Path(files[0]).parent


class Report:
    """Collects results, tells each as a line, and ends as JSON where that is wanted."""

    def __init__(self, count: int, json_target: str | None, summary: Summary | None = None):
        self._count = count
        self._target = json_target
        self._summary = summary
        self._results: list[Result] = []
        # JSON on the terminal must be alone on standard output.
        self._stream: TextIO = sys.stderr if json_target == "-" else sys.stdout

    def add(self, result: Result) -> None:
        self._results.append(result)
        number = f"[{len(self._results)}/{self._count}]"
        self.say(f"{number} {Path(result['input']).name}: {_line(result)}")

    def close(self) -> int:
        """Writes the summary; the exit code is 0 when nothing failed and 1 otherwise."""
        counts = {status: self._number_of(status) for status in ("done", "kept", "failed")}
        said = f"{counts['done']} done, {counts['kept']} kept from an earlier run, {counts['failed']} failed"
        written = self._write(self._write_summary) if self._summary is not None and self._results else True
        self.say(said)
        if self._target is not None:
            written &= self._write(lambda: self._write_json(counts))
        return 0 if written and not counts["failed"] else 1

    def _write(self, files: Callable[[], None]) -> bool:
        try:
            files()
        except InputError as error:
            print(f"posewright: {error}", file=sys.stderr)
            return False
        return True

    def _write_summary(self) -> None:
        assert self._summary is not None
        rows = corpus.rows_of(self._results)
        self.say("\n" + corpus.table(rows, self._summary.clips) + "\n")
        folder = self._summary.folder
        texts = {
            ".csv": corpus.comma_separated(rows),
            ".html": page(self._summary.title, rows, self._summary.clips, folder),
        }
        for ending, text in texts.items():
            path = folder / f"{self._summary.name}{ending}"
            _write_whole(path, text)
            self.say(f"-> {path}")

    def say(self, text: str) -> None:
        """Whatever the terminal can show of it: a name in another script must not end the batch."""
        encoding = self._stream.encoding or "utf-8"
        print(text.encode(encoding, "backslashreplace").decode(encoding), file=self._stream, flush=True)

    def _number_of(self, status: str) -> int:
        return sum(result["status"] == status for result in self._results)

    def _write_json(self, counts: dict[str, int]) -> None:
        told = {
            "machine": {
                "python": platform.python_version(),
                "system": platform.platform(),
                "cores": os.cpu_count(),
            },
            **counts,
            "files": sorted(self._results, key=lambda result: result["input"]),
        }
        text = json.dumps(told, indent=2)
        if self._target == "-":
            print(text, flush=True)
        else:
            _write_whole(Path(str(self._target)), text + "\n")


def _write_whole(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(path) as partial:
            # Names may hold what no encoding knows; they must not end the report.
            partial.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise InputError(
            "{path} cannot be written: {strerror}.", path=path, strerror=error.strerror
        ) from error


def _line(result: Result) -> str:
    if result["status"] == "failed":
        return f"FAILED. {result['reason']}"
    clips = result.get("clips", ())
    told = "; ".join(map(_clip, clips)) if len(clips) <= _MOST_CLIPS else _together(clips)
    earlier = " (from an earlier run)" if result["status"] == "kept" else ""
    line = f"{told} -> {Path(result['output']).name}{earlier}" if told else f"-> {result['output']}{earlier}"
    return "\n    ".join([line, *result.get("notes", ())])


def _together(clips: list[dict[str, Any]]) -> str:
    """Many clips of one file on one line; the JSON has them one by one."""
    words = [f"{len(clips)} actions"]
    words += [
        f"{sum(clip[name] for clip in clips)} {name}"
        for name in ("frames", "keys")
        if all(name in clip for clip in clips)
    ]
    if all("mean_error_percent" in clip for clip in clips):
        worst = max(clips, key=lambda clip: clip["mean_error_percent"])
        words.append(
            f"mean error at most {worst['mean_error_percent']:.2f} % of the height ({worst['action']})"
        )
    return ", ".join(words)


def _clip(clip: dict[str, Any]) -> str:
    words = [f"{clip['frames']} frames"] if "frames" in clip else [clip.get("action", clip["armature"])]
    if "keys" in clip:
        words.append(f"{clip['keys']} keys")
    if clip.get("loop"):
        words.append("a loop")
    if "mean_error_percent" in clip:
        words.append(f"mean error {clip['mean_error_percent']:.2f} % of the height")
    if "file_mean_error_percent" in clip:
        words.append(f"{clip['file_mean_error_percent']:.2f} % read back")
    if not clip.get("within_error", True):
        words.append("more than asked for even with the most keys")
    return ", ".join(words)
