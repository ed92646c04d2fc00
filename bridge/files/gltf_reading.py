# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading glTF with Blender's importer, and what that leaves out: tangents, poses that nothing animates."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...core.motion import FloatArray
from .. import actions, everything, stages, versions
from .glb import Document
from .gltf_keys import write_spline
from .gltf_nodes import PATHS, Nodes, Origin, Property, animated_properties, bone_maps

LONGEST_NAME = 63  # bytes that Blender has room for
# Where a node is that says nothing of it.
AT_ORIGIN = {"translation": (0.0, 0.0, 0.0), "rotation": (0.0, 0.0, 0.0, 1.0), "scale": (1.0, 1.0, 1.0)}


def read(path: Path) -> Origin:
    """Import a file at its own frame rate and with its tangents, which Blender's importer leaves out."""
    document = Document(path)
    named = deepcopy(document.tree)
    nodes = _name_all(named.get("nodes", []), "Node_{}")
    animations = _name_all(named.get("animations", []), "Anim_{}")
    rate = document.frame_rate()
    if rate is not None:
        bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = rate, 1.0
    with tempfile.TemporaryDirectory(prefix="posewright-") as folder:
        source = path
        if named != document.tree:
            source = Path(folder, path.stem + ".glb")
            document.renamed(named).write(source)
        bpy.ops.import_scene.gltf(filepath=str(source), bone_heuristic="BLENDER")
    origin = Origin(document, Nodes(nodes, nodes), animations)
    _restore_tangents(origin)
    _pose_bones(origin)
    return origin


def _name_all(entries: list[dict[str, Any]], unnamed: str) -> dict[str, int]:
    """Give everything a name of its own that Blender can keep; their numbers by these names."""
    taken: dict[str, int] = {}
    for number, entry in enumerate(entries):
        wanted = entry.get("name") or unnamed.format(number)
        name, copies = _cut(wanted, LONGEST_NAME), 0
        while name in taken:
            copies += 1
            name = f"{_cut(wanted, LONGEST_NAME - 4)}.{copies:03d}"
        entry["name"] = name
        taken[name] = number
    return taken


def _cut(name: str, size: int) -> str:
    return name.encode()[:size].decode(errors="ignore")


def label(action: bpy.types.Action, track: str) -> str:
    """The importer puts every animation in a track with its name."""
    return track or action.name


def _restore_tangents(origin: Origin) -> None:
    fps = stages.frames_per_second(bpy.context.scene)
    for armature in [each for each in everything.armatures() if each.animation_data]:
        for track in armature.animation_data.nla_tracks:
            number = origin.animations.get(track.name)
            if number is None or not track.strips:
                continue
            strip: Any = track.strips[0]
            handle = actions.slot_handle(versions.played_slot(strip))
            animated = animated_properties(armature, strip.action, handle, origin.nodes)
            for target, sampler in _samplers(origin.document, number):
                if sampler.get("interpolation") == "CUBICSPLINE" and target in animated:
                    _restore(animated[target], origin.document.numbers(sampler["output"]), fps)


def _samplers(document: Document, number: int) -> Iterator[tuple[tuple[int, str], dict[str, Any]]]:
    """What each channel of an animation targets, and its sampler."""
    animation = document.tree["animations"][number]
    for channel in animation["channels"]:
        target = channel["target"]
        if "node" in target:
            yield (target["node"], target["path"]), animation["samplers"][channel["sampler"]]


def _restore(animated: Property, numbers: FloatArray, fps: float) -> None:
    """`numbers` are in-tangent, value and out-tangent of each key.

    The importer also takes the opposite of some quaternions, which is another way between two of them.
    """
    back = np.linalg.inv(animated.matrix)
    arriving, leaving = numbers[0::3] @ back.T / fps, numbers[2::3] @ back.T / fps
    values = (numbers[1::3] - animated.offset) @ back.T
    for index, curve in animated.curves.items():
        if len(curve.keyframe_points) == len(values) > 1:
            write_spline(curve, values[:, index], arriving[:, index], leaving[:, index])


def _pose_bones(origin: Origin) -> None:
    """Put every bone where its node is: what an animation does not move stays there."""
    nodes = origin.document.listed("nodes")
    for armature in everything.armatures():
        for bone in armature.pose.bones:
            number = origin.nodes.bones.get(bone.name)
            if number is None or "matrix" in nodes[number]:
                continue  # those are never animated, and the importer has put them there
            for name, path in PATHS.items():
                matrix, offset = bone_maps(bone.bone)[path]
                place = np.array(nodes[number].get(path, AT_ORIGIN[path]))
                setattr(bone, name, np.linalg.inv(matrix) @ (place - offset))
