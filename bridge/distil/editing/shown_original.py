# SPDX-License-Identifier: GPL-3.0-or-later
"""The original, shown for comparing: what is done to it becomes an edit, and the source is put back.

Whoever keys a pose then means the keys. What the source is like is remembered when it is shown.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import bpy
import numpy as np

from ....core import InputError
from ....core.editing.pose_changes import eased
from ....core.editing.time_warp import nearest
from ....core.motion import FloatArray
from ... import actions, everything
from ...curve_settings import CurveSettings, read_settings, write_settings
from ...splicing import NEAR, read_keys, write_arrays
from ...spoken import spoken
from .. import channels, reduced_action, reductions
from ..reductions import Reduction
from .capture import distinct
from .edits import Edits, changes_of
from .target import frames_of, values_at

MOST_REMEMBERED = 4  # besides those that are shown now
TAKEN_OVER = InputError(
    "What you changed while the original was shown is an edit of the keys now, and the original is as it was."
)

Place = tuple[int, str, int]  # slot handle, data path and index of a curve
KeyArrays = dict[str, np.ndarray]


class _Kept(NamedTuple):
    """What a curve was like."""

    keys: KeyArrays
    settings: CurveSettings
    print: str


# The curves of sources that are shown, by the fingerprints of these.
_remembered: dict[str, dict[Place, _Kept]] = {}


def show(armature: bpy.types.Object, shown: bool) -> None:
    """Show the original, whose keys are safe meanwhile, or the keys again, with what was done to it."""
    if shown:
        remember(reductions.get(armature))
    elif take_over(armature):
        return
    reduced_action.show_original(armature, shown)


def remember(reduction: Reduction) -> None:
    """Note what the source is like, if it is what was analysed."""
    expected, found = reduction.state.source_print, _curves(reduction.source, reduction.handles)
    if expected in _remembered or actions.fingerprint(_playing(reduction)) != expected:
        return
    _remembered[expected] = {
        place: _Kept(read_keys(curve), read_settings(curve), actions.fingerprint([curve]))
        for place, curve in found.items()
    }
    shown = _shown_now()
    not_shown = [each for each in _remembered if each not in shown]
    for each in not_shown[:-MOST_REMEMBERED]:
        del _remembered[each]


def _shown_now() -> set[str]:
    """The fingerprints of all sources that play, of which none may be forgotten."""
    playing = {reductions.playing_action(each) for each in everything.armatures()}
    reduced = (action.posewright for action in bpy.data.actions if reductions.is_reduced(action))
    return {state.source_print for state in reduced if state.source in playing}


def is_remembered() -> bool:
    """Whether any source is shown, or was in this session."""
    return bool(_remembered)


def forget() -> None:
    _remembered.clear()


def take_over(armature: bpy.types.Object) -> bool:
    """Make what was done to the source that is shown an edit: whether there was anything."""
    reduction = reductions.find(armature)
    if reduction is None or not reduction.shows_original or not reduction.source.is_editable:
        return False
    kept = _remembered.get(reduction.state.source_print)
    if kept is None or actions.fingerprint(_playing(reduction)) == reduction.state.source_print:
        return False
    now = {place: read_keys(curve) for place, curve in _curves(reduction.source, reduction.handles).items()}
    _put_back(reduction, kept, now)
    source = reductions.source_of(reduction)
    before = {place: each.keys for place, each in kept.items()}
    others = [place for place in now if place not in source.paths and _differ(before.get(place), now[place])]
    for place in others:
        write_arrays(_curve(reduction.action, place), now[place])
    keyed = {place: _keyed(before[place], now[place]) for place in source.paths if place in now}
    reduced_action.set_edits(reduction, _with_poses(reduction, keyed))
    armature.posewright.problem = spoken(TAKEN_OVER)
    return True


def _playing(reduction: Reduction) -> list[Any]:
    return channels.curves_in(reduction.source, reduction.handles)


def _curves(action: bpy.types.Action, handles: list[int]) -> dict[Place, Any]:
    found = {}
    for handle in handles:
        bag: Any = actions.bag_of(action, actions.slot_with_handle(action, handle))
        for curve in () if bag is None else bag.fcurves:
            found[handle, curve.data_path, curve.array_index] = curve
    return found


def _curve(action: bpy.types.Action, place: Place) -> Any:
    handle, path, index = place
    bag = actions.bag_of(action, actions.slot_with_handle(action, handle), create=True)
    return actions.ensure_curves(bag, [actions.Channel(path, index, channels.bone_of(path) or "")])[0]


def _differ(before: KeyArrays | None, after: KeyArrays) -> bool:
    return before is None or any(not np.array_equal(before[name], after[name]) for name in before)


def _put_back(reduction: Reduction, kept: dict[Place, _Kept], now: dict[Place, KeyArrays]) -> None:
    """The source as it was; a curve that was removed is the last one from now on."""
    source = reduction.source
    for place in now.keys() - kept.keys():
        bag: Any = actions.bag_of(source, actions.slot_with_handle(source, place[0]))
        bag.fcurves.remove(_curve(source, place))
    for place, before in kept.items():
        if place not in now:
            write_settings(_curve(source, place), before.settings)
        if place not in now or _differ(before.keys, now[place]):
            write_arrays(_curve(source, place), before.keys)
    curves = _curves(source, reduction.handles)
    if any(actions.fingerprint([curves[place]]) != before.print for place, before in kept.items()):
        raise InputError(
            "{source} was changed while it was shown, and not only its keys: undo that with Ctrl Z.",
            source=source.name,
        )
    expected, found = reduction.state.source_print, actions.fingerprint(_playing(reduction))
    for each in reductions.reduced_from(source):
        if each.posewright.source_print == expected:
            each.posewright.source_print = found


def _keyed(before: KeyArrays, after: KeyArrays) -> dict[float, float]:
    """The moments of keys that are new or have another value, and that value."""
    frames, values = after["co"].T.astype(np.float64)
    at = nearest(before["co"][:, 0].astype(np.float64), frames)
    same = (np.abs(before["co"][at, 0] - frames) < NEAR) & (before["co"][at, 1] == after["co"][:, 1])
    return dict(zip(frames[~same].tolist(), values[~same].tolist(), strict=True))


def _with_poses(reduction: Reduction, keyed: dict[Place, dict[float, float]]) -> Edits:
    """The edits with some channels keyed anew; changes ease out to the keys around, as for held poses."""
    source = reductions.source_of(reduction)
    edits, analysis = reduction.edits, reduction.analysis()
    moments = np.unique([moment for poses in keyed.values() for moment in poses])
    if not len(moments):
        return edits
    edits = replace(edits, keyed=distinct([edits.keyed, moments]))
    times = distinct([edits.keyed, edits.times, edits.warp.to_source(frames_of(source.frames, edits))])
    algebra = changes_of(source.paths)

    def read(wanted: FloatArray) -> FloatArray:
        return reductions.read_between(reduction, source, wanted)

    before = values_at(source, moments, Edits.none(), read)
    after = before.copy()
    for column, place in enumerate(source.paths):
        for moment, value in keyed.get(place, {}).items():
            after[np.searchsorted(moments, moment), column] = value
    pinned = edits.warp.from_source(moments)
    columns = distinct([analysis.frames[analysis.keys(reduction.state.key_count)], pinned])
    pins = np.zeros((len(columns), len(source.paths)))
    pins[nearest(columns, pinned)] = algebra.between(before, algebra.normalized(after))
    change = eased(columns, pins, edits.warp.from_source(times))
    known = edits.changes_at(times, source.paths)
    changes = algebra.together(known, change)
    return replace(edits, times=times, paths=source.paths, changes=changes).trimmed()
