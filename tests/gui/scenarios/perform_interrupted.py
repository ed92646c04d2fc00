# SPDX-License-Identifier: GPL-3.0-or-later
"""What comes between: a marker deleted and undone, undo, saving, a pose edited, another scene or workspace, a
quad view, the add-on disabled.
"""

from pathlib import Path

import bpy
from bears import KEYS, apply_pose, build_bear, posed
from installed import PACKAGE, part
from mathutils import Quaternion, Vector


def bear():
    return bpy.data.objects["Bear"]


def settings():
    return bear().posewright.spatial


def scenario(ui):
    ui.clear()
    with ui.override():
        rig = build_bear()
        bpy.ops.posewright.spatial_set_add(name="Acting")
        for name, (place, turns, hips) in KEYS.items():
            apply_pose(rig, posed(rig, turns, hips))
            settings().sets[0].cursor.location = place
            bpy.ops.posewright.spatial_key_add(name=name)
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_all()
    yield from ui.open_sidebar("Perform")
    yield from delete_a_marker_and_undo(ui)
    yield from undo_in_the_middle(ui)
    yield from save_in_the_middle(ui)
    yield from edit_the_pose(ui)
    yield from change_the_scene(ui)
    yield from perform_in_four_views(ui)
    yield from change_the_workspace(ui, record=False)
    yield from change_the_workspace(ui, record=True)
    yield from disable_the_addon(ui)


def delete_a_marker_and_undo(ui):
    sets = part("bridge.spatial.sets")
    names = [key.name for key in settings().sets[0].keys]
    with ui.override():
        bpy.ops.object.select_all(action="DESELECT")
        marker = settings().sets[0].keys[1].marker
        marker.select_set(True)
        bpy.context.view_layer.objects.active = marker
        bpy.ops.ed.undo_push(message="Selected")
    for _ in range(2):
        yield from ui.press("DEL", ui.middle())
        yield from ui.until(
            lambda: len(sets.usable_keys(settings().sets[0])) == len(names) - 1, what="deleting"
        )
        with ui.override():
            bpy.context.view_layer.objects.active = bear()
        yield 0.3
        ui.screenshot("marker-deleted")
        yield from ui.press("Z", ui.middle(), ctrl=True)
        yield from ui.until(lambda: len(sets.usable_keys(settings().sets[0])) == len(names), what="undo")
        assert settings().sets[0].keys[1].marker.name in bpy.context.scene.objects


def begin(ui, **options):
    with ui.override():
        bpy.context.view_layer.objects.active = bear()
        bpy.ops.posewright.perform("INVOKE_DEFAULT", **options)
    yield from ui.until(is_performed, what="performing")


def is_performed():
    return part("operators.perform").is_performing()


def state():
    """What a performance changes."""
    channels = part("bridge.spatial.posing.poses").all_channels(bear())
    return tuple(settings().sets[0].cursor.location), settings().live, channels.tobytes()


def drag_aside(ui):
    x, y = ui.middle()
    yield from ui.drag((x, y), (x + 60, y), 4)


def undo_in_the_middle(ui):
    with ui.override():
        bear()["twist"] = 1.0
        bpy.ops.ed.undo_push(message="Something to undo")
    before = state()
    yield from begin(ui)
    yield from drag_aside(ui)
    assert state() != before
    with ui.override():
        bpy.ops.ed.undo()
    yield from ui.until(lambda: not is_performed(), what="the end of the performance")
    yield from ui.move(*ui.middle())
    assert state() == before
    assert "twist" not in bear()
    yield from drag_aside(ui)
    assert state() == before, "nothing follows the mouse any more"
    ui.screenshot("undone")


