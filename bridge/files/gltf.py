# SPDX-License-Identifier: GPL-3.0-or-later
"""glTF: read with Blender's importer, written by putting keys into the file itself.

A clip that came from a glTF file keeps everything of it but the keys that were reduced: meshes, materials,
poses that nothing animates, names. A clip from elsewhere is exported by Blender without its takes first.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...core import InputError, rotations
from ...core.motion import FloatArray
from .. import actions, sampling
from ..distil import channels
from .glb import Document
from .gltf_keys import Keys, keys_of, left_product, write_spline
from .playing import frames_of, pose_matrices
from .takes import Take, alone, assignment, owners_of

LONGEST_NAME = 63  # bytes that Blender has room for
PATHS = {"location": "translation", "rotation_quaternion": "rotation", "scale": "scale"}
SIZES = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3", "weights": "SCALAR"}
# Where a node is that says nothing of it.
AT_ORIGIN = {"translation": (0.0, 0.0, 0.0), "rotation": (0.0, 0.0, 0.0, 1.0), "scale": (1.0, 1.0, 1.0)}
HALF = np.sqrt(0.5)
# From Blender's Z up to glTF's Y up.
Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
Y_UP_TURN = np.array([HALF, -HALF, 0.0, 0.0])
X_LAST = np.eye(4)[[1, 2, 3, 0]]  # glTF's order of a quaternion: x, y, z, w


@dataclass(frozen=True)
class Nodes:
    """The numbers of nodes, by the names of an armature's bones and of objects."""

    bones: dict[str, int]
    objects: dict[str, int]


@dataclass(frozen=True, eq=False)
class Origin:
    """The glTF file that a clip came from: its nodes and animations by the names that Blender gave them."""

    document: Document
    nodes: Nodes
    animations: dict[str, int]


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


# From Blender's channels to glTF's and back. A bone's channels tell how it differs from its rest, a node's
# where it is in its parent; with the importer's way of turning bones each is a linear map of the other.


def _bone_maps(bone: bpy.types.Bone) -> dict[str, tuple[FloatArray, FloatArray]]:
    """Matrix and offset that take each channel of a bone to its node's."""
    rest = (
        bone.matrix_local if bone.parent is None else bone.parent.matrix_local.inverted() @ bone.matrix_local
    )
    turn: FloatArray = np.array(rest.to_quaternion()[:])
    place: FloatArray = np.array(rest.to_translation()[:])
    if bone.parent is None:
        turn, place = rotations.quaternion_multiply(Y_UP_TURN, turn), Y_UP @ place
    return {
        "translation": (rotations.quaternion_to_matrix(turn), place),
        "rotation": (X_LAST @ left_product(turn), np.zeros(4)),
        "scale": (np.eye(3), np.zeros(3)),
    }


def _object_maps() -> dict[str, tuple[FloatArray, FloatArray]]:
    turned = np.eye(4)
    turned[1:, 1:] = Y_UP
    return {
        "translation": (Y_UP, np.zeros(3)),
        "rotation": (X_LAST @ turned, np.zeros(4)),
        "scale": (np.abs(Y_UP), np.zeros(3)),
    }


@dataclass(frozen=True, eq=False)
class _Property:
    """One animated property of a node: its curves by component, and how they become glTF's numbers."""

    owner: Any  # the pose bone or object
    name: str  # of the Blender property
    curves: dict[int, Any]
    matrix: FloatArray
    offset: FloatArray

    def keys(self) -> Keys:
        keys = keys_of(self.curves, np.array(getattr(self.owner, self.name)))
        return _the_way_it_plays(keys.mapped(self.matrix, self.offset))


def _the_way_it_plays(keys: Keys) -> Keys:
    """Players of glTF turn the short way between quaternions, where Blender may turn the long one."""
    if keys.interpolation != "LINEAR" or keys.values.shape[1] != 4:
        return keys
    long_way = (keys.values[1:] * keys.values[:-1]).sum(axis=1) < 0.0
    return keys.along_chords() if long_way.any() else keys


