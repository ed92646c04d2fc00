# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of each part the tests ran, and whether that is enough; `dev.py coverage` asks.

What is enough stands in pyproject.toml; which lines are missing goes to test-artefacts/coverage.txt.
"""

from __future__ import annotations

import io
import sys

import tomllib
from coverage import Coverage

from .places import ARTEFACTS, CHECKOUT, say


def main() -> int:
    with (CHECKOUT / "pyproject.toml").open("rb") as file:
        tools = tomllib.load(file)["tool"]
    measured = Coverage()
    measured.load()
    few = [
        part
        for part in tools["coverage"]["run"]["source"]
        if not _is_enough(measured, part, tools["posewright"]["coverage"].get(part, 0))
    ]
    ARTEFACTS.mkdir(exist_ok=True)
    with (ARTEFACTS / "coverage.txt").open("w", encoding="utf-8") as file:
        measured.report(file=file, show_missing=True, skip_covered=True)
    say(f"the lines that no test ran are listed in {ARTEFACTS.name}/coverage.txt")
    return 1 if few else 0


def _is_enough(measured: Coverage, part: str, least: float) -> bool:
    share = measured.report(include=[f"{part}/*"], file=io.StringIO())
    enough = share >= least
    limit = f", at least {least} %" if least else ""
    say(f"{'' if enough else 'TOO LITTLE '}coverage of {part}: {share:.1f} %{limit}")
    return enough


if __name__ == "__main__":
    sys.exit(main())
