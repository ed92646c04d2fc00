# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user knows better than what was found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..checks import FloatArray
from ..errors import InputError
from .character import Character, Limb


def corrected(character: Character, corrections: Mapping[str, Any]) -> Character:
    """The character with some things as the user says.

    Args:
        corrections: `height` and `ground` (numbers), `up` and `front` (vectors), `hips` and `head` (bones),
            `feet` and `hands` (bones, in the order that the character has them in; None leaves one as it is),
            `pairs` (the left and right bones that belong together, besides those that were found).

    Raises:
        InputError: it does not say what it should.
    """
    for what, value in corrections.items():
        if what not in _WAYS:
            raise InputError(f'Nothing called "{what}" can be corrected: choose one of {", ".join(_WAYS)}.')
        character = _WAYS[what](character, value)
    return character


def _height(character: Character, value: float) -> Character:
    if not value > 0.0:
        raise InputError(f"The height must be above zero, not {value:g}.")
    return replace(character, height=float(value))


def _ground(character: Character, value: float) -> Character:
    return replace(character, ground=float(value))


def _up(character: Character, value: Sequence[float]) -> Character:
    return replace(character, up=_direction(value))


def _front(character: Character, value: Sequence[float]) -> Character:
    front = _direction(value)
    opposite = character.front is not None and float(front @ character.front) < 0.0
    return replace(character, front=front, left_is_left=character.left_is_left ^ opposite)


def _direction(value: Sequence[float]) -> FloatArray:
    vector = np.asarray(value, np.float64)
    length = float(np.linalg.norm(vector))
    if vector.shape != (3,) or not length > 0.0:
        raise InputError("A direction needs three numbers that are not all zero.")
    return vector / length


def _hips(character: Character, bone: str) -> Character:
    return replace(character, hips=_known(character, bone))


def _head(character: Character, bone: str) -> Character:
    return replace(character, head=_known(character, bone))


def _feet(character: Character, bones: Sequence[str | None]) -> Character:
    return replace(character, legs=_ending(character, character.legs, bones))


def _hands(character: Character, bones: Sequence[str | None]) -> Character:
    return replace(character, arms=_ending(character, character.arms, bones))


def _known(character: Character, bone: str) -> str:
    if bone not in {*character.body, *character.deform, *character.controls, *character.mechanism}:
        raise InputError(f'There is no bone called "{bone}": choose another one.')
    return bone


def _ending(character: Character, limbs: Sequence[Limb], bones: Sequence[str | None]) -> tuple[Limb, ...]:
    if len(bones) > len(limbs):
        raise InputError(f"There are {len(bones)} ends for {len(limbs)} limbs: name one for each.")
    ends = [*bones, *[None] * (len(limbs) - len(bones))]
    return tuple(
        limb
        if end is None
        else replace(limb, end=_known(character, end), tip=None if end == limb.tip else limb.tip)
        for limb, end in zip(limbs, ends, strict=True)
    )


def _pairs(character: Character, pairs: Sequence[tuple[str, str]]) -> Character:
    said = {_known(character, bone) for pair in pairs for bone in pair}
    kept = tuple(pair for pair in character.pairs if said.isdisjoint(pair))
    return replace(character, pairs=(*kept, *((left, right) for left, right in pairs)))


_WAYS: dict[str, Callable[[Character, Any], Character]] = {
    "height": _height,
    "ground": _ground,
    "up": _up,
    "front": _front,
    "hips": _hips,
    "head": _head,
    "feet": _feet,
    "hands": _hands,
    "pairs": _pairs,
}
