# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of armatures held for the length of some work, so that it is not read again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import bpy

from .owner import described

Asked = ParamSpec("Asked")
Known = TypeVar("Known")

_found: dict[tuple[Any, ...], Any] = {}
_holding = 0


@contextmanager
def held() -> Iterator[None]:
    """For work in which nobody can change an armature: what is found of one is not looked for again."""
    global _holding
    _holding += 1
    try:
        yield
    finally:
        _holding -= 1
        if not _holding:
            _found.clear()


def held_once_found(
    find: Callable[Concatenate[bpy.types.Object, Asked], Known],
) -> Callable[Concatenate[bpy.types.Object, Asked], Known]:
    """A function of an armature that is asked once as long as what is known is `held`.

    What is found of an armature is known of its stand-ins, too.
    """

    @wraps(find)
    def ask(armature: bpy.types.Object, *args: Asked.args, **kwargs: Asked.kwargs) -> Known:
        if not _holding:
            return find(armature, *args, **kwargs)
        key = find, described(armature).session_uid, args, *kwargs.items()
        if key not in _found:
            _found[key] = find(armature, *args, **kwargs)
        return _found[key]

    return ask
