# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo's course of events: load, analyse, measure, draw, save."""

from __future__ import annotations

import importlib
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy

from tools.places import Stop
from tools.user_folder import MODULE

from . import error_table, sources, view

PARTS = (
    "core.metrics",
    "core.picture",
    "bridge.actions",
    "bridge.baking",
    "bridge.distil.reductions",
    "bridge.files",
    "bridge.pictures.images",
    "bridge.sampling",
)
NORMAL_HEIGHT = 170.0  # centimetres; captures come in many units


def distil(file: Path | None, output: Path) -> None:
    """Distil the demo character, or the armature in a file."""
    output.mkdir(parents=True, exist_ok=True)
    posewright = load_extension()
    armature = sources.from_file(file.resolve(), posewright) if file else sources.made_in_code(posewright)
    name = file.stem if file else "demo"

    start = time.perf_counter()
    press(bpy.ops.posewright.analyze)
    seconds = time.perf_counter() - start
    analysis = posewright.bridge.distil.reductions.get(armature).analysis()
    frames, counts = len(analysis.frames), analysis.solutions.counts

    rows = error_table.measure(armature, posewright)
    plot, sheet, blend = (output / f"{name}{end}" for end in ("-error.png", "-poses.png", ".blend"))
    error_table.draw_error_over_keys(armature, rows, posewright, plot)
    press(bpy.ops.posewright.pose_sheet, filepath=str(sheet))
    view.show(armature, azimuth=35.0)
    bpy.context.scene.posewright.ghosts.show = True  # the poses are there at first sight
    bpy.ops.wm.save_as_mainfile(filepath=str(blend), copy=True)

    bones = len(armature.data.bones)
    print(f"\n{armature.posewright.reduced.posewright.source.name}: {bones} bones, {frames} frames.")
    print(f"The best keys for every count from {counts[0]} to {counts[-1]} took {seconds:.1f} s.\n")
    print(error_table.table(rows, NORMAL_HEIGHT))
    print("\n   distances between joints as Blender plays them, for a character 1.7 m tall\n")
    print(f"{blend}   to open: {armature.name} plays {armature.posewright.key_count} keys")
    print(f"{plot}   the error over the number of keys")
    print(f"{sheet}   those keys as poses")


def perform(output: Path) -> None:
    """Leave a bear that follows its control cursor, to play with."""
    output.mkdir(parents=True, exist_ok=True)
    load_extension()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    press(bpy.ops.posewright.bear_add)
    bear = bpy.context.object
    view.show(bear, azimuth=12.0)
    blend = output / "perform.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend), copy=True)
    keys = len(bear.posewright.spatial.sets[0].keys)
    print(f"{blend}   to open: {bear.name} follows its red cursor through {keys} poses")


def load_extension() -> ModuleType:
    bpy.ops.preferences.addon_enable(module=MODULE)
    package = importlib.import_module(MODULE)
    for part in PARTS:
        importlib.import_module(f"{MODULE}.{part}")
    return package


def press(operator: Any, **options: Any) -> None:
    """Run an operator as its button does; what it reports as an error ends the demo."""
    try:
        done = operator("EXEC_DEFAULT", **options)
    except RuntimeError as error:
        raise Stop(str(error).strip().removeprefix("Error: ")) from error
    if done != {"FINISHED"}:
        raise Stop(f"{operator} did not finish.")
