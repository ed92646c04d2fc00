# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's stubs, told what they cannot know: that add-ons add properties, and what an object's data is.

The stubs are a copy in the environment of the checks, which is our own. Without these changes every access to
an armature's bones and to our own properties would count as an error, and hide those that are.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from .places import Stop

_MARK = "# Changed for Posewright.\n"

_ANYTHING = (
    r"\1    def __getattr__(self, name: str) -> typing.Any: ...\n"
    r"    def __setattr__(self, name: str, value: typing.Any) -> None: ...\n"
)
_OF_MANY_KINDS = "Action|ActionStrip|Bone|Modifier|Property|PropertyGroup"

_CHANGES = {
    "bpy-stubs/types": (
        # An armature object's data is an Armature; the stubs offer every kind of data at once.
        (r"(?m)^(class Object\(.*\):\n(?:.*\n)*?)    data: \([^)]*\)\n", r"\1    data: typing.Any\n"),
        (r"(?m)^(class (?:Object|Scene)\(.*\):\n)", r"\1    posewright: typing.Any\n"),
        # Property groups get their properties from annotations of subclasses, which pointers do not tell.
        (r"(?m)^(class PropertyGroup\(.*\):\n)", r"\1    keys: typing.Any\n"),
        # What these have depends on their kind, or on the version of Blender.
        (rf"(?m)^(class (?:{_OF_MANY_KINDS})\(.*\):\n)", _ANYTHING),
        # Arrays are set from tuples.
        (r"(?m)^(    \w+: )bpy_prop_array\[\w+\]$", r"\1typing.Any"),
        # A copy is always made.
        (r"(def copy\(self\) ->) None \|", r"\1"),
        # `{"FINISHED"}` is a set of strings to everybody else.
        (r"set\[\s*typing\.Literal\[bpy\.stub_internal\.rna_enums\.Operator\w+Items\]\s*\]", "set[str]"),
    ),
    "bpy-stubs/ops": ((r"\Z", "\nposewright: typing.Any\n"),),
    "bpy_extras-stubs/io_utils": ((r"(?m)^(class (?:Ex|Im)portHelper:\n)", r"\1    filepath: str\n"),),
}


def change(python: Path) -> None:
    """Change the stubs of an environment once."""
    where = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    out = subprocess.run([str(python), "-c", where], check=True, stdout=subprocess.PIPE, text=True).stdout
    for module, changes in _CHANGES.items():
        _change_module(Path(out.strip()) / module / "__init__.pyi", changes)


def _change_module(stubs: Path, changes: tuple[tuple[str, str], ...]) -> None:
    text = stubs.read_text(encoding="utf-8")
    if text.startswith(_MARK):
        return
    for pattern, replacement in changes:
        text, found = re.subn(pattern, replacement, text)
        if not found:
            raise Stop(f"Blender's stubs have changed: {pattern!r} is not in {stubs}.")
    stubs.write_text(f"{_MARK}import typing\n{text}", encoding="utf-8")
