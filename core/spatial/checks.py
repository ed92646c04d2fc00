# SPDX-License-Identifier: GPL-3.0-or-later
"""The one place where arrays from outside are checked for everything spatial."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks import LARGEST, FloatArray, IntArray
from ..errors import InputError

__all__ = ["FloatArray", "IntArray", "number", "numbers", "rotation_matrices", "whole_numbers"]

# Loose enough for matrices that went through single precision or a text file.
ROTATION_TOLERANCE = 1e-3


def numbers(values: ArrayLike, what: str, shape: tuple[int | None, ...]) -> FloatArray:
    """`values` as finite floats of that shape (None: any length), or a sentence about `what`."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"The {what} are not numbers; give an array of shape {_shape(shape)}.") from None
    matches = array.ndim == len(shape) and all(
        wanted is None or wanted == got for wanted, got in zip(shape, array.shape, strict=True)
    )
    if not matches:
        raise InputError(f"The {what} have the shape {array.shape}; give an array of shape {_shape(shape)}.")
    usable = np.abs(array) <= LARGEST
    if not usable.all():
        where = tuple(int(i) for i in np.argwhere(~usable)[0])
        raise InputError(f"The {what} hold {array[where]:g} at {where}; give ordinary, finite numbers.")
    return array


def number(value: float, what: str, *, at_least: float = -np.inf) -> float:
    """`value` as a finite float, or a sentence about `what`."""
    result = float(numbers(value, what, ()))
    if result < at_least:
        raise InputError(f"The {what} is {result:g}; it must be {at_least:g} or more.")
    return result


def whole_numbers(values: ArrayLike, what: str, shape: tuple[int | None, ...]) -> IntArray:
    """`values` as whole numbers of that shape; cutting a fraction off would only hide a mistake."""
    array = numbers(values, what, shape)
    fractions = array[array != np.round(array)]
    if len(fractions):
        raise InputError(f"The {what} must be whole: give a whole number instead of {fractions[0]:g}.")
    return array.astype(np.int64)


def rotation_matrices(values: ArrayLike, what: str, shape: tuple[int | None, ...]) -> FloatArray:
    """`values` as rotation matrices; scale, shear and mirroring are refused."""
    matrices = numbers(values, what, (*shape, 3, 3))
    if matrices.size == 0:
        return matrices
    off = np.abs(np.swapaxes(matrices, -1, -2) @ matrices - np.eye(3)).max(axis=(-1, -2))
    bad = (off > ROTATION_TOLERANCE) | (np.linalg.det(matrices) < 0.0)
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        raise InputError(
            f"The {what} at {where} is not a pure rotation (it scales, shears or mirrors); "
            "take scale out of the matrix and give it separately."
        )
    return matrices


def _shape(shape: tuple[int | None, ...]) -> str:
    return "(" + ", ".join("any" if size is None else str(size) for size in shape) + ")"
