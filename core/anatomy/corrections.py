# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user knows better than what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..checks import FloatArray
from ..errors import InputError
from .character import Character, Limb

Parents = Mapping[str, str | None]


def corrected(
    character: Character, corrections: Mapping[str, Any], parents: Parents | None = None
) -> Character:
    """The character with some things as the user says.

    Args:
        corrections: `height` and `ground` (numbers), `front` (a vector), `hips` and `head` (bones),
            `feet` and `hands` (bones, in the order that the character has them in, left before right; None
            leaves one as it is, and more than were found are limbs that were not), `pairs` (the left and
            right bones that belong together, besides those that were found).
        parents: the bone above each.

    Raises:
        InputError: it does not say what it should.
    """
    for what, value in corrections.items():
        if what not in _WAYS:
            raise InputError(
                'Nothing called "{what}" can be corrected: choose one of {choices}.',
                what=what,
                choices=", ".join(_WAYS),
            )
        character = _WAYS[what](character, value, {} if parents is None else parents)
    return character


def _height(character: Character, value: float, _parents: Parents) -> Character:
    if not value > 0.0:
        raise InputError("The height must be above zero, not {value:g}.", value=value)
    return replace(character, height=float(value))


def _ground(character: Character, value: float, _parents: Parents) -> Character:
    return replace(character, ground=float(value), said_ground=float(value))


def _front(character: Character, value: Sequence[float], _parents: Parents) -> Character:
    """Its limbs go on telling where it looks as it turns, from then on as much to the side as is said."""
    front = _direction(value)
    if character.front is None:
        return replace(character, front=front)
    opposite = float(front @ character.front) < 0.0
    found = -character.front if opposite else character.front
    aside = float(np.arctan2(character.up @ np.cross(found, front), found @ front))
    return replace(character, front=front, left_is_left=character.left_is_left ^ opposite, looks_aside=aside)


def _direction(value: Sequence[float]) -> FloatArray:
    vector = np.asarray(value, np.float64)
    length = float(np.linalg.norm(vector))
    if vector.shape != (3,) or not length > 0.0:
        raise InputError("A direction needs three numbers that are not all zero.")
    return vector / length


def _hips(character: Character, bone: str, parents: Parents) -> Character:
    above = set(_above(_known(character, bone), parents))
    carriers = tuple(each for each in character.body if each in above)
    return _with_spine(replace(character, hips=bone, carriers=carriers), parents)


def _head(character: Character, bone: str, parents: Parents) -> Character:
    return _with_spine(replace(character, head=_known(character, bone)), parents)


def _with_spine(character: Character, parents: Parents) -> Character:
    """Between what are hips and head now."""
    if character.hips is None or character.head is None:
        return character
    way = list(_above(character.head, parents))
    if character.hips not in way:
        return character
    return replace(character, spine=tuple(way[: way.index(character.hips)][::-1]))


def _above(bone: str, parents: Parents) -> Iterator[str]:
    above = parents.get(bone)
    while above is not None:
        yield above
        above = parents.get(above)


def _feet(character: Character, bones: Sequence[str | None], parents: Parents) -> Character:
    return replace(character, legs=_ending(character, character.legs, bones, parents))


def _hands(character: Character, bones: Sequence[str | None], parents: Parents) -> Character:
    return replace(character, arms=_ending(character, character.arms, bones, parents))


def _known(character: Character, bone: str) -> str:
    if bone not in {*character.body, *character.deform, *character.controls, *character.mechanism}:
        raise InputError('There is no bone called "{bone}": choose another one.', bone=bone)
    return bone


def _ending(
    character: Character, limbs: Sequence[Limb], bones: Sequence[str | None], parents: Parents
) -> tuple[Limb, ...]:
    ends = [*bones, *[None] * (len(limbs) - len(bones))]
    known = [
        limb if end is None else _ended(limb, _known(character, end), parents)
        for limb, end in zip(limbs, ends, strict=False)
    ]
    added = [
        _limb_of(_known(character, end), SIDES[place % 2], parents)
        for place, end in enumerate(ends)
        if end is not None and place >= len(limbs)
    ]
    return (*known, *added)


def _ended(limb: Limb, end: str, parents: Parents) -> Limb:
    """A limb that ends with another bone, which may be beside those that it was found to have."""
    if end in limb.bones:
        return replace(limb, end=end, tip=None if end == limb.tip else limb.tip)
    way = [end, *_above(end, parents)]
    below = way[: way.index(limb.lower)][::-1] if limb.lower in way else [end]
    halves = limb.bones[: limb.bones.index(limb.lower) + 1]
    return replace(limb, bones=(*halves, *below), end=end, tip=None)


def _limb_of(end: str, side: str, parents: Parents) -> Limb:
    """A limb that was not found: the two bones above its end are its halves."""
    above = list(_above(end, parents))[:2]
    if len(above) < 2:
        raise InputError(
            'There are not two bones above "{end}", as a limb has them: choose another one.', end=end
        )
    lower, upper = above
    return Limb(side, (upper, lower, end), upper, lower, end, None)


def _pairs(character: Character, pairs: Sequence[tuple[str, str]], _parents: Parents) -> Character:
    said = {_known(character, bone) for pair in pairs for bone in pair}
    kept = tuple(pair for pair in character.pairs if said.isdisjoint(pair))
    lost = {bone for pair in character.pairs if not said.isdisjoint(pair) for bone in pair}
    alone = {*character.unpaired, *lost} - said
    return replace(
        character,
        pairs=(*kept, *((left, right) for left, right in pairs)),
        unpaired=tuple(bone for bone in character.body if bone in alone),
    )


SIDES = ("left", "right")

_WAYS: dict[str, Callable[[Character, Any, Parents], Character]] = {
    "height": _height,
    "ground": _ground,
    "front": _front,
    "hips": _hips,
    "head": _head,
    "feet": _feet,
    "hands": _hands,
    "pairs": _pairs,
}
