# SPDX-License-Identifier: GPL-3.0-or-later
"""Find Pose as the mouse does it: clips of a folder are indexed beside the window, and a find is gone to."""

import importlib

import bpy
from installed import PACKAGE, part

from demo.character import animate, build_character
from demo.movement import make_movement


def character():
    for name in list(bpy.data.objects.keys()):
        bpy.data.objects.remove(bpy.data.objects[name])
    armature = build_character()
    part("bridge.baking")
    part("bridge.actions")
    animate(armature, make_movement(2.0), importlib.import_module(PACKAGE))
    armature.animation_data.action.name = "Walk and Jump"
    return armature


def open_panel():
    """A closed panel opens by a click whose place nobody knows beforehand; registered anew it begins open."""
    panels = part("panels.pictures_panel")
    for cls in reversed(panels.CLASSES):
        bpy.utils.unregister_class(cls)
    for cls in panels.CLASSES:
        if cls is not panels.POSEWRIGHT_PT_ghosts:
            cls.bl_options, cls.bl_order = set(), 0
        bpy.utils.register_class(cls)


def scenario(ui):
    open_panel()
    folder = ui.temporary / "clips"
    with ui.override():
        armature = character()
        part("bridge.files").save_clip(folder / "walk.bvh", [armature])
        bpy.context.scene.frame_set(90)
    search = bpy.context.scene.posewright.search
    search.folder = str(folder)
    yield from ui.open_sidebar()
    yield from ui.widen_sidebar()

    # The folder is indexed by another Blender; the window stays alive, and Esc would stop it.
    yield from ui.press_button("posewright.index_folder", column=0.25)
    yield from ui.until(part("handlers.busy").why_busy, what="the index begins")
    ui.screenshot("indexing")
    yield from ui.until(lambda: not part("handlers.busy").why_busy(), seconds=120.0, what="the index is done")
    assert (folder / "posewright-poses.npz").is_file()

    yield from ui.press_button("posewright.find_pose", column=0.7)
    yield from ui.until(lambda: len(search.finds) > 2, what="finds")
    assert {find.file for find in search.finds} == {"", "walk.bvh"}
    assert {search.finds[0].frame, search.finds[1].frame} == {90.0}
    yield 0.3
    ui.screenshot("finds")

    # Back from another frame by a press.
    with ui.override():
        bpy.context.scene.frame_set(5)
    yield from ui.press_button("posewright.go_to_find", column=0.3)
    there = {find.frame for find in search.finds}
    found = "the frame that was found"  # in another file it has to be fetched first
    yield from ui.until(lambda: bpy.context.scene.frame_current in there, seconds=60.0, what=found)

    # The folder as a library of assets, without adding it to the preferences.
    yield from ui.press_button("posewright.make_library", column=0.5)
    yield 0.5
    ui.screenshot("library_asked")
    yield from ui.press("RET")
    library = folder / "posewright-library"
    yield from ui.until(lambda: any(library.glob("*.blend")), seconds=120.0, what="a library")
    yield from ui.until(lambda: not part("handlers.busy").why_busy(), seconds=60.0, what="it is done")
    ui.screenshot("library_made")
