# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's stubs, told what they cannot know: that add-ons add properties, and what an object's data is.

The stubs are a copy in the environment of the checks, which is our own. Without these changes every access to
an armature's bones and to our own properties would count as an error, and hide those that are.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
from pathlib import Path
from typing import Callable

from .places import Stop

_ANYTHING = (
    r"\1    def __getattr__(self, name: str) -> typing.Any: ...\n"
    r"    def __setattr__(self, name: str, value: typing.Any) -> None: ...\n"
)
_LOADING = (
    r"class _Loading:\n"
    r"    def __getattr__(self, name: str) -> typing.Any: ...\n"
    r"    def __setattr__(self, name: str, value: typing.Iterable[str]) -> None: ...\n\n"
)
_OF_MANY_KINDS = "Action|ActionStrip|Bone|Modifier|Property|PropertyGroup|Space"

_CHANGES = {
    "bpy-stubs/types": (
        # An armature object's data is an Armature; the stubs offer every kind of data at once.
        (r"(?m)^(class Object\(.*\):\n(?:.*\n)*?)    data: \([^)]*\)\n", r"\1    data: typing.Any\n"),
        (r"(?m)^(class (?:Object|Scene|Action)\(.*\):\n)", r"\1    posewright: typing.Any\n"),
        # Property groups get their properties from annotations of subclasses, which pointers do not tell.
        (r"(?m)^(class PropertyGroup\(.*\):\n)", r"\1    keys: typing.Any\n"),
        # What these have depends on their kind, or on the version of Blender.
        (rf"(?m)^(class (?:{_OF_MANY_KINDS})\(.*\):\n)", _ANYTHING),
        # Arrays are set from tuples.
        (r"(?m)^(    \w+: )bpy_prop_array\[\w+\]$", r"\1typing.Any"),
        # A context manager; what it loads are names inside of it and data afterwards.
        (
            r"(?m)^(class BlendDataLibraries\(.*\):\n(?:.*\n)*?    def load\((?:.*\n)*?    \) ->) None:",
            _LOADING + r"\1 typing.ContextManager[tuple[_Loading, _Loading]]:",
        ),
        # A copy is always made.
        (r"(def copy\(self\) ->) None \|", r"\1"),
        # `{"FINISHED"}` is a set of strings to everybody else.
        (r"set\[\s*typing\.Literal\[bpy\.stub_internal\.rna_enums\.Operator\w+Items\]\s*\]", "set[str]"),
    ),
    "bpy-stubs/ops": ((r"\Z", "\nposewright: typing.Any\n"),),
    "bpy_extras-stubs/io_utils": ((r"(?m)^(class (?:Ex|Im)portHelper:\n)", r"\1    filepath: str\n"),),
}


_MARK = "# Changed for Posewright.\n"
_THESE_CHANGES = f"{_MARK}# {hashlib.sha256(repr(_CHANGES).encode()).hexdigest()}\n"


def change(python: Path, reinstall: Callable[[str], None]) -> None:
    """Change the stubs of an environment once; those that earlier rules changed are installed anew before."""
    folder = _packages(python)
    files = {folder / module / "__init__.pyi": changes for module, changes in _CHANGES.items()}
    beginnings = {_beginning(stubs) for stubs in files}
    if beginnings == {_THESE_CHANGES}:
        return
    if any(beginning.startswith(_MARK) for beginning in beginnings):
        reinstall("fake-bpy-module")
    for stubs, changes in files.items():
        _change_file(stubs, changes)


def _packages(python: Path) -> Path:
    where = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    out = subprocess.run([str(python), "-c", where], check=True, stdout=subprocess.PIPE, text=True).stdout
    return Path(out.strip())


def _beginning(stubs: Path) -> str:
    with stubs.open(encoding="utf-8") as file:
        return file.readline() + file.readline()


def _change_file(stubs: Path, changes: tuple[tuple[str, str], ...]) -> None:
    text = stubs.read_text(encoding="utf-8")
    for pattern, replacement in changes:
        text, found = re.subn(pattern, replacement, text)
        if not found:
            raise Stop(f"Blender's stubs have changed: {pattern!r} is not in {stubs}.")
    stubs.write_text(f"{_THESE_CHANGES}import typing\n{text}", encoding="utf-8")
