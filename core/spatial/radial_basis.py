# SPDX-License-Identifier: GPL-3.0-or-later
"""How much every spatial key counts at a place: radial basis interpolation in cardinal form.

Igarashi, Moscovich and Hughes 2005, *Spatial Keyframing for Performance-driven Animation*, section 4.1.
A value f that each key i fixes to h_i at its place c_i is interpolated as

    f(x) = sum_j d_j |x - c_j| + p_0 + p . x,    with  sum_j d_j = 0  and  sum_j d_j c_j = 0.

f is linear in h, so one inverse of the paper's matrix turns it into f(x) = sum_i w_i(x) h_i, where the
influences w_i depend on the places alone, sum to one, and are 1 at their own key and 0 at every other.
All entries of all bones share them: moving a marker costs one small inverse, changing a pose nothing.

Complexity: O(n^3) for n places once, O(n^2) a point.

Departures from the paper. Fewer than four keys, and keys on a line or in a plane, are treated in the
space that the keys span, as the paper says: across a flat direction the cursor counts as if it were
projected onto the line or plane. The paper says nothing about keys that are *almost* flat, where the
linear term across the thin direction would shoot off. Here a direction thinner than `THIN` of the longest
fades from full to flat: its linear coefficient is charged a growing cost (a positive entry in the zero
corner of the paper's matrix), and the cursor is held within a shrinking margin around the slab of the
keys. Keys stay exact, and dragging a marker into the plane of the others makes nothing jump.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..checks import FloatArray, numbers
from ..errors import InputError
from .easing import smoothstep

# Thickness over length of the keys: below FLAT a direction does not count, above THIN it counts in full.
FLAT = 1e-6
THIN = 0.1
# Keys nearer to each other than this share of the whole are at one place.
SAME_PLACE = 1e-6
# Coordinates come from single precision: differences below this share of their size mean nothing.
SINGLE_PRECISION = 1e-7


class RadialBasis:
    """The influences of keys at `places` (n, 3) anywhere in space."""

    def __init__(self, places: ArrayLike, names: Sequence[str] | None = None):
        self.places = numbers(places, "places of the spatial keys", (None, 3)).copy()
        if len(self.places) == 0:
            raise InputError("There are no spatial keys; set at least one.")
        self._centre = self.places.mean(axis=0)
        offsets = self.places - self._centre
        _, extents, axes = np.linalg.svd(offsets, full_matrices=False)
        noise = SINGLE_PRECISION * np.abs(self.places).max()
        _refuse_shared_places(self.places, max(SAME_PLACE * extents[0], noise), names)
        spanned = extents > max(FLAT * extents[0], noise)
        # The keys' own space: along their main directions, as long as one in the longest.
        self._axes = axes[spanned].T / extents[spanned][:1]
        self._local = offsets @ self._axes
        thickness = extents[spanned] / extents[spanned][:1]
        fullness = smoothstep(thickness / THIN)
        self._slopes = np.sqrt(fullness) / thickness
        self._lowest, self._highest = _reach(self._local, fullness)
        self._inverse = self._solve(fullness)

    @property
    def dimensions(self) -> int:
        """How many directions the keys span: 0 for one key, then 1 (a line) to 3."""
        return self._axes.shape[1]

    def __call__(self, points: FloatArray) -> FloatArray:
        """(m, n) influences at `points` (m, 3); every row sums to one."""
        return self._terms(self._axes.T @ (points - self._centre).T).T @ self._inverse

    def _terms(self, local: FloatArray) -> FloatArray:
        """(n + 1 + d, m) what coefficients are multiplied with at points (d, m) in the keys' own space."""
        held = np.clip(local, self._lowest[:, None], self._highest[:, None])
        count = len(self._local)
        terms = np.empty((count + 1 + len(held), held.shape[1]))
        # Coordinate by coordinate, so that numpy's loops run along the points.
        between = held[:, None, :] - self._local.T[:, :, None]
        distances = np.einsum("dnm,dnm->nm", between, between, out=terms[:count])
        np.sqrt(distances, out=distances)
        terms[count] = 1.0
        np.multiply(held, self._slopes[:, None], out=terms[count + 1 :])
        return terms

    def _solve(self, fullness: FloatArray) -> FloatArray:
        """The columns of the inverse of the paper's matrix that meet the values of the keys."""
        terms = self._terms(self._local.T)
        size, count = terms.shape
        matrix = np.zeros((size, size))
        matrix[:count] = terms.T
        matrix[count:, :count] = terms[count:]
        corner = np.arange(count + 1, size)
        matrix[corner, corner] = 1.0 - fullness
        return np.linalg.solve(matrix, np.eye(size, count))


def _reach(local: FloatArray, fullness: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Between which coordinates the cursor counts: any in a full direction, the slab in a thin one."""
    lowest, highest = local.min(axis=0), local.max(axis=0)
    with np.errstate(divide="ignore"):
        margin = (highest - lowest) * fullness / (1.0 - fullness)
    return lowest - margin, highest + margin


def _refuse_shared_places(places: FloatArray, nearest: float, names: Sequence[str] | None) -> None:
    gaps = np.linalg.norm(places[:, None] - places[None], axis=-1)
    pairs = np.argwhere(np.triu(gaps <= nearest, k=1))[:3]
    if len(pairs):
        called = [str(i) for i in range(len(places))] if names is None else names
        told = ", ".join(f"{called[a]} and {called[b]}" for a, b in pairs)
        raise InputError(
            "Spatial keys {told} are at the same place; move one of them away or remove it.", told=told
        )
