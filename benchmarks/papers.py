# SPDX-License-Identifier: GPL-3.0-or-later
"""Every table and figure of the five papers that can be measured again, printed beside what the papers say.

    python dev.py bench papers [000 | 001 | 002 | 003 | 004 ...]

Figures go to docs/images. docs/papers.md lists all of them, with what was done, what differs and what was
left out. All of it takes some ten minutes.
"""

from __future__ import annotations

import importlib
import sys

# What to run for each paper, in order; each is a benchmark of its own too.
SECTIONS = {
    "000": ("figures", "samba"),
    "001": ("keypose_figures",),
    "002": ("walks", "spatial_figures"),
    "003": ("frame_decimation",),
    "004": ("paper_tables", "saliency_sweeps"),
}


def main(wanted: list[str]) -> int:
    unknown = sorted(set(wanted) - set(SECTIONS))
    if unknown:
        print(f"There is no paper {unknown[0]}: choose from {', '.join(SECTIONS)}.")
        return 2
    for paper in wanted or SECTIONS:
        for name in SECTIONS[paper]:
            module = importlib.import_module(f"benchmarks.{name}")
            print(f"\n===== Paper {paper}: {(module.__doc__ or name).splitlines()[0]}", flush=True)
            module.main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
