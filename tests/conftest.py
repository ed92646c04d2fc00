# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests with and without Blender share."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.clips import MISSING, clip_folder

CHECKOUT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The folder that the project is checked out in."""
    return CHECKOUT


@pytest.fixture(scope="session")
def mocap_folder() -> Path:
    """The folder of real motion capture clips; tests that need it are skipped where there is none."""
    folder = clip_folder()
    if folder is None:
        pytest.skip(MISSING)
    return folder
