# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run of pytest came to, read from its output: passed, skipped and why, crashes, the coverage.

`python3 -m tools.outcome LOG` prints nothing for a log in which no tests ran.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

_COUNT = r"\d+ (?:passed|failed|skipped|deselected|xfailed|xpassed|errors?|warnings?)"
_TOTALS = re.compile(rf"^=* ?({_COUNT}(?:, {_COUNT})*) in [\d.]+s.*$", re.MULTILINE)
_SKIPPED = re.compile(r"^SKIPPED \[(\d+)\] (?:\S+?:(?:\d+:)? )?(.*)$", re.MULTILINE)
_TOLD = re.compile(r"^dev\.py: ((?:TOO LITTLE )?coverage of .*|Blender \S+ CRASHED once.*)$", re.MULTILINE)


def totals(output: str) -> Counter[str]:
    """{"passed": 120, "skipped": 3} over all runs in the output."""
    counted: Counter[str] = Counter()
    for line in _TOTALS.findall(output):
        for part in line.split(", "):
            number, what = part.split()
            counted[what] += int(number)
    return counted


def reasons(output: str) -> Counter[str]:
    """How many tests were skipped for each reason."""
    counted: Counter[str] = Counter()
    for number, reason in _SKIPPED.findall(output):
        counted[reason] += int(number)
    return counted


def report(output: str) -> str:
    lines = [", ".join(f"{number} {what}" for what, number in totals(output).items())]
    lines += [f"  {number} skipped: {reason}" for reason, number in reasons(output).most_common()]
    return "\n".join(line for line in [*lines, *_TOLD.findall(output)] if line)


if __name__ == "__main__":
    found = report(Path(sys.argv[1]).read_text(encoding="utf-8", errors="replace"))
    if found:
        print(found)
