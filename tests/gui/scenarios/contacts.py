# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts over time, in the panel and below the filmstrip; what is marked by hand is shown as such."""

import bpy


def scenario(ui):
    ui.clear()
    rig = ui.mocap("02_01")
    yield from ui.open_sidebar()
    yield from ui.widen_sidebar(60)
    yield from ui.frame_all()
    ui.open_panel("POSEWRIGHT_PT_distil_contacts")
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 9
    rig.posewright.hold = "BAKED"
    bpy.context.scene.posewright.ghosts.filmstrip = True
    bpy.context.scene.frame_set(60)
    yield from ui.until(lambda: rig.posewright.reduced.posewright.contacts, what="contacts")
    yield from ui.move(*ui.middle())
    yield from ui.until(lambda: rig.posewright.reduced.posewright.measured_count == 9, what="figures")
    yield 1.0
    ui.screenshot("found")
    before = rig.posewright.reduced.posewright.contacts
    bpy.ops.posewright.mark_contact(bone="LeftFoot", first=100.0, last=130.0, stands=True)
    bpy.ops.posewright.mark_contact(bone="RightFoot", first=90.0, last=110.0, stands=False)
    assert rig.posewright.reduced.posewright.contacts != before
    bpy.context.scene.frame_set(115)
    yield 1.5
    ui.screenshot("by_hand")