def _properties(
    armature: bpy.types.Object, action: bpy.types.Action, handle: int, nodes: Nodes
) -> dict[tuple[int, str], _Property]:
    """What an action animates of the nodes of an armature, by node and glTF's name for it."""
    grouped: dict[tuple[str | None, str], dict[int, Any]] = defaultdict(dict)
    for curve in channels.curves_in(action, [handle]):
        bone = channels.bone_of(curve.data_path)
        name = curve.data_path.rpartition(".")[2]
        if name in PATHS and (bone is not None or curve.data_path == name):
            grouped[bone, name][curve.array_index] = curve
    found: dict[tuple[int, str], _Property] = {}
    for (bone, name), curves in grouped.items():
        if bone is None:
            node = None if armature.parent_type == "BONE" else nodes.objects.get(armature.name)
            owner, maps = armature, _object_maps
        else:
            node = nodes.bones.get(bone)
            owner, maps = armature.pose.bones.get(bone), partial(_bone_maps, armature.data.bones.get(bone))
        if node is not None and owner is not None:
            found[node, PATHS[name]] = _Property(owner, name, curves, *maps()[PATHS[name]])
    return found


def _restore_tangents(origin: Origin) -> None:
    fps = sampling.frames_per_second(bpy.context.scene)
    for armature in [obj for obj in bpy.data.objects if obj.type == "ARMATURE" and obj.animation_data]:
        for track in armature.animation_data.nla_tracks:
            number = origin.animations.get(track.name)
            if number is None or not track.strips:
                continue
            strip: Any = track.strips[0]
            handle = actions.slot_handle(strip.action_slot) if actions.HAS_SLOTS else 0
            animated = _properties(armature, strip.action, handle, origin.nodes)
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


def _restore(animated: _Property, numbers: FloatArray, fps: float) -> None:
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
    for armature in [obj for obj in bpy.data.objects if obj.type == "ARMATURE"]:
        for bone in armature.pose.bones:
            number = origin.nodes.bones.get(bone.name)
            if number is None or "matrix" in nodes[number]:
                continue  # those are never animated, and the importer has put them there
            for name, path in PATHS.items():
                matrix, offset = _bone_maps(bone.bone)[path]
                place = np.array(nodes[number].get(path, AT_ORIGIN[path]))
                setattr(bone, name, np.linalg.inv(matrix) @ (place - offset))


# Writing


def write(path: Path, takes: list[Take], origin: Origin | None) -> None:
    """Write all takes to one .glb: into the file they came from, or into what Blender exports of the rest."""
    if origin is None:
        document = _exported(takes)
        nodes = {take.armature: _nodes_below(document, take.armature) for take in takes}
        numbers = _numbered(document, [take.name for take in takes])
    else:
        document = origin.document.copy()
        takes = [take for take in takes if take.reduced is not None]
        nodes = {take.armature: origin.nodes for take in takes}
        numbers = [origin.animations[take.name] for take in takes]
    fps = sampling.frames_per_second(bpy.context.scene)
    new = [
        (number, _channels(take, nodes[take.armature])) for take, number in zip(takes, numbers, strict=True)
    ]
    document.free(_unused(document, new))
    for number, keys in new:
        _put(document, number, keys, fps)
    document.write(path)


def _channels(take: Take, nodes: Nodes) -> dict[tuple[int, str], Keys]:
    """The keys of everything that a take animates."""
    if not _is_plain(take):
        return _sampled(take, nodes)
    animated = _properties(take.armature, take.played, take.handle, nodes)
    return {target: each.keys() for target, each in animated.items()} | _weights(take, nodes)


