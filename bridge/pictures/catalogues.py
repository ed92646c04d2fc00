# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalogues that the assets of the open file are listed under."""

from __future__ import annotations

from pathlib import Path

import bpy

from ..catalogue_files import FILE, add_catalogues, number_of


def catalogue_called(path: str) -> str | None:
    """The number of the catalogue at a path such as "Motions/Knight", which is made if there is none.

    None where the .blend was never saved: there is no folder that the catalogue could be in.
    """
    file = _file_of_this_blend()
    if file is None:
        return None
    add_catalogues(file, [path])
    return number_of(path, file)


def _file_of_this_blend() -> Path | None:
    """Where Blender looks for it: in the library that the .blend is in, or else beside it."""
    if not bpy.data.filepath:
        return None
    folder = Path(bpy.data.filepath).resolve().parent
    libraries = [Path(each.path).resolve() for each in bpy.context.preferences.filepaths.asset_libraries]
    around = [library for library in libraries if library == folder or library in folder.parents]
    return max(around, key=lambda library: len(library.parts), default=folder) / FILE
