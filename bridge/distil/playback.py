# SPDX-License-Identifier: GPL-3.0-or-later
"""How far what plays is from the original: estimated for every key count, and exactly as Blender plays it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
import numpy as np

from ...core import metrics, sweet_spots
from ...core.motion import FloatArray, IntArray
from .. import sampling
from . import reduced, state
from .analysis import Analysis

# Joint positions of the original, by analysis: measuring again and again samples it once.
_ORIGINALS: OrderedDict[str, FloatArray] = OrderedDict()
_KEPT = 2


@dataclass(frozen=True)
class Figures:
    """What a number of keys is worth, in scene units and as shares of the character's height."""

    keys: int
    frames: int
    mean: float
    largest: float
    height: float

    @property
    def compression(self) -> float:
        """The share of frames that is no key."""
        return 1.0 - self.keys / self.frames

    @property
    def mean_share(self) -> float:
        return self.mean / self.height

    @property
    def largest_share(self) -> float:
        return self.largest / self.height


def estimated(armature: bpy.types.Object, count: int | None = None) -> Figures:
    """Figures of a key count (the current one), from fitted joint positions: quick, and some 10% off."""
    analysis = state.load(armature)
    keys = armature.posewright.key_count if count is None else count
    index = int(np.searchsorted(analysis.solutions.counts, keys))
    mean, largest = analysis.estimated_errors[:, min(index, len(analysis.solutions) - 1)]
    return Figures(keys, len(analysis.frames), float(mean), float(largest), sampling.height_of(armature))


def sweet_spots_of(analysis: Analysis) -> IntArray:
    """Key counts worth stopping at."""
    return sweet_spots(analysis.solutions.counts, analysis.solutions.errors)


def measure(armature: bpy.types.Object) -> Figures:
    """Figures of what the armature plays now, detail and edits included, as Blender evaluates it: exact."""
    analysis = state.load(armature)
    original = original_positions(armature, analysis)
    played = sampling.sample(armature, analysis.frames).positions
    distances = metrics.joint_distances(original, played)
    return Figures(
        armature.posewright.key_count,
        len(analysis.frames),
        float(distances.mean()),
        float(distances.max()),
        sampling.height_of(armature),
    )


def original_positions(armature: bpy.types.Object, analysis: Analysis) -> FloatArray:
    """(F, J, 3) joints as the source plays them."""
    token = armature.posewright.token
    if token not in _ORIGINALS:
        with playing_original(armature):
            _ORIGINALS[token] = sampling.sample(armature, analysis.frames).positions
        while len(_ORIGINALS) > _KEPT:
            _ORIGINALS.popitem(last=False)
    return _ORIGINALS[token]


@contextmanager
def playing_original(armature: bpy.types.Object) -> Iterator[None]:
    """The source action for a moment, whatever is shown."""
    if armature.posewright.show_original:
        yield
        return
    reduced.show(armature, original=True)
    try:
        yield
    finally:
        reduced.show(armature, original=False)


def count_within(armature: bpy.types.Object, wanted: float) -> int:
    """Bake the fewest keys whose mean error, as Blender plays them, is at most `wanted` scene units.

    The estimate says where to look. What it is off by is nearly the same for neighbouring counts, so a few
    rounds of measuring and correcting find the place.
    """
    analysis = state.load(armature)
    counts = analysis.solutions.counts
    target = wanted
    for _ in range(6):
        armature.posewright.key_count = reduced.count_below(analysis, target)
        measured = measure(armature)
        if measured.mean <= wanted or measured.keys == counts[-1]:
            break
        target *= 0.98 * wanted / measured.mean
    return armature.posewright.key_count
