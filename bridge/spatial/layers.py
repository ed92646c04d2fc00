# SPDX-License-Identifier: GPL-3.0-or-later
"""Several sets at once: each bone takes from the sets that move it, by their shares."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...core.spatial import orthonormalise
from .poses import Pose


def blended(poses: Sequence[Pose], shares: np.ndarray) -> Pose:
    """One pose from one of each set and `shares` (..., S); where nobody has a share, all count alike.

    Sets that move different bones are simply laid over each other.
    """
    if len(poses) == 1:
        return poses[0]
    bones = tuple(dict.fromkeys(bone for pose in poses for bone in pose.bones))
    row = {bone: n for n, bone in enumerate(bones)}
    held = np.zeros((len(poses), len(bones)))
    for n, pose in enumerate(poses):
        held[n, [row[bone] for bone in pose.bones]] = 1.0
    weights = shares[..., None] * held
    total = weights.sum(axis=-2, keepdims=True)
    weights = np.where(total > 0.0, weights, held)
    weights = weights / np.maximum(weights.sum(axis=-2, keepdims=True), np.finfo(float).tiny)
    shape = (*shares.shape[:-1], len(bones))
    result = Pose(bones, np.zeros((*shape, 3, 3)), np.zeros((*shape, 3)), np.zeros((*shape, 3)))
    for n, pose in enumerate(poses):
        rows = [row[bone] for bone in pose.bones]
        weight = weights[..., n, rows]
        result.rotations[..., rows, :, :] += weight[..., None, None] * pose.rotations
        result.locations[..., rows, :] += weight[..., None] * pose.locations
        result.scales[..., rows, :] += weight[..., None] * pose.scales
    shared = np.flatnonzero(held.sum(axis=0) > 1)
    result.rotations[..., shared, :, :] = orthonormalise(result.rotations[..., shared, :, :])
    return result
