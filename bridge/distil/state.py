# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an armature stands: kept in the file with it, and checked before anything is changed."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import bpy
import numpy as np

from ...core import InputError
from .. import actions
from . import channels, storage
from .analysis import Analysis, read_source

# What was read from a file or solved in this session, by what it is made of. Undo, renaming and
# duplicating cannot make it wrong, only unused.
_CACHE: OrderedDict[str, Analysis] = OrderedDict()
_CACHED = 8

# Until when an answer is believed, and the answer.
_ANSWERS: OrderedDict[str, tuple[float, bool]] = OrderedDict()
_MOST_ANSWERS = 64
SECONDS = 0.2


def is_analysed(armature: bpy.types.Object) -> bool:
    return bool(armature.posewright.stored)


def check_editable(armature: bpy.types.Object) -> None:
    """Say why Posewright cannot work on this armature, if it cannot."""
    if armature.library is not None or (armature.data.library is None and not armature.is_editable):
        raise InputError(
            f"{armature.name} is linked from another file: make a library override of it first "
            "(Object > Library Override > Make)."
        )
    override = armature.override_library
    if override is not None and override.is_system_override:
        raise InputError(
            f"{armature.name} is an override that is not editable: make it editable in the Outliner first."
        )
    data = armature.animation_data
    if data is not None and data.use_tweak_mode:
        raise InputError(
            f"{armature.name} is in the NLA's tweak mode: leave it with Tab in the NLA Editor first."
        )


def save(armature: bpy.types.Object, analysis: Analysis) -> None:
    """Keep an analysis of what the armature plays now."""
    state = armature.posewright
    source = actions.playing_action(armature)
    state.source = source
    state.source_slot = actions.slot_handle(actions.slot_of(armature))
    state.source_had_fake_user = source.use_fake_user
    state.source_print = source_print(armature)
    store(armature, analysis)
    if source.is_editable:
        source.use_fake_user = True


def store(armature: bpy.types.Object, analysis: Analysis) -> None:
    """Keep an analysis of the same source in place of the one before."""
    extra = {
        "frames": analysis.frames,
        "estimated_errors": analysis.estimated_errors.astype(np.float32),
        "seen_errors": analysis.seen_errors,
        "influence": analysis.influence,
        "whole": np.array(analysis.whole),
    }
    restore_stored(armature, storage.pack(analysis.solutions, extra))
    _remember(armature.posewright.token, analysis)


def restore_stored(armature: bpy.types.Object, stored: str) -> None:
    """Go back to what was stored before."""
    armature.posewright.stored = stored
    armature.posewright.token = _token(armature.posewright)


def load(armature: bpy.types.Object) -> Analysis:
    """The analysis of an armature, from this session or from the file."""
    state = armature.posewright
    if not state.stored:
        raise InputError(f"{armature.name} is not analysed yet: press Analyze first.")
    if state.token in _CACHE:
        _CACHE.move_to_end(state.token)
        return _CACHE[state.token]
    source = source_of(armature)
    solutions, extra = storage.unpack(state.stored)
    whole = bool(extra["whole"])
    values, paths = read_source(armature, source, source_handles(armature), extra["frames"], whole=whole)
    influence = extra["influence"]
    analysis = Analysis(
        solutions=solutions,
        frames=extra["frames"],
        values=values,
        paths=paths,
        moves=channels.moving(values),
        estimated_errors=extra["estimated_errors"].astype(np.float64),
        seen_errors=extra["seen_errors"],
        # The source may have got other channels since; the fit then goes by their own errors.
        influence=influence if len(influence) == len(paths) else np.zeros(len(paths)),
        whole=whole,
    )
    _remember(state.token, analysis)
    return analysis


def _remember(token: str, analysis: Analysis) -> None:
    _CACHE[token] = analysis
    while len(_CACHE) > _CACHED:
        _CACHE.popitem(last=False)


def _token(state: Any) -> str:
    parts = f"{state.source_print}|{state.source_slot}|{state.stored}"
    return hashlib.blake2b(parts.encode(), digest_size=16).hexdigest()


def source_of(armature: bpy.types.Object) -> bpy.types.Action:
    source = armature.posewright.source
    if source is None:
        raise InputError(
            f"The action that {armature.name} was reduced from has been deleted: "
            "press Apply to keep the reduced one."
        )
    return source


def source_handles(armature: bpy.types.Object) -> list[int]:
    """The slots of the source that belong to the character, its own first."""
    state = armature.posewright
    playing = [action for action in (state.source, state.reduced) if action is not None]
    others = [
        actions.slot_handle(actions.slot_of(owner))
        for action in playing
        for owner in channels.companions(armature, action)
    ]
    return list(dict.fromkeys([state.source_slot, *others]))


def source_print(armature: bpy.types.Object) -> str:
    """Changes when the source does."""
    return actions.fingerprint(channels.curves_in(source_of(armature), source_handles(armature)))


def is_stale(armature: bpy.types.Object) -> bool:
    """Whether the source was changed since it was analysed. Panels ask often: most answers are remembered."""
    state = armature.posewright
    if not state.stored or state.source is None:
        return False
    return _seldom(
        f"stale {state.token}", lambda: bool(source_print(armature) != armature.posewright.source_print)
    )


def remember_reduced(armature: bpy.types.Object) -> None:
    """Note what was baked, so that the user's edits of it can be told; and that it is not measured yet."""
    state = armature.posewright
    state.reduced_print = _reduced_print(armature)
    state.measured_count = 0
    _believe(f"edited {state.reduced_print}", False, SECONDS)


def is_edited(armature: bpy.types.Object) -> bool:
    """Whether the user has changed keys of the reduced action, which baking would write over."""
    state = armature.posewright
    if not state.stored or state.reduced is None:
        return False
    return _seldom(
        f"edited {state.reduced_print}",
        lambda: bool(_reduced_print(armature) != armature.posewright.reduced_print),
    )


def _reduced_print(armature: bpy.types.Object) -> str:
    state = armature.posewright
    return actions.fingerprint(channels.curves_in(state.reduced, source_handles(armature)))


def _seldom(question: str, find_out: Callable[[], bool]) -> bool:
    """An answer that may be a moment old: finding out takes a hundredth of the time at most."""
    until, answer = _ANSWERS.get(question, (-np.inf, False))
    start = time.monotonic()
    if start >= until:
        answer = find_out()
        _believe(question, answer, max(SECONDS, 100.0 * (time.monotonic() - start)))
    return answer


def _believe(question: str, answer: bool, seconds: float) -> None:
    _ANSWERS[question] = (time.monotonic() + seconds, answer)
    while len(_ANSWERS) > _MOST_ANSWERS:
        _ANSWERS.popitem(last=False)


def check_playing(armature: bpy.types.Object) -> None:
    """The slider must not take the armature away from another action that the user has given it."""
    state = armature.posewright
    data = armature.animation_data
    playing = None if data is None else data.action
    if playing is not None and playing not in (state.source, state.reduced):
        raise InputError(
            f"{armature.name} now plays {playing.name}, which was not analysed: press Analyze for it, "
            f"or Restore to go back to {source_of(armature).name}."
        )


def clear(armature: bpy.types.Object) -> None:
    """Forget the analysis; settings stay."""
    state = armature.posewright
    for name in state.STATE:
        state.property_unset(name)
