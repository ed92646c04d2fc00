# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of spatial keys and poses of the Pose Library are the same kind of action; this moves them over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
from bpy.app.translations import pgettext_rpt as rpt_

from ....core import InputError
from ..posing.pose_actions import bones_of_action, note_euler_orders
from . import editing, empties


def give(key: bpy.types.PropertyGroup) -> None:
    """Mark the pose of a key as an asset. It stays the key's pose: both change together."""
    if key.pose.asset_data is not None:
        raise InputError('"{pose}" is already in the Pose Library.', pose=key.pose.name)
    key.pose.asset_mark()
    asset: Any = key.pose.asset_data
    asset.description = rpt_("Spatial key {key} of {character}").format(
        key=key.name, character=key.id_data.name
    )


def take(
    armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup, action: bpy.types.Action
) -> bpy.types.PropertyGroup:
    """A key at the cursor with a copy of a pose; the asset itself stays as it is."""
    bones = bones_of_action(action)
    if not bones & set(armature.pose.bones.keys()):
        raise InputError(
            '"{action}" poses none of the bones of {armature}: choose another pose.',
            action=action.name,
            armature=armature.name,
        )
    place = empties.place_of(armature, empties.cursor_of(armature, spatial_set))
    editing.refuse_taken_place(armature, spatial_set, place)
    pose = editing.plain_copy(action)
    note_euler_orders(armature, pose)
    return editing.add_key(armature, spatial_set, pose, place, action.name)


def _find(name: str) -> bpy.types.Action:
    action = bpy.data.actions.get(name)
    if action is None:
        raise InputError('There is no action called "{name}" in this file.', name=name)
    return action


def clicked_asset(library: str, identifier: str) -> Any | None:
    """The pose that a shelf names in the properties of the operator it calls, told as an asset tells it.

    4.3 says it nowhere else. The identifier is "Action/Wave" in this file, in a library of the preferences
    (named by `library`) "poses.blend/Action/Wave".
    """
    file, *name = re.split(r"(?:^|(?<=\.blend)[/\\])Action[/\\]", identifier, maxsplit=1)
    if not name:
        return None
    folder = bpy.context.preferences.filepaths.asset_libraries.get(library)
    if file and folder is None:
        return None
    return SimpleNamespace(
        id_type="ACTION",
        name=name[0],
        local_id=None if file else _find(name[0]),
        full_library_path=str(Path(folder.path) / file) if file else "",
    )


def chosen_asset(context: bpy.types.Context, clicked: Any | None = None) -> Any | None:
    """The asset that is active where the operator was called, or clicked, or chosen in an asset browser."""
    asset = getattr(context, "asset", None) or clicked
    if asset is not None:
        return asset
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.ui_type != "ASSETS":
                continue
            with context.temp_override(window=window, area=area):
                asset = getattr(bpy.context, "asset", None)
            if asset is not None:
                return asset
    return None


@contextmanager
def wanted(
    context: bpy.types.Context, name: str = "", clicked: Any | None = None
) -> Iterator[bpy.types.Action]:
    """The pose action of a name, or else the chosen asset, which is loaded for so long from another file."""
    pose, is_loaded = (_find(name), False) if name else _chosen(context, clicked)
    try:
        yield pose
    finally:
        if is_loaded:
            bpy.data.actions.remove(pose)


def _chosen(context: bpy.types.Context, clicked: Any | None) -> tuple[bpy.types.Action, bool]:
    """The chosen pose asset, and whether it had to be loaded."""
    asset = chosen_asset(context, clicked)
    if asset is None:
        raise InputError("No pose asset is chosen: click one in the asset browser or the asset shelf.")
    if asset.id_type != "ACTION":
        raise InputError('"{asset}" is no pose: choose a pose asset.', asset=asset.name)
    if asset.local_id is not None:
        return asset.local_id, False
    libraries: Any = bpy.data.libraries
    with libraries.load(asset.full_library_path, link=False) as (_, loaded):
        loaded.actions = [asset.name]
    if loaded.actions[0] is None:
        raise InputError(
            '"{asset}" could not be loaded from {full_library_path}.',
            asset=asset.name,
            full_library_path=asset.full_library_path,
        )
    return loaded.actions[0], True
