# SPDX-License-Identifier: GPL-3.0-or-later
"""Reductions: a source action, the reduced one made from it, and an armature that plays either.

The state is with the reduced action (`Action.posewright`), so every action of a character has its own.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ...core import InputError
from ...core.motion import FloatArray
from .. import actions, everything, in_use
from ..editable import check_editable
from . import channels, storage
from .editing import edits
from .editing.edits import Edits
from .editing.target import target_of
from .solving.analysis import Analysis, read_source
from .solving.near_poses import NearPoses

# Analyses that were read from a file or solved in this session, by what they are made of. Undo, renaming and
# duplicating cannot make one wrong, only unused.
_CACHE: OrderedDict[str, Analysis] = OrderedDict()
_MOST_CACHED = 16  # a target and its source are two


@dataclass(frozen=True)
class Reduction:
    """An armature and the reduced action that it plays, or whose source it plays for comparing."""

    armature: bpy.types.Object
    action: bpy.types.Action

    @property
    def state(self) -> Any:
        return self.action.posewright

    @property
    def source(self) -> bpy.types.Action:
        source = self.state.source
        if source is None:
            raise InputError(
                "The action that {action} was reduced from has been deleted: "
                "press Apply to keep the reduced one.",
                action=self.action.name,
            )
        return source

    @property
    def handles(self) -> list[int]:
        """The slots of both actions that belong to the character, its own first."""
        try:
            stored = np.array(self.state.source_slots.split(), np.int32).tolist()
            return [actions.handle_now(self.action, handle) for handle in stored]
        except (
            ValueError,
            OverflowError,
        ):  # a script wrote something else: the armature's own is known in any case
            return [actions.slot_handle(actions.slot_of(self.armature))]

    @property
    def shows_original(self) -> bool:
        return playing_action(self.armature) != self.action

    @property
    def curves(self) -> list[Any]:
        """What plays of the reduced action."""
        return channels.curves_in(self.action, self.handles)

    def analysis(self) -> Analysis:
        """Of the target, edits included: from this session, or read from the action and its source."""
        return _remembered(self.state.token, lambda: with_edits(self, self.edits))

    @property
    def edits(self) -> Edits:
        return edits.unpack(self.state.edits)


def is_reduced(action: bpy.types.Action) -> bool:
    """Whether an action has been made by Analyze and knows where it came from."""
    return bool(action.posewright.token)


def playing_action(armature: bpy.types.Object) -> bpy.types.Action | None:
    data = armature.animation_data
    return None if data is None else data.action


def find(armature: bpy.types.Object) -> Reduction | None:
    """The reduction of what the armature plays: a reduced action, or the source of one."""
    playing = playing_action(armature)
    if playing is None:
        return None
    if is_reduced(playing):
        return Reduction(armature, playing)
    last = armature.posewright.last_reduced
    if last is not None and is_reduced(last) and last.posewright.source == playing:
        return Reduction(armature, last)
    return _of_source(armature, playing)


def way_of(armature: bpy.types.Object) -> str:
    """How the reduction that plays is keyed, or how the next one shall be."""
    found = find(armature)
    return armature.posewright.first_interpolation if found is None else found.state.interpolation


def get(armature: bpy.types.Object) -> Reduction:
    """`find` for those who need one."""
    found = find(armature)
    if found is None:
        raise _why_none(armature)
    return found


def _why_none(armature: bpy.types.Object) -> InputError:
    playing, last = playing_action(armature), armature.posewright.last_reduced
    if last is None:
        return InputError("{armature} is not analysed yet: press Analyze first.", armature=armature.name)
    if playing is None:
        return InputError(
            "{armature} plays no action now: give it {last} again, in the Action Editor or with Back to "
            "Keys.",
            armature=armature.name,
            last=last.name,
        )
    return InputError(
        "{armature} now plays {playing}, which was not analysed: press Analyze for it, or go back to {last}.",
        armature=armature.name,
        playing=playing.name,
        last=last.name,
    )


def get_own(armature: bpy.types.Object) -> Reduction:
    """`get` for those who write keys: of an action that another armature plays too, a copy from now on."""
    check_editable(armature)
    found = get(armature)
    if found.action.library is not None:
        raise InputError(
            "{action} is linked from another file, so its keys cannot be changed: press Analyze "
            "to make keys of your own.",
            action=found.action.name,
        )
    if not is_shared(found):
        return found
    own = Reduction(armature, found.action.copy())
    own.action.use_fake_user = True
    if not found.shows_original:
        for owner, handle in channels.players(armature, found.action):
            actions.assign(owner, own.action, actions.slot_with_handle(own.action, handle))
    armature.posewright.last_reduced = own.action
    return own


def is_shared(reduction: Reduction) -> bool:
    """A duplicated armature may play the very action of the one it was made from."""
    action = reduction.action
    own = 2 + action.use_fake_user  # the armature plays it, and remembers it as its last
    return action.users > own and any(
        playing_action(other) == action for other in everything.armatures() if other != reduction.armature
    )


def reduced_from(source: bpy.types.Action) -> list[bpy.types.Action]:
    """All reduced actions that have this source."""
    return [action for action in bpy.data.actions if action.posewright.source == source]


def _of_source(armature: bpy.types.Object, source: bpy.types.Action) -> Reduction | None:
    """The reduction of a source that the armature came back to, if it is not another armature's."""
    own = actions.slot_handle(actions.slot_of(armature))
    for action in reduced_from(source):
        found = Reduction(armature, action)
        if found.handles[:1] == [own] and not _belongs_to_another(armature, action):
            return found
    return None


