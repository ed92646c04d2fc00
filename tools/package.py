# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads the extension from its folder, whatever the folder is called."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

NAME = "posewright"


def load_package() -> ModuleType:
    """The extension as the package `posewright`, without registering anything in Blender."""
    if NAME in sys.modules:
        return sys.modules[NAME]
    folder = Path(__file__).resolve().parents[1]
    spec = importlib.util.spec_from_file_location(
        NAME, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{folder} is no Python package")
    module = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = module
    spec.loader.exec_module(module)
    return module
