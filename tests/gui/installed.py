# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension as it is installed in the Blender whose window scenarios drive."""

import importlib
from typing import Any

PACKAGE = "bl_ext.user_default.posewright"


def part(name: str) -> Any:
    """A module of it."""
    return importlib.import_module(f"{PACKAGE}.{name}")
