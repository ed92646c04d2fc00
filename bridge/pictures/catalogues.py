# SPDX-License-Identifier: GPL-3.0-or-later
"""Catalogues of assets: the text file beside a .blend that says what the Asset Browser lists them under.

Whoever else wrote to the file keeps every line: a catalogue that is there is used, a new one is added below.
"""

from __future__ import annotations

import uuid
from pathlib import Path

import bpy

from ...core import InputError
from ..whole_files import written_whole

FILE = "blender_assets.cats.txt"
HEADER = "# Asset catalogues, made by Posewright; see Blender's manual.\n\nVERSION 1\n"
# Two files that name the same catalogue mean the same one.
_OURS = uuid.UUID("6d2f3c0e-52c4-4d0e-9d5b-0d6b1c7ad1f3")


def catalogue_called(path: str) -> str | None:
    """The number of the catalogue at a path such as "Motions/Knight", which is made if there is none.

    None where the .blend was never saved: there is no folder that the catalogue could be in.
    """
    file = _file_of_this_blend()
    if file is None:
        return None
    text = _read(file)
    found = _numbers(text, file).get(path)
    if found is not None:
        return found
    number = str(uuid.uuid5(_OURS, path))
    line = f"{number}:{path}:{path.replace('/', '-')}\n"
    with written_whole(file) as partial:
        partial.write_text((text or HEADER).rstrip("\n") + "\n" + line, encoding="utf-8", newline="")
    return number


def plain_path(*parts: str) -> str:
    """A path of catalogues; a colon or a line break would end it early, a slash would split a part."""
    cleaned = (" ".join(part.translate(str.maketrans(":/\\", "___")).split()) for part in parts)
    return "/".join(part or "_" for part in cleaned)


def _file_of_this_blend() -> Path | None:
    """Where Blender looks for it: in the library that the .blend is in, or else beside it."""
    if not bpy.data.filepath:
        return None
    folder = Path(bpy.data.filepath).resolve().parent
    libraries = [Path(each.path).resolve() for each in bpy.context.preferences.filepaths.asset_libraries]
    around = [library for library in libraries if library == folder or library in folder.parents]
    return max(around, key=lambda library: len(library.parts), default=folder) / FILE


def _read(file: Path) -> str:
    try:
        with file.open(encoding="utf-8", newline="") as opened:
            return opened.read()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(f"The catalogues in {file} cannot be read: move that file away.") from problem


def _numbers(text: str, file: Path) -> dict[str, str]:
    """{path: number} of the catalogues in a file."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        words = line.strip()
        if words.startswith("VERSION") and words.split()[1:] != ["1"]:
            raise InputError(f"The catalogues in {file} are of a newer Blender: they are left as they are.")
        if words and not words.startswith(("#", "VERSION")) and words.count(":") >= 1:
            number, path = words.split(":")[:2]
            found.setdefault(path.strip(), number)
    return found
