# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene that ends before the action: said where one presses Space, with the way to see the rest."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_iface as iface_

from ..bridge.distil import scene_range
from .sentence import draw_sentence


def draw_scene_end(layout: bpy.types.UILayout, context: bpy.types.Context, action: bpy.types.Action) -> None:
    """What of the action is not played; nothing where all of it is."""
    last = scene_range.last_frame_beyond(action, context.scene)
    if last is not None:
        text = iface_("The action goes on to frame {last}, the scene ends at {end}.")
        text = text.format(last=last, end=context.scene.frame_end)
        draw_sentence(layout, context, text, icon="TIME").operator("posewright.extend_scene")
