# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast `salient` is, against the plain solver and as clips grow.

    python -m benchmarks.solver                print the tables
    python -m benchmarks.solver --write FILE   and put them into FILE, between its benchmark marks

Times, also the silences between two reports of progress, are processor time of one thread, the best of
a few runs, everything in one process, one after the other; so they hardly depend on what else the
machine does.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
import tracemalloc
from dataclasses import dataclass
from pathlib import Path

from benchmarks import one_thread  # noqa: F401  # isort: skip
import numpy as np

from benchmarks import plain_solver
from benchmarks.clips import load_clip
from core import Motion, select

OBJECTIVES = ("curve", "chord", "minimax", "sum")
SMALL, LARGE = "131_03", "06_13"  # 1102 and 4905 frames
TURNS = 6
MARKS = ("<!-- benchmark -->", "<!-- /benchmark -->")


@dataclass(frozen=True)
class Run:
    """One solve."""

    frames: int
    most: int
    seconds: float
    longest_silence: float  # the longest time between two calls of progress
    errors: np.ndarray


def run(motion: Motion, objective: str, most: int, repeats: int = 3) -> Run:
    """The fastest of a few solves."""
    runs = [_run(motion, objective, most) for _ in range(repeats)]
    return min(runs, key=lambda one: one.seconds)


def _run(motion: Motion, objective: str, most: int) -> Run:
    calls = [time.process_time()]
    solutions = select(
        motion,
        "salient",
        objective=objective,
        max_keys=most,
        progress=lambda _: calls.append(time.process_time()),
    )
    calls.append(time.process_time())
    return Run(len(motion), most, calls[-1] - calls[0], float(np.diff(calls).max()), solutions.errors)


def run_plain(motion: Motion, objective: str, most: int) -> Run:
    start = time.process_time()
    errors, _ = plain_solver.solve(motion.points(), objective, most)
    return Run(len(motion), most, time.process_time() - start, 0.0, errors)


def peak_memory(motion: Motion, objective: str, most: int) -> float:
    """Most memory that a solve holds at once, in GB, over what was there before."""
    tracemalloc.start()
    try:
        select(motion, "salient", objective=objective, max_keys=most)
        return tracemalloc.get_traced_memory()[1] / 1e9
    finally:
        tracemalloc.stop()


def exponent(small: Run, large: Run) -> float:
    """The power of the number of frames that the time grows with."""
    return float(np.log(large.seconds / small.seconds) / np.log(large.frames / small.frames))


def a_minute() -> Motion:
    """7,200 frames: a minute of motion at 120 frames a second, from two clips."""
    positions = np.concatenate([load_clip(LARGE).positions, load_clip("13_18").positions])
    return Motion(positions[:7200])


def against_plain() -> list[str]:
    motion = load_clip(SMALL)
    most = len(motion) // 2
    lines = [
        f"All K up to half the frames, {len(motion)} frames:",
        "",
        "| objective | plain solver, s | `salient`, s | times faster | largest excess |",
        "|---|---|---|---|---|",
    ]
    for objective in OBJECTIVES:
        plain, fast = run_plain(motion, objective, most), run(motion, objective, most)
        excess = np.max((fast.errors - plain.errors) / plain.errors[0])
        lines.append(
            f"| `{objective}` | {plain.seconds:.2f} | {fast.seconds:.3f} "
            f"| {plain.seconds / fast.seconds:.0f} | {excess:.0e} |"
        )
    return lines


def growth() -> list[str]:
    small, large = load_clip(SMALL), load_clip(LARGE)
    lines = [
        "All K up to a tenth of the frames:",
        "",
        f"| objective | {len(small)} frames, s | {len(large)} frames, s | growth exponent "
        "| peak memory, GB | longest silence, s |",
        "|---|---|---|---|---|---|",
    ]
    for objective in OBJECTIVES:
        # In turns: a machine that is slower for a while would otherwise bend the exponent.
        turns = [
            (run(small, objective, len(small) // 10), run(large, objective, len(large) // 10, repeats=1))
            for _ in range(TURNS)
        ]
        first, second = (min(runs, key=lambda one: one.seconds) for runs in zip(*turns, strict=True))
        memory = peak_memory(large, objective, len(large) // 10)
        lines.append(
            f"| `{objective}` | {first.seconds:.3f} | {second.seconds:.2f} | {exponent(first, second):.2f} "
            f"| {memory:.2f} | {second.longest_silence:.2f} |"
        )
    return lines


def against_plain_on_a_long_clip() -> list[str]:
    """The large clip, where the plain solver can still finish if it keeps no table."""
    motion, most = load_clip(LARGE), 100
    lines = [
        f"Exactness on {len(motion)} frames, against a plain solver that keeps no table, K up to {most}:",
        "",
        "| objective | plain solver, s | largest excess |",
        "|---|---|---|",
    ]
    start = time.process_time()
    plain = plain_solver.solve_without_table(motion.points(), "chord", most)
    seconds = time.process_time() - start
    excess = np.max((run(motion, "chord", most, repeats=1).errors - plain) / plain[0])
    return [*lines, f"| `chord` | {seconds:.1f} | {excess:.0e} |"]


def extremes() -> list[str]:
    shot, minute = Motion(load_clip(SMALL).positions[:600]), a_minute()
    lines = [
        "A shot of five seconds with the default settings, and a minute of motion:",
        "",
        "| frames | K up to | objective | seconds | peak memory, GB | longest silence, s |",
        "|---|---|---|---|---|---|",
    ]
    for motion, most, objective in (
        (shot, 300, "curve"),
        (minute, 720, "curve"),
        (minute, 720, "sum"),
        (minute, 3600, "curve"),
        (minute, 3600, "chord"),
        (minute, 3600, "minimax"),
    ):
        result = run(motion, objective, most, repeats=1 if motion is minute else 5)
        memory = peak_memory(motion, objective, most)  # a run of its own: tracing takes time
        lines.append(
            f"| {result.frames} | {most} | `{objective}` | {result.seconds:.2f} | {memory:.2f} "
            f"| {result.longest_silence:.2f} |"
        )
    return lines


def machine() -> str:
    processor = platform.processor() or platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []:
        if line.startswith("model name"):
            processor = line.partition(":")[2].strip()
    busy = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    python = ".".join(map(str, sys.version_info[:3]))
    return f"{processor}, {os.cpu_count()} cores{busy}; Python {python}, numpy {np.__version__}"


def write_between_marks(path: Path, text: str) -> None:
    before, _, rest = path.read_text().partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    path.write_text(f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{after}")


def tables() -> list[str]:
    """Everything that there is to say, as lines of Markdown."""
    lines = [f"Measured on: {machine()}."]
    for part in (against_plain, growth, against_plain_on_a_long_clip, extremes):
        lines += ["", *part()]
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, help="file to put the tables into")
    target = parser.parse_args().write
    text = "\n".join(tables())
    print(text)
    if target is not None:
        write_between_marks(target, text)


if __name__ == "__main__":
    main()
