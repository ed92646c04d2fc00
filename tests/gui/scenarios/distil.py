# SPDX-License-Identifier: GPL-3.0-or-later
"""Distil in a real window: analyse, slide, play, edit, undo, redo, compare, keep, restore."""

import bpy
from installed import part


def rig():
    """The armature as it is now: undo makes every older reference useless."""
    return bpy.context.view_layer.objects.active


def keys():
    """Frames at which the armature has keys now."""
    actions = part("bridge.actions")
    return actions.key_frames(actions.curves_of(rig())).tolist()


def values():
    actions = part("bridge.actions")
    return [actions.key_points(curve).tolist() for curve in actions.curves_of(rig())]


def slider_name():
    fewest, most, frames = part("bridge.distil.reductions").get(rig()).analysis().offered
    return f"key_count_{fewest}_to_{most}_of_{frames}"


def drag_slider(ui, pixels, middle=lambda: None):
    """Drag Keys by so many pixels and look in the middle of it."""
    x, y = yield from ui.find(slider_name())
    window = ui.window
    window.event_simulate(type="LEFTMOUSE", value="PRESS", x=x, y=y)
    yield None
    for step in range(1, 11):
        yield from ui.move(x + pixels * step // 10, y)
        if step == 6:
            yield from ui.settle()
            middle()
    window.event_simulate(type="LEFTMOUSE", value="RELEASE", x=x + pixels, y=y)
    yield 0.3


def press(ui, name, column=0.5):
    yield from ui.move(*ui.middle())  # whatever was pressed before lets go of the mouse
    yield 0.2
    yield from ui.press_button(name, column)
    yield 0.3


def undo(ui):
    yield from ui.press("Z", ctrl=True)
    yield 0.4


def redo(ui):
    yield from ui.press("Z", ctrl=True, shift=True)
    yield 0.4


def scenario(ui):
    ui.clear()
    ui.mocap("02_01")
    bpy.context.preferences.system.viewport_aa = "OFF"  # without a graphics card it takes most of the time
    source = values()
    bpy.ops.ed.undo_push(message="Import")
    yield from ui.frame_all()
    yield from ui.open_sidebar()
    ui.screenshot("1-start")

    yield from press(ui, "posewright.analyze")
    yield from ui.until(lambda: rig().posewright.reduced, what="the analysis")
    yield 1.5
    ui.screenshot("2-analyzed")
    first = rig().posewright.key_count
    assert len(keys()) == first
    yield from undo(ui)
    assert not rig().posewright.reduced, "one undo takes the analysis back"
    assert values() == source
    yield from redo(ui)
    assert rig().posewright.key_count == first
    assert len(keys()) == first

    # The slider follows the mouse and is one step of undo.
    yield 1.0
    seen = []
    yield from drag_slider(ui, 60, lambda: seen.append((rig().posewright.key_count, len(keys()))))
    last = rig().posewright.key_count
    assert first < seen[0][0] < last, "the armature follows while the mouse moves"
    assert seen[0][0] == seen[0][1]
    assert len(keys()) == last
    yield 0.5
    ui.screenshot("3-slid")
    yield from undo(ui)
    assert rig().posewright.key_count == first == len(keys())
    yield from redo(ui)
    assert rig().posewright.key_count == last == len(keys())

    # To both ends of the range, and no further.
    yield from drag_slider(ui, 900)
    counts = part("bridge.distil.reductions").get(rig()).analysis().solutions.counts
    assert rig().posewright.key_count == counts[-1]
    yield from drag_slider(ui, -900)
    assert rig().posewright.key_count == counts[0]

    # Sweet spots, and the fewest keys within an error.
    yield from press(ui, "posewright.sweet_spot", column=0.7)
    spots = part("bridge.distil.measuring").sweet_spots_of(part("bridge.distil.reductions").get(rig()))
    assert rig().posewright.key_count == spots[0]
    yield from press(ui, "posewright.keys_below", column=0.3)
    yield from ui.until(lambda: part("operators.background_job").running() is None, what="the fewest keys")
    yield 0.5
    assert rig().posewright.reduced.posewright.measured_count == rig().posewright.key_count == len(keys())
    ui.screenshot("4-fewest")

    # Playing, with the slider moved meanwhile.
    yield from ui.press("SPACE")
    yield 0.5
    frame = bpy.context.scene.frame_current
    yield from drag_slider(ui, 40)
    assert bpy.context.screen.is_animation_playing
    assert bpy.context.scene.frame_current != frame
    ui.screenshot("5-playing")
    yield from ui.press("SPACE")
    yield 0.5

    # Edits by hand: the panel says so, the slider goes on from them, one undo brings the keys back.
    bone = rig().pose.bones[0]
    bone.location.z += 0.5
    bone.keyframe_insert("location", frame=keys()[1])
    bpy.ops.ed.undo_push(message="Edit")
    edited = values()
    yield from ui.until(
        lambda: part("bridge.distil.editing.changes").is_edited(part("bridge.distil.reductions").get(rig())),
        what="a look at the edited keys",
    )
    ui.area().tag_redraw()
    yield from ui.settle()
    ui.screenshot("6-edited")
    yield from drag_slider(ui, 30)
    assert values() != edited
    yield from undo(ui)
    assert values() == edited

    # Original and back.
    yield from press(ui, "show_original")
    yield 0.5
    assert values() == source
    ui.screenshot("7-original")
    yield from press(ui, "show_original")
    yield 0.3
    assert values() == edited
    yield from undo(ui)
    assert rig().posewright.show_original
    yield from redo(ui)
    assert values() == edited

    # Apply, undone; Restore, undone and done.
    yield from press(ui, "posewright.apply", column=0.7)
    assert not rig().posewright.reduced
    yield from undo(ui)
    assert rig().posewright.reduced
    assert values() == edited
    yield 1.0
    yield from press(ui, "posewright.restore", column=0.3)
    assert values() == edited, "it asks first: there are edits"
    yield from ui.press("RET")
    yield 0.5
    assert values() == source
    assert not rig().posewright.reduced
    yield from undo(ui)
    assert values() == edited
    yield from redo(ui)
    assert values() == source
    yield 1.0
    ui.screenshot("8-restored")
