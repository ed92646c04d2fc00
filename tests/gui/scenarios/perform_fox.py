# SPDX-License-Identifier: GPL-3.0-or-later
"""From an imported fox to five recorded seconds by the mouse alone: a ready set, Record, and the drag."""

import bpy
import numpy as np
from first_take import Hand, turned


def scenario(ui):
    ui.clear()
    rig = ui.character("Fox.glb")
    with ui.override():
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_selected()
    ui.area().spaces.active.overlay.show_relationship_lines = False
    yield from ui.open_sidebar("Perform")
    yield from ui.widen_sidebar(80)
    hand = Hand(ui)
    yield from hand.ready_set("L", rig)  # Look
    ui.screenshot("ready")
    yield from hand.record(rig, (120, 30))
    ui.screenshot("recorded")
    assert hand.count == 4, "the menu, Look, Record and the drag"
    first, last = rig.animation_data.action.frame_range
    assert last - first >= 5 * bpy.context.scene.render.fps - 1
    heads = turned(rig, "b_Head_05", np.linspace(first, first + 5 * bpy.context.scene.render.fps, 11))
    assert np.abs(heads - heads[0]).max() > 0.1
