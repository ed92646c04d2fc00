# SPDX-License-Identifier: GPL-3.0-or-later
"""What lets pins hold with their own reduced action and with no other.

A constraint is there whatever the armature plays. So an action that has pins says so in a custom property,
and a driver lets a constraint hold as strongly as its pin is keyed to while that action plays, and not at all
while another does: see also `detail_gate`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import bpy

from ... import actions
from ..detail_layer import detail_gate

MARK = f"{actions.MARK}pins"
NAME = "Posewright Pin"
HOLDS = "Hold"  # what says of a pin how strongly it holds


def constraint_name(gate: str) -> str:
    return f"{NAME} {gate}"


def is_pin(constraint: Any) -> bool:
    """Whether a constraint was made here."""
    return constraint.name.startswith(f"{NAME} ")


def open_for(action: bpy.types.Action, gate: str) -> None:
    """Let the pins hold while this action plays."""
    _set(action, {f"{MARK}_{gate}": 1.0})


def is_open(action: bpy.types.Action) -> bool:
    """Whether pins hold with an action."""
    return any(_marks(action))


def forget(action: bpy.types.Action) -> None:
    """Let no pin hold with an action."""
    for name in list(_marks(action)):
        del action[name]


@contextmanager
def closed(action: bpy.types.Action) -> Iterator[None]:
    """Let no pin hold for a while, to see what the keys alone do."""
    opened = {name: action[name] for name in _marks(action)}
    try:
        _set(action, dict.fromkeys(opened, 0.0))
        yield
    finally:
        _set(action, opened)


def _set(action: bpy.types.Action, marks: Mapping[str, float]) -> None:
    for name, value in marks.items():
        action[name] = value
    if marks:
        action.update_tag()


def _marks(action: bpy.types.Action) -> Iterator[str]:
    return (name for name in action.keys() if name.startswith(MARK))  # noqa: SIM118


def attach(armature: bpy.types.Object, bone: str, gate: str, pin: bpy.types.Object) -> None:
    """Let the pin, and the action that plays, say how strongly a constraint holds."""
    driver = detail_gate.drive(armature, _influence(bone, gate), f"{MARK}_{gate}", "strength * holds")
    variable = driver.variables.new()
    variable.name = "holds"
    variable.targets[0].id, variable.targets[0].data_path = pin, f'["{HOLDS}"]'


def keyed_on(armature: bpy.types.Object, bone: str, gate: str) -> bpy.types.Object | None:
    """What says how strongly a constraint holds; None where that was deleted."""
    data = armature.animation_data
    curve: Any = None if data is None else data.drivers.find(_influence(bone, gate))
    return None if curve is None else curve.driver.variables["holds"].targets[0].id


def detach(armature: bpy.types.Object, bone: str, gate: str) -> None:
    if armature.animation_data is not None:
        armature.driver_remove(_influence(bone, gate))


def _influence(bone: str, gate: str) -> str:
    name = bpy.utils.escape_identifier(bone)
    return f'pose.bones["{name}"].constraints["{constraint_name(gate)}"].influence'
