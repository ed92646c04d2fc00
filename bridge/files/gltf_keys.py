# SPDX-License-Identifier: GPL-3.0-or-later
"""F-curves as glTF's keys, and glTF's tangents as handles: exact, where the format can say it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...core import rotations
from ...core.motion import FloatArray
from .. import actions, sampling
from ..baking import enum_value
from ..splicing import read_keys

SAME_LENGTH = 1e-2  # handles whose length is that near to a third of the segment, as a share of the segment


@dataclass(frozen=True, eq=False)
class Keys:
    """The keys of all components of one property.

    Attributes:
        frames: (K,)
        values: (K, C)
        arriving, leaving: (K, C) slopes per frame; for CUBICSPLINE.
        interpolation: STEP, LINEAR or CUBICSPLINE.
    """

    frames: FloatArray
    values: FloatArray
    interpolation: str = "LINEAR"
    arriving: FloatArray | None = None
    leaving: FloatArray | None = None

    def mapped(self, matrix: FloatArray, offset: FloatArray | float = 0.0) -> Keys:
        """Other coordinates of the same keys."""
        slopes = [None if each is None else each @ matrix.T for each in (self.arriving, self.leaving)]
        return replace(self, values=self.values @ matrix.T + offset, arriving=slopes[0], leaving=slopes[1])

    def along_chords(self) -> Keys:
        """The same straight lines between keys, said as a spline."""
        slopes = np.diff(self.values, axis=0) / np.diff(self.frames)[:, None]
        still = np.zeros((1, self.values.shape[1]))
        arriving, leaving = np.concatenate([still, slopes]), np.concatenate([slopes, still])
        return replace(self, interpolation="CUBICSPLINE", arriving=arriving, leaving=leaving)

    def output(self, fps: float) -> FloatArray:
        """The numbers as glTF stores them."""
        if self.arriving is None or self.leaving is None:
            return self.values
        return np.stack([self.arriving * fps, self.values, self.leaving * fps], axis=1)


def keys_of(curves: Mapping[int, Any], otherwise: FloatArray) -> Keys:
    """The keys of a property whose components have curves; `otherwise` are the values of those without.

    Where components have keys at different frames, or handles that glTF has no words for, every frame
    becomes a key.
    """
    keyed = {index: read_keys(curve) for index, curve in curves.items()}
    moving = {index: keys for index, keys in keyed.items() if len(keys["co"]) > 1}
    if not moving:
        first = min(float(keys["co"][0, 0]) for keys in keyed.values())
        values = otherwise.copy()
        for index, keys in keyed.items():
            values[index] = keys["co"][0, 1]
        return Keys(np.array([first]), values[None])
    exact = _exact(keyed, moving, otherwise)
    return _every_frame(curves, otherwise) if exact is None else exact


def _exact(
    keyed: dict[int, dict[str, np.ndarray]], moving: dict[int, dict[str, np.ndarray]], otherwise: FloatArray
) -> Keys | None:
    frames = next(iter(moving.values()))["co"][:, 0].astype(np.float64)
    for keys in moving.values():
        if len(keys["co"]) != len(frames) or np.abs(keys["co"][:, 0] - frames).max() > sampling.SAME_FRAME:
            return None
    values = np.tile(otherwise, (len(frames), 1))
    for index, keys in keyed.items():
        values[:, index] = keys["co"][:, 1]
    kinds = {kind for keys in moving.values() for kind in np.unique(keys["interpolation"][:-1]).tolist()}
    constant, linear, bezier = (
        enum_value("interpolation", name) for name in ("CONSTANT", "LINEAR", "BEZIER")
    )
    if kinds == {constant}:
        return Keys(frames, values, "STEP")
    if kinds == {linear}:
        return Keys(frames, values)
    if not kinds <= {linear, bezier}:
        return None
    length = np.diff(frames)
    arriving, leaving = np.zeros_like(values), np.zeros_like(values)
    for index, keys in moving.items():
        chord = np.diff(values[:, index]) / length
        after, before = keys["handle_right"][:-1] - keys["co"][:-1], keys["co"][1:] - keys["handle_left"][1:]
        curved = keys["interpolation"][:-1, 0] == bezier
        odd = np.maximum(np.abs(after[:, 0] / length - 1 / 3), np.abs(before[:, 0] / length - 1 / 3))
        if np.any(curved & (odd > SAME_LENGTH)):
            return None
        leaving[:-1, index] = np.where(curved, 3.0 * after[:, 1] / length, chord)
        arriving[1:, index] = np.where(curved, 3.0 * before[:, 1] / length, chord)
    return Keys(frames, values, "CUBICSPLINE", arriving, leaving)


def _every_frame(curves: Mapping[int, Any], otherwise: FloatArray) -> Keys:
    keyed = np.unique(np.concatenate([read_keys(curve)["co"][:, 0] for curve in curves.values()]))
    frames = sampling.frames_to_sample(keyed.astype(np.float64), float(keyed[0]), float(keyed[-1]))
    values = np.tile(otherwise, (len(frames), 1))
    for index, curve in curves.items():
        values[:, index] = [curve.evaluate(frame) for frame in frames.tolist()]
    return Keys(frames, values)


def write_spline(curve: Any, values: FloatArray, arriving: FloatArray, leaving: FloatArray) -> None:
    """Give a curve the values and the slopes per frame that the file has and Blender's importer changes."""
    points = curve.keyframe_points
    placed = actions.key_points(curve)
    placed[:, 1] = values
    third = np.diff(placed[:, 0]) / 3.0
    lengths = np.concatenate([third[:1], third]), np.concatenate([third, third[-1:]])
    points.foreach_set("co", placed.astype(np.float32).ravel())
    free = np.full(len(points), enum_value("handle_left_type", "FREE"), np.int32)
    points.foreach_set("handle_left_type", free)
    points.foreach_set("handle_right_type", free)
    for name, sign, length, slope in (
        ("handle_left", -1.0, lengths[0], arriving),
        ("handle_right", 1.0, lengths[1], leaving),
    ):
        handles = placed.copy()
        handles[:, 0] += sign * length
        handles[:, 1] += sign * length * slope
        points.foreach_set(name, handles.astype(np.float32).ravel())
    curve.update()


def left_product(quaternion: FloatArray) -> FloatArray:
    """(4, 4) the matrix that multiplies quaternions (w, x, y, z) from the left by another."""
    return rotations.quaternion_multiply(quaternion, np.eye(4)).T
