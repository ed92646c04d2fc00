# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests with and without Blender share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.clips import MISSING, clip_folder

CHECKOUT = Path(__file__).resolve().parents[1]

# What takes longest and depends least on the version of Blender.
NO_SMOKE = ("test_cli", "test_compare", "test_demo", "test_docs", "test_files", "test_takes", "random_walk")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as `smoke` what may differ between versions of Blender, without what takes longest."""
    in_blender = (item for item in items if CHECKOUT / "tests" / "blender" in item.path.parents)
    for item in in_blender:
        if not any(name in item.path.name for name in NO_SMOKE):
            item.add_marker("smoke")


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


@pytest.fixture(scope="session")
def characters_folder() -> Path:
    """The folder of characters that people import; tests that need it are skipped where there is none."""
    folder = Path(os.environ.get("POSEWRIGHT_CHARACTERS") or CHECKOUT.parent / "shared" / "characters")
    if not folder.is_dir():
        pytest.skip(
            "no characters: put them in ../shared/characters or name their folder in POSEWRIGHT_CHARACTERS"
        )
    return folder
