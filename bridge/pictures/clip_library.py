# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips as assets: a folder of clips becomes a library of actions with thumbnails, and one is fetched.

Every clip file becomes a .blend that holds its actions alone, each marked as an asset. Files with several
clips have a catalogue of their own, others are in that of their folder. Only a worker opens clip files: that
takes the place of everything that is loaded.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

from ...core import InputError
from ..catalogue_files import number_of, plain_path
from ..command_line import run_in_steps
from ..files import open_file
from ..files.takes import Take
from ..index_files import stamp_of
from ..steps import Steps
from ..whole_files import written_whole
from . import images, previews
from .folder_index import check_folder
from .pose_search import go_to

LIBRARY_FOLDER = "posewright-library"  # in the folder of the clips
CLIP = "posewright_clip"  # where an action was fetched from


@dataclass(frozen=True)
class Library:
    """What came of it."""

    folder: Path
    files: int
    left_out: tuple[str, ...]  # files, and why


def library_in_steps(clips: Path) -> Steps[Library]:
    """Make a library of all clips below a folder; yields the share done. Closing it keeps what is done."""
    check_folder(clips)
    folder = clips / LIBRARY_FOLDER
    outcome = yield from run_in_steps("library", str(clips), "-o", str(folder))
    made = len(list(folder.rglob("*.blend"))) if folder.is_dir() else 0
    if outcome.code not in (0, 1) or not made:
        raise InputError(
            "{folder} could not be made a library: {reason}", folder=clips, reason=outcome.last_words
        )
    return Library(folder, made, outcome.left_out)


def list_library(library: Path) -> bool:
    """Let Blender's preferences know the library; whether they did not."""
    known: Any = bpy.context.preferences.filepaths.asset_libraries
    if any(Path(each.path).resolve() == library.resolve() for each in known):
        return False
    bpy.ops.preferences.asset_library_add(directory=str(library))
    known[-1].name = library.parent.name
    return True


def write_library(
    file: Path, output: Path, catalogues: Path, wanted: tuple[str, ...]
) -> tuple[str, list[str]]:
    """Write the actions of a clip file as assets with thumbnails: their catalogue, and what they are called.

    Args:
        catalogues: the file of the library's catalogues, which is only read.
        wanted: names of actions; all if left out.
    """
    found = open_file(file, reduced_too=True).takes
    takes = found.chosen(wanted)
    several = len(found.found) > 1
    catalogue = plain_path("Motions", file.stem if several else file.parent.name)
    number, reasons = number_of(catalogue, catalogues), list(found.left_out)
    made: dict[str, bpy.types.Action] = {}
    for take in takes:
        try:
            made[take.name] = _as_asset(take, number, take.name if several else file.stem)
        except InputError as problem:
            reasons.append(f"{take.name}: {problem}")
    if not made:
        raise InputError(reasons[0] if reasons else f"{file.name} holds nothing to make an asset of.")
    with written_whole(output) as partial:
        bpy.data.libraries.write(str(partial), set(made.values()), fake_user=True, compress=True)
    return catalogue, list(made)


def _as_asset(take: Take, catalogue: str, name: str) -> bpy.types.Action:
    action = take.played
    action.name = name
    canvas = previews.draw_thumbnail(action, take.armature, bpy.context)
    if action.asset_data is None:
        action.asset_mark()
    asset: Any = action.asset_data
    asset.catalog_id = catalogue
    images.set_preview(action, canvas)
    return action


def fetch_in_steps(armature: bpy.types.Object, file: Path, name: str, frame: float) -> Steps[None]:
    """Bring an action of a clip file here, let the character play it, and go to a frame."""
    if not file.is_file():
        raise InputError("{file} is no longer there: index its folder again.", file=file)
    clip = f"{file.resolve()}|{stamp_of(file)}|{name}"
    action = next((each for each in bpy.data.actions if each.get(CLIP) == clip), None)
    if action is not None:
        go_to(armature, action.name, frame)
        return
    with tempfile.TemporaryDirectory() as folder:
        outcome = yield from run_in_steps("library", str(file), "-o", folder, "--action", name)
        libraries = list(Path(folder).glob("*.blend"))
        if not libraries:
            reason = (*outcome.left_out, outcome.last_words)[0]
            raise InputError("{file} could not be fetched: {reason}", file=file.name, reason=reason)
        action = _appended(libraries[0])
    action[CLIP] = clip
    try:
        go_to(armature, action.name, frame)
    except InputError:
        bpy.data.actions.remove(action)
        raise InputError(
            "{name} of {file} moves bones that {armature} does not have: import that file to have its "
            "character, and retarget from there.",
            name=name,
            file=file.name,
            armature=armature.name,
        ) from None


def _appended(library: Path) -> bpy.types.Action:
    with bpy.data.libraries.load(str(library), link=False, assets_only=True) as (there, here):
        here.actions = there.actions[:1]
    action = here.actions[0]
    action.asset_clear()  # it is one in its library
    action.use_fake_user = True
    return action
