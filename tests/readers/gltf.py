# SPDX-License-Identifier: GPL-3.0-or-later
"""A glTF file as the specification says it plays: samplers, and where the nodes are."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

TYPES = {5121: "<u1", 5123: "<u2", 5125: "<u4", 5126: "<f4", 5120: "<i1", 5122: "<i2"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
AT_REST = {"translation": [0.0, 0.0, 0.0], "rotation": [0.0, 0.0, 0.0, 1.0], "scale": [1.0, 1.0, 1.0]}


class Gltf:
    """A .glb that is read whole."""

    def __init__(self, path: Path) -> None:
        content = path.read_bytes()
        magic, version, length = struct.unpack_from("<4sII", content)
        assert (magic, version, length) == (b"glTF", 2, len(content)), "the header of a .glb"
        size = struct.unpack_from("<I", content, 12)[0]
        assert size % 4 == 0
        self.json: dict[str, Any] = json.loads(content[20 : 20 + size])
        self.binary = content[20 + size + 8 :]
        self.nodes: list[dict[str, Any]] = self.json["nodes"]
        self.parents = np.full(len(self.nodes), -1)
        for number, node in enumerate(self.nodes):
            self.parents[node.get("children", [])] = number

    @property
    def animations(self) -> list[str]:
        return [each.get("name", "") for each in self.json.get("animations", [])]

    @property
    def joints(self) -> list[int]:
        """The nodes that skins are bound to."""
        return sorted({joint for skin in self.json.get("skins", []) for joint in skin["joints"]})

    def accessor(self, number: int) -> np.ndarray:
        accessor = self.json["accessors"][number]
        kind, width = np.dtype(TYPES[accessor["componentType"]]), WIDTHS[accessor["type"]]
        view = self.json["bufferViews"][accessor["bufferView"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        step = view.get("byteStride", kind.itemsize * width)
        rows = [
            np.frombuffer(self.binary, kind, width, start + row * step) for row in range(accessor["count"])
        ]
        values = np.array(rows, float)
        return values / np.iinfo(kind).max if accessor.get("normalized") else values

    def samplers(self, animation: int) -> dict[tuple[int, str], tuple[str, np.ndarray, np.ndarray]]:
        """Interpolation, times and numbers of everything that an animation moves, by node and path."""
        entry = self.json["animations"][animation]
        found = {}
        for channel in entry["channels"]:
            sampler = entry["samplers"][channel["sampler"]]
            found[channel["target"]["node"], channel["target"]["path"]] = (
                sampler.get("interpolation", "LINEAR"),
                self.accessor(sampler["input"])[:, 0],
                self.accessor(sampler["output"]),
            )
        return found

    def times(self, animation: int) -> np.ndarray:
        return np.unique(np.concatenate([each[1] for each in self.samplers(animation).values()]))

    def positions(self, animation: int, times: np.ndarray) -> np.ndarray:
        """(T, N, 3) where all nodes are in the world."""
        moved = {
            target: evaluate(*sampler, times, turns=target[1] == "rotation")
            for target, sampler in self.samplers(animation).items()
            if target[1] in AT_REST
        }
        world: dict[int, np.ndarray] = {}

        def place(number: int) -> np.ndarray:
            if number not in world:
                local = self._local(number, moved, len(times))
                above = self.parents[number]
                world[number] = local if above < 0 else place(int(above)) @ local
            return world[number]

        return np.stack([place(number)[:, :3, 3] for number in range(len(self.nodes))], axis=1)

    def _local(self, number: int, moved: dict[tuple[int, str], np.ndarray], count: int) -> np.ndarray:
        node = self.nodes[number]
        if "matrix" in node:
            return np.tile(np.array(node["matrix"]).reshape(4, 4).T, (count, 1, 1))
        place, turn, scale = (
            moved.get((number, path), np.tile(node.get(path, rest), (count, 1)))
            for path, rest in AT_REST.items()
        )
        local = np.tile(np.eye(4), (count, 1, 1))
        local[:, :3, :3] = matrices(turn) * scale[:, None]
        local[:, :3, 3] = place
        return local


def evaluate(
    interpolation: str, keys: np.ndarray, output: np.ndarray, times: np.ndarray, *, turns: bool
) -> np.ndarray:
    """(T, C) what a sampler plays."""
    if len(keys) == 1:
        return np.tile(output[1 if interpolation == "CUBICSPLINE" else 0], (len(times), 1))
    times = np.clip(times, keys[0], keys[-1])
    at = np.clip(np.searchsorted(keys, times, side="right") - 1, 0, len(keys) - 2)
    length = (keys[at + 1] - keys[at])[:, None]
    s = (times - keys[at])[:, None] / length
    if interpolation == "STEP":
        return output[np.searchsorted(keys, times, side="right") - 1]
    if interpolation == "LINEAR":
        first, last = output[at], output[at + 1]
        return slerp(first, last, s) if turns else first + s * (last - first)
    arriving, values, leaving = output[0::3], output[1::3], output[2::3]
    played = (
        (2 * s**3 - 3 * s**2 + 1) * values[at]
        + length * (s**3 - 2 * s**2 + s) * leaving[at]
        + (-2 * s**3 + 3 * s**2) * values[at + 1]
        + length * (s**3 - s**2) * arriving[at + 1]
    )
    return played / np.linalg.norm(played, axis=1, keepdims=True) if turns else played


def slerp(first: np.ndarray, last: np.ndarray, s: np.ndarray) -> np.ndarray:
    """The short way between quaternions, at an even pace."""
    cosine = (first * last).sum(axis=1, keepdims=True)
    last, cosine = np.where(cosine < 0.0, -last, last), np.abs(cosine)
    angle = np.arccos(np.clip(cosine, -1.0, 1.0))
    near = angle < 1e-6
    sine = np.where(near, 1.0, np.sin(angle))
    a = np.where(near, 1.0 - s, np.sin((1.0 - s) * angle) / sine)
    b = np.where(near, s, np.sin(s * angle) / sine)
    mixed = a * first + b * last
    return mixed / np.linalg.norm(mixed, axis=1, keepdims=True)


def matrices(quaternions: np.ndarray) -> np.ndarray:
    """(T, 3, 3) from x, y, z, w."""
    x, y, z, w = quaternions.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)
