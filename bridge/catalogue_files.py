# SPDX-License-Identifier: GPL-3.0-or-later
"""Catalogues of assets: the text file beside a .blend that says what the Asset Browser lists them under.

Whoever else wrote to the file keeps every line: a catalogue that is there is used, a new one is added below.
The command line writes it without Blender.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path

from ..core import InputError
from .whole_files import written_whole

FILE = "blender_assets.cats.txt"
HEADER = "# Asset catalogues, made by Posewright; see Blender's manual.\n\nVERSION 1\n"
# Two files that name the same catalogue mean the same one.
_OURS = uuid.UUID("6d2f3c0e-52c4-4d0e-9d5b-0d6b1c7ad1f3")


def number_of(path: str, file: Path) -> str:
    """What the catalogue at a path is called in a file of catalogues, or will be."""
    return _numbers(_read(file), file).get(path) or str(uuid.uuid5(_OURS, path))


def add_catalogues(file: Path, paths: Sequence[str]) -> None:
    """Add the catalogues that are not there yet."""
    text = _read(file)
    known = _numbers(text, file)
    new = [path for path in paths if path not in known]
    if not new:
        return
    lines = [f"{number_of(path, file)}:{path}:{path.replace('/', '-')}\n" for path in new]
    with written_whole(file) as partial:
        whole = (text or HEADER).rstrip("\n") + "\n" + "".join(lines)
        partial.write_text(whole, encoding="utf-8", newline="")


def plain_path(*parts: str) -> str:
    """A path of catalogues; a colon or a line break would end it early, a slash would split a part."""
    cleaned = (" ".join(part.translate(str.maketrans(":/\\", "___")).split()) for part in parts)
    return "/".join(part or "_" for part in cleaned)


def _read(file: Path) -> str:
    try:
        with file.open(encoding="utf-8", newline="") as opened:
            return opened.read()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(
            "The catalogues in {file} cannot be read: move that file away.", file=file
        ) from problem


def _numbers(text: str, file: Path) -> dict[str, str]:
    """{path: number} of the catalogues in a file."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        words = line.strip()
        if words.startswith("VERSION") and words.split()[1:] != ["1"]:
            raise InputError(
                "The catalogues in {file} are of a newer Blender: they are left as they are.", file=file
            )
        if words and not words.startswith(("#", "VERSION")) and words.count(":") >= 1:
            number, path = words.split(":")[:2]
            found.setdefault(path.strip(), number)
    return found
