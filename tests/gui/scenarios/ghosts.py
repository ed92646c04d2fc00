# SPDX-License-Identifier: GPL-3.0-or-later
"""Ghosts in a real viewport: ink where the key poses are, following the keys, gone when off."""

import bpy
import numpy as np
from bone_selection import select
from installed import PACKAGE, part
from mathutils import Vector
from screenshots import read_screen


def keep_only(rig, frames, source):
    """Replace the keys of the action by a few of the source's, as the slider does."""
    actions, baking = part("bridge.actions"), part("bridge.baking")
    curves = actions.curves_of(rig)
    values = source[np.searchsorted(np.arange(1, len(source) + 1), frames)]
    baking.write_keys(curves, baking.Keys(np.asarray(frames, float), values))


def look_from(ui, view, rig):
    ui.area().spaces.active.region_3d.view_perspective = "ORTHO"
    with ui.override():
        bpy.ops.view3d.view_axis(type=view)
    settings = ui.area().spaces.active
    settings.overlay.show_relationship_lines = False
    settings.region_3d.view_location = rig.matrix_world.translation


def picture(ui):
    return read_screen(ui.screen).astype(int)


def pixel(ui, shot, point):
    x, y = ui.on_screen(point)
    return shot[shot.shape[0] - 1 - y, x]


def inked_bones(ui, before, after, rig, frames, shift=None):
    """The share of bones of all key poses whose middle looks different with ghosts on."""
    shown = part("bridge.pictures.sampled_poses").sample_poses(rig, frames)
    region = ui.region("WINDOW")
    changed = []
    for row in range(len(shown)):
        for head, tail in zip(shown.heads[row], shown.tails[row], strict=True):
            if np.linalg.norm(tail - head) < 0.08 * shown.size:
                continue
            point = Vector(0.8 * head + 0.2 * tail)
            x, y = ui.on_screen(point)
            inside = 0 < x - region.x < region.width - 260 and 90 < y - region.y < region.height - 90
            if inside:
                changed.append(np.abs(pixel(ui, before, point) - pixel(ui, after, point)).max() > 12)
    assert len(changed) > 40, "enough bones are in view"
    return np.mean(changed)


def scenario(ui):
    ghosts = part("drawing.ghost_overlay")
    ui.clear()
    rig = ui.mocap("02_01")
    rig.show_in_front = False
    rig.data.display_type = "WIRE"
    frames = part("bridge.pictures.sampled_poses").chosen_poses(rig, bpy.context.scene, "keyposes", 8).frames
    actions = part("bridge.actions")
    source = actions.read_values(actions.curves_of(rig), np.arange(1.0, 344.0))
    keep_only(rig, frames, source)
    look_from(ui, "RIGHT", rig)
    yield from ui.frame_all()
    yield from ui.open_sidebar()
    settings = bpy.context.scene.posewright.ghosts
    region = ui.area().spaces.active.region_3d
    shown = part("bridge.pictures.sampled_poses").sample_poses(rig, frames)
    region.view_location = Vector(shown.ends.reshape(-1, 3).mean(axis=0))
    region.view_distance = 9.0
    bpy.context.scene.frame_set(int(frames[-1]))
    yield 0.6
    before = picture(ui)

    settings.show = True
    yield from ui.until(lambda: ghosts.information(rig) is not None, what="ghosts")
    yield 0.6
    after = picture(ui)
    ui.screenshot("travelling")
    assert inked_bones(ui, before, after, rig, frames) > 0.9, "every bone of every key pose is drawn"

    # Fewer keys: the ghosts follow by themselves.
    fewer = frames[::3]
    keep_only(rig, fewer, source)
    yield from ui.until(lambda: len(ghosts.information(rig).frames) == len(fewer), what="fewer ghosts")
    assert np.allclose(ghosts.information(rig).frames, fewer)
    keep_only(rig, frames, source)
    yield from ui.until(lambda: len(ghosts.information(rig).frames) == len(frames), what="more ghosts")

    # Playing the animation changes no keys, so nothing is gathered again.
    before_playing = ghosts._state.shown[rig.name]
    with ui.override():
        bpy.ops.screen.animation_play()
    yield 1.5
    assert bpy.context.screen.is_animation_playing
    with ui.override():
        bpy.ops.screen.animation_cancel()
    assert ghosts._state.shown[rig.name] is before_playing
    bpy.context.scene.frame_set(int(frames[-1]))

    # Grabbed and moved, the armature takes its ghosts along when it is let go.
    centres = ghosts.information(rig).centres.copy()
    yield from ui.press("G")
    x, y = ui.middle()
    for step in range(1, 6):
        yield from ui.move(x + 8 * step, y + 5 * step)
    assert ghosts._is_transforming()
    yield from ui.press("RET", at=(x + 40, y + 25))
    way = np.array(rig.location)
    assert np.linalg.norm(way) > 0.05
    yield from ui.until(
        lambda: np.allclose(ghosts.information(rig).centres - centres, way, atol=1e-3), what="moved ghosts"
    )
    rig.location = (0.0, 0.0, 0.0)
    yield from ui.until(
        lambda: np.allclose(ghosts.information(rig).centres, centres, atol=1e-3), what="ghosts moved back"
    )

    # Edit mode shows no pose and so no ghosts; they come back after it.
    with ui.override():
        bpy.ops.object.mode_set(mode="EDIT")
    yield 0.4
    with ui.override():
        bpy.ops.object.mode_set(mode="OBJECT")
    yield 0.4

    # Paths of selected bones.
    with ui.override():
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.pose.select_all(action="DESELECT")
    select(rig.pose.bones[name] for name in ("LeftFoot", "RightHand"))
    settings.paths = True
    yield from ui.until(lambda: len(ghosts.information(rig).paths) == 2, what="paths")
    yield 0.6
    ui.screenshot("paths")

    # Off leaves nothing behind.
    settings.paths = False
    with ui.override():
        bpy.ops.object.mode_set(mode="OBJECT")
    settings.show = False
    yield from ui.settle()
    assert ghosts.information(rig) is None
    assert not ghosts._state.callbacks
    window = ui.region("WINDOW")
    inside = (
        slice(before.shape[0] - window.y - window.height + 90, before.shape[0] - window.y - 90),
        slice(window.x + 60, window.x + window.width - 320),
    )
    yield from ui.until(
        lambda: np.abs(picture(ui)[inside] - before[inside]).max() < 12, what="the view of before"
    )

    # Disabled while they are shown, the add-on takes them along; enabled again, they are back.
    settings.show = True
    yield from ui.until(lambda: ghosts.information(rig) is not None, what="ghosts again")
    bpy.ops.preferences.addon_disable(module=PACKAGE)
    yield 0.4
    assert not ghosts._state.callbacks
    assert not any("posewright" in function.__module__ for function in bpy.app.handlers.depsgraph_update_post)
    bpy.ops.preferences.addon_enable(module=PACKAGE)
    ghosts = part("drawing.ghost_overlay")
    yield from ui.until(lambda: ghosts.information(rig) is not None, what="ghosts of the enabled add-on")

    # Deleting the armature, and another file, do no harm.
    bpy.data.objects.remove(rig)
    yield 0.4
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    yield 0.6
    assert not ghosts._state.callbacks
