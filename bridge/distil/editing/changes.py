# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a source or a reduced action was changed since it was analysed, baked or measured."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import bpy

from ....core.quality import Quality
from ... import actions
from .. import channels
from ..feet import pins
from ..reductions import Reduction

# What was found of curves, by the numbers of their actions and what they are compared with; `forget` has it
# found again.
_LOOKS: dict[tuple[frozenset[int], str], _Look] = {}
LOOK_SECONDS = 0.0005


def is_stale(reduction: Reduction) -> bool:
    """Whether the source was changed since it was analysed.

    Panels ask at every redraw and must not wait for all keys of a long capture: they are looked at a few
    curves at a time, and until that is done the answer is no.
    """
    state = reduction.state
    if state.source is None:
        return False
    curves = channels.curves_in(state.source, reduction.handles)
    return _differ([state.source], curves, state.source_print, LOOK_SECONDS)


def remember_baked(reduction: Reduction) -> None:
    """Note what was baked, so that the user's edits of it can be told; and that it is not measured yet."""
    reduction.state.baked_print = actions.fingerprint(reduction.curves)
    reduction.state.measured_count = 0
    forget(reduction.action.session_uid)


def was_edited(reduction: Reduction) -> bool:
    """`is_edited`, whatever was found before: for those who write keys."""
    return reduction.state.baked_print != actions.fingerprint(reduction.curves)


def is_edited(reduction: Reduction) -> bool:
    """Whether the user has changed keys of the reduced action since they were baked, for panels."""
    return _differ([reduction.action], reduction.curves, reduction.state.baked_print)


def remember_measured(reduction: Reduction, mean: float, largest: float, quality: Quality, keys: str) -> None:
    """Note how far what plays, with this fingerprint, is from the original."""
    state = reduction.state
    state.measured_quality = json.dumps(asdict(quality))
    state.measured_count, state.measured_print = state.key_count, keys
    state.measured_mean, state.measured_largest = mean, largest


def measured_quality(reduction: Reduction) -> Quality:
    """What was measured besides the error; nothing where it cannot be read."""
    try:
        known = json.loads(reduction.state.measured_quality)
        return Quality(
            **{
                name: tuple(value) if isinstance(value, list) else float(value)
                for name, value in known.items()
            }
        )
    except (ValueError, TypeError, AttributeError):
        return Quality()


def is_measured(reduction: Reduction) -> bool:
    """Whether what was measured is what plays: no other keys, detail, edits or pins since."""
    state = reduction.state
    if state.measured_count != state.key_count:
        return False
    pinned = pins.curves_of(reduction)
    owners = [reduction.action, *(curve.id_data for curve in pinned)]
    return not _differ(owners, [*reduction.curves, *pinned], state.measured_print)


def print_of_playing(reduction: Reduction) -> str:
    """A fingerprint of what is measured."""
    return actions.fingerprint([*reduction.curves, *pins.curves_of(reduction)])


def forget(action: int | None = None) -> None:
    """The action with this number was changed, or any may have been: what was found of it may be wrong."""
    for name in [name for name in _LOOKS if action is None or action in name[0]]:
        del _LOOKS[name]


def _differ(
    owners: Iterable[bpy.types.Action], curves: Sequence[Any], expected: str, seconds: float = math.inf
) -> bool:
    """Whether curves of some actions have another fingerprint, as far as so long a look tells."""
    name = frozenset(owner.session_uid for owner in owners), expected
    return _LOOKS.setdefault(name, _Look(actions.new_digest())).goes_on(curves, expected, seconds)


@dataclass
class _Look:
    """A comparison of curves with a fingerprint, which may take several goes."""

    digest: Any
    curves: int = 0
    differs: bool | None = None

    def goes_on(self, curves: Sequence[Any], expected: str, seconds: float) -> bool:
        """Whether they differ, as far as that is known after so long a look."""
        until = time.perf_counter() + seconds
        while self.differs is None and time.perf_counter() < until:
            if self.curves < len(curves):
                actions.add_to_digest(self.digest, curves[self.curves])
                self.curves += 1
            else:
                self.differs = self.digest.hexdigest() != expected
        return bool(self.differs)
