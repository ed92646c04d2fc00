# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose goes to the Pose Library, is chosen in an asset browser, and comes back as another key."""

import bpy
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
