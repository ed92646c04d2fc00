# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests with and without Blender share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The folder that the project is checked out in."""
    return CHECKOUT


@pytest.fixture(scope="session")
def mocap_folder() -> Path:
    """The folder of real motion capture clips; tests that need it are skipped where there is none."""
    folder = Path(os.environ.get("POSEWRIGHT_MOCAP") or CHECKOUT.parent / "shared" / "mocap")
    if not folder.is_dir():
        pytest.skip(f"no motion capture in {folder}: set POSEWRIGHT_MOCAP to a folder of BVH clips")
    return folder
