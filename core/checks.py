# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks of arrays from outside: what is let in is finite, of the right shape and a float64."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InputError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Shape = tuple[int | None, ...]

# Beyond this the fourth powers that some costs need would overflow; no character is that large.
LARGEST = 1e30
# Loose enough for matrices that went through single precision or a text file.
ROTATION_TOLERANCE = 1e-3


def numbers(values: ArrayLike, what: str, shape: Shape | None = None) -> FloatArray:
    """A copy of `values` as finite floats, or a sentence about `what`.

    `shape` is the shape they must have, None for any length; of any shape if left out.
    """
    name = what if what[:1].isupper() else f"The {what}"
    try:
        given = np.asarray(values)
        if np.iscomplexobj(given):
            raise TypeError("complex numbers are not allowed")
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError("{name} must be an array of numbers: {error}.", name=name, error=error) from error
    if shape is not None and not _fits(array.shape, shape):
        raise InputError(
            "{name} must have the shape {wanted}, not {shape}.",
            name=name,
            wanted=_written(shape),
            shape=array.shape,
        )
    usable = np.abs(array) <= LARGEST
    if not np.all(usable):
        bad = tuple(int(index) for index in np.argwhere(~usable)[0])
        where = f"entry [{', '.join(str(index) for index in bad)}] is" if bad else "it is"
        raise InputError(
            "{name} must be finite numbers up to {largest:g}, but {where} {value}.",
            name=name,
            largest=LARGEST,
            where=where,
            value=array[bad],
        )
    return array


def number(value: float, what: str, *, at_least: float = -np.inf) -> float:
    """`value` as a finite float, or a sentence about `what`."""
    result = float(numbers(value, what, ()))
    if result < at_least:
        raise InputError(
            "The {what} is {result:g}; it must be {at_least:g} or more.",
            what=what,
            result=result,
            at_least=at_least,
        )
    return result


def whole_numbers(values: ArrayLike, what: str, shape: Shape) -> IntArray:
    """`values` as whole numbers of that shape; cutting a fraction off would only hide a mistake."""
    array = numbers(values, what, shape)
    fractions = array[array != np.round(array)]
    if len(fractions):
        raise InputError(
            "The {what} must be whole: give a whole number instead of {value:g}.",
            what=what,
            value=fractions[0],
        )
    return array.astype(np.int64)


def rotation_matrices(values: ArrayLike, what: str, shape: Shape) -> FloatArray:
    """`values` as rotation matrices; scale, shear and mirroring are refused."""
    matrices = numbers(values, what, (*shape, 3, 3))
    if matrices.size == 0:
        return matrices
    off = np.abs(np.swapaxes(matrices, -1, -2) @ matrices - np.eye(3)).max(axis=(-1, -2))
    bad = (off > ROTATION_TOLERANCE) | (np.linalg.det(matrices) < 0.0)
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        raise InputError(
            "The {what} at {where} is not a pure rotation (it scales, shears or mirrors); "
            "take scale out of the matrix and give it separately.",
            what=what,
            where=where,
        )
    return matrices


def channel_values(values: ArrayLike) -> FloatArray:
    """(F, C) channels over time."""
    array = numbers(values, "Values")
    if array.ndim != 2 or len(array) < 1:
        raise InputError("Values must have the shape (frames, channels), not {shape}.", shape=array.shape)
    return array


def frame_numbers(frames: ArrayLike | None, count: int) -> FloatArray:
    """(count,) strictly ascending frame numbers; 0, 1, 2 ... if left out."""
    if frames is None:
        return np.arange(count, dtype=np.float64)
    array = numbers(frames, "Frame numbers")
    if array.shape != (count,):
        raise InputError(
            "There must be one frame number for each of the {count} rows, not {shape}.",
            count=count,
            shape=array.shape,
        )
    steps = np.diff(array)
    if np.any(steps <= 0.0):
        row = int(np.argmax(steps <= 0.0))
        raise InputError(
            "Frame numbers must ascend without repeats, but {before:g} is followed by {after:g}.",
            before=array[row],
            after=array[row + 1],
        )
    return array


def key_rows(keys: ArrayLike, count: int) -> IntArray:
    """(K,) ascending rows out of `count`, at least one."""
    array = np.atleast_1d(numbers(keys, "Keys"))
    rows = array.astype(np.int64)
    if array.ndim != 1 or not len(array) or np.any(rows != array):
        raise InputError("Keys must be a list of at least one row number.")
    if rows.min() < 0 or rows.max() >= count:
        raise InputError(
            "Keys must be rows from 0 to {last}, not {smallest} to {largest}.",
            last=count - 1,
            smallest=rows.min(),
            largest=rows.max(),
        )
    if np.any(np.diff(rows) <= 0):
        raise InputError("Keys must ascend without repeats.")
    return rows


def _fits(got: tuple[int, ...], wanted: Shape) -> bool:
    return len(got) == len(wanted) and all(
        size is None or size == length for size, length in zip(wanted, got, strict=True)
    )


def _written(shape: Shape) -> str:
    return "(" + ", ".join("any" if size is None else str(size) for size in shape) + ")"
