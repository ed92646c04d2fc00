# SPDX-License-Identifier: GPL-3.0-or-later
"""Several sets at once: side by side by their shares, over each other, or added on top."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from ....core.spatial import Part, ValuesPart, add_on_top, add_values_on_top, blend_set_values, blend_sets
from ....core.spatial import Pose as CorePose
from .. import sets
from ..posing.dials import Dials
from ..posing.poses import Pose

Below = TypeVar("Below")
Each = TypeVar("Each")


def blended(
    poses: Sequence[Pose], shares: np.ndarray, layers: Sequence[str], previous: Pose | None = None
) -> Pose:
    """One pose from what each set says, `shares` (S,) and the layers they are in; see `sets.BLEND`.

    What sets are missing to a whole is the pose underneath, at last the rest pose. `previous` keeps bones
    steady between opposite poses.
    """
    if len(poses) == 1 and shares[0] >= 1.0:
        return poses[0]
    bones = tuple(dict.fromkeys(bone for pose in poses for bone in pose.bones))
    row = {bone: n for n, bone in enumerate(bones)}
    parts = [
        Part(
            CorePose(pose.rotations, pose.locations, pose.scales),
            np.array([row[bone] for bone in pose.bones], dtype=np.int64),
            float(share),
        )
        for pose, share in zip(poses, shares, strict=True)
    ]
    known = None if previous is None else previous.only(bones)
    steady = known.rotations if known is not None and known.bones == bones else None
    rest = CorePose(np.broadcast_to(np.eye(3), (len(bones), 3, 3)))
    result = _in_layers(
        rest, parts, layers, blend=lambda below, those: blend_sets(below, those, steady), add=add_on_top
    )
    return Pose(bones, result.rotations, result.translations, result.scales)


def blended_dials(said: Sequence[Dials], shares: np.ndarray, layers: Sequence[str]) -> Dials:
    """How dials are set by what each set says; see `blended`."""
    if len(said) == 1 and shares[0] >= 1.0:
        return said[0]
    which = tuple(dict.fromkeys(dial for each in said for dial in each.which))
    row = {dial: n for n, dial in enumerate(which)}
    parts = [
        ValuesPart(each.values, np.array([row[dial] for dial in each.which], dtype=np.int64), float(share))
        for each, share in zip(said, shares, strict=True)
    ]
    rest, switches = (
        np.array([dial.rest for dial in which]),
        np.array([dial.is_switch for dial in which], bool),
    )
    values = _in_layers(
        rest,
        parts,
        layers,
        blend=lambda below, those: blend_set_values(below, those, switches),
        add=lambda below, part: add_values_on_top(below, part, rest, switches),
    )
    return Dials(which, values)


def _in_layers(
    rest: Below,
    parts: Sequence[Each],
    layers: Sequence[str],
    *,
    blend: Callable[[Below, list[Each]], Below],
    add: Callable[[Below, Each], Below],
) -> Below:
    """What stands side by side first, then what lies over it one by one, and at last what is added."""
    by_layer: dict[str, list[Each]] = {layer: [] for layer in (sets.BLEND, sets.OVER, sets.ADD)}
    for part, layer in zip(parts, layers, strict=True):
        by_layer[layer].append(part)
    result = blend(rest, by_layer[sets.BLEND])
    for part in by_layer[sets.OVER]:
        result = blend(result, [part])
    for part in by_layer[sets.ADD]:
        result = add(result, part)
    return result


def stacked(poses: Sequence[Pose]) -> Pose:
    """Poses of the same bones as one with an axis of frames."""
    return Pose(
        poses[0].bones,
        np.stack([pose.rotations for pose in poses]),
        np.stack([pose.locations for pose in poses]),
        np.stack([pose.scales for pose in poses]),
    )
