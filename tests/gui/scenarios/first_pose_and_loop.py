# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip that begins with a T-pose, left out at the press of its button; and a walk that goes round."""

import bpy
from bone_selection import select
from installed import part
from interface import Skip

from benchmarks import clips


def scenario(ui):
    if clips.clip_folder() is None:
        raise Skip(clips.MISSING)
    ui.clear()
    with ui.override():
        bpy.ops.import_anim.bvh(filepath=str(clips.clip_path("02_01")), global_scale=0.056)
    rig = bpy.context.object
    yield from ui.frame_all()
    yield from ui.open_sidebar()
    yield from ui.press_button("posewright.analyze")
    yield from ui.until(lambda: rig.posewright.reduced, what="the analysis")
    first = rig.posewright.reduced.frame_range[0]
    assert rig.posewright.reduced.posewright.rows_before_motion == 1
    yield 1.0  # panels slide into place
    ui.screenshot("t-pose offered")
    yield from ui.press_button("posewright.leave_out_first_pose")
    yield from ui.until(
        lambda: rig.posewright.reduced.frame_range[0] == first + 1.0, what="the motion without its T-pose"
    )
    yield 1.0  # panels slide into place
    ui.screenshot("t-pose left out")

    ui.clear()
    fox = ui.character("Fox.glb")
    bpy.context.view_layer.objects.active = fox
    # Importers before 4.4 name actions after their armature too.
    action = next(each for each in bpy.data.actions if each.name.startswith("Run"))
    part("bridge.actions").assign(fox, action, part("bridge.distil.channels").slots_for(fox, action)[0])
    with ui.override():
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.pose.select_all(action="DESELECT")
        bpy.ops.object.mode_set(mode="OBJECT")
    select(bone for bone in fox.pose.bones if bone.name.startswith("b_LeftLeg"))
    edge = ui.area("DOPESHEET_EDITOR")
    top = edge.y + edge.height
    yield from ui.drag((600, top), (600, top + 250))
    yield from ui.frame_all()
    yield from ui.press_button("posewright.analyze")
    yield from ui.until(lambda: fox.posewright.reduced, what="the analysis")
    assert part("bridge.distil.reductions").get(fox).analysis().loop is not None
    ui.area("DOPESHEET_EDITOR").type = "GRAPH_EDITOR"
    yield from ui.settle()
    with ui.override(area="GRAPH_EDITOR"):
        bpy.ops.graph.view_all()
    yield from ui.settle()
    ui.screenshot("loop")
