# SPDX-License-Identifier: GPL-3.0-or-later
"""How close each algorithm's keys come to real motion, at 2%, 5% and 10% of the frames.

    python -m benchmarks.quality [clip ...]

Joint positions are interpolated as channels, straight ("linear") and on fitted curves ("fitted"). Errors are
mean joint distances in millimetres of a character 1.7 m tall, and for fitted curves also root mean squares,
which are what `curve` minimises. The claims at the end are checked, and the exit code says whether they hold.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from benchmarks.clips import CLIPS, load_clip
from core import ALGORITHMS, Motion, metrics, reconstruct, select

SHARES = (0.02, 0.05, 0.10)
FITTED = "salient curve"


@dataclass(frozen=True)
class Result:
    """One method's keys for one clip and key count."""

    clip: str
    count: int
    method: str
    keys: np.ndarray
    linear: float
    fitted: float
    fitted_rms: float


def methods() -> Iterator[tuple[str, str, str]]:
    """Name, algorithm and objective of everything in the registry."""
    for name, algorithm in ALGORITHMS.items():
        for objective in algorithm.objectives:
            label = f"{name} {objective}" if len(algorithm.objectives) > 1 else name
            yield label, name, objective


def chosen_keys(motion: Motion, counts: list[int]) -> Iterator[tuple[str, float, dict[int, np.ndarray]]]:
    """Each method's keys for the wanted counts, and how long it took to choose them."""
    for label, algorithm, objective in methods():
        started = time.perf_counter()
        solutions = select(motion, algorithm, objective=objective, max_keys=max(counts))
        took = time.perf_counter() - started
        yield label, took, {count: solutions.keys(solutions.nearest_count(count)) for count in counts}
    last = len(motion) - 1
    yield "uniform", 0.0, {k: np.unique(np.round(np.linspace(0, last, k)).astype(int)) for k in counts}


def measure(clip: str, motion: Motion) -> list[Result]:
    counts = [max(2, round(share * len(motion))) for share in SHARES]
    results = []
    for label, took, chosen in chosen_keys(motion, counts):
        print(f"  {label:<18} {took:7.2f} s", file=sys.stderr, flush=True)
        for count, keys in chosen.items():
            linear, _ = _errors(motion, keys, "linear")
            fitted, rms = _errors(motion, keys, "bezier")
            results.append(Result(clip, count, label, keys, linear, fitted, rms))
    return results


def _errors(motion: Motion, keys: np.ndarray, interpolation: str) -> tuple[float, float]:
    """Mean and root mean square joint distance in millimetres."""
    flat = motion.positions.reshape(len(motion), -1)
    played = reconstruct(flat, keys, interpolation, frames=motion.frames).reshape(motion.positions.shape)
    distances = millimetres(motion, played)
    return float(distances.mean()), float(np.sqrt(np.mean(distances**2)))


def millimetres(motion: Motion, positions: np.ndarray) -> np.ndarray:
    """(F, J) how far each joint is off, for a character 1.7 m tall."""
    height = metrics.standing_height(motion.positions)
    return metrics.joint_distances(motion.positions, positions) * (1000.0 * metrics.NORMAL_HEIGHT / height)


def report(results: list[Result]) -> None:
    for count in dict.fromkeys(result.count for result in results):
        rows = [result for result in results if result.count == count]
        print(f"\n{rows[0].clip}, {count} keys")
        print(f"  {'':<18} {'linear':>9} {'fitted':>9} {'(rms)':>9}")
        for row in sorted(rows, key=lambda row: row.fitted):
            short = "" if len(row.keys) == count else f"   {len(row.keys)} keys"
            print(f"  {row.method:<18} {row.linear:9.2f} {row.fitted:9.2f} {row.fitted_rms:9.2f}{short}")


def broken_claims(results: list[Result], motion: Motion) -> list[str]:
    """What should hold and does not."""
    broken = []
    for count in dict.fromkeys(result.count for result in results):
        rows = {result.method: result for result in results if result.count == count}
        ours = rows[FITTED]
        for other in rows.values():
            where = f"{ours.clip}, {count} keys: {other.method}"
            if other.fitted_rms < ours.fitted_rms * (1 - 1e-9):
                broken.append(f"{where} has a lower root mean square than {FITTED}")
            if other.fitted < ours.fitted * (1 - 1e-9):
                broken.append(f"{where} has a lower mean distance than {FITTED}")
        if largest_line_distance(motion, rows["salient minimax"].keys) > largest_line_distance(
            motion, rows["greedy"].keys
        ) * (1 + 1e-9):
            broken.append(f"{ours.clip}, {count} keys: greedy is below minimax in minimax's own objective")
    return broken


def largest_line_distance(motion: Motion, keys: np.ndarray) -> float:
    """The objective of `minimax`, written out plainly."""
    points, worst = motion.points(), 0.0
    for start, stop in pairwise(keys):
        along = points[stop] - points[start]
        away = points[start:stop] - points[start]
        length = np.sum(along**2)
        if length > 0.0:
            away = away - np.outer(away @ along / length, along)
        worst = max(worst, float(np.sqrt(np.max(np.sum(away**2, axis=1)))))
    return worst


def main(clips: list[str]) -> int:
    broken = []
    for clip in clips or CLIPS:
        print(f"{clip} ...", file=sys.stderr, flush=True)
        motion = load_clip(clip)
        results = measure(clip, motion)
        report(results)
        broken += broken_claims(results, motion)
    print(f"\nClaims that do not hold: {len(broken)}")
    print(
        "\n".join(broken)
        or f"  {FITTED} has the lowest fitted error everywhere; minimax is never above greedy."
    )
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
