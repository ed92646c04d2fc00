# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletons as programs make them: the same bodies under many names."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core import anatomy
from core.anatomy import Bones, Character, Skin

Place = tuple[float, float, float]
Skeleton = dict[str, tuple[str | None, Place]]

# A person 1.8 m tall that looks along -Y, its left at +X; the right side is mirrored.
PERSON: Skeleton = {
    "hips": (None, (0, 0, 1.0)),
    "spine": ("hips", (0, 0.01, 1.12)),
    "chest": ("spine", (0, 0.02, 1.3)),
    "neck": ("chest", (0, 0.02, 1.5)),
    "head": ("neck", (0, 0, 1.62)),
    "head_top": ("head", (0, 0, 1.8)),
    "clavicle.L": ("chest", (0.03, 0, 1.46)),
    "upper_arm.L": ("clavicle.L", (0.18, 0.02, 1.45)),
    "forearm.L": ("upper_arm.L", (0.45, 0.03, 1.45)),
    "hand.L": ("forearm.L", (0.71, 0, 1.45)),
    "finger.L": ("hand.L", (0.81, 0, 1.45)),
    "finger_2.L": ("finger.L", (0.86, 0, 1.45)),
    "thumb.L": ("hand.L", (0.74, -0.04, 1.44)),
    "thumb_2.L": ("thumb.L", (0.77, -0.07, 1.43)),
    "thigh.L": ("hips", (0.1, 0, 0.95)),
    "shin.L": ("thigh.L", (0.1, -0.01, 0.52)),
    "foot.L": ("shin.L", (0.1, 0.03, 0.09)),
    "toe.L": ("foot.L", (0.1, -0.11, 0.02)),
    "toe_end.L": ("toe.L", (0.1, -0.19, 0.0)),
}
# 0.8 m high and longer than that, looking along -Y.
DOG: Skeleton = {
    "hips": (None, (0, 0.4, 0.6)),
    "spine": ("hips", (0, 0.2, 0.62)),
    "chest": ("spine", (0, -0.2, 0.6)),
    "neck": ("chest", (0, -0.4, 0.65)),
    "head": ("neck", (0, -0.5, 0.8)),
    "ear.L": ("head", (0.05, -0.5, 0.86)),
    "ear_2.L": ("ear.L", (0.07, -0.5, 0.9)),
    "tail": ("hips", (0, 0.5, 0.6)),
    "tail_2": ("tail", (0, 0.65, 0.55)),
    "tail_3": ("tail_2", (0, 0.8, 0.5)),
    "thigh.L": ("hips", (0.1, 0.4, 0.55)),
    "shin.L": ("thigh.L", (0.1, 0.33, 0.35)),
    "foot.L": ("shin.L", (0.1, 0.48, 0.18)),
    "toe.L": ("foot.L", (0.1, 0.44, 0.02)),
    "upper_arm.L": ("chest", (0.1, -0.25, 0.5)),
    "forearm.L": ("upper_arm.L", (0.1, -0.15, 0.3)),
    "hand.L": ("forearm.L", (0.1, -0.2, 0.05)),
}
BIRD: Skeleton = {
    "pelvis": (None, (0, 0.05, 0.3)),
    "spine": ("pelvis", (0, -0.05, 0.36)),
    "neck": ("spine", (0, -0.12, 0.45)),
    "head": ("neck", (0, -0.16, 0.55)),
    "beak": ("head", (0, -0.26, 0.54)),
    "tail": ("pelvis", (0, 0.2, 0.28)),
    "wing.L": ("spine", (0.06, -0.04, 0.4)),
    "wing_2.L": ("wing.L", (0.3, 0.0, 0.42)),
    "wing_3.L": ("wing_2.L", (0.6, 0.08, 0.42)),
    "thigh.L": ("pelvis", (0.05, 0.03, 0.26)),
    "shin.L": ("thigh.L", (0.05, -0.02, 0.16)),
    "foot.L": ("shin.L", (0.05, 0.04, 0.05)),
    "toe.L": ("foot.L", (0.05, -0.04, 0.0)),
}
SNAKE: Skeleton = {f"b{n}": (f"b{n - 1}" if n else None, (0, n / 10, 0.05)) for n in range(20)}
CRATE: Skeleton = {"base": (None, (0, 0, 0)), "lid": ("base", (0, 0.5, 1.0))}
SPIDER: Skeleton = {
    "body": (None, (0, 0, 0.3)),
    "abdomen": ("body", (0, 0.3, 0.35)),
    **{
        f"leg{n}_{part}.L": (
            f"leg{n}_{part - 1}.L" if part else "body",
            ((0.1, 0.25, 0.6, 0.7)[part], 0.1 * n - 0.15, (0.3, 0.6, 0.4, 0.0)[part]),
        )
        for n in range(4)
        for part in range(4)
    },
}

