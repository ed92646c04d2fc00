# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets of the real character, ghosts of its skin that follow the slider, and the buttons of the panel."""

import importlib

import bpy
import numpy as np
from installed import PACKAGE, part
from mathutils import Vector

from demo.character import animate, build_character
from demo.movement import make_movement


def character():
    """The demo's character: an armature and a body, walking and jumping."""
    for name in list(bpy.data.objects.keys()):
        bpy.data.objects.remove(bpy.data.objects[name])
    armature = build_character()
    package = importlib.import_module(PACKAGE)
    part("bridge.baking")
    part("bridge.actions")
    animate(armature, make_movement(), package)
    return armature


def pixels_of(image):
    values = np.empty(image.size[0] * image.size[1] * 4, np.float32)
    image.pixels.foreach_get(values)
    return values.reshape(image.size[1], image.size[0], 4)[::-1]


def look_at(ui, points, factor=1.0):
    region = ui.area().spaces.active.region_3d
    region.view_perspective = "ORTHO"
    with ui.override():
        bpy.ops.view3d.view_axis(type="FRONT")
    low, high = points.min(axis=0), points.max(axis=0)
    region.view_location = Vector((low + high) / 2.0)
    region.view_distance = factor * float(np.linalg.norm(high - low))


def figures_in(picture, background):
    """Groups of columns with ink, between the heading and the frame numbers."""
    body = picture[60 : -int(0.2 * len(picture))]
    inked = (np.abs(body[..., :3] - background).max(axis=2) > 0.15).sum(axis=0) > 3
    return int(np.count_nonzero(np.diff(np.concatenate([[0], inked.astype(int)])) == 1))


def scenario(ui):
    ghosts, poses = part("drawing.ghost_overlay"), part("bridge.pictures.sampled_poses")
    with ui.override():
        armature = character()
        bpy.ops.posewright.analyze()
        armature.posewright.key_count = 9
    settings = bpy.context.scene.posewright.ghosts
    frames = poses.key_poses(armature)
    assert len(frames) == 9
    look_at(ui, poses.sample_poses(armature, frames).ends.reshape(-1, 3), 1.3)
    yield from ui.open_sidebar()

    # Ghosts of the skin, following the slider.
    settings.skin = True
    settings.show = True
    yield from ui.until(lambda: ghosts.information(armature) is not None, what="ghosts")
    assert not ghosts.information(armature).skin_left_out
    yield 0.6
    ui.screenshot("skin")
    for count in (4, 13):
        armature.posewright.key_count = count
        yield from ui.until(
            lambda count=count: len(ghosts.information(armature).frames) == count, what=f"{count} ghosts"
        )

    # The slider itself, dragged with the mouse: the ghosts follow before the button is released. If figures
    # are measured between the press and the first step, Blender may take simulated events (not those of a
    # real mouse) for a drag over several fields, which opens them for typing.
    reduction = part("bridge.distil.reductions").get(armature)
    changes = part("bridge.distil.editing.changes")
    yield from ui.until(lambda: changes.is_measured(reduction), 60.0, "the figures")
    analysis = reduction.analysis()
    counts = analysis.solutions.counts
    x, y = yield from ui.find(f"key_count_{counts[0]}_to_{counts[-1]}_of_{len(analysis.frames)}")
    ui.window.event_simulate(type="LEFTMOUSE", value="PRESS", x=x, y=y)
    yield None
    for step in range(1, 9):
        yield from ui.move(x + 3 * step, y)
    yield from ui.until(
        lambda: (
            armature.posewright.key_count > 13
            and len(ghosts.information(armature).frames) == min(armature.posewright.key_count, settings.most)
        ),
        what="ghosts while dragging",
    )
    ui.window.event_simulate(type="LEFTMOUSE", value="RELEASE", x=x + 24, y=y)
    yield 0.2
    settings.show = False
    armature.posewright.key_count = 9
    yield 0.4

    # A sheet of the character as the viewport shows it.
    overlays = ui.area().spaces.active.overlay.show_overlays
    target = ui.temporary / "sheet.png"
    with ui.override():
        done = bpy.ops.posewright.pose_sheet(character=True, view="BEST", filepath=str(target))
    assert done == {"FINISHED"}
    assert target.is_file()
    (ui.screenshots / "pictures-character-sheet.png").write_bytes(target.read_bytes())
    picture = pixels_of(bpy.data.images[f"{armature.animation_data.action.name} poses"])
    assert figures_in(picture, picture[0, 0, :3]) >= 6
    for border in (picture[:4], picture[-4:], picture[:, :4], picture[:, -4:]):
        assert np.abs(border[..., :3] - picture[0, 0, :3]).max() < 0.02, "nothing is cut off"
    assert ui.area().spaces.active.overlay.show_overlays == overlays
    assert len(bpy.data.scenes) == 1

    # The mesh is what is drawn by default, in thumbnails too, and nothing of it stays behind.
    objects = set(bpy.data.objects)
    with ui.override():
        bpy.ops.posewright.pose_sheet(view="BEST", filepath=str(ui.temporary / "default.png"))
        assert bpy.ops.posewright.motion_thumbnail(algorithm="saliency") == {"FINISHED"}
    assert (ui.temporary / "default.png").read_bytes() == target.read_bytes()
    action = armature.animation_data.action
    thumbnail = np.empty(action.preview.image_size[0] * action.preview.image_size[1] * 4, np.float32)
    action.preview.image_pixels_float.foreach_get(thumbnail)
    assert (thumbnail[3::4] > 0.1).mean() > 0.04, "a character is in the picture"
    assert set(bpy.data.objects) == objects
    canvas = bpy.data.images.new("thumbnail", *action.preview.image_size, alpha=True)
    canvas.pixels.foreach_set(thumbnail)
    canvas.save(filepath=str(ui.screenshots / "pictures-thumbnail.png"))

    # The same poses as a synopsis, the earlier ones fainter.
    with ui.override():
        bpy.ops.posewright.pose_sheet(
            character=True, arrangement="SYNOPSIS", filepath=str(ui.temporary / "synopsis.png")
        )
    (ui.screenshots / "pictures-character-synopsis.png").write_bytes(
        (ui.temporary / "synopsis.png").read_bytes()
    )

    # The camera sees the same from its place.
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera
    middle = poses.sample_poses(armature, frames).ends.reshape(-1, 3).mean(axis=0)
    camera.location = middle + np.array([2.0, -9.0, 1.0])
    camera.rotation_euler = (np.radians(84.0), 0.0, np.radians(12.0))
    with ui.override():
        bpy.ops.posewright.pose_sheet(
            character=True, view="CAMERA", theme="DARK", filepath=str(ui.temporary / "camera.png")
        )
    (ui.screenshots / "pictures-camera-sheet.png").write_bytes((ui.temporary / "camera.png").read_bytes())

    # The button asks, Enter agrees, and the sheet opens in a window of its own.
    for image in list(bpy.data.images):
        bpy.data.images.remove(image)
    bpy.context.preferences.view.ui_scale = 0.8  # or the panel is below the window's edge
    yield 0.6
    yield from ui.press_button("posewright.pose_sheet")
    yield 0.6
    ui.screenshot("dialog")
    x, y = ui.middle()
    yield from ui.press("RET", at=(x, y))
    yield from ui.until(lambda: any("poses" in image.name for image in bpy.data.images), what="the sheet")
    yield 1.0
    ui.screenshot("opened")
    editors = [
        area.spaces.active.image
        for window in bpy.context.window_manager.windows
        for area in window.screen.areas
        if area.type == "IMAGE_EDITOR"
    ]
    assert any(image is not None and "poses" in image.name for image in editors)
