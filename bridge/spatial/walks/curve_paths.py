# SPDX-License-Identifier: GPL-3.0-or-later
"""Curve objects as ways to go."""

from __future__ import annotations

import bpy
import numpy as np

from ....core import InputError


def curve_places(curve: bpy.types.Object) -> np.ndarray:
    """(n, 3) the places, in the world, along the first spline of a curve."""
    evaluated = curve.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    try:
        if mesh is None or not len(mesh.edges) or len(mesh.polygons):
            raise InputError(
                '"{curve}" is no line to go along: take away its bevel, extrusion and fill.', curve=curve.name
            )
        corners = np.empty(3 * len(mesh.vertices))
        mesh.vertices.foreach_get("co", corners)
        ends = np.empty(2 * len(mesh.edges), dtype=np.int64)
        mesh.edges.foreach_get("vertices", ends)
    finally:
        evaluated.to_mesh_clear()
    order = _first_line(ends.reshape(-1, 2))
    world = np.array(curve.matrix_world)
    return corners.reshape(-1, 3)[order] @ world[:3, :3].T + world[:3, 3]


def _first_line(edges: np.ndarray) -> list[int]:
    """The vertices of the first spline in order; one that is closed ends where it began."""
    order = edges[0].tolist()
    for first, last in edges[1:].tolist():
        if order[-1] not in (first, last):
            break
        order.append(last if first == order[-1] else first)
    return order