SPIDER_WITH_HEAD: Skeleton = {
    **SPIDER,
    "head": ("body", (0, -0.2, 0.35)),
    "fang": ("head", (0, -0.3, 0.3)),
}
# Eight arms that go out and down, and then lie on the ground.
OCTOPUS: Skeleton = {
    "mantle": (None, (0, 0, 0.6)),
    "crown": ("mantle", (0, 0, 1.0)),
    **{
        f"t{number}_{place}": (
            f"t{number}_{place - 1}" if place else "mantle",
            (away * float(np.cos(angle)), away * float(np.sin(angle)), max(0.0, 0.5 - 0.15 * place)),
        )
        for number, angle in enumerate(np.pi * (0.125 + 0.25 * np.arange(8)))
        for place, away in enumerate(0.2 + 0.3 * n for n in range(6))
    },
}

# Of blocks, one bone a limb, 1.8 m high: what nearly all voxel games have.
BLOCKS: Skeleton = {
    "body": (None, (0, 0, 0.7)),
    "head": ("body", (0, 0, 1.35)),
    "arm.L": ("body", (0.33, 0, 1.25)),
    "leg.L": ("body", (0.11, 0, 0.7)),
}
# The same where the limbs hang from short bones, and the legs from nothing.
BLOCKS_APART: Skeleton = {
    "body": (None, (0, 0, 0.7)),
    "head": ("body", (0, 0, 1.35)),
    "shoulder.L": ("body", (0, 0, 1.3)),
    "arm.L": ("shoulder.L", (0.33, 0, 1.25)),
    "hip.L": (None, (0, 0, 0.7)),
    "leg.L": ("hip.L", (0.11, 0, 0.7)),
}
BLOCK_ENDS = {
    "body": (0, 0, 1.35),
    "head": (0, 0, 1.8),
    "shoulder": (0.33, 0, 1.25),
    "arm": (0.33, 0, 0.65),
    "hip": (0.11, 0, 0.7),
    "leg": (0.11, 0, 0.0),
}

