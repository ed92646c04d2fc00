# SPDX-License-Identifier: GPL-3.0-or-later
"""Which channels of an action are keyed, and their values without jumps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import bpy
import numpy as np

from ...core import InputError, rotations
from ...core.motion import FloatArray
from .. import actions, character, curve_keys, everything
from ..baking import enum_value
from ..bones import bone_of, has_component
from ..character.stillness import STILL
from ..steps import Steps, shares

# Slot handle, data path and index of each channel.
Paths = tuple[tuple[int, str, int], ...]

# What the last part of a data path does to a bone or an object.
KINDS = {
    "location": "location",
    "rotation_euler": "euler",
    "rotation_quaternion": "quaternion",
    "rotation_axis_angle": "axis_angle",
    "scale": "scale",
}

SMALL = 1e-3  # the size of what is smaller and of which nothing is known
# The size of channels with small values: a radian, a full scale. That of locations is the character's height.
SIZES = {"euler": 1.0, "quaternion": 1.0, "axis_angle": 1.0, "scale": 1.0, "other": 0.1}
SAME = 1e-3  # rotation values closer than this are the same
JUMP = 0.5  # a rotation whose values change by so much more than they need to jumps


def companions(armature: bpy.types.Object, action: bpy.types.Action) -> list[Any]:
    """Shape keys of the character's meshes that the same action animates through slots of their own."""
    return [
        keys
        for keys in bpy.data.shape_keys
        if keys.animation_data is not None
        and keys.animation_data.action == action
        and actions.slot_of(keys) is not None
        and belongs_to(keys, armature)
    ]


def belongs_to(keys: bpy.types.Key, armature: bpy.types.Object) -> bool:
    def deformed(thing: bpy.types.Object) -> bool:
        return thing.parent == armature or any(
            getattr(m, "object", None) == armature for m in thing.modifiers
        )

    return any(deformed(thing) for thing in everything.objects_with(keys.user))


def is_seen(owner: bpy.types.ID) -> bool:
    """Whether it is in use: the shape keys of a mesh that was deleted stay until the file is saved."""
    return not isinstance(owner, bpy.types.Key) or owner.user.users > 0


def players(armature: bpy.types.Object, action: bpy.types.Action) -> list[tuple[Any, int]]:
    """Everything of the character that the action animates, each with the handle of its slot."""
    owners = [armature, *companions(armature, action)]
    return [(owner, actions.slot_handle(actions.slot_of(owner))) for owner in owners]


def handles_in(armature: bpy.types.Object, action: bpy.types.Action) -> list[int]:
    """The handles of the slots through which the action animates the character; several may play one slot."""
    return list(dict.fromkeys(handle for _, handle in players(armature, action)))


def slots_for(armature: bpy.types.Object, action: bpy.types.Action) -> list[Any | None]:
    """The slots of an action that move bones of the armature, the one that is meant for it first."""
    names = set(armature.data.bones.keys())
    fitting = [
        slot
        for slot, bag in actions.bags_in(action)
        if any(bone_of(curve.data_path) in names for curve in bag.fcurves)
    ]
    own = own_handle(armature, action)

    def unlikely(slot: Any | None) -> tuple[bool, bool]:
        return actions.slot_handle(slot) != own, slot is None or slot.name_display != armature.name

    return sorted(fitting, key=unlikely)


def own_handle(armature: bpy.types.Object, action: bpy.types.Action) -> int:
    """The handle of the slot that the armature plays, or was reduced from; 0 if it does neither."""
    data = armature.animation_data
    if data is None or data.action is None:
        return 0
    related = (data.action, data.action.posewright.source)
    return actions.slot_handle(actions.slot_of(armature)) if action in related else 0


def curves_in(action: bpy.types.Action, handles: Sequence[int]) -> list[Any]:
    """All F-curves that play in some slots of an action."""

    def find() -> list[Any]:
        bags = [actions.bag_of(action, actions.slot_with_handle(action, handle)) for handle in handles]
        return [curve for bag in bags if bag is not None for curve in bag.fcurves if plays(curve)]

    return curve_keys.found_once(action, tuple(handles), find)


def plays(curve: Any) -> bool:
    """Curves that are muted, have no keys or change nothing that is there stay as they are."""
    is_heard = len(curve.keyframe_points) > 0 and not actions.is_muted(curve)
    return is_heard and has_component(curve.data_path, curve.array_index)


