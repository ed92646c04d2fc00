# SPDX-License-Identifier: GPL-3.0-or-later
"""Recording while the scene plays, on selected bones over an earlier take, with a change of sets."""

import bpy
import numpy as np
from bears import add_bear, apply_pose, posed
from bone_selection import select_only
from installed import part


def keys_of(rig, bone):
    bag = rig.animation_data.action.layers[0].strips[0].channelbag(rig.animation_data.action_slot)
    return {
        (curve.data_path, curve.array_index): [tuple(key.co) for key in curve.keyframe_points]
        for curve in bag.fcurves
        if f'"{bone}"' in curve.data_path
    }


def press_key(ui, key, unicode, at):
    ui.window.event_simulate(type=key, value="PRESS", x=at[0], y=at[1], unicode=unicode)
    ui.window.event_simulate(type=key, value="RELEASE", x=at[0], y=at[1])


def scenario(ui):
    ui.clear()
    with ui.override():
        rig = add_bear()
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_all()
        rig.posewright.spatial.live = False
        add_nodding(rig)
        path = [
            {"name": "", "frame": frame, "place": place}
            for frame, place in ((1, (0, -1, 1.2)), (200, (1, -1, 1.2)))
        ]
        bpy.ops.posewright.bake_cursor(path=path)
    yield 0.3
    settings = rig.posewright.spatial
    settings.record_with_scene, settings.record_selected = True, True
    settings.transition = 4
    scene = bpy.context.scene
    scene.frame_end, scene.sync_mode = 120, "FRAME_DROP"
    select_only(rig, "head")
    before = {bone: keys_of(rig, bone) for bone in ("spine", "head")}
    start = bpy.context.scene.frame_current

    with ui.override():
        bpy.ops.ed.undo_push(message="ready")
        bpy.ops.posewright.perform("INVOKE_DEFAULT", record=True)
    yield 0.1
    x, y = ui.on_screen(settings.sets[0].cursor.matrix_world.translation)
    yield from ui.move(x, y)
    ui.window.event_simulate(type="LEFTMOUSE", value="PRESS", x=x, y=y)
    yield None
    for step in range(4):
        yield from ui.move(x + 40 * step, y + 20 * step)
    assert ui.window.screen.is_animation_playing, "the scene plays while recording"
    press_key(ui, "TWO", "2", (x + 120, y + 60))
    yield 0.3
    assert settings.set_index == 1, "the second set took over"
    for step in range(3):
        yield from ui.move(x + 120, y + 60 - 40 * step)
    ui.window.event_simulate(type="LEFTMOUSE", value="RELEASE", x=x, y=y)
    # Slow playback may come round to the first frame by itself: that is not the end yet.
    perform = part("operators.perform")
    yield from ui.until(lambda: not perform.is_performing(), seconds=30.0, what="the end of the take")
    assert bpy.context.scene.frame_current == start
    yield from ui.settle()

    assert not ui.window.screen.is_animation_playing
    assert bpy.ops.posewright.perform.get_rna_type() is not None
    rig = bpy.data.objects["Bear"]
    assert keys_of(rig, "spine") == before["spine"], "the first take stays"
    after = keys_of(rig, "head")
    assert after.keys() == before["head"].keys()
    assert any(not np.allclose(after[channel], before["head"][channel]) for channel in after)
    frames = {key[0] for keys in after.values() for key in keys}
    assert max(frames) == 200, "keys after the recording stay"
    with ui.override():
        bpy.ops.ed.undo()
    yield 0.3
    rig = bpy.data.objects["Bear"]
    assert keys_of(rig, "head") == before["head"], "one step of undo"
    yield 0.1


def add_nodding(rig):
    """A second set for the head alone, ready to take over with the key 2."""
    bpy.ops.posewright.spatial_set_add(name="Nod")
    select_only(rig, "head")
    for name, angle, place in (("nod", 40, (0, -1, 0.8)), ("toss", -30, (0, -1, 1.8))):
        apply_pose(rig, posed(rig, {"head": (angle, 0, 0)}, (0, 0, 0)))
        bpy.ops.posewright.spatial_key_add(name=name, place=place, bones="SELECTED")
    apply_pose(rig, posed(rig, {}, (0, 0, 0)))
    bpy.ops.posewright.spatial_set_switch(index=0)
