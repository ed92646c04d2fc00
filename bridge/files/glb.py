# SPDX-License-Identifier: GPL-3.0-or-later
"""glTF files as they are: their JSON and their numbers, read and written without Blender.

Everything that is not asked to change keeps its place and its bytes.
"""

from __future__ import annotations

import base64
import json
import mimetypes
import re
import struct
from copy import copy, deepcopy
from pathlib import Path
from typing import Any

import numpy as np

from ...core import InputError
from ...core.motion import FloatArray

MAGIC, JSON_CHUNK, BIN_CHUNK = 0x46546C67, 0x4E4F534A, 0x004E4942
KINDS = {5120: np.int8, 5121: np.uint8, 5122: np.int16, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
SIZES = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
FLOAT = 5126
ADDED = -1  # stands for the view of all that is new until that has its number
NOTHING = {"componentType": FLOAT, "count": 1, "type": "SCALAR"}  # zeros, as any accessor without a view
# Frame rates that animation is made at. Where all keys are on the frames of one, that was its rate.
RATES = (24, 25, 30, 48, 50, 60, 90, 100, 120, 240)
ON_FRAME = 0.02


class Document:
    """A glTF file in memory.

    Attributes:
        tree: its JSON.
    """

    def __init__(self, path: Path) -> None:
        self._folder = path.parent
        content = path.read_bytes()
        chunks = _chunks(content) if content[:4] == b"glTF" else {JSON_CHUNK: content}
        self.tree: dict[str, Any] = json.loads(chunks[JSON_CHUNK].decode())
        self._buffers = [
            self._uri(buffer["uri"]) if "uri" in buffer else chunks.get(BIN_CHUNK, b"")
            for buffer in self.tree.get("buffers", [])
        ]
        self._new: dict[tuple[bytes, str], int] = {}  # accessors that were added, by what they hold
        self._added = bytearray()
        self._free: list[int] = []

    def copy(self) -> Document:
        """Another one with the same content."""
        return self.renamed(deepcopy(self.tree))

    def renamed(self, tree: dict[str, Any]) -> Document:
        """The same content with other JSON."""
        other = copy(self)
        other.tree = tree
        other._new, other._added, other._free = {}, bytearray(), []
        return other

    def listed(self, name: str) -> list[dict[str, Any]]:
        """One of the lists of the file, such as its nodes; an empty one where there is none."""
        return self.tree.get(name, [])

    def _uri(self, uri: str) -> bytes:
        if uri.startswith("data:"):
            return base64.b64decode(uri.partition(",")[2])
        return (self._folder / _unquoted(uri)).read_bytes()

    # Reading

    def numbers(self, index: int) -> FloatArray:
        """(n, size) what an accessor holds, whole numbers as the fractions that they stand for."""
        accessor = self.tree["accessors"][index]
        size, kind = SIZES[accessor["type"]], np.dtype(KINDS[accessor["componentType"]])
        count = accessor["count"]
        values = np.zeros((count, size))
        if "bufferView" in accessor:
            values = self._view(accessor["bufferView"], accessor.get("byteOffset", 0), count, size, kind)
        if "sparse" in accessor:
            sparse = accessor["sparse"]
            rows, those = (
                self._view(part["bufferView"], part.get("byteOffset", 0), sparse["count"], width, dtype)
                for part, width, dtype in (
                    (sparse["indices"], 1, np.dtype(KINDS[sparse["indices"]["componentType"]])),
                    (sparse["values"], size, kind),
                )
            )
            values[rows[:, 0].astype(np.int64)] = those
        if accessor.get("normalized") and kind.kind in "iu":
            values = np.maximum(values / np.iinfo(kind).max, -1.0)
        return values

    def _view(self, index: int, offset: int, count: int, size: int, kind: np.dtype[Any]) -> FloatArray:
        view = self.tree["bufferViews"][index]
        start = view.get("byteOffset", 0) + offset
        stride = view.get("byteStride") or size * kind.itemsize
        packed = np.ndarray(
            (count, size),
            kind.newbyteorder("<"),
            self._buffers[view["buffer"]],
            start,
            (stride, kind.itemsize),
        )
        return packed.astype(np.float64)

    def frame_rate(self) -> int | None:
        """The rate at which all keys of all animations are on frames, most of them one frame apart."""
        inputs = {sampler["input"] for each in self.listed("animations") for sampler in each["samplers"]}
        times = [self.numbers(index)[:, 0] for index in inputs]
        steps = np.concatenate([np.zeros(0), *(np.diff(each) for each in times)])
        if not len(steps):
            return None
        every, usual = np.concatenate(times), float(np.median(steps))

        def fits(rate: int) -> bool:
            return (
                abs(usual * rate - 1.0) < ON_FRAME
                and np.abs(every * rate - np.round(every * rate)).max() < ON_FRAME
            )

        return next((rate for rate in RATES if fits(rate)), None)

    # Writing

    def add(self, values: FloatArray, kind: str, *, limits: bool = False) -> int:
        """The accessor of some numbers; one that already holds the same is used again."""
        packed = np.ascontiguousarray(values, "<f4")
        key = (packed.tobytes(), kind)
        if key not in self._new:
            accessor: dict[str, Any] = {
                "bufferView": ADDED,
                "byteOffset": len(self._added),
                "componentType": FLOAT,
                "count": packed.size // SIZES[kind],
                "type": kind,
            }
            self._added += key[0]
            self._new[key] = self._place(accessor)
        if limits:  # times have to have them
            accessor = self.tree["accessors"][self._new[key]]
            accessor["min"], accessor["max"] = [float(packed.min())], [float(packed.max())]
        return self._new[key]

    def _place(self, accessor: dict[str, Any]) -> int:
        accessors = self.tree.setdefault("accessors", [])
        if self._free:
            accessors[self._free[0]] = accessor
            return self._free.pop(0)
        accessors.append(accessor)
        return len(accessors) - 1

    def free(self, indices: set[int]) -> None:
        """Accessors that nothing uses any more make room for new ones. Others stay where they are, because
        extensions may name them by their numbers.
        """
        self._free = sorted(indices)
        for index in indices:
            self.tree["accessors"][index] = dict(NOTHING)

    def write(self, path: Path) -> None:
        """Write everything as one .glb."""
        tree = deepcopy(self.tree)
        _trim(tree.get("accessors", []), set(self._free))
        views = tree.setdefault("bufferViews", [])
        used = _used_views(tree)
        _trim(views, set(range(len(views))) - used)
        packed = _Packed()
        for index, view in enumerate(views):
            if index in used:
                start = view.get("byteOffset", 0)
                content = self._buffers[view["buffer"]][start : start + view["byteLength"]]
                view.update(buffer=0, byteOffset=packed.add(content))
            else:
                views[index] = {"buffer": 0, "byteLength": 1}
        if self._added:
            for accessor in tree["accessors"]:
                if accessor.get("bufferView") == ADDED:
                    accessor["bufferView"] = len(views)
            views.append(packed.view(bytes(self._added)))
        for image in tree.get("images", []):
            self._embed(image, views, packed)
        tree["buffers"] = [{"byteLength": len(packed.content)}] if packed.content else []
        for name in ("bufferViews", "buffers", "accessors", "animations"):
            if not tree.get(name):
                tree.pop(name, None)
        path.write_bytes(_container(tree, bytes(packed.content)))

    def _embed(self, image: dict[str, Any], views: list[dict[str, Any]], packed: _Packed) -> None:
        """A picture in a file beside a .gltf would not be found from another folder."""
        uri = image.get("uri", "data:")
        if uri.startswith("data:"):
            return
        content = self._uri(image.pop("uri"))
        image.setdefault("mimeType", mimetypes.guess_type(uri)[0] or "image/png")
        image["bufferView"] = len(views)
        views.append(packed.view(content))


class _Packed:
    """The one buffer of a .glb."""

    def __init__(self) -> None:
        self.content = bytearray()

    def add(self, content: bytes) -> int:
        self.content += bytes(-len(self.content) % 4)
        start = len(self.content)
        self.content += content
        return start

    def view(self, content: bytes) -> dict[str, Any]:
        return {"buffer": 0, "byteOffset": self.add(content), "byteLength": len(content)}


def _chunks(content: bytes) -> dict[int, bytes]:
    magic, _version, length = struct.unpack_from("<III", content)
    found: dict[int, bytes] = {}
    at = 12
    while at + 8 <= min(length, len(content)):
        size, kind = struct.unpack_from("<II", content, at)
        found.setdefault(kind, content[at + 8 : at + 8 + size])
        at += 8 + size
    if magic != MAGIC or JSON_CHUNK not in found:
        raise InputError("It does not hold what a .glb holds.")
    return found


def _container(tree: dict[str, Any], content: bytes) -> bytes:
    text = json.dumps(tree, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 4)
    content += bytes(-len(content) % 4)
    chunks = struct.pack("<II", len(text), JSON_CHUNK) + text
    if content:
        chunks += struct.pack("<II", len(content), BIN_CHUNK) + content
    return struct.pack("<III", MAGIC, 2, 12 + len(chunks)) + chunks


def _unquoted(uri: str) -> str:
    """A name in which spaces and the like were written as %20."""
    return re.sub(rb"%([0-9A-Fa-f]{2})", lambda found: bytes([int(found[1], 16)]), uri.encode()).decode()


def _trim(entries: list[dict[str, Any]], unused: set[int]) -> None:
    """Remove what nothing uses from the end of a list, where that changes no numbers."""
    while entries and len(entries) - 1 in unused:
        entries.pop()


def _used_views(part: Any) -> set[int]:
    """Every view that anything names, extensions included."""
    if isinstance(part, list):
        return set().union(*map(_used_views, part)) if part else set()
    if not isinstance(part, dict):
        return set()
    found = {part["bufferView"]} if isinstance(part.get("bufferView"), int) else set()
    return found.union(*(_used_views(each) for each in part.values()))
