# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own Decimate on plain channels, to compare with.

It exists only as an operator of the Graph Editor. It is run on curves of a scratch object in a scratch
scene; an area of the window becomes a Graph Editor for that long.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ..core import InputError
from ..core.motion import FloatArray
from . import actions
from .baking import Keys, write_keys
from .stages import new_scene
from .steps import Steps

# Decimate takes its time for every key of a curve: the longer, the fewer are to be left. Measured in Blender
# 4.2, 4.5 and 5.0: 0.04 to 0.15 milliseconds on 90 to 4,900 frames of capture.
SECONDS_OF_A_KEY = 1.2e-4
STEP_SECONDS = 0.1  # how long the window should wait for it


@dataclass(frozen=True)
class Decimated:
    """What Decimate left of some curves."""

    values: FloatArray  # (F, C) what they play
    keys: float  # how many keys a curve has left, on average
    seconds: float  # that the operator took


def seconds_of_a_curve(frames: int) -> float:
    """About how long Decimate takes for a curve with a key on each of so many frames."""
    return SECONDS_OF_A_KEY * frames


def decimated_in_steps(values: FloatArray, frames: FloatArray, count: int) -> Steps[Decimated]:
    """Let Decimate (Ratio) leave about `count` keys of each curve that has a key on every frame.

    The operator cannot be interrupted, so it gets only as many curves at once as take a moment; on long
    actions that is one.
    """
    at_once = max(int(STEP_SECONDS / seconds_of_a_curve(len(frames))), 1)
    seconds = 0.0
    with _scratch() as (scene, thing):
        curves = _curves_with(thing, values, frames)
        for curve in curves:
            curve.select = False
        for first in range(0, len(curves), at_once):
            yield first / len(curves)
            start = time.perf_counter()
            decimate(curves[first : first + at_once], scene, max(1.0 - count / len(frames), 0.0))
            seconds += time.perf_counter() - start
        left = float(np.mean([len(curve.keyframe_points) for curve in curves]))
        return Decimated(actions.read_values(curves, frames), left, seconds)


def decimate(curves: Sequence[Any], scene: bpy.types.Scene, share: float) -> None:
    """Let Blender's operator remove a share of the keys of curves that animate something in the scene.

    It works on selected curves; no others of the scene may be selected.
    """
    for curve in curves:
        curve.select = True
        everything = np.ones(len(curve.keyframe_points), bool)
        curve.keyframe_points.foreach_set("select_control_point", everything)
    with _graph_editor(scene) as override, bpy.context.temp_override(**override):
        bpy.ops.graph.decimate(mode="RATIO", factor=share)
    for curve in curves:
        curve.select = False


@contextmanager
def _scratch() -> Iterator[tuple[bpy.types.Scene, bpy.types.Object]]:
    scene = new_scene()
    thing = bpy.data.objects.new("Posewright", None)
    try:
        scene.collection.objects.link(thing)
        layer = scene.view_layers[0]
        layer.objects.active = thing
        thing.select_set(True, view_layer=layer)
        yield scene, thing
    finally:
        action = thing.animation_data.action if thing.animation_data is not None else None
        bpy.data.objects.remove(thing)
        bpy.data.scenes.remove(scene)
        if action is not None:
            bpy.data.actions.remove(action)


def _curves_with(thing: bpy.types.Object, values: FloatArray, frames: FloatArray) -> list[Any]:
    action, slot = actions.new_action("Posewright", thing)
    actions.assign(thing, action, slot)
    bag = actions.bag_of(action, slot, create=True)
    channels = [actions.Channel(f'["{number}"]', 0) for number in range(values.shape[1])]
    for number in range(values.shape[1]):
        thing[str(number)] = 0.0
    curves = actions.ensure_curves(bag, channels)
    write_keys(curves, Keys(frames, values))
    return curves


@contextmanager
def _graph_editor(scene: bpy.types.Scene) -> Iterator[dict[str, Any]]:
    """A context in which a Graph Editor shows that scene; the window shows its own again after."""
    windows = bpy.context.window_manager.windows
    if not windows:
        raise InputError("Blender's Decimate needs a screen to run in, and this file has none: leave it out.")
    window = windows[0]
    area = max(window.screen.areas, key=lambda each: each.width * each.height)
    kind = area.ui_type
    shown = window.scene
    area.ui_type = "FCURVES"
    window.scene = scene
    filters: Any = area.spaces.active.dopesheet
    only_selected = filters.show_only_selected
    filters.show_only_selected = False  # bones need not be selected
    try:
        region = next(each for each in area.regions if each.type == "WINDOW")
        yield {"window": window, "area": area, "region": region}
    finally:
        filters.show_only_selected = only_selected
        window.scene = shown
        area.ui_type = kind