def _belongs_to_another(armature: bpy.types.Object, action: bpy.types.Action) -> bool:
    return any(
        action in (other.posewright.last_reduced, playing_action(other))
        for other in everything.armatures()
        if other != armature
    )


def adopt(reduction: Reduction, source: bpy.types.Action, slots: Sequence[int], source_print: str) -> None:
    """Note where a reduced action comes from, and see to it that neither is lost when the file is saved."""
    state = reduction.state
    siblings = [each for each in reduced_from(source) if each != reduction.action]
    if state.source != source:
        state.source_had_fake_user = (
            siblings[0].posewright.source_had_fake_user if siblings else source.use_fake_user
        )
    state.source = source
    state.source_slots = " ".join(str(handle) for handle in slots)
    state.source_print = source_print
    if source.is_editable:
        source.use_fake_user = True
    reduction.action.use_fake_user = True
    in_use.begin()


def store(reduction: Reduction, analysis: Analysis) -> None:
    """Keep an analysis in place of the one before; the edits stay those that it was made with."""
    target = analysis.target
    extra = {
        "frames": analysis.frames if target is None else target.source_frames,
        "estimated_errors": analysis.estimated_errors.astype(np.float32),
        "seen_errors": analysis.seen_errors,
        "influence": analysis.influence,
        "whole": np.array(analysis.whole),
        "holds": analysis.holds.ravel(),
        "loop": np.array(analysis.loop or ()),
        "height": np.array(0.0 if analysis.near is None else analysis.near.height),
    }
    if target is not None:
        extra["times"] = target.times
    restore_stored(reduction, storage.pack(analysis.solutions, extra))
    if target is None:
        _remember(_source_token(reduction.state), analysis)


def restore_stored(reduction: Reduction, stored: str) -> None:
    """Go back to what was stored before."""
    reduction.state.stored = stored
    _update_token(reduction)


def _update_token(reduction: Reduction) -> None:
    state = reduction.state
    state.token = _token(state, f"{state.stored}|{state.edits}" if state.edits else state.stored)


def _source_token(state: Any) -> str:
    """Of the analysis of the source alone.

    Solutions that were found with edits are of moments of these, so without any the target is not the source.
    """
    return f"{_token(state, state.stored)} source"


def _token(state: Any, stored: str) -> str:
    parts = f"{state.source_print}|{state.source_slots}|{stored}"
    return hashlib.blake2b(parts.encode(), digest_size=16).hexdigest()


def with_edits(reduction: Reduction, found: Edits) -> Analysis:
    """The analysis that the reduction would have with such edits."""
    source = source_of(reduction)
    times = storage.unpack(reduction.state.stored)[1].get("times", source.frames)
    return target_for(reduction, source, times, found)