def save_in_the_middle(ui):
    path = Path(bpy.app.tempdir) / "performed.blend"
    before = state()
    yield from begin(ui)
    yield from drag_aside(ui)
    performed = state()
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True, check_existing=False)
    assert is_performed()
    assert state() == performed, "it goes on as if nothing had been saved"
    with bpy.data.libraries.load(str(path)) as (_, wanted):
        wanted.objects = ["Bear"]
    saved = wanted.objects[0]
    assert saved.posewright.spatial.live == before[1]
    assert tuple(saved.posewright.spatial.sets[0].cursor.location) == before[0]
    bpy.data.batch_remove([saved, *part("bridge.spatial.sets").objects_of(saved)])
    yield from drag_aside(ui)
    assert state() != performed
    yield from ui.press("ESC", ui.middle())
    yield from ui.until(lambda: not is_performed(), what="Esc")
    assert state() == before


def edit_the_pose(ui):
    settings().live = True
    yield from begin(ui)
    yield from drag_aside(ui)
    bear().pose.bones["head"].rotation_quaternion = edited = (0.9, 0.1, 0.3, 0.3)
    yield from ui.until(lambda: not is_performed(), what="the end of the performance")
    ui.screenshot("edited")
    assert (bear().pose.bones["head"].rotation_quaternion - Quaternion(edited)).magnitude < 1e-6
    assert not settings().live
    assert "edited" in settings().message


def change_the_scene(ui):
    yield from begin(ui)
    home, other = ui.window.scene, bpy.data.scenes.new("Other")
    ui.window.scene = other
    yield from ui.until(lambda: not is_performed(), what="the end of the performance")
    ui.window.scene = home
    bpy.data.scenes.remove(other)
    yield 0.3


def perform_in_four_views(ui):
    with ui.override():
        bpy.ops.screen.region_quadview()
    yield 0.5
    moved = {}
    for view in [region for region in ui.area().regions if region.type == "WINDOW"]:
        before = settings().sets[0].cursor.location.copy()
        yield from begin(ui)
        x, y = view.x + view.width // 3, view.y + view.height // 3
        yield from ui.drag((x, y), (x + 40, y), 4)
        moved[view.as_pointer()] = settings().sets[0].cursor.location - before
        right = view.data.view_rotation @ Vector((1.0, 0.0, 0.0))
        along = moved[view.as_pointer()].normalized().dot(right)
        assert along > 0.999, f"to the right in this view, not by {moved[view.as_pointer()]}"
        ui.screenshot("four-views")
        yield from ui.press("ESC", (x, y))
        yield from ui.until(lambda: not is_performed(), what="Esc")
    assert len(moved) == 4
    with ui.override():
        bpy.ops.screen.region_quadview()
    yield 0.5


def change_the_workspace(ui, *, record):
    yield from begin(ui, record=record)
    x, y = ui.middle()
    yield from ui.move(x, y)
    if record:
        ui.window.event_simulate(type="LEFTMOUSE", value="PRESS", x=x, y=y)
        yield 0.3
        for step in range(10):
            ui.window.event_simulate(type="MOUSEMOVE", value="NOTHING", x=x + 8 * step, y=y)
            yield 0.05
    home = ui.window.workspace
    ui.window.workspace = bpy.data.workspaces["Scripting"]
    yield from ui.until(lambda: not is_performed(), what="the end of the performance")
    if record:
        ui.window.event_simulate(type="LEFTMOUSE", value="RELEASE", x=x, y=y)
        action = bear().animation_data.action
        assert action is not None, "the take was written"
        assert action.frame_range[1] > action.frame_range[0]
    ui.window.workspace = home
    yield 0.5
    ui.screenshot(f"back-{'recorded' if record else 'performed'}")


def disable_the_addon(ui):
    before = tuple(settings().sets[0].cursor.location)
    live = settings().live
    yield from begin(ui)
    yield from drag_aside(ui)
    assert tuple(settings().sets[0].cursor.location) != before
    bpy.ops.preferences.addon_disable(module=PACKAGE)
    yield 0.5
    ui.screenshot("disabled")
    bpy.ops.preferences.addon_enable(module=PACKAGE)
    yield 0.3
    assert not is_performed()
    assert tuple(settings().sets[0].cursor.location) == before
    assert settings().live == live
    with ui.override():
        bpy.context.view_layer.objects.active = bear()
        assert bpy.ops.posewright.perform.poll()
