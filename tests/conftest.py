# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests with and without Blender share."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.clips import MISSING, clip_folder

CHECKOUT = Path(__file__).resolve().parents[1]

# What takes longest and depends least on the version of Blender.
NO_SMOKE = ("test_cli", "test_compare", "test_demo", "test_docs", "test_files", "test_takes", "random_walk")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    _mark_smoke(items)
    number, parts = map(int, os.environ.get("POSEWRIGHT_PART", "1/1").split("/"))
    if parts > 1:
        config.hook.pytest_deselected(items=_keep_part(items, number - 1, parts))


def _keep_part(items: list[pytest.Item], mine: int, parts: int) -> list[pytest.Item]:
    """Keep the files of one part, parts having about as many tests each; what is left out is returned."""
    sizes = Counter(item.path for item in items)
    totals = [0] * parts
    part_of: dict[Path, int] = {}
    for path, size in sizes.most_common():
        part_of[path] = totals.index(min(totals))
        totals[part_of[path]] += size
    others = [item for item in items if part_of[item.path] != mine]
    items[:] = [item for item in items if part_of[item.path] == mine]
    return others


def _mark_smoke(items: list[pytest.Item]) -> None:
    """Mark as `smoke` what may differ between versions of Blender, without what takes longest."""
    in_blender = (item for item in items if CHECKOUT / "tests" / "blender" in item.path.parents)
    for item in in_blender:
        if not any(name in item.path.name for name in NO_SMOKE):
            item.add_marker("smoke")


def pytest_configure(config: pytest.Config) -> None:
    if config.pluginmanager.hasplugin("xdist"):
        config.pluginmanager.register(_Crashes())


class _Crashes:
    """Tells dev.py in which tests Blender crashed."""

    @staticmethod
    def pytest_handlecrashitem(crashitem: str) -> None:
        if "POSEWRIGHT_CRASHED" in os.environ:
            with Path(os.environ["POSEWRIGHT_CRASHED"]).open("a", encoding="utf-8") as file:
                file.write(f"{crashitem}\n")


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
