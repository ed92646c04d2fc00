# SPDX-License-Identifier: GPL-3.0-or-later
"""References to Blender's data that outlive undo: what they mean is looked up each time."""

from __future__ import annotations

from typing import Any

import bpy


class Gone(Exception):
    """What a reference means is not in the file any more."""


class Reference:
    """A data-block by its name, which finds it quickly, and by its session number, which identifies it.

    Undo replaces Blender's data and deleting frees it, so a pointer must not be held; and a renamed object
    is still the same.
    """

    def __init__(self, kind: str, thing: bpy.types.ID):
        self._kind, self._name, self._uid = kind, thing.name, thing.session_uid

    def get(self) -> Any:
        collection = getattr(bpy.data, self._kind)
        thing = collection.get(self._name)
        if thing is None or thing.session_uid != self._uid:
            thing = next((other for other in collection if other.session_uid == self._uid), None)
        if thing is None:
            raise Gone
        self._name = thing.name
        return thing
