# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast `salient` is, against the plain solver and as clips grow.

    python -m benchmarks.solver                print the tables
    python -m benchmarks.solver --write FILE   and put them into FILE, between its benchmark marks

Everything runs in one process, one after the other. Growth compares a short with a long clip in turns that
give both about the same time, because a machine that others use too is slower for a while and then quicker
again; the middle turn counts. It is told by the clock, which is what an animator waits for, and in processor
time, which counts all threads. Other times are the best of a few runs. Matrix products keep to the thread
that asks for them, as they do in Blenders whose numpy has no BLAS with threads.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import one_thread  # noqa: F401  # isort: skip
import numpy as np

from benchmarks import plain_solver
from benchmarks.clips import load_clip
from core import OBJECTIVES, Motion, select

SMALL, LARGE = "131_03", "06_13"  # 1102 and 4905 frames
TURNS, SHORT_SOLVES = 11, 8  # the long clip takes about as long as so many of the short one
MARKS = ("<!-- benchmark -->", "<!-- /benchmark -->")


@dataclass(frozen=True)
class Run:
    """One solve."""

    frames: int
    most: int
    clock: float
    processor: float
    longest_silence: float  # the longest time between two calls of progress, by the clock
    errors: np.ndarray


def run(motion: Motion, objective: str, most: int, repeats: int = 3) -> Run:
    """The best of a few solves."""
    return best([_run(motion, objective, most) for _ in range(repeats)])


def best(runs: Sequence[Run]) -> Run:
    """The least of everything that was measured: whatever is above was another's doing."""
    return _summed_up(runs, np.min)


def middle(runs: Sequence[Run]) -> Run:
    """What was measured in the middle one of some runs."""
    return _summed_up(runs, np.median)


def mean(runs: Sequence[Run]) -> Run:
    return _summed_up(runs, np.mean)


def _summed_up(runs: Sequence[Run], one_of: Callable[[list[float]], np.floating]) -> Run:
    measured = ("clock", "processor", "longest_silence")
    return replace(
        runs[0], **{name: float(one_of([getattr(run, name) for run in runs])) for name in measured}
    )


def _run(motion: Motion, objective: str, most: int) -> Run:
    processor = time.process_time()
    calls = [time.perf_counter()]
    solutions = select(
        motion,
        "salient",
        objective=objective,
        max_keys=most,
        progress=lambda _: calls.append(time.perf_counter()),
    )
    calls.append(time.perf_counter())
    processor = time.process_time() - processor
    return Run(
        len(motion), most, calls[-1] - calls[0], processor, float(np.diff(calls).max()), solutions.errors
    )


def run_plain(motion: Motion, objective: str, most: int) -> Run:
    clock, processor = time.perf_counter(), time.process_time()
    errors, _ = plain_solver.solve(motion.points(), objective, most)
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    return Run(len(motion), most, clock, processor, 0.0, errors)


def peak_memory(motion: Motion, objective: str, most: int) -> float:
    """Most memory that a solve holds at once, in GB, over what was there before."""
    tracemalloc.start()
    try:
        select(motion, "salient", objective=objective, max_keys=most)
        return tracemalloc.get_traced_memory()[1] / 1e9
    finally:
        tracemalloc.stop()


def exponents(small: Run, large: Run) -> tuple[float, float]:
    """The powers of the number of frames that the time by the clock and the processor's grow with."""
    frames = np.log(large.frames / small.frames)
    return (
        float(np.log(large.clock / small.clock) / frames),
        float(np.log(large.processor / small.processor) / frames),
    )


def a_minute() -> Motion:
    """7,200 frames: a minute of motion at 120 frames a second, from two clips."""
    positions = np.concatenate([load_clip(LARGE).positions, load_clip("13_18").positions])
    return Motion(positions[:7200])


