# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Blender, where the machine has one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from .places import CHECKOUT, Stop

HOW = "set POSEWRIGHT_BLENDER to its executable, or put `blender` on the PATH"


def find_blender() -> str | None:
    """POSEWRIGHT_BLENDER, the `blender` on the PATH, or the one that a tool beside the checkout installed."""
    given = os.environ.get("POSEWRIGHT_BLENDER")
    if given:
        found = shutil.which(given)
        if found is None:
            raise Stop(f"POSEWRIGHT_BLENDER is {given}, but no program is there.")
        return str(Path(found).absolute())
    return shutil.which("blender") or _blender_beside()


def find_older() -> tuple[str, dict[str, str]] | None:
    """A second real Blender, and what has to be set for it: POSEWRIGHT_OLDER_BLENDER, or the tool's 4.3.

    The tool beside the checkout installs as many as it is given folders: `real-blender setup trixie` with
    REAL_BLENDER_HOME set to `real-blender-4.3` in the cache.
    """
    given = os.environ.get("POSEWRIGHT_OLDER_BLENDER")
    if given:
        return given, {}
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = {"REAL_BLENDER_HOME": str(cache / "real-blender-4.3")}
    found = _blender_beside(home)
    return None if found is None else (found, home)


def need_blender() -> str:
    found = find_blender()
    if found is None:
        raise Stop(f"This needs a real Blender: {HOW}.")
    return found


def python_version(blender: str) -> str:
    """The version of the Python inside, such as 3.13."""
    code = "import sys; print('inside: %d.%d' % sys.version_info[:2])"
    command = [blender, "-b", "--factory-startup", "--python-expr", code]
    out = subprocess.run(
        command, cwd=CHECKOUT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ).stdout
    found = re.search(r"^inside: (\S+)$", out, re.MULTILINE)
    if found is None:
        raise Stop(f"{blender} did not run its Python:\n{out}")
    return found.group(1)


def _blender_beside(variables: dict[str, str] | None = None) -> str | None:
    tool = CHECKOUT.parent / "shared" / "tools" / "real-blender"
    if not tool.exists():
        return None
    environment = dict(os.environ, **(variables or {}))
    done = subprocess.run(
        [str(tool), "path"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    return done.stdout.strip() or None if done.returncode == 0 else None
