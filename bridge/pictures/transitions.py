# SPDX-License-Identifier: GPL-3.0-or-later
"""Which part of a character leads from key to key in what it plays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np

from ...core import InputError
from ...core.checks import FloatArray
from ...core.leading import Lead, Ways, parts_of
from .. import sampling
from ..character import describe
from ..distil import reductions
from ..distil.actors import actor
from ..distil.editing import stagger
from ..distil.playing import target_action
from ..steps import Steps
from .sampled_poses import key_poses

MOST_KNOWN = 8
# What was looked at, by what it depends on: enough to tell the leads of any poses.
_KNOWN: dict[tuple[Any, ...], Ways] = {}
LINE = "{:>9} to {:<9} {:<12} {:>8}"


def leads_in_steps(armature: bpy.types.Object) -> Steps[list[Lead]]:
    """The leading part of each transition between the poses that have keys; yields the share done.

    Of a reduced action it is told by what its keys are fitted to, the original with all edits: with few keys
    all parts move nearly at once.
    """
    keys = key_poses(armature)
    if len(keys) < 2:
        raise InputError(
            "{armature} has one pose only: there is no transition to look at.", armature=armature.name
        )
    whole = np.arange(np.ceil(keys[0]), np.floor(keys[-1]) + 1.0)
    frames = sampling.with_key_times(np.unique([keys[0], *whole, keys[-1]]), keys)
    with _original(armature) as playing:
        motion = yield from sampling.sample_in_slices(playing, frames)
    ways = Ways.of(motion, parts_of(motion, describe(armature)))
    _remember(armature, ways)
    return ways.leads_between(keys)


def known_leads(armature: bpy.types.Object, frames: FloatArray) -> list[Lead]:
    """The leading parts between some poses, without looking again; none where nobody has asked for them.

    What is known holds for every number of keys, until the poses themselves are edited.
    """
    what = _what_leads(armature)
    ways = None if what is None else _KNOWN.get(what)
    return [] if ways is None or len(frames) < 2 else ways.leads_between(frames)


def _remember(armature: bpy.types.Object, ways: Ways) -> None:
    what = _what_leads(armature)
    if what is not None:
        _KNOWN[what] = ways
    while len(_KNOWN) > MOST_KNOWN:
        del _KNOWN[next(iter(_KNOWN))]


def _what_leads(armature: bpy.types.Object) -> tuple[Any, ...] | None:
    """What the leads of an armature depend on; None where it plays keys that are nobody's reduction."""
    reduction = reductions.find(armature)
    if reduction is None:
        return None
    state = reduction.state
    return armature.name, state.token, state.stagger, state.key_count if state.stagger else 0


@contextmanager
def _original(armature: bpy.types.Object) -> Iterator[bpy.types.Object]:
    reduction = reductions.find(armature)
    if reduction is None:
        yield armature
        return
    wanted = stagger.as_played(reduction, reduction.analysis())
    with (
        target_action(reduction, wanted) as target,
        actor(armature, target, reduction.handles[0]) as playing,
    ):
        yield playing


def table(found: list[Lead]) -> str:
    """For the Text Editor."""
    rows = [(f"{each.first:g}", f"{each.last:g}", each.part, f"{each.frames:.1f}") for each in found]
    lines = [LINE.format(*row) for row in (("frames", "", "leads", "by"), *rows)]
    return "\n".join([*lines, "", "In frames, until the other parts that move do so.", ""])
