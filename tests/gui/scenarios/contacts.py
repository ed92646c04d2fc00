# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts over time, in the panel and below the filmstrip; what is marked by hand is shown, and undone."""

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
    yield from search_and_undo(ui, rig.name)


def search_and_undo(ui, name):
    """F3 finds Mark Contact, which takes the active bone and the preview range; Ctrl Z takes it back."""

    def known():
        return bpy.data.objects[name].posewright.reduced.posewright

    scene, bones, before = bpy.context.scene, bpy.data.objects[name].data.bones, known().contacts
    with ui.override():
        bpy.ops.object.mode_set(mode="POSE")
    bones.active = bones["RightFoot"]
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 20, 60
    bpy.ops.ed.undo_push(message="a preview range")
    yield from ui.search("mark contact")
    ui.screenshot("dialog")
    yield from ui.press("RET")
    yield from ui.until(lambda: known().contacts != before, what="the mark")
    assert "[20.0, 60.0]" in known().contacts_by_hand
    ui.screenshot("searched")
    yield from ui.press("Z", ctrl=True)
    yield from ui.until(lambda: known().contacts == before, what="what was before")
