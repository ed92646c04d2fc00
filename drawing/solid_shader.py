# SPDX-License-Identifier: GPL-3.0-or-later
"""A shader for many solids that share one batch each: tint, opacity and place are set per draw call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import gpu
import numpy as np
from numpy.typing import NDArray

_VERTEX = """
void main()
{
  brightness = shade;
  gl_Position = projection * vec4(corner + shift, 1.0);
}
"""
_FRAGMENT = """
void main()
{
  colour = vec4(tint.rgb * brightness, tint.a);
}
"""


@cache
def solid_shader() -> Any:
    """Made at the first drawing: there is no graphics context before."""
    between = gpu.types.GPUStageInterfaceInfo("posewright_solid")
    between.smooth("FLOAT", "brightness")
    info = gpu.types.GPUShaderCreateInfo()
    info.push_constant("MAT4", "projection")
    info.push_constant("VEC4", "tint")
    info.push_constant("VEC3", "shift")
    info.vertex_in(0, "VEC3", "corner")
    info.vertex_in(1, "FLOAT", "shade")
    info.vertex_out(between)
    info.fragment_out(0, "VEC4", "colour")
    info.vertex_source(_VERTEX)
    info.fragment_source(_FRAGMENT)
    return gpu.shader.create_from_info(info)


def solid_batch(
    corners: NDArray[np.float32], shades: NDArray[np.float32], faces: NDArray[np.int32] | None = None
) -> Any:
    """Triangles on the graphics card; without `faces`, three corners at a time make one."""
    layout = gpu.types.GPUVertFormat()
    layout.attr_add(id="corner", comp_type="F32", len=3, fetch_mode="FLOAT")
    layout.attr_add(id="shade", comp_type="F32", len=1, fetch_mode="FLOAT")
    buffer: Any = gpu.types.GPUVertBuf(layout, len(corners))
    buffer.attr_fill("corner", np.ascontiguousarray(corners, np.float32))
    buffer.attr_fill("shade", np.ascontiguousarray(shades, np.float32))
    if faces is None:
        return gpu.types.GPUBatch(type="TRIS", buf=buffer)
    order: Any = np.ascontiguousarray(faces, np.int32)
    indices = gpu.types.GPUIndexBuf(type="TRIS", seq=order)
    return gpu.types.GPUBatch(type="TRIS", buf=buffer, elem=indices)


@contextmanager
def hiding_what_is_behind() -> Iterator[None]:
    """Near solids hide far ones. Blender, or a gizmo that is drawn next, finds its own state again."""
    test, mask = gpu.state.depth_test_get(), gpu.state.depth_mask_get()
    gpu.state.depth_test_set("LESS_EQUAL")
    gpu.state.depth_mask_set(True)
    try:
        yield
    finally:
        gpu.state.depth_mask_set(mask)
        gpu.state.depth_test_set(test)
