# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH, written here: Blender's own exporter turns the axes and forgets the order of joints and rotations.

A clip that came from a .bvh keeps the text of its skeleton to the letter and gets new numbers below it.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np

from ...core import rotations
from ...core.motion import FloatArray
from .. import sampling, stages
from ..posed_bones import pose_matrices
from .played_takes import frames_of
from .takes import Take, alone

AXES = "xyz"
# From the file's axes, Y up, to Blender's: what the importer does where nothing else is asked for.
TO_BLENDER = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
MOVES = 1e-5  # a joint whose place in its parent changes by more than this share of the height
DIGITS = 6


@dataclass(frozen=True)
class Joint:
    name: str
    parent: int  # -1 for a root
    channels: tuple[str, ...]  # such as xposition, zrotation; in the order of the file

    @property
    def rotation_order(self) -> str:
        """In Blender's words, which name the axis that turns first; axes without a channel come before."""
        told = "".join(name[0] for name in self.channels if name.endswith("rotation"))
        missing = "".join(axis for axis in AXES if axis not in told)
        return (told + missing)[::-1].upper()


def read(path: Path) -> None:
    with warnings.catch_warnings():
        # Blender's importer leaves the closing of the file to the garbage collector.
        warnings.simplefilter("ignore", ResourceWarning)
        bpy.ops.import_anim.bvh(filepath=str(path), update_scene_fps=True)


def write(path: Path, take: Take, origin: Path | None) -> None:
    """Write one take; `origin` is the .bvh that it came from, if it did."""
    with alone(take) as armature:
        frames = frames_of(armature)
        whole = np.arange(
            np.ceil(frames[0] - sampling.SAME_FRAME), np.floor(frames[-1] + sampling.SAME_FRAME) + 1
        )
        skeleton = _Skeleton(armature, whole)
    head = None if origin is None else _head_of(origin, armature, len(whole))
    if head is None:
        joints = skeleton.joints()
        head = skeleton.text(joints, stages.frames_per_second(bpy.context.scene))
    else:
        head, joints = head
    rows = np.round(skeleton.channels(joints), DIGITS) + 0.0  # no minus zero
    lines = [" ".join(f"{value:.{DIGITS}f}" for value in row) for row in rows.tolist()]
    path.write_bytes((head + "\n".join(lines) + "\n").encode(errors="surrogateescape"))


def _head_of(origin: Path, armature: bpy.types.Object, count: int) -> tuple[str, list[Joint]] | None:
    """Everything before the numbers of a file, and its joints; None where they are not the armature's."""
    text = origin.read_bytes().decode(errors="surrogateescape")
    top = re.match(
        r"(?s).*?\bMOTION\s+Frames:\s*(\d+)\s+Frame Time:[^\r\n]*(?:\r\n|\r|\n)", text, re.IGNORECASE
    )
    if top is None:
        return None
    joints = parse_joints(top[0])
    bones = list(armature.data.bones)
    numbers = {bone.name: number for number, bone in enumerate(bones)}
    parents = [numbers[bone.parent.name] if bone.parent else -1 for bone in bones]
    if parents != [joint.parent for joint in joints]:
        return None
    head = top[0][: top.start(1)] + str(count) + top[0][top.end(1) :]
    return head, joints


def parse_joints(text: str) -> list[Joint]:
    """The joints of a HIERARCHY in its order; end sites are none."""
    found: list[Joint] = []
    inside: list[int] = []  # the joints whose braces are open; -2 for an end site
    opening = -2
    for words in (line.split() for line in re.split(r"\r\n|\r|\n", text)):
        word = words[0].lower() if words else ""
        if word in ("root", "joint"):
            found.append(Joint("_".join(words[1:]).rstrip("{"), inside[-1] if inside else -1, ()))
            opening = len(found) - 1
        elif word == "end":
            opening = -2
        elif word == "channels":
            this = found[inside[-1]]
            found[inside[-1]] = Joint(this.name, this.parent, tuple(each.lower() for each in words[2:]))
        if "{" in "".join(words):
            inside.append(opening)
        if word == "}":
            inside.pop()
        if word == "motion":
            break
    return found


