# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an armature stands: kept in the file with it, and checked before anything is changed."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
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

# Comparisons with what was analysed and baked, by what they compare with.
_LOOKS: OrderedDict[str, _Look] = OrderedDict()
_MOST_LOOKS = 16
LOOK_SECONDS = 0.0005


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


def save(armature: bpy.types.Object, analysis: Analysis, source_print: str) -> None:
    """Keep an analysis of what the armature plays now, which has this fingerprint."""
    state = armature.posewright
    source = actions.playing_action(armature)
    state.source = source
    state.source_slot = actions.slot_handle(actions.slot_of(armature))
    state.source_had_fake_user = source.use_fake_user
    state.source_print = source_print
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


def is_stale(armature: bpy.types.Object) -> bool:
    """Whether the source was changed since it was analysed, as far as `_looked_at` knows."""
    state = armature.posewright
    if not state.stored or state.source is None:
        return False
    curves = channels.curves_in(state.source, source_handles(armature))
    return _looked_at(state.token, curves, state.source_print)


def remember_reduced(armature: bpy.types.Object) -> None:
    """Note what was baked, so that the user's edits of it can be told; and that it is not measured yet."""
    state = armature.posewright
    state.reduced_print = _print_of_reduced(armature)
    state.measured_count = 0


def remember_measured(armature: bpy.types.Object, mean: float, largest: float) -> None:
    """Note how far the keys that play now are from the original."""
    state = armature.posewright
    state.measured_count, state.measured_print = state.key_count, _print_of_reduced(armature)
    state.measured_mean, state.measured_largest = mean, largest


def is_measured(armature: bpy.types.Object) -> bool:
    """Whether what was measured is what plays: no other keys, detail or edits since."""
    state = armature.posewright
    if not state.stored or state.reduced is None or state.measured_count != state.key_count:
        return False
    curves = channels.curves_in(state.reduced, source_handles(armature))
    return not _looked_at(f"measured {state.measured_print}", curves, state.measured_print)


def _print_of_reduced(armature: bpy.types.Object) -> str:
    return actions.fingerprint(channels.curves_in(armature.posewright.reduced, source_handles(armature)))


def was_edited(armature: bpy.types.Object) -> bool:
    """`is_edited`, looked at in full."""
    return armature.posewright.reduced is not None and (
        armature.posewright.reduced_print != _print_of_reduced(armature)
    )


def is_edited(armature: bpy.types.Object) -> bool:
    """Whether the user has changed keys of the reduced action, which baking would write over."""
    state = armature.posewright
    if not state.stored or state.reduced is None:
        return False
    curves = channels.curves_in(state.reduced, source_handles(armature))
    return _looked_at(state.reduced_print, curves, state.reduced_print)


@dataclass
class _Look:
    """A comparison under way, and what the one before it found."""

    digest: Any
    curves: int = 0
    differs: bool = False


def _looked_at(name: str, curves: Sequence[Any], expected: str) -> bool:
    """Whether curves differ from a fingerprint, found out a few curves at a time.

    Panels ask at every redraw and must not wait for thousands of keys. The answer is that of the last
    comparison that was finished, at most some redraws ago.
    """
    look = _LOOKS.setdefault(name, _Look(actions.new_digest()))
    until = time.perf_counter() + LOOK_SECONDS
    while look.curves < len(curves) and time.perf_counter() < until:
        actions.add_to_digest(look.digest, curves[look.curves])
        look.curves += 1
    if look.curves >= len(curves):
        differs = look.digest.hexdigest() != expected
        _LOOKS[name] = look = _Look(actions.new_digest(), differs=differs)
    _LOOKS.move_to_end(name)
    while len(_LOOKS) > _MOST_LOOKS:
        _LOOKS.popitem(last=False)
    return look.differs


def is_needed(action: bpy.types.Action) -> bool:
    """Whether the analysis of any armature has the action as its source, or bakes into it."""
    return any(
        action in (thing.posewright.source, thing.posewright.reduced)
        for thing in bpy.data.objects
        if thing.type == "ARMATURE"
    )


def other_playing(armature: bpy.types.Object) -> bpy.types.Action | None:
    """What an analysed armature plays if that is neither source nor reduced action: a take, for example."""
    state = armature.posewright
    data = armature.animation_data
    playing = None if data is None else data.action
    return None if playing in (state.source, state.reduced) else playing


def check_playing(armature: bpy.types.Object) -> None:
    """The slider must not take the armature away from another action that the user has given it."""
    playing = other_playing(armature)
    if playing is not None:
        raise InputError(
            f"{armature.name} now plays {playing.name}, which was not analysed: press Analyze for it, "
            f"or Restore to go back to {source_of(armature).name}."
        )
    if is_pushed_down(armature):
        raise InputError(
            f"{armature.name}'s keys are in the NLA now: press Apply to leave them there, or undo pushing "
            "them down."
        )


def is_pushed_down(armature: bpy.types.Object) -> bool:
    """Whether the armature plays no action of its own, but has what Distil works on in a strip."""
    state, data = armature.posewright, armature.animation_data
    if data is None or data.action is not None:
        return False
    strips = (strip for track in data.nla_tracks for strip in track.strips)
    return any(strip.action is not None and strip.action in (state.source, state.reduced) for strip in strips)


def check_bones(armature: bpy.types.Object, analysis: Analysis) -> None:
    """Blender renames a bone in the action that plays; in the source, which is not touched, nobody does."""
    reduced = armature.posewright.reduced
    if reduced is None:
        return
    keyed = {curve.data_path for curve in channels.curves_in(reduced, source_handles(armature))}
    lost = {channels.bone_of(path) for _, path, _ in analysis.paths if path not in keyed}
    renamed = sorted(bone for bone in lost if bone is not None and bone not in armature.pose.bones)
    if renamed:
        raise InputError(
            f'Bone "{renamed[0]}" was renamed since the analysis, but {source_of(armature).name} still calls '
            "it so: give it this name again, or press Apply to keep the keys as they are."
        )


def clear(armature: bpy.types.Object) -> None:
    """Forget the analysis; settings stay."""
    state = armature.posewright
    for name in state.STATE:
        state.property_unset(name)