# Its legs go aside more than down.
LIZARD: Skeleton = {
    "hips": (None, (0, 0.3, 0.12)),
    "spine": ("hips", (0, 0, 0.13)),
    "chest": ("spine", (0, -0.3, 0.13)),
    "head": ("chest", (0, -0.5, 0.15)),
    "tail": ("hips", (0, 0.5, 0.1)),
    "tail_2": ("tail", (0, 1.1, 0.03)),
    "thigh.L": ("hips", (0.06, 0.3, 0.11)),
    "shin.L": ("thigh.L", (0.2, 0.27, 0.12)),
    "foot.L": ("shin.L", (0.24, 0.35, 0.02)),
    "toe.L": ("foot.L", (0.28, 0.28, 0)),
    "upper_arm.L": ("chest", (0.06, -0.3, 0.11)),
    "forearm.L": ("upper_arm.L", (0.2, -0.27, 0.12)),
    "hand.L": ("forearm.L", (0.24, -0.33, 0.02)),
    "finger.L": ("hand.L", (0.28, -0.38, 0)),
}
# Its arms are shorter than a limb has to be without names.
TYRANNOSAUR: Skeleton = {
    "pelvis": (None, (0, 0.2, 2.0)),
    "spine": ("pelvis", (0, -0.4, 2.2)),
    "chest": ("spine", (0, -1.0, 2.5)),
    "neck": ("chest", (0, -1.4, 2.9)),
    "head": ("neck", (0, -1.8, 3.5)),
    "tail": ("pelvis", (0, 0.8, 2.0)),
    "tail_2": ("tail", (0, 3.4, 1.8)),
    "thigh.L": ("pelvis", (0.4, 0.2, 1.9)),
    "shin.L": ("thigh.L", (0.4, -0.3, 1.2)),
    "foot.L": ("shin.L", (0.4, 0.4, 0.5)),
    "toe.L": ("foot.L", (0.4, 0.0, 0.0)),
    "upper_arm.L": ("chest", (0.4, -1.2, 2.2)),
    "forearm.L": ("upper_arm.L", (0.4, -1.2, 1.95)),
    "hand.L": ("forearm.L", (0.4, -1.4, 1.85)),
}
# Its legs hang from a group of their own.
CHICKEN: Skeleton = {
    "root": (None, (0, 0, 0)),
    "main": ("root", (0, 0.06, 0.25)),
    "body": ("main", (0, 0.06, 0.25)),
    "beak": ("body", (0, -0.25, 0.69)),
    "tail": ("body", (0, 0.37, 0.56)),
    "legs": ("main", (0, 0.06, 0.25)),
    "leg.L": ("legs", (0.14, 0.12, 0.19)),
    "foot.L": ("leg.L", (0.14, 0.12, 0.0)),
}
# Its feet hang from its body.
PENGUIN: Skeleton = {
    "body": (None, (0, 0, 0.3)),
    "chest": ("body", (0, 0, 0.5)),
    "head": ("chest", (0, 0, 0.8)),
    "beak": ("head", (0, -0.15, 0.8)),
    "foot.L": ("body", (0.1, 0, 0.05)),
    "toe.L": ("foot.L", (0.1, -0.12, 0.01)),
}
# Arms of one bone, and a bow with limbs and a string in one hand.
HUNTER: Skeleton = {
    "hips": (None, (0, 0, 0.44)),
    "head": ("hips", (0, 0, 1.06)),
    "arm.L": ("hips", (0.25, 0, 1.06)),
    "arm.R": ("hips", (-0.25, 0, 1.06)),
    "bow": ("arm.R", (-0.3, -0.1, 0.62)),
    "limb.L": ("bow", (0.03, -0.83, 0.64)),
    "string.L": ("limb.L", (0.31, -0.67, 0.78)),
    "limb.R": ("bow", (-0.66, -0.83, 0.64)),
    "string.R": ("limb.R", (-0.94, -0.67, 0.78)),
    "leg.L": ("hips", (0.16, 0, 0.44)),
    "shin.L": ("leg.L", (0.14, 0, 0.23)),
    "foot.L": ("shin.L", (0.14, 0, 0.0)),
    "leg.R": ("hips", (-0.16, 0, 0.44)),
    "shin.R": ("leg.R", (-0.14, 0, 0.23)),
    "foot.R": ("shin.R", (-0.14, 0, 0.0)),
}
# A propeller at one end of a long body.
AEROPLANE: Skeleton = {
    "hull": (None, (0.0, 0.0, 0.5)),
    "nose": ("hull", (0.0, 1.5, 0.5)),
    "engine": ("hull", (0.0, -0.9, 0.5)),
    "blade_a": ("engine", (0.1, -1.0, 0.5)),
    "blade_a_end": ("blade_a", (0.1, -1.4, 0.5)),
    "blade_b": ("engine", (-0.1, -1.0, 0.5)),
    "blade_b_end": ("blade_b", (-0.1, -1.4, 0.5)),
}
# Its back up, fingers along +Y.
HAND: Skeleton = {
    "wrist": (None, (0, 0, 0)),
    **{
        f"{finger}_{n}": (f"{finger}_{n - 1}" if n else "wrist", (0.02 * place, 0.05 + 0.035 * n, 0))
        for place, finger in ((-3, "thumb"), (-1.5, "index"), (-0.5, "middle"), (0.5, "ring"), (1.5, "pinky"))
        for n in range(4)
    },
}