class _Skeleton:
    """Where the bones of an armature are, at rest and in every frame, in the axes of the file."""

    def __init__(self, armature: bpy.types.Object, frames: FloatArray) -> None:
        bones = list(armature.data.bones)
        numbers = {bone.name: number for number, bone in enumerate(bones)}
        self.names = [bone.name for bone in bones]
        self.parents = np.array([numbers[bone.parent.name] if bone.parent else -1 for bone in bones])
        posed, objects = pose_matrices(armature, frames)
        rest = np.array([np.array(bone.matrix_local) for bone in bones])
        tails = np.array([(*bone.tail_local, 1.0) for bone in bones])
        world, still = objects[:, None] @ posed, objects[0] @ rest
        turned = _rotation(world) @ np.swapaxes(_rotation(still), -1, -2)
        self.turns = TO_BLENDER.T @ turned @ TO_BLENDER  # (F, B, 3, 3) from rest to pose
        self.heads: FloatArray = world[..., :3, 3] @ TO_BLENDER
        self.rest: FloatArray = still[:, :3, 3] @ TO_BLENDER
        self.ends: FloatArray = (tails @ objects[0].T)[:, :3] @ TO_BLENDER - self.rest
        self.height = sampling.height_of(armature)

    def offsets(self) -> FloatArray:
        """(B, 3) from the parent at rest."""
        above = np.where((self.parents >= 0)[:, None], self.rest[self.parents], 0.0)
        return self.rest - above

    def places(self) -> FloatArray:
        """(F, B, 3) as seen from the parent's pose."""
        inner = self.parents >= 0
        places = self.heads.copy()
        apart = self.heads[:, inner] - self.heads[:, self.parents[inner]]
        places[:, inner] = np.einsum("fbji,fbj->fbi", self.turns[:, self.parents[inner]], apart)
        return places

    def local_turns(self) -> FloatArray:
        inner = self.parents >= 0
        local = self.turns.copy()
        local[:, inner] = np.swapaxes(self.turns[:, self.parents[inner]], -1, -2) @ self.turns[:, inner]
        return local

    def joints(self) -> list[Joint]:
        """For a clip that came from elsewhere: places for roots and for what moves in its parent."""
        drift = np.abs(self.places() - self.offsets()).max(axis=(0, 2))
        rotation = ("zrotation", "xrotation", "yrotation")
        position = ("xposition", "yposition", "zposition")
        return [
            Joint(
                re.sub(r"\s+", "_", name),
                int(parent),
                (*position, *rotation) if parent < 0 or moved > MOVES * self.height else rotation,
            )
            for name, parent, moved in zip(self.names, self.parents, drift, strict=True)
        ]

    def channels(self, joints: list[Joint]) -> FloatArray:
        """(F, C) the numbers of every frame."""
        places, turns = self.places(), self.local_turns()
        columns: list[FloatArray] = []
        for number, joint in enumerate(joints):
            order = joint.rotation_order
            angles = np.degrees(
                rotations.continuous_euler(rotations.matrix_to_euler(turns[:, number], order), order)
            )
            for channel in joint.channels:
                source = angles if channel.endswith("rotation") else places[:, number]
                columns.append(source[:, AXES.index(channel[0])])
        return np.stack(columns, axis=1)

    def text(self, joints: list[Joint], fps: float) -> str:
        """The head of a new file."""
        offsets = self.offsets()
        lines = ["HIERARCHY"]

        def add(number: int, depth: int) -> None:
            joint, pad = joints[number], "\t" * depth
            lines.append(f"{pad}{'JOINT' if depth else 'ROOT'} {joint.name}")
            lines.append(f"{pad}{{")
            lines.append(f"{pad}\tOFFSET {_numbers(offsets[number])}")
            names = (each[0].upper() + each[1:] for each in joint.channels)
            lines.append(f"{pad}\tCHANNELS {len(joint.channels)} {' '.join(names)}")
            children = np.flatnonzero(self.parents == number)
            for child in children:
                add(int(child), depth + 1)
            if not len(children):
                lines.extend(
                    [f"{pad}\tEnd Site", f"{pad}\t{{", f"{pad}\t\tOFFSET {_numbers(self.ends[number])}"]
                )
                lines.append(f"{pad}\t}}")
            lines.append(f"{pad}}}")

        for root in np.flatnonzero(self.parents < 0):
            add(int(root), 0)
        lines += ["MOTION", f"Frames: {len(self.heads)}", f"Frame Time: {1.0 / fps:.8f}"]
        return "\n".join(lines) + "\n"


def _numbers(values: FloatArray) -> str:
    return " ".join(f"{value:.{DIGITS}f}" for value in values)


def _rotation(matrices: FloatArray) -> FloatArray:
    """The rotation in 4x4 matrices that also scale."""
    axes = matrices[..., :3, :3]
    return axes / np.linalg.norm(axes, axis=-2, keepdims=True)
