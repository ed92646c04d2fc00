# SPDX-License-Identifier: GPL-3.0-or-later
"""Every file in scenarios/ is played in a window of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

SCENARIOS = sorted((Path(__file__).parent / "scenarios").glob("*.py"))


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenario(path: Path, run_scenario: Callable[[Path], None]):
    run_scenario(path)
