# SPDX-License-Identifier: GPL-3.0-or-later
"""A bear to perform with: thirteen bones, and a body of round parts that follow them."""

from __future__ import annotations

from typing import NamedTuple

import bmesh
import bpy
from mathutils import Matrix, Vector

Place = tuple[float, float, float]

BROWN, LIGHT, DARK = (0.36, 0.18, 0.08, 1.0), (0.75, 0.55, 0.35, 1.0), (0.03, 0.02, 0.02, 1.0)
COLOURS = {"fur": BROWN, "snout": LIGHT, "eyes": DARK}


class Bone(NamedTuple):
    parent: str | None
    head: Place
    tail: Place


class Part(NamedTuple):
    bone: str
    middle: Place
    size: Place
    colour: str = "fur"


# The left side; the right side is mirrored.
BONES = {
    "hips": Bone(None, (0, 0, 0.45), (0, 0, 0.65)),
    "spine": Bone("hips", (0, 0, 0.65), (0, 0, 1.0)),
    "head": Bone("spine", (0, 0, 1.0), (0, 0, 1.5)),
    "upper_arm.L": Bone("spine", (0.22, 0, 0.92), (0.48, 0, 0.84)),
    "forearm.L": Bone("upper_arm.L", (0.48, 0, 0.84), (0.74, 0, 0.76)),
    "thigh.L": Bone("hips", (0.17, 0, 0.45), (0.18, -0.03, 0.26)),
    "shin.L": Bone("thigh.L", (0.18, -0.03, 0.26), (0.19, 0, 0.08)),
    "foot.L": Bone("shin.L", (0.19, 0, 0.08), (0.19, -0.24, 0.04)),
}
PARTS = (
    Part("hips", (0, 0, 0.5), (0.33, 0.28, 0.28)),
    Part("spine", (0, 0, 0.8), (0.29, 0.25, 0.3)),
    Part("spine", (0, -0.1, 0.72), (0.2, 0.17, 0.24), "snout"),
    Part("head", (0, -0.02, 1.28), (0.37, 0.32, 0.32)),
    Part("head", (0, -0.29, 1.18), (0.16, 0.13, 0.12), "snout"),
    Part("head", (0, -0.41, 1.22), (0.055, 0.04, 0.04), "eyes"),
    Part("head", (0.13, -0.285, 1.36), (0.04, 0.03, 0.045), "eyes"),
    Part("head", (0.27, 0, 1.54), (0.12, 0.07, 0.12)),
    Part("head", (0.27, -0.05, 1.54), (0.075, 0.04, 0.075), "snout"),
    Part("upper_arm.L", (0.36, 0, 0.88), (0.19, 0.12, 0.12)),
    Part("forearm.L", (0.63, 0, 0.79), (0.18, 0.12, 0.12)),
    Part("thigh.L", (0.18, -0.01, 0.34), (0.15, 0.16, 0.16)),
    Part("shin.L", (0.19, 0, 0.17), (0.13, 0.13, 0.14)),
    Part("foot.L", (0.19, -0.1, 0.07), (0.13, 0.2, 0.075)),
)


def build_bear(name: str = "Bear") -> bpy.types.Object:
    """The bear's armature at rest, active and selected, in the scene with its body."""
    armature = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    bpy.context.collection.objects.link(armature)
    for other in bpy.context.selected_objects:
        other.select_set(False)
    bpy.context.view_layer.objects.active = armature
    armature.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    for bone, (parent, head, tail) in _both_sides().items():
        made = armature.data.edit_bones.new(bone)
        made.head, made.tail = head, tail
        made.parent = armature.data.edit_bones[parent] if parent else None
    bpy.ops.armature.select_all(action="SELECT")
    bpy.ops.armature.calculate_roll(type="GLOBAL_NEG_Y")
    bpy.ops.object.mode_set(mode="OBJECT")
    armature.data.display_type = "STICK"
    _build_body(armature)
    return armature


def _both_sides() -> dict[str, Bone]:
    right = {
        _other(name): Bone(bone.parent and _other(bone.parent), _flip(bone.head), _flip(bone.tail))
        for name, bone in BONES.items()
        if name.endswith(".L")
    }
    return BONES | right


def _other(name: str) -> str:
    return name.replace(".L", ".R")


def _flip(place: Place) -> Place:
    return (-place[0], place[1], place[2])


def _build_body(armature: bpy.types.Object) -> None:
    mesh = bpy.data.meshes.new(f"{armature.name} body")
    for name, colour in COLOURS.items():
        material = bpy.data.materials.new(f"{armature.name} {name}")
        material.diffuse_color = colour
        mesh.materials.append(material)
    body = bpy.data.objects.new(mesh.name, mesh)
    bpy.context.collection.objects.link(body)
    mirrored = [Part(_other(p.bone), _flip(p.middle), p.size, p.colour) for p in PARTS if p.middle[0] > 0]
    groups = {bone: body.vertex_groups.new(name=bone).index for bone in _both_sides()}
    shape = bmesh.new()
    weights = shape.verts.layers.deform.verify()
    for part in (*PARTS, *mirrored):
        matrix = Matrix.LocRotScale(Vector(part.middle), None, Vector(part.size))
        ball = bmesh.ops.create_uvsphere(shape, u_segments=24, v_segments=14, radius=1.0, matrix=matrix)
        for vertex in ball["verts"]:
            vertex[weights][groups[part.bone]] = 1.0
            for face in vertex.link_faces:
                face.smooth = True
                face.material_index = list(COLOURS).index(part.colour)
    shape.to_mesh(mesh)
    shape.free()
    body.parent = armature
    body.modifiers.new("Armature", "ARMATURE").object = armature