def _is_plain(take: Take) -> bool:
    """Whether bones are where their channels put them: no constraints, drivers, Euler angles and the like."""
    armature = take.armature
    drivers = [
        curve
        for owner in (armature, armature.data)
        if owner.animation_data is not None
        for curve in owner.animation_data.drivers
    ]
    turning = {
        channels.kind_of(curve.data_path) for curve in channels.curves_in(take.played, [take.handle])
    } & {"euler", "axis_angle"}
    return (
        not (take.layers or drivers or turning or armature.constraints)
        and not any(bone.constraints for bone in armature.pose.bones)
        and all(
            bone.inherit_scale == "FULL" and bone.use_inherit_rotation and bone.use_local_location
            for bone in armature.data.bones
        )
    )


def _sampled(take: Take, nodes: Nodes) -> dict[tuple[int, str], Keys]:
    """Every frame of every bone, as Blender evaluates it."""
    with alone(take) as armature:
        frames = frames_of(armature)
        poses, objects = pose_matrices(armature, frames)
        weights = _weights(take, nodes)
    found: dict[tuple[int, str], Keys] = {}
    bones = list(armature.data.bones)
    for number, bone in enumerate(bones):
        if bone.name in nodes.bones:
            above = None if bone.parent is None else poses[:, bones.index(bone.parent)]
            local = _turned(poses[:, number]) if above is None else np.linalg.inv(above) @ poses[:, number]
            found |= _decomposed(nodes.bones[bone.name], frames, local)
    if armature.name in nodes.objects:
        around = (
            np.eye(4) if armature.parent is None else np.linalg.inv(np.array(armature.parent.matrix_world))
        )
        found |= _decomposed(nodes.objects[armature.name], frames, _turned(around @ objects, both=True))
    return found | weights


def _turned(matrices: FloatArray, *, both: bool = False) -> FloatArray:
    up = np.eye(4)
    up[:3, :3] = Y_UP
    return up @ matrices @ up.T if both else up @ matrices


def _decomposed(node: int, frames: FloatArray, matrices: FloatArray) -> dict[tuple[int, str], Keys]:
    """Keys of a node from (F, 4, 4) where it is in its parent; one where nothing moves."""
    scale = np.linalg.norm(matrices[:, :3, :3], axis=1)
    turns = rotations.matrix_to_quaternion(matrices[:, :3, :3] / np.maximum(scale, 1e-12)[:, None])
    parts = {
        "translation": matrices[:, :3, 3],
        "rotation": rotations.continuous_quaternion(turns) @ X_LAST.T,
        "scale": scale,
    }
    moves = {name: bool(channels.moving(values).any()) for name, values in parts.items()}
    return {
        (node, name): Keys(frames, values) if moves[name] else Keys(frames[:1], values[:1])
        for name, values in parts.items()
    }


def _weights(take: Take, nodes: Nodes) -> dict[tuple[int, str], Keys]:
    """Keys of the shape keys of the character's meshes that the same action animates."""
    found: dict[tuple[int, str], Keys] = {}
    for keys, handle in owners_of(take).items():
        if not isinstance(keys, bpy.types.Key):
            continue
        names = [block.name for block in keys.key_blocks[1:]]
        paths = {
            f'key_blocks["{bpy.utils.escape_identifier(name)}"].value': n for n, name in enumerate(names)
        }
        curves = {
            paths[curve.data_path]: curve
            for curve in channels.curves_in(take.played, [handle])
            if curve.data_path in paths
        }
        if curves:
            values = np.array([block.value for block in keys.key_blocks[1:]])
            shown = [obj for obj in bpy.data.objects if obj.data == keys.user and obj.name in nodes.objects]
            found |= {(nodes.objects[obj.name], "weights"): keys_of(curves, values) for obj in shown}
    return found


