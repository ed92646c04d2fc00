# SPDX-License-Identifier: GPL-3.0-or-later
"""What the viewport needs to draw ghosts: key poses as triangles, and the paths of chosen bones."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.motion import FloatArray
from ...core.picture import Poses, solids, time_colours
from ...core.picture.views import best_view
from ...core.spread import spread
from .. import sampling
from ..bones import selected_bones
from . import meshes, sampled_poses

PATH_FRAMES = 240  # a path is looked at so often at most, however long the action is


@dataclass(frozen=True)
class Wanted:
    """What to gather, small enough to compare at every redraw."""

    armature: str
    action: str
    most: int
    between: int
    skin: bool
    path_bones: tuple[str, ...]
    colours: tuple[tuple[float, ...], tuple[float, ...]] | None = (
        None  # of the first and the last, where they are not ours
    )


@dataclass(frozen=True, eq=False)
class Solid:
    """Triangles of one colour: corners, brightness of each corner, and which corners make a triangle."""

    corners: NDArray[np.float32]
    shades: NDArray[np.float32]
    faces: NDArray[np.int32] | None = None


@dataclass(frozen=True, eq=False)
class Path:
    """Where the tail of a bone goes."""

    points: NDArray[np.float32]
    colours: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class GhostData:
    """Everything that is drawn, in world space.

    Attributes:
        frames: (P,) of the ghosts.
        colours: (P, 3) early to late.
        bodies: P skeletons or skins.
        between: skeletons or skins of poses between the keys.
        between_places: (B,) where each of them stands among the ghosts: 2.5 is halfway from the third to the
            fourth.
        between_centres: (B, 3) their middles.
        dots: P groups of balls where a path passes a key.
        centres, tops: (P, 3) the middle of each ghost, and the point above it for its number.
        axes: (3, 3) from where poses are told apart best, rows: right, up and towards the viewer.
        width: how wide a pose is, typically; the unit of spreading out.
        left_out: how many key poses are not shown because there are too many.
        skin_left_out: whether the skin was wanted but has too many triangles to be fast.
    """

    frames: FloatArray
    colours: FloatArray
    bodies: list[Solid]
    between: list[Solid]
    between_places: FloatArray
    between_centres: FloatArray
    dots: list[Solid]
    paths: list[Path]
    centres: FloatArray
    tops: FloatArray
    axes: FloatArray
    width: float
    left_out: int
    skin_left_out: bool


def path_bones(armature: bpy.types.Object) -> tuple[str, ...]:
    """The bones that are selected in Pose Mode."""
    if armature.mode != "POSE" or armature.pose is None:
        return ()
    return tuple(selected_bones(armature))


def gather(armature: bpy.types.Object, wanted: Wanted) -> GhostData:
    """Sample the key poses, and poses between them if wanted."""
    keyed = sampled_poses.pose_frames(armature)
    frames = keyed[spread(len(keyed), wanted.most)]
    places = _places(len(frames), wanted.between, wanted.most)
    moments = np.interp(places, np.arange(len(frames)), frames)
    is_key = places == np.round(places)
    everything = sampled_poses.sample_poses(armature, moments)
    skin = meshes.sample_skin(armature, moments) if wanted.skin else None
    bodies = _skeletons(everything) if skin is None else [Solid(*part) for part in skin]
    low, high = everything.ends.min(axis=1), everything.ends.max(axis=1)
    shown = everything.at(np.flatnonzero(is_key))
    paths, dots = _paths(armature, keyed, frames, wanted, 0.016 * shown.size)
    highest = shown.ends[..., 2].argmax(axis=1)
    tops = shown.ends[np.arange(len(shown)), highest] + np.array([0.0, 0.0, 0.04 * shown.size])
    return GhostData(
        frames=frames,
        colours=time_colours((frames - keyed[0]) / max(float(np.ptp(keyed)), 1e-9), wanted.colours),
        bodies=[body for body, key in zip(bodies, is_key, strict=True) if key],
        between=[body for body, key in zip(bodies, is_key, strict=True) if not key],
        between_places=places[~is_key],
        between_centres=((low + high) / 2.0)[~is_key],
        dots=dots,
        paths=paths,
        centres=((low + high) / 2.0)[is_key],
        tops=tops,
        axes=best_view(shown).axes,
        width=float(np.median(np.linalg.norm((high - low)[is_key][:, :2], axis=1))),
        left_out=len(keyed) - len(frames),
        skin_left_out=wanted.skin and skin is None,
    )


def _places(count: int, between: int, most: int) -> FloatArray:
    """(N,) places among the ghosts: all whole numbers, and so many between each two as the most allows."""
    room = max(most - count, 0) // max(count - 1, 1)
    steps = min(between, room) + 1
    return np.arange((count - 1) * steps + 1) / steps


def _skeletons(shown: Poses) -> list[Solid]:
    return [
        Solid(*solids.octahedra(heads, tails, 1.3 * shown.radii))
        for heads, tails in zip(shown.heads, shown.tails, strict=True)
    ]


def _paths(
    armature: bpy.types.Object, keyed: FloatArray, frames: FloatArray, wanted: Wanted, radius: float
) -> tuple[list[Path], list[Solid]]:
    bones = wanted.path_bones
    if not bones:
        return [], []
    between = np.linspace(keyed[0], keyed[-1], PATH_FRAMES)
    moments = np.unique(np.concatenate([between, frames]))
    motion = sampling.sample(armature, moments, bones=bones)
    tails = motion.positions[:, [motion.names.index(bone) for bone in bones]]
    colours = time_colours((moments - keyed[0]) / max(float(np.ptp(keyed)), 1e-9), wanted.colours)
    paths = [
        Path(tails[:, column].astype(np.float32), colours.astype(np.float32)) for column in range(len(bones))
    ]
    at_keys = tails[np.searchsorted(moments, frames)]
    return paths, [Solid(*solids.dots(places, radius)) for places in at_keys]
