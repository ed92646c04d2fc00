# SPDX-License-Identifier: GPL-3.0-or-later
"""Key selection: one file an algorithm, all behind `select`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import numbers
from ..errors import InputError
from ..motion import FloatArray, IntArray, Motion
from ..progress import Progress, ProgressCallback
from ..solutions import Solutions
from . import decimation, greedy, keyposes, saliency, salient
from .algorithm import Algorithm, Option, Task

__all__ = ["ALGORITHMS", "Algorithm", "Option", "select"]

# To add an algorithm, write its file beside this one and add its ALGORITHM here.
ALGORITHMS: dict[str, Algorithm] = {
    algorithm.name: algorithm
    for algorithm in (
        salient.ALGORITHM,
        greedy.ALGORITHM,
        decimation.ALGORITHM,
        saliency.ALGORITHM,
        keyposes.ALGORITHM,
    )
}


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
    frame_weights: ArrayLike | None = None,
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
        space: "world", "armature", "root" or "parent": from where positions are compared.
        weights: joint weights to use instead of the motion's.
        frame_weights: (F,) how much each frame counts, above zero; a frame of weight 2 counts like two
            equal frames. For `salient` with the squared objectives, `curve`, `chord` and `hold`.
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
    part = whole if frame_range is None else whole.between(*_ends(frame_range))
    offset = int(np.searchsorted(whole.frames, part.frames[0]))
    asked = _asked_rows(fixed, len(whole), offset, len(part))
    rows = np.union1d(asked, [0, len(part) - 1])
    task = Task(
        motion=part.in_space(space),
        fixed=rows,
        asked=asked,
        max_keys=_max_keys(max_keys, len(part), len(rows)),
        objective=_objective(objective, chosen),
        progress=Progress(progress),
        options=_options(options, chosen),
        frame_weights=_frame_weights(frame_weights, chosen, len(whole), slice(offset, offset + len(part))),
    )
    task.progress(0.0)
    solutions = chosen.solve(task)
    task.progress(1.0)
    return solutions.shifted(offset)


def _algorithm(name: str) -> Algorithm:
    if name not in ALGORITHMS:
        raise InputError(
            "There is no algorithm called {name!r}: choose one of {choices}.",
            name=name,
            choices=", ".join(ALGORITHMS),
        )
    return ALGORITHMS[name]


def _objective(name: str, algorithm: Algorithm) -> str:
    if len(algorithm.objectives) == 1:
        return algorithm.objectives[0]
    if name not in algorithm.objectives:
        raise InputError(
            "There is no objective called {name!r}: choose one of {choices}.",
            name=name,
            choices=", ".join(algorithm.objectives),
        )
    return name


def _frame_weights(
    weights: ArrayLike | None, algorithm: Algorithm, count: int, rows: slice
) -> FloatArray | None:
    """The weights of the rows that are looked at."""
    if weights is None:
        return None
    if not algorithm.weighted:
        raise InputError(
            "{algorithm} cannot weigh frames: leave the frame weights out.", algorithm=algorithm.label
        )
    values = numbers(weights, "Frame weights")
    if values.shape != (count,):
        raise InputError(
            "There must be one frame weight for each of the {count} frames, not {values}.",
            count=count,
            values=values.shape,
        )
    if np.any(values <= 0.0):
        raise InputError("Frame weights must be above zero, but one is {smallest:g}.", smallest=values.min())
    return values[rows]


def _ends(frame_range: Iterable[float]) -> tuple[float, float]:
    try:
        first, last = (float(frame) for frame in frame_range)
    except (TypeError, ValueError) as error:
        raise InputError(
            "A frame range is a first and a last frame number, not {frame_range!r}.", frame_range=frame_range
        ) from error
    return first, last


def _asked_rows(fixed: Iterable[int], whole: int, offset: int, count: int) -> IntArray:
    """Fixed rows as ascending rows of the part that is looked at."""
    if count < 2:
        raise InputError("There is only one frame to look at: keys can be chosen from two frames on.")
    if not isinstance(fixed, Iterable):
        raise InputError("Fixed frames are a list of rows of the motion, not {fixed!r}.", fixed=fixed)
    rows = [_whole_number(row, "A fixed frame is a row of the motion: it") for row in fixed]
    for row in rows:
        if not 0 <= row < whole:
            raise InputError(
                "Fixed row {row} is outside the motion, whose rows go from 0 to {last}.",
                row=row,
                last=whole - 1,
            )
    return np.unique(np.array([row - offset for row in rows if 0 <= row - offset < count], dtype=np.int64))


def _max_keys(max_keys: int | None, count: int, fixed: int) -> int:
    if max_keys is None:
        return max(fixed, count // 2, 2)
    most = _whole_number(max_keys, "The most keys")
    if most < 2:
        raise InputError("The most keys must be 2 or more, not {most}.", most=most)
    if most < fixed:
        raise InputError(
            "{fixed} frames are fixed (the first and the last included), but at most {most} keys are "
            "allowed: allow more keys or fix fewer frames.",
            fixed=fixed,
            most=most,
        )
    return min(most, count)


def _whole_number(value: Any, what: str) -> int:
    if not _is_number(value) or value != int(value):
        raise InputError("{what} must be a whole number, not {value!r}.", what=what, value=value)
    return int(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)


def _options(given: Mapping[str, Any], algorithm: Algorithm) -> dict[str, Any]:
    unknown = sorted(set(given) - set(algorithm.options))
    if unknown:
        known = ", ".join(sorted(algorithm.options)) or "none"
        raise InputError(
            "{algorithm} has no option {unknown!r}; its options are: {known}.",
            algorithm=algorithm.label,
            unknown=unknown[0],
            known=known,
        )
    merged = algorithm.defaults | dict(given)
    for name, value in merged.items():
        _check_option(name, value, algorithm.options[name])
    return merged


def _check_option(name: str, value: Any, option: Option) -> None:
    if value is None and option.default is None:
        return  # automatic
    if option.choices:
        if not isinstance(value, str) or value not in option.choices:
            raise InputError(
                "Option {name} must be one of {choices}, not {value!r}.",
                name=name,
                choices=", ".join(option.choices),
                value=value,
            )
    elif isinstance(option.default, bool):
        if not isinstance(value, bool | np.bool_):
            raise InputError(
                "Option {name} is a switch: it must be True or False, not {value!r}.", name=name, value=value
            )
    else:
        _check_number(name, value, option)


def _check_number(name: str, value: Any, option: Option) -> None:
    if option.whole:
        _whole_number(value, f"Option {name}")
    elif not _is_number(value):
        raise InputError("Option {name} must be a number, not {value!r}.", name=name, value=value)
    if option.minimum is not None and value < option.minimum:
        raise InputError(
            "Option {name} must be at least {minimum:g}, not {value}.",
            name=name,
            minimum=option.minimum,
            value=value,
        )
    if option.maximum is not None and value > option.maximum:
        raise InputError(
            "Option {name} must be at most {maximum:g}, not {value}.",
            name=name,
            maximum=option.maximum,
            value=value,
        )
