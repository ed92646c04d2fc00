# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose goes to the Pose Library and comes back as another key, from an asset browser and from the shelf."""

import bpy
import numpy as np
from bears import add_bear


def scenario(ui):
    ui.clear()
    with ui.override():
        rig = add_bear()
        settings = rig.posewright.spatial
        settings.live = False
        settings.sets[0].key_index = 1
        bpy.ops.posewright.spatial_key_to_library()
    pose = settings.sets[0].keys[1].pose
    assert pose.asset_data is not None
    side = pose.preview.image_size[0]
    seen = np.array(pose.preview.image_pixels_float[:]).reshape(-1, side, 4)[..., 3] > 0.5
    assert seen.any()
    assert not seen[0].any(), "nothing at the edge: the bear stands in the middle"

    browser = ui.area("PROPERTIES")
    browser.ui_type = "ASSETS"
    yield 0.5
    browser.spaces.active.params.asset_library_reference = "LOCAL"
    browser.spaces.active.show_region_toolbar = False
    yield 1.5
    shelf = ui.region("WINDOW", "FILE_BROWSER")
    yield from ui.click(shelf.x + 50, shelf.y + shelf.height - 50)
    yield 0.5
    ui.screenshot("browser")

    settings.sets[0].cursor.location = (0.5, -2.0, 0.5)
    count = len(settings.sets[0].keys)
    with ui.override():
        bpy.ops.posewright.spatial_key_from_library("INVOKE_DEFAULT")
    yield 0.2
    assert len(settings.sets[0].keys) == count + 1
    taken = settings.sets[0].keys[-1]
    assert taken.name == pose.name
    assert taken.pose != pose
    assert taken.pose.asset_data is None

    browser.ui_type = "PROPERTIES"
    yield 0.5
    settings.sets[0].cursor.location = (-0.5, -2.0, 0.5)
    view = ui.region("WINDOW")
    yield from ui.move(view.x + view.width // 2, view.y + view.height // 4)
    with ui.override():
        bpy.ops.posewright.spatial_key_from_library("INVOKE_DEFAULT")
    yield 2.0
    ui.screenshot("shelf")
    yield from ui.click(567, 310)
    yield from ui.until(lambda: len(settings.sets[0].keys) == count + 2, what="the pose that was clicked")
    assert settings.sets[0].keys[-1].pose.asset_data is None
    ui.screenshot("taken")
