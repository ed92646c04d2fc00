# SPDX-License-Identifier: GPL-3.0-or-later
"""What a selection algorithm is given, and what it tells about itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..motion import FloatArray, IntArray, Motion
from ..progress import Progress
from ..solutions import Solutions


@dataclass(frozen=True)
class Option:
    """One setting of an algorithm, described well enough to draw a panel and a command line from it.

    It is a choice where there are `choices`, a switch where the default is a bool, otherwise a number.
    The default None stands for a number that the algorithm chooses by itself.
    """

    default: Any
    description: str
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    whole: bool = False  # a number without a fraction


@dataclass(frozen=True)
class Task:
    """One selection to carry out: checked, sliced, in the wanted space."""

    motion: Motion
    fixed: IntArray  # ascending rows that must be keys; the first and the last are always among them
    asked: IntArray  # those of them that the caller asked for, often none
    max_keys: int
    objective: str
    progress: Progress
    options: Mapping[str, Any]
    frame_weights: FloatArray | None = None  # only for algorithms that are `weighted`

    @cached_property
    def points(self) -> FloatArray:
        """(F, D) weighted and centred; squared distance is the weighted sum over joints."""
        return self.motion.points()


@dataclass(frozen=True)
class Algorithm:
    """An entry of the registry."""

    name: str
    label: str
    description: str
    paper: str
    solve: Callable[[Task], Solutions]
    objectives: tuple[str, ...]  # the first is the default; one only where there is no choice
    nested: bool  # every solution contains the one before
    options: Mapping[str, Option] = field(default_factory=dict)
    weighted: bool = False  # it takes weights of frames

    @property
    def defaults(self) -> dict[str, Any]:
        """What its options are where they are not given."""
        return {name: option.default for name, option in self.options.items()}
