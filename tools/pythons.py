# SPDX-License-Identifier: GPL-3.0-or-later
"""Finding the Python that Blender's module is built for, or fetching it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Iterator

from .places import REQUIREMENTS, WINDOWS, Stop, environments_folder, say

WANTED = "3.11"  # every bpy package on the package index is built for this one

# A Python without `ensurepip`, as some distributions split it, cannot make an environment.
_PROBE = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"


def find_python() -> str:
    """A Python 3.11 that can make environments; fetched with uv where the machine has none."""
    for candidate in _candidates():
        if _is_wanted(candidate):
            return candidate
    return _fetch_python()


def environment_python(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if WINDOWS else "bin/python")


def _candidates() -> Iterator[str]:
    yield sys.executable
    for name in (f"python{WANTED}", "python3", "python"):
        found = shutil.which(name)
        if found:
            yield found
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from (str(python) for python in sorted(pyenv.glob(f"versions/{WANTED}*/bin/python"), reverse=True))
    uv = shutil.which("uv")
    if uv:
        yield from _lines([uv, "python", "find", WANTED])
    launcher = shutil.which("py") if WINDOWS else None
    if launcher:
        yield from _lines([launcher, f"-{WANTED}", "-c", "import sys; print(sys.executable)"])


def _lines(command: list[str]) -> list[str]:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.split("\n")[:1] if done.returncode == 0 else []


def _is_wanted(python: str) -> bool:
    try:
        return _lines([python, "-c", _PROBE]) == [WANTED]
    except OSError:
        return False


def _fetch_python() -> str:
    say(f"no Python {WANTED} here: fetching one with uv")
    uv = shutil.which("uv") or _install_uv()
    if subprocess.run([uv, "python", "install", WANTED]).returncode == 0:
        for python in _lines([uv, "python", "find", "--managed-python", WANTED]):
            if _is_wanted(python):
                return python
    raise _no_python("uv could not fetch one (its message is above)")


def _install_uv() -> str:
    folder = environments_folder() / "uv"
    try:
        venv.create(folder, with_pip=True, clear=True)
        install = ["-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "-r"]
        subprocess.run([environment_python(folder), *install, REQUIREMENTS / "uv.txt"], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise _no_python(f"uv, which could fetch one, could not be installed ({error})") from error
    return str(environment_python(folder).with_name("uv.exe" if WINDOWS else "uv"))


def _no_python(reason: str) -> Stop:
    return Stop(
        f"Blender's module needs Python {WANTED}, with its venv and ensurepip modules, and {reason}. "
        f"Install Python {WANTED} (python.org, your distribution, pyenv or uv), then run this again."
    )
