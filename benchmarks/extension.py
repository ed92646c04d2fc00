# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension, enabled in Blender as a module, for benchmarks that look at more than `core`."""

from __future__ import annotations

import importlib
from types import ModuleType

from tools.user_folder import MODULE, use_own_user_folder

use_own_user_folder()

import bpy  # noqa: E402  Blender reads its user folder when it is imported

bpy.ops.preferences.addon_enable(module=MODULE)


def part(name: str) -> ModuleType:
    """One of its modules, such as `bridge.sampling`."""
    return importlib.import_module(f"{MODULE}.{name}")