def reducible_curves(
    armature: bpy.types.Object, action: bpy.types.Action, handles: Sequence[int]
) -> list[Any]:
    """`curves_in` without those that keep keys of their own."""
    return [curve for curve in curves_in(action, handles) if not is_switch(armature, curve)]


def is_switch(armature: bpy.types.Object, curve: Any) -> bool:
    """Whether a curve changes a choice or a whole number, such as visibility or which limbs use IK.

    There is nothing between two of their values, so they have to change where they did. So it is with numbers
    that only jump or fade from one value to another and back, such as influences and blinks; but poses that
    are held and then jump are still poses.
    """
    if kind_of(curve.data_path) != "other":
        return False
    if not len(curve.modifiers):
        values = actions.key_points(curve)[:, 1]
        if np.ptp(values) == 0.0:
            return False
        if _only_fades(values) or _only_jumps(curve):
            return True
    try:
        value: Any = armature.path_resolve(curve.data_path)
    except ValueError:
        return False  # of a shape key, or of a bone that is gone
    if not isinstance(value, bool | int | float | str | set):
        value = value[curve.array_index]
    return not isinstance(value, float)


def _only_fades(values: FloatArray) -> bool:
    """Whether keys with these values go from one state to another, and rest there or were resting before."""
    return len(np.unique(values)) == 2 and bool(np.any(values[1:] == values[:-1]))


def _only_jumps(curve: Any) -> bool:
    """Whether all keys hold their value, or every change is from one frame to the next and then stays."""
    interpolation = curve_keys.read(curve, "interpolation")
    if np.all(interpolation[:-1] == enum_value("interpolation", "CONSTANT")):
        return True
    frames, values = actions.key_points(curve).T
    changes = values[1:] != values[:-1]
    at_once = np.diff(frames) < max(1.0, np.diff(frames).min()) + SAME
    return bool(np.all(at_once[changes])) and not np.any(changes[1:] & changes[:-1])


def check_modifiers(action: bpy.types.Action, handles: Sequence[int]) -> None:
    """Modifiers work on a whole curve, so a part of it cannot be baked while the rest keeps them."""
    for curve in curves_in(action, handles):
        if any(modifier.type != "CYCLES" for modifier in curve.modifiers):
            raise InputError(
                "{data_path} has F-curve modifiers, which work on the whole of it: reduce the whole "
                "action, or remove them first.",
                data_path=curve.data_path,
            )


def read_channels_in_steps(
    armature: bpy.types.Object, curves: Sequence[Any], frames: FloatArray, *, keep_ends: bool = False
) -> Steps[FloatArray]:
    """(F, C) values at the frames, rotations made continuous; yields the share done.

    Args:
        keep_ends: for a part of an action, whose last values have to meet the rest: a rotation that would
            arrive there by other values, such as a turn more, keeps its jumps (see `jump_rows`).
    """
    values = yield from shares(actions.read_values_in_steps(curves, frames), 0.0, 0.5)
    for columns, mended in _mended(armature, curves, values):
        if not keep_ends or np.abs(mended[-1] - values[-1, columns]).max() < SAME:
            values[:, columns] = mended
        yield 0.5 + 0.5 * columns[-1] / len(curves)
    return values


def read_between(
    curves: Sequence[Any],
    frames: FloatArray,
    values: FloatArray,
    moments: FloatArray,
    unit: Callable[[FloatArray], FloatArray],
) -> FloatArray:
    """(Q, C) what curves play between the frames at which `values` were read and made continuous.

    They are as far from the straight line from frame to frame as the curves are, which are straight in most
    captures. Across a jump, where curves run through poses that are none, there is nothing but the line. Ends
    hold. `unit` makes unit quaternions of any.
    """
    inside = np.clip(moments, frames[0], frames[-1])
    after = np.clip(np.searchsorted(frames, inside), 1, len(frames) - 1)
    share = ((inside - frames[after - 1]) / (frames[after] - frames[after - 1]))[:, None]
    raw, played = (unit(actions.read_values(curves, each)) for each in (frames, inside))
    bent = played - (raw[after - 1] * (1.0 - share) + raw[after] * share)
    rise, raw_rise = values[after] - values[after - 1], raw[after] - raw[after - 1]
    same, mirrored = np.abs(rise - raw_rise), np.abs(rise + raw_rise)
    sign = np.where(same <= mirrored, 1.0, -1.0) * (np.minimum(same, mirrored) < 0.1 * JUMP)
    return values[after - 1] * (1.0 - share) + values[after] * share + sign * bent


