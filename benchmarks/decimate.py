# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own Decimate on plain channels, to compare with. Needs Blender as a module."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np


def played_after_decimate(values: np.ndarray, count: int) -> np.ndarray:
    """(F, C) what F-curves play once Decimate (Ratio) has left each about `count` of its F keys."""
    curves = _curves_with(values)
    decimate(curves, 1.0 - count / len(values))
    played = [[curve.evaluate(frame) for frame in range(len(values))] for curve in curves]
    return np.array(played).T


def _curves_with(values: np.ndarray) -> list[Any]:
    """One curve a channel, with a key on every frame, alone in an empty scene."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    thing = bpy.context.view_layer.objects.active
    frames = np.arange(len(values), dtype=np.float64)
    for channel in range(values.shape[1]):
        thing[f"channel {channel}"] = 0.0
        thing.keyframe_insert(f'["channel {channel}"]', frame=0)
    action = thing.animation_data.action
    layered = hasattr(action, "layers")
    bag = action.layers[0].strips[0].channelbag(action.slots[0]) if layered else action
    for curve, track in zip(bag.fcurves, values.T, strict=True):
        points = curve.keyframe_points
        points.add(len(track) - 1)
        points.foreach_set("co", np.stack([frames, track], axis=1).ravel())
        points.foreach_set("select_control_point", np.ones(len(track), dtype=bool))
        curve.select = True
        curve.update()
    return list(bag.fcurves)


def decimate(curves: Sequence[Any], remove: float) -> None:
    """Let Blender's operator remove a share of the selected keys of the curves."""
    window = bpy.context.window_manager.windows[0]
    area = max(window.screen.areas, key=lambda area: area.width * area.height)
    area.type = "GRAPH_EDITOR"
    area.spaces.active.dopesheet.show_only_selected = False
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=window, area=area, region=region):
        before = len(curves[0].keyframe_points)
        bpy.ops.graph.decimate(mode="RATIO", factor=remove)
    if len(curves[0].keyframe_points) >= before:
        raise RuntimeError("Decimate left every key in place: it did not see the curves.")