def _unused(document: Document, new: list[tuple[int, dict[tuple[int, str], Keys]]]) -> set[int]:
    """Take the channels out that new keys replace; the accessors that only they used."""
    replaced = {number: set[tuple[int, str]]() for number, _ in new}
    for number, keys in new:
        replaced[number] |= set(keys)
    dropped: set[int] = set()
    for number, targets in replaced.items():
        animation = document.tree["animations"][number]
        dropped |= _accessors(animation)
        kept = [
            channel
            for channel in animation["channels"]
            if (channel["target"].get("node"), channel["target"]["path"]) not in targets
        ]
        samplers = [animation["samplers"][channel["sampler"]] for channel in kept]
        animation["channels"] = [channel | {"sampler": place} for place, channel in enumerate(kept)]
        animation["samplers"] = samplers
    return dropped - set().union(*map(_accessors, document.listed("animations")))


def _accessors(animation: dict[str, Any]) -> set[int]:
    return {sampler[side] for sampler in animation["samplers"] for side in ("input", "output")}


def _put(document: Document, number: int, keys: dict[tuple[int, str], Keys], fps: float) -> None:
    animation = document.tree["animations"][number]
    first = min((float(each.frames[0]) for each in keys.values()), default=0.0)
    for (node, path), each in sorted(keys.items()):
        times = (each.frames - min(first, 0.0)) / fps  # glTF has no time before zero
        sampler = {
            "input": document.add(times, "SCALAR", limits=True),
            "interpolation": each.interpolation,
            "output": document.add(each.output(fps), SIZES[path]),
        }
        animation["samplers"].append(sampler)
        target = {"node": node, "path": path}
        animation["channels"].append({"sampler": len(animation["samplers"]) - 1, "target": target})


def _numbered(document: Document, names: list[str]) -> list[int]:
    """An animation for each take; armatures that have a take of one name share it."""
    animations = document.tree.setdefault("animations", [])
    there = {name: len(animations) + place for place, name in enumerate(dict.fromkeys(names))}
    animations += [{"name": name, "channels": [], "samplers": []} for name in there]
    return [there[name] for name in names]


def _exported(takes: list[Take]) -> Document:
    """What Blender exports of everything but the takes, in the pose that is shown."""
    for take in takes:
        take.pose.put(take.armature)
    owners = list(dict.fromkeys(owner for take in takes for owner in owners_of(take)))
    before = [(owner, assignment(owner)) for owner in owners]
    tracks = [track for owner in owners for track in owner.animation_data.nla_tracks if not track.mute]
    for track in tracks:
        track.mute = True
    for owner in owners:
        owner.animation_data.action = None
    try:
        with tempfile.TemporaryDirectory(prefix="posewright-") as folder:
            path = Path(folder, "rest.glb")
            bpy.ops.export_scene.gltf(
                filepath=str(path),
                export_animation_mode="ACTIONS",
                export_anim_single_armature=False,
                export_force_sampling=False,
                export_rest_position_armature=False,
                export_cameras=True,
                export_lights=True,
                export_extras=True,
            )
            return Document(path)
    finally:
        for owner, (action, handle) in before:
            if action is not None:
                actions.assign(owner, action, actions.slot_with_handle(action, handle))
        for track in tracks:
            track.mute = False


def _nodes_below(document: Document, armature: bpy.types.Object) -> Nodes:
    """Bones are looked for below their armature: another one may have bones of the same names."""
    nodes = document.listed("nodes")
    bones = set(armature.data.bones.keys())
    objects = {node.get("name", ""): number for number, node in reversed(list(enumerate(nodes)))}
    meshes = {node.get("name", ""): number for number, node in enumerate(nodes) if "mesh" in node}

    def bones_below(number: int) -> dict[str, int]:
        below = nodes[number].get("children", [])
        own = {
            nodes[child]["name"]: child
            for child in below
            if nodes[child].get("name") in bones - meshes.keys()
        }
        return {name: node for child in below for name, node in bones_below(child).items()} | own

    tops = {
        number: bones_below(number) for number, node in enumerate(nodes) if node.get("name") == armature.name
    }
    if not tops:
        raise InputError(f"Blender's exporter leaves {armature.name} out: choose --format blend.")
    top = max(tops, key=lambda number: len(tops[number]))
    return Nodes(tops[top], objects | meshes | {armature.name: top})
