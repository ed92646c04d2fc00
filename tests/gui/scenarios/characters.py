# SPDX-License-Identifier: GPL-3.0-or-later
"""Every character as it is imported: what was found, its keys as ghosts, sheet and thumbnail, and a set.

`docs/images/characters.py` makes the pictures of the documentation of what is written here.
"""

import bpy
import numpy as np
from installed import part
from interface import Skip
from mathutils import Euler, Vector
from screenshots import read_screen, write_png

from benchmarks import character_files
from benchmarks.character_files import animate_rigify, generate_rigify_into_scene, import_into_scene


def open_character_panels():
    """Closed panels open by a click whose place nobody knows beforehand; under new names they begin open."""
    panels = part("panels.character_panel")
    for cls in reversed(panels.CLASSES):
        bpy.utils.unregister_class(cls)
    for cls in panels.CLASSES:
        cls.bl_options, cls.bl_order = set(), 0
        bpy.utils.register_class(cls)


def play_a_walk(armature):
    """Of several actions one that shows something."""
    channels, fitting = part("bridge.distil.channels"), []
    for action in bpy.data.actions:
        slots = channels.slots_for(armature, action)
        if slots and "walk" in action.name.lower():
            fitting.append((action.name, action, slots[0]))
    for _, action, slot in sorted(fitting, key=lambda each: each[0])[:1]:
        part("bridge.actions").assign(armature, action, slot)


def length_of(armature):
    """How far the mesh of a character goes to the side or ahead, if it has one; a fox is longer than high."""
    skins = part("bridge.character").skins_of(armature)
    corners = [each.matrix_world @ Vector(corner) for each in skins for corner in each.bound_box]
    return float(np.ptp(np.array(corners)[:, :2], axis=0).max()) if corners else 0.0


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
    view.view_distance = 1.7 * max(height, 0.8 * length_of(armature))


def preview(action):
    """(H, W, 3) the preview of an action, as the Asset Browser shows it."""
    width, height = action.preview.image_size
    pixels = np.empty(width * height * 4, np.float32)
    action.preview.image_pixels_float.foreach_get(pixels)
    shown = pixels.reshape(height, width, 4)[::-1]
    return (255.0 * shown[..., :3] * shown[..., 3:] + 60.0 * (1.0 - shown[..., 3:])).astype(np.uint8)


def ink(ui, before):
    region = ui.region("WINDOW")
    shot = read_screen(ui.screen).astype(int)
    changed = np.abs(shot - before).max(axis=2) > 30
    return int(changed[:, : region.x + region.width - 300].sum())


def scenario(ui):
    files = character_files.all_files()
    if not files:
        raise Skip(character_files.MISSING)
    open_character_panels()
    bpy.context.scene.unit_settings.system = "METRIC"
    for file in [*files, None]:
        ui.clear()
        for action in list(bpy.data.actions):
            bpy.data.actions.remove(action)
        with ui.override():
            rig = import_into_scene(file) if file else generate_rigify_into_scene()
            if file is None:
                animate_rigify(rig)
        name = file.stem if file else "Rigify"
        bpy.context.view_layer.objects.active = rig
        # Bones of imported characters may be as big as a house; but without a mesh there is nothing else.
        ui.area().spaces.active.overlay.show_bones = not part("bridge.character").skins_of(rig)
        play_a_walk(rig)
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
        with ui.override():
            bpy.ops.posewright.analyze()
        rig.posewright.key_count = 6
        bpy.context.scene.posewright.ghosts.show = True
        yield from ui.until(lambda: part("drawing.ghost_overlay").information(rig), what="ghosts")  # noqa: B023
        yield 0.5
        ui.screenshot(f"{name}-ghosts")
        bpy.context.scene.posewright.ghosts.show = False
        with ui.override():
            sheet = ui.screenshots / f"{ui.name}-{name}-sheet.png"
            bpy.ops.posewright.pose_sheet(filepath=str(sheet), pose_height=200, width=2400)
            bpy.ops.posewright.motion_thumbnail()
        write_png(ui.screenshots / f"{ui.name}-{name}-thumbnail.png", preview(rig.animation_data.action))
        with ui.override():
            bpy.ops.posewright.spatial_set_add(name="Set")
            bpy.ops.posewright.spatial_key_add(bones="ALL")
        yield 0.5
        ui.screenshot(f"{name}-cursor")