def jump_rows(armature: bpy.types.Object, curves: Sequence[Any], values: FloatArray) -> set[int]:
    """Rows before and after each jump that is left in a rotation: keys at both keep it where it is."""
    rows: set[int] = set()
    for columns, mended in _mended(armature, curves, values):
        step = np.abs(np.diff(values[:, columns], axis=0)).max(axis=1)
        calm = np.abs(np.diff(mended, axis=0)).max(axis=1)
        before = np.flatnonzero(step > calm + JUMP)
        rows.update(before.tolist(), (before + 1).tolist())
    return rows


def _mended(
    armature: bpy.types.Object, curves: Sequence[Any], values: FloatArray
) -> Iterator[tuple[list[int], FloatArray]]:
    """The columns of each rotation, and their values without jumps."""
    for (path, attribute), columns in _rotation_columns(curves).items():
        mend = _mender(armature, path, attribute, len(columns))
        if mend is not None:
            yield columns, mend(values[:, columns])


def _rotation_columns(curves: Sequence[Any]) -> dict[tuple[str, str], list[int]]:
    """Columns of each rotation, in the order of its components, by what it rotates."""
    found: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for column, curve in enumerate(curves):
        path, _, attribute = curve.data_path.rpartition(".")
        if attribute in ("rotation_euler", "rotation_quaternion", "rotation_axis_angle"):
            found[path, attribute][curve.array_index] = column
    return {key: [columns[index] for index in sorted(columns)] for key, columns in found.items()}


def _mender(armature: bpy.types.Object, path: str, attribute: str, count: int) -> Any | None:
    """The function that makes a rotation continuous; None where components are missing."""
    if attribute == "rotation_euler":
        order = _rotation_mode(armature, path)
        if count < 3 or order not in rotations.EULER_ORDERS:
            return lambda angles: np.unwrap(angles, axis=0)
        return lambda angles: rotations.continuous_euler(angles, order)
    if count < 4:
        return None
    return (
        rotations.continuous_quaternion
        if attribute == "rotation_quaternion"
        else rotations.continuous_axis_angle
    )


def _rotation_mode(armature: bpy.types.Object, path: str) -> str:
    try:
        owner: Any = armature.path_resolve(path) if path else armature
        return owner.rotation_mode
    except (ValueError, AttributeError):
        return ""  # the bone is gone; its curve still plays


@lru_cache(maxsize=4096)
def kind_of(path: str) -> str:
    """What a channel does to its bone or object, in core's words."""
    before, _, attribute = path.rpartition(".")
    if before and bone_of(path) is None:
        return "other"
    return KINDS.get(attribute, "other")


def moving(values: FloatArray, sizes: FloatArray | float = SMALL) -> np.ndarray:
    """(C,) which channels move at all.

    Args:
        sizes: how large values of each channel are that one would see, see `sizes_of`.
    """
    return np.ptp(values, axis=0) > STILL * np.maximum(np.abs(values).max(axis=0), sizes)


def moving_together(
    values: FloatArray, paths: Sequence[tuple[int, str, int]], sizes: FloatArray | float = SMALL
) -> np.ndarray:
    """(C,) which channels move, or belong to a property of which another one does.

    A pose is keyed anew for all of a property. A turn about one axis is four numbers, of which two never
    change: without keys nearby a bone turned another way at one pose would stay half turned to the end.
    """
    properties = {path: number for number, path in enumerate(dict.fromkeys(path[:2] for path in paths))}
    owner = np.array([properties[path[:2]] for path in paths], np.int64)
    return np.isin(owner, owner[moving(values, sizes)])


def sizes_of(armature: bpy.types.Object, paths: Sequence[tuple[int, str, int]]) -> FloatArray:
    """(C,) the size of channels, given slot handle, data path and index of each."""
    height = character.height_of(armature)
    scale = float(np.cbrt(abs(armature.matrix_world.determinant()))) or 1.0

    def size(path: str) -> float:
        if kind_of(path) == "location":
            return height if bone_of(path) is None else height / scale
        return SIZES[kind_of(path)]

    return np.array([size(path) for _, path, _ in paths])
