# SPDX-License-Identifier: GPL-3.0-or-later
"""What must be combined with the reduced channels to give the original ones, as Blender's NLA combines.

NLA's Combine multiplies quaternions, multiplies scales and adds everything else, each counted from the
property's default value; with an influence below one, to that power. Its other ways of blending reckon with
each component alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import bpy
import numpy as np

from ....core import rotations
from ....core.motion import FloatArray

MULTIPLIED = ("scale", "delta_scale", "bbone_scalein", "bbone_scaleout")


def residuals(
    owners: Mapping[int, Any],
    paths: Sequence[tuple[int, str, int]],
    original: FloatArray,
    played: FloatArray,
    influence: float = 1.0,
) -> tuple[list[int], FloatArray]:
    """Columns that have a residual, and their values (F, columns).

    Args:
        owners: the ID that each slot handle animates.
        paths: slot handle, data path and index of each column.
        original, played: (F, C).
        influence: with which the original is combined with what is below it, and the reduced one too.
    """
    kept: list[int] = []
    values: list[FloatArray] = []
    for (handle, path), columns in _by_property(paths).items():
        owner = owners.get(handle)
        name = path.rpartition(".")[2]
        if owner is None or not is_number(owner, path):
            continue
        default = np.array([default_of(owner, path, paths[column][2]) for column in columns])
        if name == "rotation_quaternion" and len(columns) < 4:
            continue
        first, second = original[:, columns], _to_power(name, played[:, columns], default, influence)
        if influence != 1.0:
            first = _to_power(name, first, default, influence)
        if name == "rotation_quaternion":
            found = _turn(first, second)
        elif name in MULTIPLIED:
            found = _ratio(first, second)
        else:
            found = first - second + default
        kept += columns
        values.append(found)
    return kept, np.concatenate(values, axis=1) if values else np.empty((len(original), 0))


def changes_below(
    owners: Mapping[int, Any],
    paths: Sequence[tuple[int, str, int]],
    original: FloatArray,
    played: FloatArray,
    influence: float,
    blending: str,
) -> tuple[list[int], FloatArray]:
    """`residuals` for channels that are blended otherwise: what changes what is below them, in the same way.

    A change of what is replaced in part is added, and counts as much as what is below still does.
    """
    columns = [
        column
        for column, (handle, path, _) in enumerate(paths)
        if handle in owners and is_number(owners[handle], path)
    ]
    wanted, given = original[:, columns], played[:, columns]
    if blending == "MULTIPLY":
        now = influence * given + (1.0 - influence)
        found = (influence * wanted + (1.0 - influence)) / np.where(now != 0.0, now, 1.0)
        return columns, np.where(now != 0.0, found, 1.0)
    counts = 1.0 - influence if blending == "REPLACE" else 1.0
    return columns, influence / counts * (wanted - given)


def combined(
    owners: Mapping[int, Any],
    paths: Sequence[tuple[int, str, int]],
    played: FloatArray,
    kept: Sequence[int],
    lost: FloatArray,
    share: float,
) -> FloatArray:
    """(F, C) what plays if a share of residuals (F, columns), of the kept columns, is combined with it."""
    found = played.copy()
    place = {column: number for number, column in enumerate(kept)}
    for (handle, path), columns in _by_property(paths).items():
        if columns[0] not in place:
            continue
        name = path.rpartition(".")[2]
        some, now = lost[:, [place[column] for column in columns]], played[:, columns]
        if name == "rotation_quaternion":
            turns = rotations.quaternion_power(some, share)
            found[:, columns] = rotations.quaternion_multiply(turns, rotations.normalized_quaternion(now))
        elif name in MULTIPLIED:
            found[:, columns] = now * some**share
        else:
            default = [default_of(owners[handle], path, paths[column][2]) for column in columns]
            found[:, columns] = now + share * (some - default)
    return found


def whole_properties(paths: Sequence[tuple[int, str, int]], chosen: np.ndarray) -> np.ndarray:
    """(C,) the chosen channels and the others of the same properties: NLA turns by whole quaternions."""
    found = chosen.copy()
    for columns in _by_property(paths).values():
        found[columns] = chosen[columns].any()
    return found


def _by_property(paths: Sequence[tuple[int, str, int]]) -> dict[tuple[int, str], list[int]]:
    """Columns of each property, in the order of its components."""
    found: dict[tuple[int, str], list[int]] = defaultdict(list)
    for column in sorted(range(len(paths)), key=lambda column: paths[column]):
        found[paths[column][:2]].append(column)
    return found


def _to_power(name: str, values: FloatArray, default: FloatArray, influence: float) -> FloatArray:
    """What Combine makes of values with an influence."""
    if name == "rotation_quaternion":
        return combined_turn(values, influence)
    if name in MULTIPLIED:
        return np.sign(values) * np.abs(values) ** influence
    return default + influence * (values - default)


def combined_turn(quaternions: FloatArray, influence: float = 1.0) -> FloatArray:
    """(F, 4) what Blender makes of turns that it combines: it takes them to a power, in single precision.

    The angle of a small turn is told by the last digits of its cosine alone, so that even to the power of one
    it comes out up to 2e-4 radians off. A residual that counts on that puts it right.
    """
    given = quaternions.astype(np.float32)
    w, x, y, z = given.T
    sizes = np.sqrt(((w * w + x * x) + y * y) + z * z)
    given = given * (np.float32(1.0) / np.where(sizes > 0.0, sizes, np.float32(1.0)))[:, None]
    half = np.float32(influence) * np.arccos(np.clip(given[:, 0], -1.0, 1.0))
    lengths = np.linalg.norm(given[:, 1:], axis=1, keepdims=True)
    axes = given[:, 1:] / np.where(lengths > 0.0, lengths, 1.0)
    return np.column_stack([np.cos(half), np.sin(half)[:, None] * axes]).astype(np.float64)


def _turn(original: FloatArray, played: FloatArray) -> FloatArray:
    unit = rotations.normalized_quaternion
    turn = rotations.quaternion_multiply(unit(original), rotations.quaternion_inverse(unit(played)))
    # The short way round, so that half a strength is half the turn.
    return rotations.continuous_quaternion(np.where(turn[:1, :1] < 0.0, -turn, turn))


def _ratio(original: FloatArray, played: FloatArray) -> FloatArray:
    """No power can turn a scale round or bring it back from zero, so such a scale stays as it is played."""
    possible = original * played > 0.0
    return np.where(possible, original / np.where(possible, played, 1.0), 1.0)


def is_number(owner: Any, path: str) -> bool:
    """Whether a path leads to floating point values; others cannot be blended."""
    try:
        value = owner.path_resolve(path)
    except ValueError:
        return False  # the bone is gone
    if isinstance(value, bool | int | str):
        return False
    return isinstance(value, float) or all(isinstance(each, float) for each in value)


def default_of(owner: Any, path: str, index: int) -> float:
    """The value from which Combine counts."""
    if path.endswith('"]'):
        return _custom_default(owner, path, index)
    before, _, name = path.rpartition(".")
    if name == "rotation_axis_angle":
        return 0.0  # though the axis is Y by default, NLA counts from zero
    thing = owner.path_resolve(before) if before else owner
    definition = thing.bl_rna.properties.get(name)
    if definition is None:
        return 0.0
    return definition.default_array[index] if definition.is_array else definition.default


def _custom_default(owner: Any, path: str, index: int) -> float:
    start = path.rindex('["')
    before, name = path[:start], bpy.utils.unescape_identifier(path[start + 2 : -2])
    thing = owner.path_resolve(before) if before else owner
    try:
        default = thing.id_properties_ui(name).as_dict().get("default", 0.0)
    except TypeError:
        return 0.0
    return float(default[index] if isinstance(default, tuple | list) else default)
