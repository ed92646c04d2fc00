# SPDX-License-Identifier: GPL-3.0-or-later
"""All clips of a run at a glance: rows of figures, as a table to read and as comma-separated values."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Result = dict[str, Any]
Row = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """One figure of a clip: its name for scripts, and its head and digits for people."""

    name: str
    head: str
    digits: int = 0
    below: str = "sum"  # what stands below the column: the sum, the mean or the largest


COLUMNS = (
    Column("frames", "frames"),
    Column("keys", "keys"),
    Column("mean_error_percent", "mean %", 2, "mean"),
    Column("largest_error_percent", "largest %", 2, "largest"),
    Column("slide_percent", "slide %", 2, "mean"),
    Column("worst_slide_percent", "worst slide %", 2, "largest"),
    Column("sinking_percent", "sinking %", 2, "largest"),
    Column("flight_error_percent_a_second", "flight %/s", 1, "largest"),
    Column("added_jerk_percent_a_second_cubed", "jerk %/s3", 0, "mean"),
    Column("beside_bones_50th_percent", "beside 50th %", 2, "mean"),
    Column("beside_bones_95th_percent", "95th %", 2, "mean"),
    Column("beside_bones_99th_percent", "99th %", 2, "largest"),
    Column("file_mean_error_percent", "file mean %", 2, "mean"),
    Column("file_largest_error_percent", "file largest %", 2, "largest"),
    Column("mean_mm", "mean mm", 1, "mean"),
    Column("largest_mm", "largest mm", 1, "largest"),
    Column("slide_mm", "slide mm", 1, "mean"),
    Column("worst_slide_mm", "worst slide mm", 1, "largest"),
    Column("sinking_mm", "sinking mm", 1, "largest"),
    Column("flight_error_mm_a_second", "flight mm/s", 0, "largest"),
    Column("added_jerk_m_a_second_cubed", "jerk m/s3", 1, "mean"),
    Column("beside_bones_50th_mm", "beside 50th mm", 1, "mean"),
    Column("beside_bones_95th_mm", "95th mm", 1, "mean"),
    Column("beside_bones_99th_mm", "99th mm", 1, "largest"),
    Column("seconds", "seconds", 1),
)
_TEXTS = ("clip", "armature", "action", "algorithm", "status", "file", "sheet", "picture", "reason")

# Lengths in the table of a comparison, which has them in metres, and what they are called here.
_LENGTHS = {
    "mean_distance": "mean_mm",
    "largest_distance": "largest_mm",
    "slide": "slide_mm",
    "worst_slide": "worst_slide_mm",
    "sinking": "sinking_mm",
    "flight_error": "flight_error_mm_a_second",
    "beside_50th": "beside_bones_50th_mm",
    "beside_95th": "beside_bones_95th_mm",
    "beside_99th": "beside_bones_99th_mm",
}
# Comparisons are read off where the algorithms have about so many frames for each key.
_USUAL_COMPRESSION = 20.0


def rows_of(results: Sequence[Result]) -> list[Row]:
    """One row a clip, or one a clip and algorithm where algorithms were compared; by name."""
    rows = [row for result in results for row in _rows(result)]
    return sorted(rows, key=lambda row: (row["clip"], row.get("armature", ""), row.get("action", "")))


def _rows(result: Result) -> list[Row]:
    told = {"clip": result["input"], "status": result["status"], "file": result["output"]}
    if result["status"] == "failed":
        return [told | {"reason": result["reason"]}]
    clips = result.get("clips", [])
    seconds = result.get("seconds", 0.0) / max(len(clips), 1)
    rows: list[Row] = []
    for clip in clips:
        known = told | {"seconds": seconds} | clip
        rows += [known | compared for compared in _compared(clip)] if "table" in clip else [known]
    return rows if len(rows) == 1 else [row | {"part": _part(row, len(clips))} for row in rows]


def _part(row: Row, clips: int) -> str:
    """What tells several rows of one file apart."""
    action = row.get("action") or row.get("armature", "")
    algorithm = row.get("algorithm", "")
    return f"{action}, {algorithm}" if algorithm and clips > 1 else algorithm or action


def _compared(clip: dict[str, Any]) -> list[Row]:
    """What each algorithm came to, from the table of a comparison."""
    try:
        with Path(clip["table"]).open(encoding="utf-8", newline="") as file:
            found = [_numbers(line) for line in csv.DictReader(file)]
    except (OSError, ValueError, KeyError, TypeError):
        return [{}]  # it was moved or changed since
    best: dict[str, Row] = {}
    for row in found:
        held = best.get(row["algorithm"])
        if held is None or _unusual(row) < _unusual(held):
            best[row["algorithm"]] = row
    return list(best.values())


def _numbers(line: dict[str, str]) -> Row:
    return {
        "action": line["action"],
        "algorithm": line["algorithm"],
        "frames": int(line["frames"]),
        "keys": float(line["keys"]),
        "compression": float(line["compression"]),
        **{name: 1000.0 * float(line[told]) for told, name in _LENGTHS.items()},
        "added_jerk_m_a_second_cubed": float(line["added_jerk"]),
        "seconds": float(line["seconds"]),
    }


def _unusual(row: Row) -> float:
    return abs(row["compression"] - _USUAL_COMPRESSION)


def used_columns(rows: Sequence[Row]) -> list[Column]:
    return [column for column in COLUMNS if any(column.name in row for row in rows)]


def last_row(rows: Sequence[Row]) -> Row:
    """What stands below the columns: sums, the mean of the means, the largest of the largest."""
    last: Row = {}
    for column in used_columns(rows):
        values = [row[column.name] for row in rows if column.name in row]
        total = {"sum": sum(values), "mean": sum(values) / len(values), "largest": max(values)}
        last[column.name] = total[column.below]
    return last


def shown(row: Row, column: Column) -> str:
    """A figure as people read it; nothing where there is none."""
    return f"{row[column.name]:.{column.digits}f}" if column.name in row else ""


def name_of(row: Row, base: Path) -> str:
    """The clip as it is called below a folder, with what tells several in one file apart."""
    path = Path(row["clip"])
    name = path.relative_to(base).as_posix() if path.is_relative_to(base) else path.name
    return f"{name} ({row['part']})" if row.get("part") else name


def table(rows: Sequence[Row], base: Path) -> str:
    """For the terminal, in columns."""
    columns = used_columns(rows)
    lines = [["clip", *(column.head for column in columns)]]
    for row in rows:
        lines.append([name_of(row, base), *(shown(row, column) for column in columns)])
    if len(rows) > 1:
        below = last_row(rows)
        lines.append([f"all {len(rows)}", *(shown(below, column) for column in columns)])
    widths = [max(len(line[n]) for line in lines) for n in range(len(columns) + 1)]
    return "\n".join(
        "  ".join(
            [line[0].ljust(widths[0]), *(text.rjust(w) for text, w in zip(line[1:], widths[1:], strict=True))]
        )
        for line in lines
    )


def comma_separated(rows: Sequence[Row]) -> str:
    """For spreadsheets and scripts."""
    texts = [name for name in _TEXTS if any(name in row for row in rows)]
    columns = used_columns(rows)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([*texts, *(column.name for column in columns)])
    for row in rows:
        figures = (f"{row[column.name]:.6g}" if column.name in row else "" for column in columns)
        writer.writerow([*(row.get(name, "") for name in texts), *figures])
    return buffer.getvalue()
