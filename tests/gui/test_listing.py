# SPDX-License-Identifier: GPL-3.0-or-later
"""What the listing shows and every panel, taken in a real window when `dev.py listing` asks for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

SHOWN = sorted((Path(__file__).parent / "listing").glob("*.py"))


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.stem)
def test_listing(path: Path, run_scenario: Callable[[Path], None]):
    if "POSEWRIGHT_LISTING" not in os.environ:
        pytest.skip("pictures for people to look at are made by `dev.py listing`")
    run_scenario(path)
