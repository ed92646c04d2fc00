# SPDX-License-Identifier: GPL-3.0-or-later
"""Every character as it is imported: what was found of it, ghosts of its keys, and a set before it."""

import importlib
import sys
from pathlib import Path

import bpy
import numpy as np
from interface import Skip
from mathutils import Euler, Vector
from screenshots import read_screen

PACKAGE = "bl_ext.user_default.posewright"


def part(name):
    return importlib.import_module(f"{PACKAGE}.{name}")


def character_files():
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
    from benchmarks import character_files

    return character_files


def open_character_panels():
    """Closed panels open by a click whose place nobody knows beforehand; under new names they begin open."""
    panels = part("panels.character_panel")
    for cls in reversed(panels.CLASSES):
        bpy.utils.unregister_class(cls)
    for cls in panels.CLASSES:
        cls.bl_options, cls.bl_order = set(), 0
        bpy.utils.register_class(cls)


def look_at(ui, armature):
    character = part("bridge.character")
    seen, height = character.shown(armature), character.height_of(armature)
    space = ui.area().spaces.active
    space.overlay.show_relationship_lines = False
    space.clip_end = 100.0 * height
    view = space.region_3d
    view.view_perspective = "ORTHO"
    turn = float(np.arctan2(seen.front[0], -seen.front[1]))
    view.view_rotation = Euler((1.25, 0.0, turn + 0.6)).to_quaternion()
    view.view_location = Vector((*seen.middle[:2], seen.ground + 0.5 * height))
    view.view_distance = 1.9 * height


def ink(ui, before):
    region = ui.region("WINDOW")
    shot = read_screen(ui.screen).astype(int)
    changed = np.abs(shot - before).max(axis=2) > 30
    return int(changed[:, : region.x + region.width - 300].sum())


def scenario(ui):
    files = character_files()
    folder = files.character_folder()
    if folder is None:
        raise Skip(files.MISSING)
    open_character_panels()
    bpy.context.scene.unit_settings.system = "METRIC"
    for file in [*files.character_files(folder), None]:
        ui.clear()
        with ui.override():
            rig = files.import_into_scene(file) if file else files.generate_rigify_into_scene()
        name = file.stem if file else "Rigify"
        bpy.context.view_layer.objects.active = rig
        ui.area().spaces.active.overlay.show_bones = file is None  # imported, they may be as big as a house
        bpy.context.scene.frame_set(10)
        yield from ui.open_sidebar()
        look_at(ui, rig)
        yield 0.5
        before = read_screen(ui.screen).astype(int)
        rig.posewright.character.show = True
        yield 0.5
        ui.screenshot(f"{name}-found")
        assert ink(ui, before) > 1500, f"{name}: what was found is drawn"
        rig.posewright.character.show = False
        if file:
            with ui.override():
                bpy.ops.posewright.analyze()
            rig.posewright.key_count = 6
            bpy.context.scene.posewright.ghosts.show = True
            yield from ui.until(lambda: part("drawing.ghost_overlay").information(rig), what="ghosts")  # noqa: B023
            yield 0.5
            ui.screenshot(f"{name}-ghosts")
            bpy.context.scene.posewright.ghosts.show = False
        with ui.override():
            bpy.ops.posewright.spatial_set_add(name="Set")
            bpy.ops.posewright.spatial_key_add(bones="ALL")
        yield 0.5
        ui.screenshot(f"{name}-cursor")