def against_plain() -> list[str]:
    motion = load_clip(SMALL)
    most = len(motion) // 2
    lines = [
        f"All K up to half the frames, {len(motion)} frames, processor time:",
        "",
        "| objective | plain solver, s | `salient`, s | times faster | largest excess |",
        "|---|---|---|---|---|",
    ]
    for objective in OBJECTIVES:
        plain, fast = run_plain(motion, objective, most), run(motion, objective, most)
        excess = np.max((fast.errors - plain.errors) / plain.errors[0])
        lines.append(
            f"| `{objective}` | {plain.processor:.2f} | {fast.processor:.3f} "
            f"| {plain.processor / fast.processor:.0f} | {excess:.0e} |"
        )
    return lines


def growth() -> list[str]:
    small, large = load_clip(SMALL), load_clip(LARGE)
    lines = [
        f"All K up to a tenth of the frames, by the clock / processor time, the middle of {TURNS} turns:",
        "",
        f"| objective | {len(small)} frames, s | {len(large)} frames, s | growth exponent "
        "| of the fastest runs | peak memory, GB | longest silence, s |",
        "|---|---|---|---|---|---|---|",
    ]
    for objective in OBJECTIVES:
        short, long = [], []
        for _ in range(TURNS):
            short.append([_run(small, objective, len(small) // 10) for _ in range(SHORT_SOLVES)])
            long.append(_run(large, objective, len(large) // 10))
        averages = [mean(runs) for runs in short]
        turns = [exponents(first, second) for first, second in zip(averages, long, strict=True)]
        by_clock, by_processor = np.median(turns, axis=0)
        fastest_by_clock, _ = exponents(best([run for runs in short for run in runs]), best(long))
        first, second = middle(averages), middle(long)
        memory = peak_memory(large, objective, len(large) // 10)
        lines.append(
            f"| `{objective}` | {first.clock:.3f} / {first.processor:.3f} "
            f"| {second.clock:.2f} / {second.processor:.2f} | {by_clock:.2f} / {by_processor:.2f} "
            f"| {fastest_by_clock:.2f} | {memory:.2f} | {second.longest_silence:.2f} |"
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
        "A shot of five seconds with the default settings, and a minute of motion, by the clock:",
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
            f"| {result.frames} | {most} | `{objective}` | {result.clock:.2f} | {memory:.2f} "
            f"| {result.longest_silence:.2f} |"
        )
    return lines


def uneven() -> list[str]:
    """Frames off the grid against the same frames on it: 67 joints, all K up to half the frames."""
    lines = [
        "Uneven frames against even ones, 67 joints, all K up to half the frames, processor time:",
        "",
        "| frames | objective | even, s | uneven, s | weighted, s | times the even one |",
        "|---|---|---|---|---|---|",
    ]
    rng = np.random.default_rng(1)
    for count in (640, 1173):
        positions = 1e-3 * rng.normal(size=(count, 67, 3)).cumsum(axis=0).cumsum(axis=0)
        frames, weights = np.arange(count) * 0.8, rng.uniform(0.5, 2.0, count)
        even, off = (Motion(positions, frames=at) for at in (frames, frames + rng.uniform(-0.2, 0.2, count)))
        for objective in ("curve", "chord"):
            cases = ((even, None), (off, None), (even, weights))
            times = np.min([[_processor_time(*case, objective) for case in cases] for _ in range(5)], axis=0)
            lines.append(
                f"| {count} | `{objective}` | {times[0]:.3f} | {times[1]:.3f} | {times[2]:.3f} "
                f"| {times[1] / times[0]:.1f}, {times[2] / times[0]:.1f} |"
            )
    return lines


def _processor_time(motion: Motion, frame_weights: np.ndarray | None, objective: str) -> float:
    start = time.process_time()
    select(motion, objective=objective, frame_weights=frame_weights)
    return time.process_time() - start


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
    for part in (against_plain, growth, against_plain_on_a_long_clip, extremes, uneven):
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
