# SPDX-License-Identifier: GPL-3.0-or-later
"""Key selection: one file an algorithm, all behind `select`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..motion import IntArray, Motion
from ..progress import Progress, ProgressCallback
from ..solutions import Solutions
from .algorithm import Algorithm, Option, Task

__all__ = ["ALGORITHMS", "Algorithm", "Option", "select"]

# To add an algorithm, write its file beside this one and add its ALGORITHM here.
ALGORITHMS: dict[str, Algorithm] = {algorithm.name: algorithm for algorithm in ()}


def select(
    motion: Motion | ArrayLike,
    algorithm: str = "salient",
    *,
    max_keys: int | None = None,
    objective: str = "curve",
    fixed: Iterable[int] = (),
    progress: ProgressCallback | None = None,
    space: str = "world",
    weights: ArrayLike | None = None,
    frame_range: tuple[float, float] | None = None,
    **options: Any,
) -> Solutions:
    """Choose the keys of a motion, for every number of keys up to `max_keys`.

    Args:
        motion: a `Motion`, or just its (F, J, 3) positions.
        algorithm: a name from `ALGORITHMS`.
        max_keys: most keys of a solution; half the frames if left out.
        objective: what a segment between two keys costs; only `salient` has a choice.
        fixed: rows that must be keys in every solution, besides the first and the last.
        progress: called with the share done, 0 to 1; cancels by returning False.
        space: "world", "armature" or "root": where positions are compared.
        weights: joint weights to use instead of the motion's.
        frame_range: first and last frame number to look at; keys are still rows of the whole motion.
        options: the algorithm's own, see `ALGORITHMS[name].options`.

    Raises:
        InputError: the input cannot be used; the message says why.
        Cancelled: `progress` returned False.
    """
    chosen = _algorithm(algorithm)
    whole = motion if isinstance(motion, Motion) else Motion(motion)
    if weights is not None:
        whole = whole.with_weights(weights)
    part = whole if frame_range is None else whole.between(*frame_range)
    offset = int(np.searchsorted(whole.frames, part.frames[0]))
    rows = _fixed_rows(fixed, len(whole), offset, len(part))
    task = Task(
        motion=part.in_space(space),
        points=part.points(space),
        fixed=rows,
        max_keys=_max_keys(max_keys, len(part), len(rows)),
        objective=_objective(objective, chosen),
        progress=Progress(progress),
        options=_options(options, chosen),
    )
    task.progress(0.0)
    solutions = chosen.solve(task)
    task.progress(1.0)
    return solutions.shifted(offset)


def _algorithm(name: str) -> Algorithm:
    if name not in ALGORITHMS:
        raise InputError(f"There is no algorithm called {name!r}: choose one of {', '.join(ALGORITHMS)}.")
    return ALGORITHMS[name]


def _objective(name: str, algorithm: Algorithm) -> str:
    if len(algorithm.objectives) == 1:
        return algorithm.objectives[0]
    if name not in algorithm.objectives:
        raise InputError(
            f"There is no objective called {name!r}: choose one of {', '.join(algorithm.objectives)}."
        )
    return name


def _fixed_rows(fixed: Iterable[int], whole: int, offset: int, count: int) -> IntArray:
    """Fixed rows as rows of the part that is looked at, its ends included."""
    if count < 2:
        raise InputError("The motion has only one frame: keys can be chosen from two frames on.")
    rows = np.array(list(fixed), dtype=np.float64)
    if len(rows) and not np.all(rows == np.floor(rows)):
        raise InputError(f"Fixed frames are rows of the motion and must be whole numbers, not {list(fixed)}.")
    if len(rows) and (rows.min() < 0 or rows.max() >= whole):
        bad = rows[(rows < 0) | (rows >= whole)][0]
        raise InputError(f"Fixed row {bad:g} is outside the motion, whose rows go from 0 to {whole - 1}.")
    inside = rows.astype(np.int64) - offset
    inside = inside[(inside >= 0) & (inside < count)]
    return np.unique(np.concatenate([inside, [0, count - 1]]))


def _max_keys(max_keys: int | None, count: int, fixed: int) -> int:
    if max_keys is None:
        return max(fixed, count // 2, 2)
    if max_keys != int(max_keys) or max_keys < 2:
        raise InputError(f"The most keys must be a whole number from 2 on, not {max_keys}.")
    if max_keys < fixed:
        raise InputError(
            f"{fixed} frames are fixed (the first and the last included), but at most {max_keys} keys are "
            "allowed: allow more keys or fix fewer frames."
        )
    return min(int(max_keys), count)


def _options(given: Mapping[str, Any], algorithm: Algorithm) -> dict[str, Any]:
    unknown = sorted(set(given) - set(algorithm.options))
    if unknown:
        known = ", ".join(sorted(algorithm.options)) or "none"
        raise InputError(f"{algorithm.label} has no option {unknown[0]!r}; its options are: {known}.")
    merged = {name: option.default for name, option in algorithm.options.items()} | dict(given)
    for name, value in merged.items():
        _check_option(name, value, algorithm.options[name])
    return merged


def _check_option(name: str, value: Any, option: Option) -> None:
    if option.choices and value not in option.choices:
        raise InputError(f"Option {name} must be one of {', '.join(option.choices)}, not {value!r}.")
    if value is None or (option.minimum is None and option.maximum is None):
        return
    low = -np.inf if option.minimum is None else option.minimum
    high = np.inf if option.maximum is None else option.maximum
    if not low <= value <= high:
        raise InputError(f"Option {name} must be from {low:g} to {high:g}, not {value}.")