def target_for(reduction: Reduction, source: Analysis, times: FloatArray, found: Edits) -> Analysis:
    """`target_of` the reduction's source as it is; without edits, the source itself."""
    if found.is_none and np.array_equal(times, source.frames):
        return source
    sizes = channels.sizes_of(reduction.armature, source.paths)
    return target_of(
        source,
        times,
        found,
        lambda moments: read_between(reduction, source, moments),
        lambda values: channels.moving_together(values, source.paths, sizes),
    )


def read_between(reduction: Reduction, source: Analysis, moments: FloatArray) -> FloatArray:
    """(Q, C) the source's channels at moments that need not be frames."""
    curves = {
        (handle, curve.data_path, curve.array_index): curve
        for handle in reduction.handles
        for curve in channels.curves_in(reduction.source, [handle])
    }
    if not curves.keys() >= set(source.paths):
        raise InputError(
            "{source} has lost channels since the analysis: analyse it again.", source=reduction.source.name
        )
    in_order = [curves[path] for path in source.paths]
    unit = edits.changes_of(source.paths).normalized
    return unit(channels.read_between(in_order, source.frames, source.values, moments, unit))


def keep_edits(reduction: Reduction, found: Edits) -> None:
    """Store edits in place of those before."""
    reduction.state.edits = edits.pack(found)
    _update_token(reduction)


def source_of(reduction: Reduction) -> Analysis:
    """The analysis of the source alone."""
    return _remembered(_source_token(reduction.state), lambda: _unpack(reduction))


def _unpack(reduction: Reduction) -> Analysis:
    solutions, extra = storage.unpack(reduction.state.stored)
    whole = bool(extra["whole"])
    values, paths = read_source(
        reduction.armature, reduction.source, reduction.handles, extra["frames"], whole=whole
    )
    influence, height = extra["influence"], float(extra["height"])
    return Analysis(
        solutions=solutions,
        frames=extra["frames"],
        values=values,
        paths=paths,
        moves=channels.moving_together(values, paths, channels.sizes_of(reduction.armature, paths)),
        estimated_errors=extra["estimated_errors"].astype(np.float64),
        seen_errors=extra["seen_errors"],
        # The source may have got other channels since; the fit then goes by their own errors.
        influence=influence if len(influence) == len(paths) else np.zeros(len(paths)),
        whole=whole,
        holds=extra["holds"].reshape(-1, 2),
        loop=tuple(extra["loop"].tolist()) or None,
        near=NearPoses(reduction.armature, paths, height) if height > 0.0 else None,
    )


def _remembered(token: str, read: Callable[[], Analysis]) -> Analysis:
    if token not in _CACHE:
        return _remember(token, read())
    _CACHE.move_to_end(token)
    return _CACHE[token]


def _remember(token: str, analysis: Analysis) -> Analysis:
    _CACHE[token] = analysis
    while len(_CACHE) > _MOST_CACHED:
        _CACHE.popitem(last=False)
    return analysis


def check_bones(reduction: Reduction, analysis: Analysis) -> None:
    """Blender renames a bone in the action that plays; in the source, which is not touched, nobody does."""
    keyed = {curve.data_path for curve in reduction.curves}
    lost = {channels.bone_of(path) for _, path, _ in analysis.paths if path not in keyed}
    bones = reduction.armature.pose.bones
    renamed = sorted(bone for bone in lost if bone is not None and bone not in bones)
    if renamed:
        raise InputError(
            'Bone "{bone}" was renamed since the analysis, but {source} still calls '
            "it so: give it this name again, or press Apply to keep the keys as they are.",
            bone=renamed[0],
            source=reduction.source.name,
        )


def is_used(action: bpy.types.Action) -> bool:
    """Whether something plays an action or has it in a strip; what is linked is another file's.

    Blender 4.3 and 4.4 count the users of a duplicated character's action twice, so they are looked for.
    """
    users = bpy.data.user_map(subset=[action])[action]
    return action.library is not None or any(map(channels.is_seen, users))


def is_needed(action: bpy.types.Action) -> bool:
    """Whether an action is a reduction or the source of one."""
    return is_reduced(action) or bool(reduced_from(action))
