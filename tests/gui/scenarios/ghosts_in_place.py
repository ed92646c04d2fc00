# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion in place: ghosts spread out side by side can be told apart, on dark and on light."""

from pathlib import Path

import bpy
import numpy as np
from installed import part
from mathutils import Vector
from screenshots import read_screen


def groups_of_columns(shot, off, ui):
    """How many separate columns of change there are between two screenshots of the viewport."""
    window = ui.region("WINDOW")
    rows = slice(
        shot.shape[0] - window.y - window.height // 2 - 200,
        shot.shape[0] - window.y - window.height // 2 + 200,
    )
    columns = slice(window.x + 60, window.x + window.width - 300)
    changed = (np.abs(shot[rows, columns].astype(int) - off[rows, columns]).max(axis=2) > 25).sum(axis=0) > 2
    return int(np.count_nonzero(np.diff(np.concatenate([[0], changed.astype(int)])) == 1))


def darkness_of_labels(ui, off):
    """How much darker (above 0) or brighter (below) the strongest change above the figures is."""
    window = ui.region("WINDOW")
    middle = off.shape[0] - window.y - window.height // 2
    rows, columns = slice(middle - 80, middle - 36), slice(window.x + 200, window.x + window.width - 320)
    change = (off[rows, columns] - read_screen(ui.screen).astype(int)[rows, columns]).mean(axis=2)
    return change.flat[np.argmax(np.abs(change))]


def use_theme(name):
    folders = [Path(folder) for folder in bpy.utils.preset_paths("interface_theme")]
    found = [folder / f"{name}.xml" for folder in folders if (folder / f"{name}.xml").is_file()]
    if not found:
        return False
    bpy.ops.script.execute_preset(filepath=str(found[0]), menu_idname="USERPREF_MT_interface_theme_presets")
    return True


def scenario(ui):
    ghosts = part("drawing.ghost_overlay")
    ui.clear()
    rig = ui.mocap("13_29")
    rig.data.display_type = "WIRE"
    poses, actions, baking = (
        part("bridge.pictures.sampled_poses"),
        part("bridge.actions"),
        part("bridge.baking"),
    )
    frames = poses.chosen_poses(rig, bpy.context.scene, "keyposes", 9).frames
    curves = actions.curves_of(rig)
    baking.write_keys(curves, baking.Keys(frames, actions.read_values(curves, frames)))
    bpy.context.scene.frame_set(int(frames[4]))
    settings = bpy.context.scene.posewright.ghosts
    view = ui.area().spaces.active.region_3d
    view.view_perspective = "ORTHO"
    with ui.override():
        bpy.ops.view3d.view_axis(type="FRONT")
    yield from ui.open_sidebar()
    shown = poses.sample_poses(rig, frames)
    centre = shown.ends.reshape(-1, 3).mean(axis=0)
    view.view_distance = 6.0
    view.view_location = Vector(centre)
    yield 0.5
    settings.show = True
    yield from ui.until(lambda: ghosts.information(rig) is not None, what="ghosts")
    yield 0.5
    ui.screenshot("heap")

    settings.spread = 1.3
    step = settings.spread * ghosts.information(rig).width
    view.view_location = Vector(centre) + Vector((step * 4.0, 0.0, 0.0))
    view.view_distance = step * 9.5
    settings.show = False
    yield 0.5
    off = read_screen(ui.screen).astype(int)
    settings.show = True
    yield from ui.until(lambda: ghosts.information(rig) is not None, what="ghosts")
    yield 0.5
    ui.screenshot("spread-dark")
    assert groups_of_columns(read_screen(ui.screen), off, ui) >= 7, "figures stand apart"

    assert darkness_of_labels(ui, off) < 0.0, "white numbers on a dark theme"
    if use_theme("Blender_Light"):
        yield 0.5
        ui.screenshot("spread-light")
    gradients = bpy.context.preferences.themes[0].view_3d.space.gradients
    gradients.high_gradient = (0.93, 0.93, 0.93)
    settings.show = False
    yield 0.5
    off = read_screen(ui.screen).astype(int)
    settings.show = True
    yield from ui.until(lambda: ghosts.information(rig) is not None, what="ghosts")
    yield 0.5
    ui.screenshot("spread-white")
    assert darkness_of_labels(ui, off) > 0.0, "black numbers on white"
    assert groups_of_columns(read_screen(ui.screen), off, ui) >= 7, "figures stand apart on white"

    # On a high-resolution screen numbers grow with everything else.
    bpy.context.preferences.view.ui_scale = 1.6
    yield 0.5
    ui.screenshot("large-interface")
