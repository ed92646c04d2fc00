# SPDX-License-Identifier: GPL-3.0-or-later
"""A face and a body recorded in rounds after a count-in; then a script moves the cursor, and fails."""

import bpy
from bears import add_bear
from installed import part

perform = part("operators.perform")
kept_takes = part("bridge.spatial.takes.kept_takes")
cursor_source = part("bridge.spatial.cursor_source")


def scenario(ui):
    ui.clear()
    with ui.override():
        rig = add_bear()
        smile = add_smile(rig)
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_all()
    yield from ui.open_sidebar("Perform")
    settings = rig.posewright.spatial
    let_keys_smile(rig, smile)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 24
    settings.record_loop, settings.record_count_in = True, 6
    yield from ui.settle()

    x, y = yield from press_cursor(ui)
    assert scene.frame_current == 1
    ui.screenshot("count_in")
    yield from ui.until(lambda: scene.frame_current > 1, what="the count-in to be over")
    for step in range(1, 60):
        yield from ui.move(x + (step * 90) % 400, y - (step * 50) % 150)
        if performance().rounds >= 2:
            break
    rounds = performance().rounds
    assert rounds >= 2
    ui.screenshot("third_round")
    ui.window.event_simulate(type="LEFTMOUSE", value="RELEASE", x=x, y=y)
    yield from ui.until(lambda: not perform.is_performing(), seconds=60.0, what="the takes to be written")
    takes = kept_takes.takes_of(rig)
    assert len(takes) >= rounds, "each whole round is a take"
    assert smile.id_data.animation_data.action is not None, "shape keys have an action of their own"
    faces = [track.name for track in smile.id_data.animation_data.nla_tracks]
    assert faces
    assert set(faces) <= {track.name for track in takes}, "faces are kept with their takes"
    ui.open_panel("POSEWRIGHT_PT_spatial_takes")
    yield from ui.settle()
    ui.screenshot("takes")
    with ui.override():
        bpy.ops.ed.undo()
    yield from ui.settle()
    rig, scene = bpy.data.objects["Bear"], bpy.context.scene
    assert not kept_takes.takes_of(rig), "one undo takes all rounds back"

    rig.posewright.spatial.record_loop, rig.posewright.spatial.record_count_in = False, 0
    asked = []

    def hand():
        asked.append(None)
        if len(asked) > 60:
            raise RuntimeError("the device was unplugged")
        return (0.01 * len(asked), -1.0, 1.4)

    cursor_source.use(hand)
    with ui.override():
        bpy.ops.posewright.perform("INVOKE_DEFAULT", record=True)
    yield from ui.until(lambda: not cursor_source.is_used(), what="the script to fail")
    yield from ui.until(lambda: scene.frame_current > 4, what="some frames")
    ui.screenshot("script_failed")
    yield from ui.press("RET", at=ui.middle())
    yield from ui.until(lambda: not perform.is_performing(), what="the take to be written")
    action = bpy.data.objects["Bear"].animation_data.action
    assert action is not None, "the take is not lost"
    assert action.frame_range[1] > 3


def under_way():
    return part("handlers.busy").under_way()


def performance():
    return under_way()._session


def press_cursor(ui):
    with ui.override():
        bpy.ops.posewright.perform("INVOKE_DEFAULT", record=True)
    yield from ui.settle()
    settings = bpy.data.objects["Bear"].posewright.spatial
    x, y = ui.on_screen(settings.sets[settings.set_index].cursor.matrix_world.translation)
    yield from ui.move(x, y)
    ui.window.event_simulate(type="LEFTMOUSE", value="PRESS", x=x, y=y)
    yield from ui.until(lambda: under_way()._starts_at is not None, what="the count-in to begin")
    yield from ui.settle()
    return x, y


def add_smile(rig):
    """A shape key on the first mesh of the bear."""
    skin = part("bridge.character").skins_of(rig)[0]
    skin.shape_key_add(name="Basis")
    block = skin.shape_key_add(name="wide", from_mix=False)
    for point in block.data:
        point.co.x *= 1.4
    block.value = 0.0
    return block


def let_keys_smile(rig, smile):
    """One key more than the others has the shape."""
    settings = rig.posewright.spatial
    settings.live = False
    spatial_set = settings.sets[settings.set_index]
    for index, key in enumerate(spatial_set.keys):
        spatial_set.key_index = index
        bpy.ops.posewright.spatial_key_go_to()
        smile.value = 1.0 if "left" in key.name.lower() or index == 1 else 0.0
        bpy.ops.posewright.spatial_key_update(bones="ALL")
    smile.value = 0.0
    settings.live = True
    bpy.ops.ed.undo_push(message="ready")
