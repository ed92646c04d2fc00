# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast everything is that chooses keys: the tables of the solver and of the others, and a plot.

python -m benchmarks.speed            print all of it
python -m benchmarks.speed --write    and renew the tables and the plot in docs/
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks import solver  # first: it keeps numpy to one thread
from benchmarks.algorithms import CASES, SIZES, Case, Timing, demands, measure

DOCS = Path(__file__).resolve().parents[1] / "docs"
SALIENT = tuple(Case(f"salient, {name}", "salient", {"objective": name}) for name in solver.OBJECTIVES)
SALIENT_SIZES = (600, 1250, 2500, 5000, 7200)


def table(timings: list[Timing]) -> list[str]:
    sizes = timings[0].frames
    return [
        f"| frames | {' | '.join(f'{size:,}' for size in sizes)} | exponent |",
        f"|---|{'---|' * len(sizes)}---|",
        *(_row(each) for each in timings),
    ]


def _row(timing: Timing) -> str:
    seconds = " | ".join(f"{each:.3f}" for each in timing.seconds)
    return f"| {timing.label} | {seconds} | {timing.exponent:.2f} |"


def plot(timings: list[Timing], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7.2, 4.4), dpi=100, layout="constrained")
    for each, marker in zip(timings, "osD^vPX*<", strict=True):
        solid = "-" if each.label.startswith("salient") else "--"
        axes.loglog(each.frames, each.seconds, solid, marker=marker, markersize=5, label=each.label)
    axes.set_xlabel("frames")
    axes.set_ylabel("seconds of processor time")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, frameon=False)
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="renew what docs/ shows")
    write = parser.parse_args().write
    salient, nested = measure(SALIENT, SALIENT_SIZES), measure(CASES, SIZES)
    lines = [
        f"Measured on: {solver.machine()}.",
        "",
        "Seconds of processor time for all K up to a tenth of the frames:",
        "",
        *table(salient),
        "",
        *table(nested),
        "",
        *(
            f"- {what}: {measured:.2f} s, at most {allowed:.2f} s were asked for."
            for what, measured, allowed in demands()
        ),
    ]
    print("\n".join(lines), flush=True)
    solver_lines = solver.tables()
    if write:
        solver.write_between_marks(DOCS / "speed.md", "\n".join(lines))
        solver.write_between_marks(DOCS / "solver.md", "\n".join(solver_lines))
        plot([*salient, *nested], DOCS / "images" / "speed.png")


if __name__ == "__main__":
    main()
