# SPDX-License-Identifier: GPL-3.0-or-later
"""Thumbnails of actions: a synopsis of the motion as the action's preview."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...core import InputError
from ...core.motion import FloatArray
from ...core.picture import Canvas, Figures, Paint, Poses, SynopsisStyle, View, draw_figure, draw_overlapping
from ...core.progress import ProgressCallback
from ..catalogue_files import plain_path
from ..distil import reductions
from . import images, sampled_poses, viewport
from .catalogues import catalogue_called

NO_CATALOGUE = "00000000-0000-0000-0000-000000000000"
SIZE = 256  # what the Asset Browser asks for
POSE_COUNTS = {"saliency": 12}  # as in the thumbnails of the paper that it is from
FEW_POSES = 5  # of the other algorithms; more would be a crowd in so small a picture


def draw_thumbnail(
    action: bpy.types.Action,
    armature: bpy.types.Object,
    context: bpy.types.Context,
    *,
    count: int = 0,
    algorithm: str = "keyposes",
    fade: str = "time",
    progress: ProgressCallback | None = None,
) -> Canvas:
    """The motion's most telling poses in one small picture with a transparent background.

    The character's mesh is drawn where there is one and a window to draw it in, else its skeleton.
    """
    plays_it = armature.animation_data is not None and armature.animation_data.action == action
    with sampled_poses.stand_in(armature, action, with_skin=True) as actor:
        if not plays_it:  # frames that were chosen for one action mean nothing to another
            actor.posewright.range_from = "ACTION"
            actor.posewright.fixed_frames.clear()
            actor.posewright.fix_markers = actor.posewright.fix_selected_keys = False
        wanted = count or POSE_COUNTS.get(algorithm, FEW_POSES)
        chosen = sampled_poses.chosen_poses(actor, context.scene, algorithm, wanted, progress)
        shown = sampled_poses.sample_poses(actor, chosen.frames)
        style = SynopsisStyle(SIZE, SIZE, theme="transparent", labels=False, fade=fade)
        return _drawn(actor, shown, style, context, chosen.importance)


def draw_pose(action: bpy.types.Action, armature: bpy.types.Object, context: bpy.types.Context) -> Canvas:
    """The pose that an action holds at its first frame, in a picture of the same kind."""
    with sampled_poses.stand_in(armature, action, with_skin=True) as actor:
        shown = sampled_poses.sample_poses(actor, np.array(action.frame_range[:1]))
        style = SynopsisStyle(SIZE, SIZE, theme="transparent", labels=False)
        return _drawn(actor, shown, style, context)


def _drawn(
    actor: bpy.types.Object,
    shown: Poses,
    style: SynopsisStyle,
    context: bpy.types.Context,
    importance: FloatArray | None = None,
) -> Canvas:
    def arranged(figures: Figures, paint: Paint) -> Canvas:
        return draw_overlapping(figures, style, paint, importance)

    view = View.named("best", shown)
    if viewport.can_draw_character(context, actor, len(shown)):
        return viewport.draw_character(context, actor, shown, view, arranged)
    return arranged(Figures.of(shown, view), draw_figure)


def clips() -> list[bpy.types.Action]:
    """All actions of this file that are motions; not the layers in which Posewright keeps detail."""
    return [
        action
        for action in bpy.data.actions
        if action.library is None and (reductions.is_reduced(action) or not action.posewright.gate)
    ]


def show_pose(action: bpy.types.Action, armature: bpy.types.Object, context: bpy.types.Context) -> None:
    """Give the action of a pose a picture of it as its preview."""
    images.set_preview(action, draw_pose(action, armature, context))


def thumbnail(
    action: bpy.types.Action,
    preferred: bpy.types.Object | None,
    context: bpy.types.Context,
    *,
    as_asset: bool = False,
    **look: Any,
) -> None:
    """Give an action its thumbnail, and make it an asset if wanted; `look` is for `draw_thumbnail`."""
    armature = sampled_poses.armature_for(action, preferred)
    if armature is None:
        raise InputError(
            "{action} moves no armature of this file: there is no character to draw it with.",
            action=action.name,
        )
    canvas = draw_thumbnail(action, armature, context, **look)
    if as_asset:
        _make_asset(action, armature)
    images.set_preview(action, canvas)


def _make_asset(action: bpy.types.Action, armature: bpy.types.Object) -> None:
    """Let the Asset Browser show an action, among those of its character unless somebody put it elsewhere."""
    listed = action.asset_data is not None and action.asset_data.catalog_id != NO_CATALOGUE
    catalogue = None if listed else catalogue_called(plain_path("Motions", armature.name))
    if action.asset_data is None:
        action.asset_mark()
    if catalogue is not None:
        asset: Any = action.asset_data
        asset.catalog_id = catalogue
