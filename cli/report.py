# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person and a pipeline get to read of a run."""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path
from typing import Any, TextIO

from ..bridge.whole_files import written_whole
from ..core import InputError

Result = dict[str, Any]


class Report:
    """Collects results, tells each as a line, and ends as JSON where that is wanted."""

    def __init__(self, count: int, json_target: str | None):
        self._count = count
        self._target = json_target
        self._results: list[Result] = []
        # JSON on the terminal must be alone on standard output.
        self._stream: TextIO = sys.stderr if json_target == "-" else sys.stdout

    def add(self, result: Result) -> None:
        self._results.append(result)
        number = f"[{len(self._results)}/{self._count}]"
        self._say(f"{number} {Path(result['input']).name}: {_line(result)}")

    def close(self) -> int:
        """Writes the summary; the exit code is 0 when nothing failed and 1 otherwise."""
        counts = {status: self._number_of(status) for status in ("done", "kept", "failed")}
        said = f"{counts['done']} done, {counts['kept']} kept from an earlier run, {counts['failed']} failed"
        self._say(said)
        try:
            if self._target is not None:
                self._write_json(counts)
        except (OSError, InputError) as error:
            reason = f"{error.strerror}." if isinstance(error, OSError) else str(error)
            print(f"posewright: {self._target} cannot be written: {reason}", file=sys.stderr)
            return 1
        return 1 if counts["failed"] else 0

    def _say(self, text: str) -> None:
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
            target = Path(str(self._target))
            target.parent.mkdir(parents=True, exist_ok=True)
            with written_whole(target) as partial:
                partial.write_text(text + "\n", encoding="utf-8")


def _line(result: Result) -> str:
    if result["status"] == "failed":
        return f"FAILED. {result['reason']}"
    told = "; ".join(_clip(clip) for clip in result.get("clips", ()))
    earlier = " (from an earlier run)" if result["status"] == "kept" else ""
    return f"{told} -> {Path(result['output']).name}{earlier}" if told else f"-> {result['output']}{earlier}"


def _clip(clip: dict[str, Any]) -> str:
    words = [f"{clip['frames']} frames"] if "frames" in clip else [clip["armature"]]
    if "keys" in clip:
        words.append(f"{clip['keys']} keys")
    if "mean_error_percent" in clip:
        words.append(f"mean error {clip['mean_error_percent']:.2f} % of the height")
    if not clip.get("within_error", True):
        words.append("more than asked for even with the most keys")
    return ", ".join(words)
