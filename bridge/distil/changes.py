# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a source or a reduced action was changed since it was analysed, baked or measured."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .. import actions
from . import channels
from .reductions import Reduction

# Comparisons under way, by what they compare with.
_LOOKS: OrderedDict[str, _Look] = OrderedDict()
_MOST_LOOKS = 16
LOOK_SECONDS = 0.0005


def is_stale(reduction: Reduction) -> bool:
    """Whether the source was changed since it was analysed, as far as `_looked_at` knows."""
    state = reduction.state
    if state.source is None:
        return False
    curves = channels.curves_in(state.source, reduction.handles)
    return _looked_at(state.token, curves, state.source_print)


def remember_baked(reduction: Reduction) -> None:
    """Note what was baked, so that the user's edits of it can be told; and that it is not measured yet."""
    reduction.state.baked_print = actions.fingerprint(reduction.curves)
    reduction.state.measured_count = 0


def was_edited(reduction: Reduction) -> bool:
    """`is_edited`, looked at in full."""
    return reduction.state.baked_print != actions.fingerprint(reduction.curves)


def is_edited(reduction: Reduction) -> bool:
    """Whether the user has changed keys of the reduced action, which baking would write over."""
    expected = reduction.state.baked_print
    return _looked_at(expected, reduction.curves, expected)


def remember_measured(reduction: Reduction, mean: float, largest: float) -> None:
    """Note how far the keys that play now are from the original."""
    state = reduction.state
    state.measured_count, state.measured_print = state.key_count, actions.fingerprint(reduction.curves)
    state.measured_mean, state.measured_largest = mean, largest


def is_measured(reduction: Reduction) -> bool:
    """Whether what was measured is what plays: no other keys, detail or edits since."""
    state = reduction.state
    if state.measured_count != state.key_count:
        return False
    return not _looked_at(f"measured {state.measured_print}", reduction.curves, state.measured_print)


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
