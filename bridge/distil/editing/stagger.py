# SPDX-License-Identifier: GPL-3.0-or-later
"""Stagger: the keys of a limb some frames after the poses that they belong to, or before.

It is how animators overlap action. The columns stay what they are: keys are chosen, fitted, edited and
retimed in columns. A limb is late only in what is written to its curves, and what is read from them is
brought back. The offsets are kept by bone with the reduced action.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, compress
from typing import Any

import bpy
import numpy as np

from ....core import InputError
from ....core.editing.staggered_time import handle_scales, late_values, on_columns
from ....core.motion import FloatArray
from ... import character, followed_bones
from ...bones import selected_bones
from ...character.part_names import called
from ...splicing import read_keys, write_arrays
from .. import channels, keying
from ..channels import Paths
from ..reductions import Reduction
from ..solving.analysis import Analysis, Target
from .offsets import keep_offsets, offsets_of

SELECTED = "SELECTED"


def parts(armature: bpy.types.Object) -> dict[str, tuple[str, ...]]:
    """The parts of the body that can be staggered, limbs and the head, and the bones that make them up."""
    found = character.describe(armature)
    limbs = {part: limb.bones for part, limb in found.limbs_by_name.items()}
    return limbs if found.head is None else limbs | {"head": (found.head,)}


def bones_by_part(armature: bpy.types.Object) -> dict[str, tuple[str, ...]]:
    """The bones of each part with all below, and what these follow through constraints.

    What several parts follow, such as the chest, is no part's own.
    """
    parents, targets = followed_bones.parents_of(armature), followed_bones.targets_of(armature)
    own = {part: _with_all_below(bones, parents) for part, bones in parts(armature).items()}
    followed = {part: followed_bones.followed(bones, targets, parents) for part, bones in own.items()}
    times = Counter(chain.from_iterable(followed.values()))
    return {
        part: tuple(sorted(bones | {bone for bone in followed[part] if times[bone] == 1}))
        for part, bones in own.items()
    }


def bones_of(armature: bpy.types.Object, part: str) -> tuple[str, ...]:
    """The bones of a part, or those that are selected."""
    if part == SELECTED:
        return tuple(selected_bones(armature))
    return bones_by_part(armature).get(part, ())


def frames_of(armature: bpy.types.Object, action: bpy.types.Action, part: str) -> int:
    """By how many frames a part is late."""
    kept = offsets_of(action)
    bones = bones_of(armature, part) if kept else ()
    return next((kept[bone] for bone in bones if bone in kept), 0)


def described(armature: bpy.types.Object, action: bpy.types.Action) -> list[tuple[str, int]]:
    """What is staggered, by parts as far as bones belong to any, and by how many frames."""
    kept, found = offsets_of(action), {}
    for part, bones in bones_by_part(armature).items() if kept else ():
        late = {kept.pop(bone) for bone in bones if bone in kept}
        if len(late) == 1:
            found[called(part)] = late.pop()
    return [*found.items(), *kept.items()]


def keep(reduction: Reduction, part: str, frames: int) -> None:
    """Note by how many frames a part is late; its keys are still where they were."""
    analysis, bones = reduction.analysis(), bones_of(reduction.armature, part)
    if part == SELECTED and not bones:
        raise InputError("No bone is selected: select the bones to stagger in Pose Mode.")
    if not analysis.whole:
        raise InputError(
            "Only a part of the action is reduced, and a limb that is late would jump at its ends: analyse "
            "the whole action to stagger it."
        )
    keyed = {channels.bone_of(path) for _, path, _ in compress(analysis.paths, analysis.moves)}
    if keyed.isdisjoint(bones):
        raise InputError(
            "None of these bones has keys to stagger: select those that are keyed in Pose Mode, and choose "
            "Selected Bones."
        )
    kept = {bone: late for bone, late in offsets_of(reduction.action).items() if bone not in bones}
    kept |= {bone: frames for bone in bones if frames and bone in keyed}
    keep_offsets(reduction.action, kept)


def late(reduction: Reduction, paths: Paths) -> FloatArray | None:
    """(C,) by how many frames each channel is late; None where none is."""
    kept = offsets_of(reduction.action)
    if not kept:
        return None
    return np.array([kept.get(channels.bone_of(path) or "", 0) for _, path, _ in paths], np.float64)


def as_played(reduction: Reduction, analysis: Analysis) -> Analysis:
    """The analysis with its target as it plays: channels that are late have their values later."""
    by = late(reduction, analysis.paths)
    if by is None:
        return analysis
    columns = analysis.frames[analysis.keys(reduction.state.key_count)]
    values = analysis.values.copy()
    for frames in np.unique(by[by != 0.0]):
        own = by == frames
        values[:, own] = late_values(values[:, own], analysis.frames, columns, frames)
    rows = np.arange(len(analysis.frames))
    unedited = Target(analysis.frames, analysis.frames, rows, analysis.solutions.counts, analysis.offered)
    return replace(analysis, values=values, target=analysis.target or unedited)


def bring_back(reduction: Reduction, action: bpy.types.Action, analysis: Analysis) -> None:
    """Move the keys of an action like the reduced one back to the columns that they belong to."""
    for curve, keys, frames in _brought_back(reduction, action, analysis):
        shift = frames - keys["co"][:, 0]
        left, right = handle_scales(keys["co"][:, 0], frames)
        for name, scales in (("handle_left", left), ("handle_right", right)):
            keys[name] = keys["co"] + scales[:, None] * (keys[name] - keys["co"])
            keys[name][:, 0] += shift
        keys["co"][:, 0] = frames
        write_arrays(curve, {name: array.astype(array.dtype) for name, array in keys.items()})


def columns_now(reduction: Reduction, analysis: Analysis, curves: Iterable[Any]) -> FloatArray:
    """The frames of the columns that the keys of some curves belong to."""
    moved = {
        (curve.data_path, curve.array_index): frames
        for curve, _, frames in _brought_back(reduction, reduction.action, analysis)
    }
    found = [
        moved.get((curve.data_path, curve.array_index), read_keys(curve)["co"][:, 0]) for curve in curves
    ]
    return np.unique(np.concatenate([np.empty(0), *found]).round(3))


def _brought_back(
    reduction: Reduction, action: bpy.types.Action, analysis: Analysis
) -> Iterator[tuple[Any, dict[str, np.ndarray], FloatArray]]:
    """Each curve that is late, its keys, and the frames of the columns that they belong to."""
    by = late(reduction, analysis.paths)
    if by is None:
        return
    columns = analysis.frames[analysis.keys(reduction.state.key_count)]
    own = (by != 0.0) & analysis.moves
    for curve, frames in zip(compress(keying.curves_there(action, analysis), own), by[own], strict=True):
        if curve is not None:
            keys = read_keys(curve)
            yield curve, keys, on_columns(keys["co"][:, 0].astype(np.float64), columns, float(frames))


def _with_all_below(bones: Iterable[str], parents: dict[str, str]) -> set[str]:
    found = set(bones)
    for name, parent in parents.items():  # in an armature parents come first
        if parent in found:
            found.add(name)
    return found