def both_sides(skeleton: Skeleton) -> Skeleton:
    """With the right side mirrored from the left."""
    right = {
        flip(name): (parent and flip(parent), (-x, y, z))
        for name, (parent, (x, y, z)) in skeleton.items()
        if name.endswith(".L")
    }
    return {**skeleton, **right}


def parents_first(skeleton: Skeleton) -> Skeleton:
    """In the order that an armature has its bones in."""

    def depth(name: str) -> int:
        parent = skeleton[name][0]
        return 0 if parent is None else 1 + depth(parent)

    return {name: skeleton[name] for name in sorted(skeleton, key=depth)}


def flip(name: str) -> str:
    return name.removesuffix(".L") + ".R" if name.endswith(".L") else name


def renamed(skeleton: Skeleton, name_of: Callable[[str], str]) -> Skeleton:
    return {
        name_of(name): (None if parent is None else name_of(parent), place)
        for name, (parent, place) in skeleton.items()
    }


def below(skeleton: Skeleton, **roots: Place) -> Skeleton:
    """The skeleton hanging from roots of its own, each below the one before."""
    found: Skeleton = {}
    above = None
    for name, place in roots.items():
        found[name] = (above, place)
        above = name
    return {**found, **{name: (parent or above, place) for name, (parent, place) in skeleton.items()}}


def bones_of(skeleton: Skeleton, matrix: np.ndarray | None = None, **flags: np.ndarray | None) -> Bones:
    """As `core.anatomy` wants them; tails are far off, as glTF import leaves them."""
    names = list(skeleton)
    heads = np.array([place for _, place in skeleton.values()], float).reshape(-1, 3)
    heads = heads if matrix is None else heads @ matrix.T
    size = float(np.ptp(heads, axis=0).max()) if names else 0.0
    tails = heads + 20.0 * size * np.array([0.3, 0.5, 0.8])
    return Bones.of(
        names,
        [-1 if parent is None else names.index(parent) for parent, _ in skeleton.values()],
        heads,
        tails,
        **flags,
    )


def numbered(skeleton: Skeleton) -> Callable[[str], str]:
    """Names that say nothing at all."""
    numbers = {name: n for n, name in enumerate(skeleton)}
    return lambda name: f"Bone.{numbers[name]:03}"


def between(skeleton: Skeleton, name: str, below: str, place: Place) -> Skeleton:
    """With one more bone on either side, above another one."""
    found = dict(skeleton)
    for side, x in (("L", place[0]), ("R", -place[0])):
        above, there = found[f"{below}.{side}"]
        found[f"{name}.{side}"] = above, (x, *place[1:])
        found[f"{below}.{side}"] = f"{name}.{side}", there
    return parents_first(found)


def turned(x: float = 0.0, z: float = 0.0, scale: float = 1.0) -> np.ndarray:
    """Degrees about X, then about Z."""
    a, b = np.radians([x, z])
    about_x = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    about_z = np.array([[np.cos(b), -np.sin(b), 0], [np.sin(b), np.cos(b), 0], [0, 0, 1]])
    return scale * about_z @ about_x


def describe(
    skeleton: Skeleton,
    matrix: np.ndarray | None = None,
    skin: Skin | None = None,
    **flags: np.ndarray | None,
) -> Character:
    axes = np.eye(3) if matrix is None else (matrix / np.linalg.norm(matrix, axis=0)).T
    return anatomy.describe(bones_of(skeleton, matrix, **flags), axes, skin)


# The person with both sides.
BODY = both_sides(PERSON)
