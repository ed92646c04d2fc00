# SPDX-License-Identifier: GPL-3.0-or-later
"""A dance at nine keys: an arm is raised, the hips lifted, a column dragged; all of it stays."""

import bpy
import numpy as np
from bone_selection import select, select_only
from installed import part

CLIP = "Samba_Dancing.fbx"


def rig():
    """The armature as it is now: undo makes every older reference useless."""
    return bpy.context.view_layer.objects.active


def columns():
    actions = part("bridge.actions")
    return np.unique(actions.key_frames(actions.curves_of(rig())).round(3))


def slider_name():
    fewest, most, frames = part("bridge.distil.reductions").get(rig()).analysis().offered
    return f"key_count_{fewest}_to_{most}_of_{frames}"


def place(frame, bone):
    """Where a bone's head is in a frame."""
    motion = part("bridge.sampling").sample(rig(), np.array([float(frame)]))
    return motion.positions[0, motion.names.index(bone)]


def pose(ui, bone, attribute, value, frame):
    """Change a bone and press I, as an animator does."""
    bpy.context.scene.frame_set(int(frame))
    select_only(rig(), bone)
    posed = rig().pose.bones[bone]
    setattr(posed, attribute, value(getattr(posed, attribute).copy()))
    posed.keyframe_insert(attribute)
    bpy.ops.ed.undo_push(message="Pose")
    yield 0.2


def drag_column(ui, frame, by):
    bpy.context.scene.frame_set(int(frame))
    with ui.override(area="DOPESHEET_EDITOR"):
        bpy.ops.action.select_all(action="DESELECT")
        bpy.ops.action.select_column(mode="CFRA")
        bpy.ops.transform.transform(mode="TIME_TRANSLATE", value=(by, 0.0, 0.0, 0.0))
    bpy.ops.ed.undo_push(message="Drag")
    yield 0.3


def raised(location):
    location.y += 30.0
    return location


def turned(quaternion):
    quaternion.rotate(type(quaternion)((0.0, 0.0, 1.0), 1.2))
    return quaternion


def scenario(ui):
    ui.clear()
    bpy.context.view_layer.objects.active = ui.character(CLIP)
    bpy.context.preferences.system.viewport_aa = "OFF"
    ui.area("DOPESHEET_EDITOR").ui_type = "DOPESHEET"
    edge = ui.area("DOPESHEET_EDITOR")
    yield from ui.drag((600, edge.y + edge.height), (600, edge.y + edge.height + 160))
    ui.open_panel("POSEWRIGHT_PT_distil_edits")
    bpy.ops.object.mode_set(mode="POSE")
    yield from ui.frame_all()
    yield from ui.open_sidebar()
    bpy.ops.posewright.analyze()
    rig().posewright.key_count = 9
    select(rig().pose.bones)
    bpy.ops.ed.undo_push(message="Analyzed")
    ui.area().tag_redraw()
    yield 1.0
    slider = yield from ui.find(slider_name())
    ui.screenshot("edits-1-nine-keys")

    names = rig().pose.bones.keys()
    hips, arm = (next(n for n in names if n.endswith(end)) for end in ("Hips", "LeftArm"))
    hand = next(n for n in names if n.endswith("LeftHand"))
    at, dragged = columns()[[4, 6]]
    yield from pose(ui, hips, "location", raised, at)
    yield from pose(ui, arm, "rotation_quaternion", turned, at)
    wanted = place(at, hand)
    select(rig().pose.bones)
    yield from drag_column(ui, dragged, 6)
    assert dragged + 6 in columns()
    yield from ui.until(
        lambda: part("bridge.distil.editing.changes").is_edited(part("bridge.distil.reductions").get(rig())),
        seconds=2.0,
        what="the edit",
    )
    ui.area().tag_redraw()
    yield from ui.settle()
    bpy.context.scene.frame_set(int(at))
    yield 0.5
    ui.screenshot("edits-2-edited")
    again = yield from ui.find(slider_name())
    assert again == slider, "the slider stays under the mouse"

    edited = columns().tolist()
    yield from ui.drag(slider, (slider[0] + 60, slider[1]))
    yield 0.3
    assert len(columns()) > 12, "the slider stays with the mouse, though the edits are taken in meanwhile"
    yield from ui.press("Z", ctrl=True)
    yield 0.4
    assert columns().tolist() == edited, "one undo brings the keys as they were edited back"

    height = part("bridge.sampling").height_of(rig())
    for count, name in ((30, "3-thirty-keys"), (9, "4-and-back")):
        rig().posewright.key_count = count
        bpy.context.scene.frame_set(int(at))
        yield 0.5
        assert rig().posewright.problem == ""
        assert np.linalg.norm(place(at, hand) - wanted) < 1e-3 * height
        ui.screenshot(f"edits-{name}")
    assert dragged + 6 in columns()
    for name, value, shot in (("detail", 1.0, "5-detail"), ("interpolation", "STEPPED", "6-stepped")):
        setattr(rig().posewright, name, value)
        yield 0.5
        assert np.linalg.norm(place(at, hand) - wanted) < 1e-3 * height
        ui.screenshot(f"edits-{shot}")

    yield from ui.press_button("posewright.restore", 0.3)
    yield 0.5
    ui.screenshot("edits-7-restore-asks")
    assert rig().posewright.reduced, "nothing is dropped before it is asked"
    yield from ui.press("ESC")
    yield 0.3
    assert rig().posewright.reduced
