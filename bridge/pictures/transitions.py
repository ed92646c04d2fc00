# SPDX-License-Identifier: GPL-3.0-or-later
"""Which part of a character leads from key to key in what it plays."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import bpy
import numpy as np

from ...core import InputError
from ...core.leading import Lead, leads, parts_of
from .. import sampling
from ..character import describe
from ..distil import reductions
from ..steps import Steps
from .sampled_poses import key_poses, stand_in

LINE = "{:>9} to {:<9} {:<12} {:>8}"


def leads_in_steps(armature: bpy.types.Object) -> Steps[list[Lead]]:
    """The leading part of each transition between the poses that have keys; yields the share done.

    Of a reduced action it is told by the original, as long as no edit has made that another motion: with few
    keys all parts move nearly at once.
    """
    keys = key_poses(armature)
    if len(keys) < 2:
        raise InputError(f"{armature.name} has one pose only: there is no transition to look at.")
    whole = np.arange(np.ceil(keys[0]), np.floor(keys[-1]) + 1.0)
    frames = sampling.with_key_times(np.unique([keys[0], *whole, keys[-1]]), keys)
    with _original(armature) as actor:
        motion = yield from sampling.sample_in_slices(actor, frames)
    rows = np.unique(np.abs(frames - keys[:, None]).argmin(axis=1))
    return leads(motion, parts_of(motion, describe(armature)), rows)


def _original(armature: bpy.types.Object) -> AbstractContextManager[bpy.types.Object]:
    reduction = reductions.find(armature)
    if reduction is None or not reduction.edits.is_none:
        return nullcontext(armature)
    return stand_in(armature, reduction.source)


def table(found: list[Lead]) -> str:
    """For the Text Editor."""
    rows = [(f"{each.first:g}", f"{each.last:g}", each.part, f"{each.frames:.1f}") for each in found]
    lines = [LINE.format(*row) for row in (("frames", "", "leads", "by"), *rows)]
    return "\n".join([*lines, "", "In frames, until the other parts that move do so.", ""])
