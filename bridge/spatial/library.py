# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of spatial keys and poses of the Pose Library are the same kind of action; this moves them over."""

from __future__ import annotations

from typing import Any

import bpy

from ...core import InputError
from . import editing, empties
from .pose_actions import bones_of_action, note_euler_orders


def give(key: bpy.types.PropertyGroup) -> None:
    """Mark the pose of a key as an asset. It stays the key's pose: both change together."""
    if key.pose.asset_data is not None:
        raise InputError(f'"{key.pose.name}" is already in the Pose Library.')
    key.pose.asset_mark()
    asset: Any = key.pose.asset_data
    asset.description = f"Spatial key {key.name} of {key.id_data.name}"


def take(
    armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup, action: bpy.types.Action
) -> bpy.types.PropertyGroup:
    """A key at the cursor with a copy of a pose; the asset itself stays as it is."""
    bones = bones_of_action(action)
    if not bones & set(armature.pose.bones.keys()):
        raise InputError(f'"{action.name}" poses none of the bones of {armature.name}: choose another pose.')
    place = empties.place_of(armature, empties.cursor_of(armature, spatial_set))
    editing.refuse_taken_place(armature, spatial_set, place)
    pose = editing.plain_copy(action)
    note_euler_orders(armature, pose)
    return editing.add_key(armature, spatial_set, pose, place, action.name)


def find(name: str) -> bpy.types.Action:
    action = bpy.data.actions.get(name)
    if action is None:
        raise InputError(f'There is no action called "{name}" in this file.')
    return action


def chosen_asset(context: bpy.types.Context) -> Any | None:
    """The asset that is active where the operator was called, or else in an asset browser that is open."""
    asset = getattr(context, "asset", None)
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


def chosen(context: bpy.types.Context) -> bpy.types.Action:
    """The chosen pose asset, loaded from its file if need be."""
    asset = chosen_asset(context)
    if asset is None:
        raise InputError("No pose asset is chosen: click one in the asset browser or the asset shelf.")
    if asset.id_type != "ACTION":
        raise InputError(f'"{asset.name}" is no pose: choose a pose asset.')
    if asset.local_id is not None:
        return asset.local_id
    libraries: Any = bpy.data.libraries
    with libraries.load(asset.full_library_path, link=False) as (_, wanted):
        wanted.actions = [asset.name]
    if wanted.actions[0] is None:
        raise InputError(f'"{asset.name}" could not be loaded from {asset.full_library_path}.')
    return wanted.actions[0]
