# SPDX-License-Identifier: GPL-3.0-or-later
"""A foot that stands, seen from the side: with few keys it slides away from its place, and held it stays."""

from pathlib import Path

import bpy
import numpy as np
from installed import part
from mathutils import Euler, Vector
from screenshots import read_screen, write_png

SHOWN = (  # file, action or the only one, keys, how its feet are held
    ("Knight.glb", "2H_Melee_Attack_Stab", 4, "PINS"),
    ("Samba_Dancing.fbx", None, 22, "BAKED"),
)
MOMENTS, SIDE = 6, 220  # pictures in a row, and pixels of each


def character(ui, name, action):
    rig = ui.character(name)
    if action is not None:
        for track in rig.animation_data.nla_tracks:
            track.mute = True
        # Importers of older Blenders add the name of what plays an action.
        wanted = next(each for each in bpy.data.actions if each.name in (action, f"{action}_{rig.name}"))
        part("bridge.actions").assign(rig, wanted, part("bridge.distil.channels").slots_for(rig, wanted)[0])
    return rig


def worst_contact(rig):
    """The bone, its contact that slides farthest now, and where that stands."""
    stances, metrics = part("bridge.distil.feet.stances"), part("core.metrics")
    reduction = part("bridge.distil.reductions").get(rig)
    found = [(bone, each) for bone, some in stances.contacts_of(reduction).items() for each in some]
    frames = reduction.analysis().frames
    bones = list(dict.fromkeys(bone for bone, _ in found))
    points = stances.points_of(rig, stances.posed_now(rig, frames, bones), bones)
    slides = metrics.slides(points, [each for _, each in found])
    return *found[int(np.argmax(slides))], frames


def look_at(ui, place, height, side):
    """From the side on which the foot is, so that the other one is behind it."""
    space = ui.area().spaces.active
    for name in ("relationship_lines", "bones", "cursor", "outline_selected", "object_origins", "text"):
        setattr(space.overlay, f"show_{name}", False)
    space.show_region_ui = space.show_gizmo = False
    space.clip_end = 100.0 * height
    view = space.region_3d
    view.view_perspective = "ORTHO"
    view.view_rotation = Euler((1.5708, 0.0, 1.5708 * side)).to_quaternion()
    view.view_location = Vector(place) + Vector((0.0, 0.0, 0.09 * height))
    view.view_distance = 0.9 * height


def cut(ui):
    """What is around the middle of the view, with a line where the foot belongs."""
    region, screen = ui.region("WINDOW"), read_screen(ui.screen)
    x, y = region.x + region.width // 2, len(screen) - (region.y + region.height // 2)
    picture = screen[y - SIDE // 2 : y + SIDE // 2, x - SIDE // 2 : x + SIDE // 2].copy()
    picture[:, SIDE // 2 - 1 : SIDE // 2 + 1] = (230, 60, 40)
    return np.pad(picture, ((2, 2), (2, 2), (0, 0)), constant_values=255)


def strip(ui, name, action, keys, form):
    """The contact that slides farthest: above as the keys have it, below held; and how far it slides."""
    ui.clear()
    rig = character(ui, name, action)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = keys
    bone, contact, frames = worst_contact(rig)
    height = part("bridge.character").height_of(rig)
    rows, slid, stances = [], [], part("bridge.distil.feet.stances")
    middle = (
        stances.reference(part("bridge.distil.reductions").get(rig)).matrices[contact.rows, :, 0, 3].mean()
    )
    look_at(ui, contact.place, height, side=1.0 if contact.place[0] > middle else -1.0)
    moments = frames[np.linspace(contact.first, contact.last, MOMENTS).round().astype(int)]
    for hold in ("OFF", form):
        rig.posewright.hold = hold
        assert not rig.posewright.problem, rig.posewright.problem
        pictures = []
        for frame in moments:
            bpy.context.scene.frame_set(round(float(frame)))
            yield from ui.settle()
            yield 0.3
            pictures.append(cut(ui))
        rows.append(np.hstack(pictures))
        ends = stances.posed_now(rig, moments, [bone]).end(rig, bone)
        slid.append(float(np.ptp(ends, axis=0)[:2].max()) / height)
    write_png(ui.screenshots / f"held_feet-{Path(name).stem}.png", np.vstack(rows))
    return slid


def scenario(ui):
    for shown in SHOWN:
        loose, held = yield from strip(ui, *shown)
        assert loose > 0.03, f"{shown}: it slides by {loose:.3f} of the height"
        assert held < 0.003, f"{shown}: held it slides by {held:.4f}"
