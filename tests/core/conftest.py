# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of the extension that need no Blender but sit above `core`."""

from __future__ import annotations

import importlib
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "tools" / "package.py"


@pytest.fixture(scope="session")
def cli() -> Any:
    """The command line: its entry point and its modules."""
    runpy.run_path(str(PACKAGE))["load_package"]()
    names = ("arguments", "batch", "claims", "journal", "plan", "report")
    modules = {name: importlib.import_module(f"posewright.cli.{name}") for name in names}
    main = importlib.import_module("posewright.cli").main
    return SimpleNamespace(main=main, InputError=modules["plan"].InputError, **modules)


@pytest.fixture(scope="session")
def whole_files(cli: Any) -> Any:
    return importlib.import_module("posewright.bridge.whole_files")


@pytest.fixture(scope="session")
def arguments(cli: Any) -> Any:
    return cli.arguments
