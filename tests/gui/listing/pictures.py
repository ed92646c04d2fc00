# SPDX-License-Identifier: GPL-3.0-or-later
"""The five screenshots of the listing, and what its featured picture is made of."""

import bpy
from film import tidy, viewport
from mathutils import Vector
from screenshots import write_png


def keep(ui, name):
    """What the 3D viewport shows."""
    yield from ui.settle()
    yield 1.5  # figures are measured, panels slide into place
    write_png(ui.screenshots / f"listing-{name}.png", viewport(ui).copy())


def scenario(ui):
    ui.clear()
    ghosts = bpy.context.scene.posewright.ghosts
    rig = ui.mocap("13_11")
    tidy(ui)
    yield 1.0
    yield from ui.open_sidebar()
    yield from ui.widen_sidebar(100)
    with ui.override():
        bpy.ops.posewright.analyze("EXEC_DEFAULT")
    rig.posewright.key_count = 9
    ghosts.show, ghosts.spread = True, 0.0
    yield from look_at_the_way(ui, rig)
    yield from keep(ui, "1-distil")

    ui.area().spaces.active.show_region_ui = False
    ui.area().spaces.active.show_region_toolbar = False
    ghosts.labels = False
    yield from look_at_the_way(ui, rig, aside=0.0)
    yield from keep(ui, "featured")
    ui.area().spaces.active.show_region_ui = True

    ghosts.show, ghosts.labels, ghosts.filmstrip = False, True, True
    bpy.context.scene.frame_set(258)  # in the air
    with ui.override():
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.pose.select_all(action="SELECT")
        bpy.ops.view3d.view_selected()
        bpy.ops.view3d.zoom(delta=-1)
    yield 3.0  # poses are gathered
    yield from keep(ui, "2-filmstrip")
    ghosts.filmstrip = False
    with ui.override():
        bpy.ops.object.mode_set(mode="OBJECT")
    rig.hide_set(True)

    with ui.override():
        bpy.ops.posewright.bear_add()
    bear = bpy.context.object
    ui.area().spaces.active.shading.color_type = "MATERIAL"
    yield from ui.open_sidebar("Perform")
    with ui.override():
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_selected()
    yield from ui.frame_all()
    spatial_set = bear.posewright.spatial.sets[0]
    spatial_set.cursor.location = spatial_set.keys[-1].marker.location * 0.8
    yield from keep(ui, "3-perform")

    bear.posewright.spatial.live = False
    yield from ui.open_sidebar()
    rig.hide_set(False)
    bear.hide_set(True)
    bpy.context.view_layer.objects.active = rig
    with ui.override():
        bpy.ops.posewright.pose_sheet(filepath=str(ui.screenshots / "listing-4-sheet.png"))
        bpy.ops.posewright.compare(
            algorithms={"salient", "greedy", "decimation"},
            filepath=str(ui.screenshots / "listing-5-compare.png"),
        )
    yield 1.0


def look_at_the_way(ui, rig, aside=0.12):
    """From the side, at all that the character does from the first to the last frame."""
    scene, view = bpy.context.scene, ui.area().spaces.active.region_3d
    with ui.override():
        bpy.ops.view3d.view_axis(type="LEFT")
        bpy.ops.view3d.view_orbit(angle=0.35, type="ORBITRIGHT")
    yield 1.0
    places = []
    for share in (0.0, 1.0, 0.5):
        scene.frame_set(round(scene.frame_start + share * (scene.frame_end - scene.frame_start)))
        places.append(rig.matrix_world @ rig.pose.bones[0].head)
    first, last, _ = places
    view.view_distance = max(3.6, (last - first).length + 2.6)
    beside = view.view_rotation @ Vector((aside * view.view_distance, 0.0, 0.0))  # the sidebar covers some
    view.view_location = (first + last) / 2 + beside + Vector((0.0, 0.0, 0.25))
