# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing glTF by putting keys into the file itself.

A clip that came from a glTF file keeps everything of it but the keys that were reduced: meshes, materials,
poses that nothing animates, names. A clip from elsewhere is exported by Blender without its takes first.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...core import InputError, rotations
from ...core.motion import FloatArray
from .. import actions, everything, stages
from ..distil import channels
from ..posed_bones import pose_matrices
from .glb import Document
from .gltf_keys import Keys, keys_of
from .gltf_nodes import X_LAST, Y_UP, Nodes, Origin, animated_properties
from .played_takes import frames_of
from .takes import Take, alone, assignment, in_one_scene, owners_of

SIZES = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3", "weights": "SCALAR"}


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
    fps = stages.frames_per_second(bpy.context.scene)
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
    animated = animated_properties(take.armature, take.played, take.handle, nodes)
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
            shown = [obj for obj in everything.objects_with(keys.user) if obj.name in nodes.objects]
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
        with in_one_scene(takes), tempfile.TemporaryDirectory(prefix="posewright-") as folder:
            path = Path(folder, "rest.glb")
            bpy.ops.export_scene.gltf(
                filepath=str(path),
                use_active_scene=True,
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
        raise InputError(
            "Blender's exporter leaves {armature} out: choose --format blend.", armature=armature.name
        )
    top = max(tops, key=lambda number: len(tops[number]))
    return Nodes(tops[top], objects | meshes | {armature.name: top})
