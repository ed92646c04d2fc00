# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a take is written: to an action of the armature, and to one of the shape keys of each mesh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy

from ....core import InputError
from ... import actions, versions
from ...distil import reductions
from ..posing.dials import owner_of


@dataclass(frozen=True, eq=False)
class Home:
    """What animates an armature, or the shape keys of a mesh, and will play what is written to it."""

    mesh: str  # empty for the armature
    owner: Any
    action: bpy.types.Action
    slot: Any | None

    @property
    def bag(self) -> Any:
        return actions.bag_of(self.action, self.slot, create=True)

    def play(self) -> None:
        actions.assign(self.owner, self.action, self.slot)


def home_of(armature: bpy.types.Object, mesh: str) -> Home:
    """Where the take of an armature, or of the shape keys of a mesh, may be written to."""
    owner = owner_of(armature, mesh)
    if owner is None:
        raise InputError('"{mesh}" has no shape keys any more: undo, or set the keys again.', mesh=mesh)
    return Home(mesh, owner, *_action_to_write(owner, mesh or armature.name))


def _action_to_write(owner: Any, name: str) -> tuple[bpy.types.Action, Any | None]:
    """The action that performing may write to: its own from an earlier take, a copy, or a new one."""
    data = owner.animation_data
    old, slot = (None if data is None else data.action), actions.slot_of(owner)
    plays = old is not None and slot in versions.slots_in(old)
    if old is not None and plays and _may_go_on_in(old):
        return old, slot
    if old is not None:
        old.use_fake_user = True
    if old is None or not plays:
        action, slot = actions.new_action(f"{name} performance", owner)
    else:
        handle = actions.slot_handle(slot)
        action = actions.copy_slots(old, [handle], f"{old.name} performed")
        slot = actions.slot_with_handle(action, handle)
    action[actions.PERFORMED] = True
    return action, slot


def _may_go_on_in(action: bpy.types.Action) -> bool:
    """Whether a take of ours is nobody else's.

    Distil promises that a source stays as it is, and bakes into a reduced action whenever it likes. Another
    character may play it too, a duplicate for example, and so may a strip of the NLA.
    """
    own = bool(action.get(actions.PERFORMED)) and action.library is None
    shared = action.users - int(action.use_fake_user) > 1
    return own and not shared and not reductions.is_needed(action)
