# SPDX-License-Identifier: GPL-3.0-or-later
"""Walks and runs of characters, robbed of nothing but their ground: Perform's Walk has to find the way.

    python -m benchmarks.character_walks [FILE ...]        with a Python that has bpy

The poses of a cycle become the keys of a set, in a circle, and the cursor goes around three times, a round as
long as the cycle; clips that travel are taken off their way and become an instrument. What was written is
played by Blender and measured, in thousandths of the height: frames that step back, against where a cycle
goes on the whole and a clip went at that moment, and the farthest step back; how far the point that moves
least slides in a frame; how deep contacts sink; how deep the mesh is below the ground, in the take and in the
source. *Way* is where it gets to, in heights.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import one_thread  # noqa: F401  # isort: skip
import numpy as np

from benchmarks import character_files
from benchmarks.extension import bpy, part

character, empties = part("bridge.character"), part("bridge.spatial.making.empties")
walking, kinematics = part("bridge.spatial.walks.walking"), part("bridge.spatial.posing.forward_kinematics")
KINDS = ("Walk", "Run", "Sneak")
ROUNDS, KEYS = 3, 12
SLIGHT = 1e-4  # of the height: less is no step
INSTRUMENT_KEYS = 40


@dataclass(frozen=True)
class Played:
    """A take or a source, frame by frame, in heights."""

    base: np.ndarray  # (F, 3) where the armature object is
    hips: np.ndarray  # (F, 3)
    points: np.ndarray  # (F, C, 3) what can stand, without what it is above the ground when it does
    mesh: np.ndarray  # (F,) how low the mesh is; nan without one


def play_action(rig: Any, action: Any) -> None:
    rig.animation_data.action = action
    if action is not None and getattr(rig.animation_data, "action_slot", True) is None:
        rig.animation_data.action_slot = action.slots[0]


def played(rig: Any, contacts: Any, frames: np.ndarray, height: float) -> Played:
    ends = kinematics.bone_ends(rig)
    count, scene = len(ends), bpy.context.scene
    meshes = [each for each in bpy.data.objects if each.type == "MESH" and each.find_armature() == rig]
    hips = list(rig.pose.bones.keys()).index(character.describe(rig).hips)
    base, carried, points, mesh = [], [], [], []
    for frame in frames:
        scene.frame_set(int(np.floor(frame)), subframe=float(frame % 1.0))
        heads = np.array([bone.head for bone in rig.pose.bones])
        matrices = np.array([bone.matrix for bone in rig.pose.bones]).reshape(count, 4, 4)
        tails = np.einsum("bij,bj->bi", matrices[:, :3, :3], ends) + matrices[:, :3, 3]
        world = np.array(rig.matrix_world)
        there = np.concatenate([heads, tails]) @ world[:3, :3].T + world[:3, 3]
        base.append(world[:3, 3])
        carried.append(there[hips])
        points.append(there[contacts.rows] - contacts.soles)
        mesh.append(min((lowest_of(each) for each in meshes), default=np.nan))
    return Played(*(np.array(each) / height for each in (base, carried, points, mesh)))


def lowest_of(item: Any) -> float:
    shape = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = shape.to_mesh()
    places = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", places)
    matrix = np.array(shape.matrix_world)
    shape.to_mesh_clear()
    return float((places.reshape(-1, 3) @ matrix[2, :3] + matrix[2, 3]).min())


def circle(radius: float, share: float) -> tuple[float, float, float]:
    angle = 2.0 * np.pi * share
    return radius * float(np.cos(angle)), -radius, radius * float(np.sin(angle))


def cycle_take(rig: Any, action: Any) -> np.ndarray:
    """Write three rounds of a cycle as a take on found feet; its frames."""
    play_action(rig, action)
    first, last = action.frame_range
    radius, scene = empties.height_within(rig), bpy.context.scene
    bpy.ops.posewright.spatial_set_add(name="Cycle")
    for n in range(KEYS):
        frame = first + (last - first) * n / KEYS
        scene.frame_set(int(frame), subframe=frame % 1.0)
        rig.posewright.spatial.sets[-1].cursor.location = circle(radius, n / KEYS)
        bpy.context.view_layer.update()
        bpy.ops.posewright.spatial_key_add(name=f"{n}")
    play_action(rig, None)
    rig.posewright.spatial.use_locomotion = True
    bpy.context.view_layer.update()
    length = last - first
    frames = np.arange(1, int(ROUNDS * length) + 2)
    path = [{"name": "", "frame": int(n), "place": circle(radius, (n - 1) / length)} for n in frames]
    bpy.ops.posewright.bake_cursor(path=path)
    return frames


def clip_take(rig: Any, action: Any) -> np.ndarray:
    """Make an instrument of a clip, and let it play the clip again on found feet; its frames."""
    play_action(rig, action)
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = INSTRUMENT_KEYS
    bpy.ops.posewright.spatial_set_from_action(in_place=True)
    rig.posewright.spatial.use_locomotion = True
    bpy.context.view_layer.update()
    bpy.ops.posewright.spatial_take_again()
    first, last = rig.animation_data.action.frame_range
    return np.arange(np.ceil(first), np.floor(last) + 1.0)


def measure(file: Path, name: str) -> str:
    rig = character_files.import_character(file)
    bpy.context.view_layer.objects.active = rig
    for track in rig.animation_data.nla_tracks:
        track.mute = True
    action, height = bpy.data.actions[name], character.height_of(rig)
    play_action(rig, action)
    loops = file.suffix == ".glb"
    source = np.arange(np.ceil(action.frame_range[0]), np.floor(action.frame_range[1]) + 1.0)
    frames = (cycle_take if loops else clip_take)(rig, action)
    bpy.context.scene.frame_set(int(frames[0]))  # where the ground is that it walks on
    contacts = walking._contacts(rig)
    result = played(rig, contacts, frames, height)
    play_action(rig, action)
    before = played(rig, contacts, source, height)
    gone = take_way(result) if loops else clip_way(before)
    return f"{file.stem:18}{name[:24]:25}" + figures(result, before, gone, contacts.ground / height)


def take_way(take: Played) -> np.ndarray:
    """(F - 1, 2) where it goes on the whole, in each frame."""
    whole = (take.base[-1] - take.base[0])[:2]
    return np.tile(whole / max(np.linalg.norm(whole), 1e-9), (len(take.base) - 1, 1))


def clip_way(source: Played) -> np.ndarray:
    """(F - 1, 2) where the hips go at each moment; nothing where they hardly move."""
    rate = bpy.context.scene.render.fps
    window = np.hanning(2 * (rate // 4) + 1)
    steps = np.diff(source.hips[:, :2], axis=0)
    ways = np.stack([np.convolve(each, window / window.sum(), "same") for each in steps.T], axis=1)
    speeds = np.linalg.norm(ways, axis=1, keepdims=True)
    return np.where(speeds * rate > walking.STEADY_SPEED, ways / np.maximum(speeds, 1e-9), 0.0)


def figures(take: Played, source: Played, ways: np.ndarray, ground: float) -> str:
    steps = np.diff(take.base[:, :2], axis=0)
    far = np.linalg.norm(steps.sum(axis=0))
    forward = (steps * ways).sum(axis=1)
    back = forward < -SLIGHT
    sunk = max(ground - take.points[..., 2].min(), 0.0)
    deep = [max(ground - each.mesh.min(), 0.0) for each in (take, source)]
    return (
        f"way {far:6.2f}  back {back.sum():3} of {len(steps):3}, {1000 * max(-forward.min(), 0.0):6.1f}"
        f"  slide {1000 * slide(take, ground):5.1f}  sunk {1000 * sunk:5.2f}"
        f"  mesh {1000 * deep[0]:6.1f}, source {1000 * deep[1]:6.1f}"
    )


def slide(take: Played, ground: float) -> float:
    """How far the point that moves least, of those that touch, slides in a frame: mean of all frames."""
    now, before = take.points[1:], take.points[:-1]
    touches = np.maximum(now, before)[..., 2] <= ground + walking.TOUCH + walking.HOLD
    moved = np.linalg.norm((now - before)[..., :2], axis=-1)
    least = np.where(touches, moved, np.inf).min(axis=1, initial=np.inf)
    return float(least[np.isfinite(least)].mean()) if np.isfinite(least).any() else 0.0


def walks_of(file: Path) -> list[str]:
    character_files.import_character(file)
    names = [action.name for action in bpy.data.actions]
    return [name for name in names if file.suffix != ".glb" or any(kind in name for kind in KINDS)]


def main() -> None:
    files = [Path(each) for each in sys.argv[1:]] or character_files.all_files()
    if not files:
        print(character_files.MISSING)
    for file in files:
        for name in walks_of(file):
            print(measure(file, name), flush=True)


if __name__ == "__main__":
    main()
