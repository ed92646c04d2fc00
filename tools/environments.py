# SPDX-License-Identifier: GPL-3.0-or-later
"""The environments that tests and checks run in: made once, kept, and renewed when a requirement changes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from .places import REQUIREMENTS, Stop, environments_folder, say
from .pythons import environment_python, find_python

# Environments without this file were made by somebody else: what they have is left as it is.
_MADE_HERE = "made-by-posewright-dev.txt"

_INSTALLED = """
import importlib.metadata, json, sys
where = {"path": sys.argv[1:]} if sys.argv[1:] else {}
print(json.dumps({d.metadata["Name"]: d.version for d in importlib.metadata.distributions(**where)}))
"""


def prepare(name: str) -> Path:
    """The Python of the environment `name`, with everything in `requirements/<name>.txt` installed."""
    folder = environments_folder() / name
    python = environment_python(folder)
    if not python.exists():
        say(f"making the environment {folder} (once)")
        _run(
            [find_python(), "-m", "venv", "--clear", str(folder)],
            f"The environment {folder} could not be made",
        )
        (folder / _MADE_HERE).write_text("dev.py made this folder; it may be deleted at any time.\n")
    own = (folder / _MADE_HERE).exists()
    wanted = _unmet(read_requirements(name), _installed(python), missing_only=not own)
    if wanted:
        say(f"installing into {name}: {' '.join(wanted)}")
        if any(each.startswith("bpy==") for each in wanted):
            say("Blender is a download of some 350 MB: this takes a few minutes, once, and prints nothing")
        _pip_install(python, wanted)
    if name.startswith("bpy-"):
        _check_blender_loads(python)
    return python


def reinstall(name: str, package: str) -> None:
    """Bring a package back to what it was when it was installed."""
    version = read_requirements(name)[package]
    python = environment_python(environments_folder() / name)
    _pip_install(python, ["--force-reinstall", f"{package}=={version}"])


def prepare_folder(name: str, python_version: str, requirements: str) -> Path:
    """A folder of packages for a Python that is not ours, such as the one inside a real Blender."""
    folder = environments_folder() / name
    python = prepare("bpy-5.0")
    wanted = _unmet(read_requirements(requirements), _installed(python, str(folder)), missing_only=False)
    if wanted:
        say(f"installing into {name}: {' '.join(wanted)}")
        others = ["--target", str(folder), "--upgrade", "--python-version", python_version]
        _pip_install(python, [*others, "--only-binary", ":all:", *wanted])
    return folder


def read_requirements(name: str, platform: str = sys.platform) -> dict[str, str]:
    """{package: version} of a requirements file: everything is pinned, what packages need themselves too."""
    found: dict[str, str] = {}
    for line in (REQUIREMENTS / f"{name}.txt").read_text().splitlines():
        line = line.split("#")[0].strip()
        pin, _, marker = line.partition(";")
        if line.startswith("-r "):
            found.update(read_requirements(line[3:].strip()[: -len(".txt")], platform))
        elif pin and _is_for(platform, marker.strip()):
            package, version = pin.strip().split("==")
            found[package] = version
    return found


def _is_for(platform: str, marker: str) -> bool:
    """Whether a line is for this platform; `sys_platform == "win32"` is the only kind of marker we use."""
    return not marker or marker == f'sys_platform == "{platform}"'


def _unmet(required: dict[str, str], installed: dict[str, str], missing_only: bool) -> list[str]:
    return [
        f"{package}=={version}"
        for package, version in required.items()
        if _plain(package) not in installed or not (missing_only or installed[_plain(package)] == version)
    ]


def _installed(python: Path, folder: str | None = None) -> dict[str, str]:
    command = [str(python), "-c", _INSTALLED, *([folder] if folder else [])]
    found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return {_plain(package): version for package, version in found.items() if package}


def _plain(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


def _pip_install(python: Path, arguments: list[str]) -> None:
    # Without dependencies: the requirements are complete, so what gets tested does not change by itself.
    quietly = ["-q", "--disable-pip-version-check", "--no-deps"]
    command = [str(python), "-m", "pip", "install", *quietly, *arguments]
    _run(command, "pip could not install what is needed; it says why above")


def _check_blender_loads(python: Path) -> None:
    done = subprocess.run(
        [str(python), "-c", "import bpy"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    library = re.search(r"ImportError: (lib\S+): cannot open shared object", done.stderr)
    if library:
        raise Stop(
            f"Blender's module cannot start without the system library {library.group(1)}. Install the "
            "package that holds it (on Debian and Ubuntu: apt install libxrender1 libxi6 libxkbcommon0 "
            "libsm6 libgl1 libegl1 libxfixes3 libxxf86vm1), then run this again."
        )
    if "Error" in done.stderr and done.returncode > 0:
        raise Stop(f"Blender's module does not load in {python}:\n{done.stderr}")


def _run(command: list[str], failure: str) -> None:
    quiet = dict(os.environ, PYTHONNOUSERSITE="1")
    if subprocess.run(command, env=quiet).returncode != 0:
        raise Stop(f"{failure}.")
