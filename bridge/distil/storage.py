# SPDX-License-Identifier: GPL-3.0-or-later
"""Solutions as a text that fits in a file: saved with the armature, undone with it, read without pickle."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import numpy as np

from ...core import InputError, Solutions
from ...core.motion import FloatArray, IntArray

T = TypeVar("T")

# Raised when what is packed changes, so that an earlier Posewright says so instead of misreading it.
VERSION = 2
DAMAGED = "What was stored of this analysis is damaged: analyse it again."
LATER = "This analysis was made by a later version of Posewright: update Posewright, or analyse it again."


def pack(solutions: Solutions, arrays: dict[str, FloatArray]) -> str:
    """The solutions and some more arrays as text."""
    rows = _rows(solutions)
    return pack_arrays(
        {
            "names": np.array([solutions.algorithm, solutions.objective]),
            "nested": np.array(solutions.ranking is not None),
            "counts": solutions.counts.astype(np.uint32),
            "errors": solutions.errors,
            "own_count": np.array(solutions.own_count or 0),
            "rows": rows.astype(np.uint16 if rows.max(initial=0) < 2**16 else np.uint32),
        }
        | {f"extra_{name}": array for name, array in arrays.items()}
    )


def pack_arrays(arrays: dict[str, np.ndarray]) -> str:
    """Arrays as text."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, version=np.array(VERSION), **arrays)
    return base64.b64encode(buffer.getvalue()).decode()


def _rows(solutions: Solutions) -> IntArray:
    """The ranking of nested solutions; for others the gaps between keys, which compress well."""
    if solutions.ranking is not None:
        return solutions.ranking[: solutions.counts[-1]]
    return np.concatenate([np.diff(solutions.keys(int(count)), prepend=0) for count in solutions.counts])


def unpack(text: str) -> tuple[Solutions, dict[str, FloatArray]]:
    """What was packed; whatever else a file may hold in its place is refused with a sentence."""
    return unpack_arrays(text, _solutions_and_extra)


def unpack_arrays(text: str, read: Callable[[dict[str, np.ndarray]], T]) -> T:
    """What `read` makes of packed arrays; it may raise anything where they are not as they should be."""
    with damage_told():
        arrays = _arrays(text)
        version = int(arrays.pop("version", np.array(1)))
    if version > VERSION:
        raise InputError(LATER)
    with damage_told():
        return read(arrays)


@contextmanager
def damage_told() -> Iterator[None]:
    """While something is read that a file or a script may have damaged: whatever fails becomes a sentence."""
    try:
        yield
    except Exception as error:  # numpy, zipfile and zlib raise anything on damaged bytes
        raise InputError(DAMAGED) from error


def _arrays(text: str) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(base64.b64decode(text, validate=True)), allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def _solutions_and_extra(arrays: dict[str, np.ndarray]) -> tuple[Solutions, dict[str, FloatArray]]:
    solutions = _solutions(arrays)
    extra = {name[6:]: arrays[name] for name in arrays if name.startswith("extra_")}
    _check_extra(extra, solutions)
    return solutions, extra


def _solutions(arrays: dict[str, np.ndarray]) -> Solutions:
    counts, rows = whole_numbers(arrays["counts"]), whole_numbers(arrays["rows"])
    errors = numbers(arrays["errors"])
    algorithm, objective = (str(name) for name in arrays["names"])
    own_count = int(arrays["own_count"]) or None
    require(len(counts) > 0 and counts[0] >= 1 and bool(np.all(np.diff(counts) > 0)))
    require(errors.shape == counts.shape)
    if arrays["nested"]:
        require(len(rows) == counts[-1] == counts[0] + len(counts) - 1)
        require(len(np.unique(rows)) == len(rows) and rows.min() >= 0)
        return Solutions.from_ranking(
            algorithm, objective, rows, errors, fewest=int(counts[0]), own_count=own_count
        )
    require(len(rows) == counts.sum())
    keys = [np.cumsum(gaps) for gaps in np.split(rows, np.cumsum(counts)[:-1])]
    require(all(key[0] >= 0 and bool(np.all(np.diff(key) > 0)) for key in keys))
    return Solutions(algorithm, objective, keys, errors, own_count=own_count)


def _check_extra(extra: dict[str, np.ndarray], solutions: Solutions) -> None:
    """The arrays that belong to every analysis; they must fit the solutions and each other."""
    for name in {"frames", "times"} & extra.keys():
        require(extra[name].ndim == 1 and bool(np.all(np.diff(numbers(extra[name])) > 0.0)))
    largest = max(int(solutions.keys(int(count))[-1]) for count in solutions.counts[[0, -1]])
    rows = len(extra.get("times", extra["frames"]))
    require(largest < rows)
    holds = whole_numbers(extra.setdefault("holds", np.empty(0, np.int64)))  # earlier files have none
    require(len(holds) % 2 == 0 and bool(np.all(np.diff(holds) > 0)))
    require(not len(holds) or (holds[0] >= 0 and holds[-1] < rows))
    require(numbers(extra["estimated_errors"]).shape == (2, len(solutions)))
    require(numbers(extra["seen_errors"]).shape == (len(solutions),))
    require(numbers(extra["influence"]).ndim == 1)
    require(extra["whole"].shape == ())
    height = numbers(extra.setdefault("height", np.array(0.0)))  # earlier files have none
    require(height.shape == () and height >= 0.0)
    loop, frames = numbers(extra.setdefault("loop", np.empty(0))), extra["frames"]  # earlier files have none
    require(loop.shape == (0,) or (loop.shape == (2,) and loop[0] < frames[1] and loop[1] > frames[-2]))


def whole_numbers(array: np.ndarray) -> IntArray:
    """A row of whole numbers, or `ValueError`."""
    require(array.ndim == 1 and array.dtype.kind in "iu")
    return array.astype(np.int64)


def numbers(array: np.ndarray) -> FloatArray:
    """Numbers that are some, or `ValueError`."""
    require(array.dtype.kind in "fiu" and bool(np.all(np.isfinite(array))))
    return array.astype(np.float64)


def require(holds: bool) -> None:
    """`ValueError` unless it holds."""
    if not holds:
        raise ValueError("not as it was packed")
