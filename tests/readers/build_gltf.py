# SPDX-License-Identifier: GPL-3.0-or-later
"""A small .glb with everything that is easily lost: made here, byte by byte, and not by Blender.

Four joints in a chain. The second is posed away from its bind pose and no animation moves it. A mesh with two
morph targets is skinned to them; there is a camera, a material with an extension that nobody knows, extras.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

FPS = 30.0
LENGTH = 0.5  # from joint to joint


class Builder:
    def __init__(self) -> None:
        self.binary = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def add(self, values: np.ndarray, kind: str, dtype: str = "<f4", component: int = 5126) -> int:
        packed = np.ascontiguousarray(values, dtype)
        self.binary += bytes(-len(self.binary) % 4)
        view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": packed.nbytes}
        self.views.append(view)
        self.binary += packed.tobytes()
        flat = packed.reshape(-1, {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[kind])
        self.accessors.append(
            {
                "bufferView": len(self.views) - 1,
                "componentType": component,
                "count": len(flat),
                "type": kind,
                "min": flat.min(axis=0).tolist(),
                "max": flat.max(axis=0).tolist(),
            }
        )
        return len(self.accessors) - 1


def turn(angle: np.ndarray, axis: int) -> np.ndarray:
    """(F, 4) x, y, z, w."""
    turns = np.zeros((len(angle), 4))
    turns[:, axis], turns[:, 3] = np.sin(angle / 2), np.cos(angle / 2)
    return turns


def write_character(path: Path, *, frames: int = 31, cubic: bool = False, twins: bool = False) -> None:
    """Two animations, "wave" and "nod"; with `twins` nodes and animations that share one name.

    Args:
        cubic: keys every sixth frame with tangents that no importer would guess.
    """
    build = Builder()
    nodes: list[dict[str, Any]] = [
        {"name": "Armature", "children": [1, 5], "rotation": [0.0, 0.3, 0.0, float(np.sqrt(1 - 0.09))]},
        {"name": "hip", "children": [2], "translation": [0.1, 1.0, 0.0]},
        {"name": "spine", "children": [3], "translation": [0, LENGTH, 0], "rotation": [0.5, 0, 0, 0.75**0.5]},
        {"name": "arm", "children": [4], "translation": [0, LENGTH, 0]},
        {"name": "hand", "translation": [0, LENGTH, 0]},
        {"name": "Body", "mesh": 0, "skin": 0},
        {"name": "Eye", "camera": 0, "translation": [0, 1, 4]},
    ]
    if twins:
        nodes[3]["name"] = nodes[4]["name"] = "bone"
    binds = np.tile(np.eye(4), (4, 1, 1))
    binds[:, 3, :3] = [[-0.1, -1.0 - LENGTH * n, 0] for n in range(4)]  # column by column
    points = np.array([[0, 1 + 0.1 * n, 0.1 * (n % 2)] for n in range(9)], float)
    weights = np.tile([1.0, 0, 0, 0], (9, 1))
    joints = np.zeros((9, 4))
    joints[:, 0] = np.arange(9) % 4
    primitive = {
        "attributes": {
            "POSITION": build.add(points, "VEC3"),
            "WEIGHTS_0": build.add(weights, "VEC4"),
            "JOINTS_0": build.add(joints, "VEC4", "<u1", 5121),
        },
        "targets": [
            {"POSITION": build.add(np.tile([0, 0, 0.1], (9, 1)), "VEC3")},
            {"POSITION": build.add(np.tile([0.1, 0, 0], (9, 1)), "VEC3")},
        ],
        "indices": build.add(np.arange(9), "SCALAR", "<u2", 5123),
        "material": 0,
    }
    animations = [
        _animation(build, name, frames, pace, cubic) for name, pace in (("wave", 0.31), ("nod", 0.53))
    ]
    if twins:
        for animation in animations:
            animation["name"] = "move"
    tree = {
        "asset": {"version": "2.0", "generator": "by hand", "copyright": "nobody"},
        "extensionsUsed": ["NOBODY_knows"],
        "scene": 0,
        "scenes": [{"nodes": [0, 6], "extras": {"take": 7}}],
        "nodes": nodes,
        "meshes": [
            {"primitives": [primitive], "weights": [0, 0.2], "extras": {"targetNames": ["smile", "frown"]}}
        ],
        "skins": [{"joints": [1, 2, 3, 4], "inverseBindMatrices": build.add(binds, "MAT4")}],
        "materials": [{"name": "Skin", "extensions": {"NOBODY_knows": {"depth": 3}}}],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 0.7, "znear": 0.1}}],
        "animations": animations,
        "accessors": build.accessors,
        "bufferViews": build.views,
        "buffers": [{"byteLength": len(build.binary)}],
    }
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    content = bytes(build.binary) + bytes(-len(build.binary) % 4)
    chunks = (
        struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(content), b"BIN\0") + content
    )
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)


def _animation(build: Builder, name: str, frames: int, pace: float, cubic: bool) -> dict[str, Any]:
    step = 6 if cubic else 1
    count = np.arange(0, frames, step)
    moving = {
        (1, "translation"): np.stack([0.1 + 0.3 * np.sin(pace * count), 1 + 0 * count, 0.02 * count], axis=1),
        # Turns about one axis alone: two of the four components stand still.
        (3, "rotation"): turn(0.9 * np.sin(pace * count), 2),
        (4, "rotation"): turn(0.7 * np.cos(pace * count + 1), 0),
        (5, "weights"): np.stack([0.5 + 0.5 * np.sin(count), 0.2 + 0 * count], axis=1),
    }
    if name == "nod":
        del moving[4, "rotation"]
        # The armature itself, and a bone that grows.
        moving[0, "translation"] = np.stack([0.01 * count, np.sin(pace * count), 0 * count], axis=1)
        moving[0, "rotation"] = turn(0.4 * np.sin(pace * count), 1)
        moving[3, "scale"] = np.stack(
            [1 + 0 * count, 1.2 + 0.2 * np.cos(pace * count), 1 + 0 * count], axis=1
        )
    times = build.add(count / FPS, "SCALAR")
    samplers, channels = [], []
    for (node, path), values in moving.items():
        kind = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3", "weights": "SCALAR"}[path]
        if cubic:
            slopes = np.gradient(values, axis=0) * FPS / step
            values = np.stack([-0.5 * slopes, values, 1.5 * slopes], axis=1)
        samplers.append(
            {
                "input": times,
                "output": build.add(values, kind),
                "interpolation": "CUBICSPLINE" if cubic else "LINEAR",
            }
        )
        channels.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})
    return {"name": name, "samplers": samplers, "channels": channels}
