# SPDX-License-Identifier: GPL-3.0-or-later
"""The skin of a character at some frames, as triangles."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.motion import FloatArray
from ...core.picture import solids
from .. import stages
from ..character import skins_of

# So many triangles of all ghosts together are gathered; beyond, the viewport would stutter.
MOST_TRIANGLES = 1_500_000

Skin = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int32]]


def copies_of_skin(armature: bpy.types.Object, wearer: bpy.types.Object) -> list[bpy.types.Object]:
    """The meshes that the armature deforms once more, for another armature with the same bones."""
    copies = []
    for skin in skins_of(armature):
        copy = skin.copy()
        copies.append(copy)
        if copy.parent == armature:
            copy.parent = wearer
        for each in copy.modifiers:
            if each.type == "ARMATURE" and each.object == armature:
                each.object = wearer
    return copies


def is_simple_enough(armature: bpy.types.Object, count: int) -> bool:
    """Whether the skin can be gathered so many times."""
    return count * sum(len(item.data.polygons) * 2 for item in skins_of(armature)) <= MOST_TRIANGLES


def sample_skin(armature: bpy.types.Object, frames: FloatArray) -> list[Skin] | None:
    """Corners, brightness and faces of the whole skin at each frame; None where there is none or too much."""
    skins = skins_of(armature)
    if not skins or not is_simple_enough(armature, len(frames)):
        return None
    with stages.evaluation_scene(armature) as scene:
        for item in skins:
            if item.name not in scene.objects:
                scene.collection.objects.link(item)
        result = []
        for frame in frames:
            stages.set_frame(scene, float(frame))
            graph: Any = scene.view_layers[0].depsgraph
            result.append(_joined([_triangles(item.evaluated_get(graph)) for item in skins]))
    return result


def _triangles(evaluated: bpy.types.Object) -> Skin:
    mesh: Any = evaluated.to_mesh()
    try:
        mesh.calc_loop_triangles()
        corners = np.empty((len(mesh.vertices), 3), np.float32)
        normals = np.empty((len(mesh.vertices), 3), np.float32)
        faces = np.empty((len(mesh.loop_triangles), 3), np.int32)
        mesh.vertices.foreach_get("co", corners.ravel())
        mesh.vertex_normals.foreach_get("vector", normals.ravel())
        mesh.loop_triangles.foreach_get("vertices", faces.ravel())
    finally:
        evaluated.to_mesh_clear()
    matrix = np.array(evaluated.matrix_world, np.float32)
    turned = normals @ np.linalg.inv(matrix[:3, :3])
    turned /= np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-12)
    return corners @ matrix[:3, :3].T + matrix[:3, 3], solids.brightness(turned), faces


def _joined(parts: list[Skin]) -> Skin:
    starts = np.cumsum([0, *(len(corners) for corners, _, _ in parts[:-1])])
    return (
        np.concatenate([corners for corners, _, _ in parts]),
        np.concatenate([shades for _, shades, _ in parts]),
        np.concatenate([faces + start for (_, _, faces), start in zip(parts, starts, strict=True)]).astype(
            np.int32
        ),
    )
