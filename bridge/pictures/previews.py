# SPDX-License-Identifier: GPL-3.0-or-later
"""Thumbnails of actions: a synopsis of the motion as the action's preview."""

from __future__ import annotations

import bpy

from ...core import InputError
from ...core.picture import Canvas, SynopsisStyle, View, draw_synopsis
from ...core.progress import ProgressCallback
from . import images, sampled_poses

SIZE = 256  # what the Asset Browser asks for


def draw_thumbnail(
    action: bpy.types.Action,
    armature: bpy.types.Object,
    *,
    count: int = 5,
    algorithm: str = "keyposes",
    progress: ProgressCallback | None = None,
) -> Canvas:
    """The motion's most different poses in one small picture with a transparent background."""
    with sampled_poses.stand_in(armature, action) as actor:
        motion = sampled_poses.whole_motion(actor, progress)
    shown = sampled_poses.poses_of(motion, sampled_poses.chosen_of(motion, algorithm, count))
    style = SynopsisStyle(width=SIZE, height=SIZE, theme="transparent", labels=False)
    return draw_synopsis(shown, View.named("best", shown), style)


def clips() -> list[bpy.types.Action]:
    """All actions of this file that are motions; not the layers in which Posewright keeps detail."""
    layers = {
        action for item in bpy.data.objects for action in (item.posewright.residual, item.posewright.reset)
    }
    return [action for action in bpy.data.actions if action.library is None and action not in layers]


def thumbnail(
    action: bpy.types.Action,
    preferred: bpy.types.Object | None,
    *,
    count: int = 5,
    algorithm: str = "keyposes",
    as_asset: bool = False,
    progress: ProgressCallback | None = None,
) -> None:
    """Give an action its thumbnail, and make it an asset if wanted."""
    armature = sampled_poses.armature_for(action, preferred)
    if armature is None:
        raise InputError(
            f"{action.name} moves no armature of this file: there is no character to draw it with."
        )
    canvas = draw_thumbnail(action, armature, count=count, algorithm=algorithm, progress=progress)
    if as_asset and action.asset_data is None:
        action.asset_mark()
    images.set_preview(action, canvas)
