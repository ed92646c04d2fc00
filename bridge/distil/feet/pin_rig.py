# SPDX-License-Identifier: GPL-3.0-or-later
"""What a pin is made of: an empty, a target that hangs from it, and a constraint of the foot.

The pin is where the foot stands and turned as the foot is, so that the foot rolls and pivots about it. The
target is where the foot's bone ends, wherever importers have put that. One IK constraint brings the foot
there and turns it likewise. Without a pole its solver starts from the pose that plays, so knees keep their
direction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import bpy
import numpy as np

from ....core import rotations
from ....core.anatomy import Limb
from ....core.motion import FloatArray
from ... import actions, character, everything
from ...actions import Channel
from ...baking import Keys, write_keys
from . import pin_gate

OWNER = f"{actions.MARK}pin_of"
SIZE = 0.04  # of a pin, in heights
COLOUR = (0.1, 0.6, 1.0, 1.0)
AT_TAIL = 1e-3  # lengths of a bone
LEAST_WEIGHT = 0.01  # of a constraint: Blender takes none below
PLACE = [Channel("location", index, "Pin") for index in range(3)]
TURN = [Channel("rotation_quaternion", index, "Pin") for index in range(4)]
STRENGTH = [Channel(f'["{pin_gate.HOLDS}"]', 0, "Pin")]


@dataclass(frozen=True)
class Pin:
    """An empty and the target of the constraint, which hangs from it."""

    empty: bpy.types.Object
    target: bpy.types.Object

    @property
    def owner(self) -> bpy.types.Object | None:
        return self.empty.get(OWNER)

    @property
    def above(self) -> FloatArray:
        """(4, 4) what its places are seen from."""
        parent = self.empty.parent
        return np.eye(4) if parent is None else np.array(parent.matrix_world)

    def seen(self, places: FloatArray, turns: FloatArray) -> FloatArray:
        """(F, 7) its place and turn for places (F, 3) and rotations (F, 3, 3) in the world."""
        inverse = np.linalg.inv(self.above)
        axes = self.above[:3, :3] / np.linalg.norm(self.above[:3, :3], axis=0)
        turned = rotations.matrix_to_quaternion(axes.T @ turns)
        located = places @ inverse[:3, :3].T + inverse[:3, 3]
        return np.hstack([located, rotations.continuous_quaternion(turned)])

    def _curves(self, channels: Sequence[Channel]) -> list[Any]:
        bag = actions.bag_of(actions.playing_action(self.empty), actions.slot_of(self.empty), create=True)
        return actions.ensure_curves(bag, channels)

    def keyed_frames(self) -> FloatArray:
        """Where it is keyed to be somewhere."""
        return actions.key_frames(self._curves(PLACE))

    def values_at(self, frames: FloatArray) -> FloatArray:
        """(Q, 7) its place and turn."""
        return actions.read_values(self._curves([*PLACE, *TURN]), frames)

    def write(
        self, channels: Sequence[Channel], frames: FloatArray, values: FloatArray, *, goes_round: bool
    ) -> None:
        """Key some channels (K, C); where they go round, a place goes on by what a round has covered."""
        curves = self._curves(channels)
        write_keys(curves, Keys(frames, values))
        for curve in curves:
            for modifier in list(curve.modifiers):
                curve.modifiers.remove(modifier)
            if goes_round:
                cycles = curve.modifiers.new("CYCLES")
                cycles.mode_before = cycles.mode_after = "REPEAT_OFFSET" if channels is PLACE else "REPEAT"


def find(armature: bpy.types.Object, bone: str, gate: str) -> Pin | None:
    """The pin of a bone; None where it or what belongs to it was deleted."""
    constraints: Any = armature.pose.bones[bone].constraints if bone in armature.pose.bones else {}
    constraint = constraints.get(pin_gate.constraint_name(gate))
    target = None if constraint is None else constraint.target
    if target is None or target.parent is None or target.parent.animation_data is None:
        return None
    return Pin(target.parent, target)


def pinned_bones(armature: bpy.types.Object, gate: str) -> set[str]:
    """The bones that have a constraint of ours, whatever is left of their pins."""
    name = pin_gate.constraint_name(gate)
    return {bone.name for bone in armature.pose.bones if name in bone.constraints}


def pins_in(armature: bpy.types.Object, gate: str) -> Iterator[Pin]:
    for bone in pinned_bones(armature, gate):
        if (pin := find(armature, bone, gate)) is not None:
            yield pin


def all_things() -> Iterator[bpy.types.Object]:
    """The empties and targets of all pins in the file."""
    return (thing for thing in everything.objects() if OWNER in thing)


def make(armature: bpy.types.Object, limb: Limb, gate: str, *, moves: bool) -> Pin:
    """A pin for what a limb ends with; its place is for others to key.

    Args:
        moves: whether the armature itself moves, so that what stands must not hang from it.
    """
    bone = limb.end or limb.lower
    release(armature, bone, gate)  # what is left of one that was deleted
    empty, target = (
        bpy.data.objects.new(f"{armature.name} {bone} {part}", None) for part in ("pin", "target")
    )
    empty.parent = None if moves else armature
    empty[OWNER], target[OWNER], empty[pin_gate.HOLDS] = armature, armature, 1.0
    empty.id_properties_ui(pin_gate.HOLDS).update(min=0.0, max=1.0)
    empty.rotation_mode = "QUATERNION"
    empty.empty_display_type = "CUBE"
    empty.color, empty.show_in_front = COLOUR, True
    scale = 1.0 if moves else armature.matrix_world.median_scale or 1.0
    empty.empty_display_size = 0.5 * SIZE * character.height_of(armature) / scale
    target.empty_display_size = 0.2 * empty.empty_display_size
    target.parent, target.hide_select = empty, True
    actions.assign(empty, *actions.new_action(empty.name, empty))
    pin = Pin(empty, target)
    _show(armature, pin)
    _constrain(armature, limb, pin, gate)
    return pin


def hang_target(pin: Pin, placed: FloatArray, tail: FloatArray) -> None:
    """Put the target where a bone ends, (3,) in the world, when the pin has some place and turn (7,)."""
    axes = pin.above[:3, :3] @ rotations.quaternion_to_matrix(placed[None, 3:])[0]
    origin = pin.above[:3, :3] @ placed[:3] + pin.above[:3, 3]
    pin.target.location = np.linalg.solve(axes, tail - origin)


def _constrain(armature: bpy.types.Object, limb: Limb, pin: Pin, gate: str) -> None:
    bone = armature.pose.bones[limb.end or limb.lower]
    constraint: Any = bone.constraints.new("IK")
    constraint.name = pin_gate.constraint_name(gate)
    constraint.target = pin.target
    constraint.use_tail, constraint.use_stretch = True, False
    constraint.use_rotation = limb.end is not None
    chain = limb.bones[limb.bones.index(limb.upper) : limb.bones.index(bone.name) + 1]
    constraint.chain_count = len(chain)
    constraint.orient_weight = _orient_weight(armature, chain)
    pin_gate.attach(armature, bone.name, gate, pin.empty)


def _orient_weight(armature: bpy.types.Object, chain: tuple[str, ...]) -> float:
    """Where importers made bones many times too long, a turn moves their ends far: it must count for less."""
    bones = [armature.data.bones[name] for name in chain]
    reach = sum((below.head_local - bone.head_local).length for bone, below in pairwise(bones))
    shown = sum(bone.length for bone in bones)
    return max(LEAST_WEIGHT, min(1.0, reach / max(shown, 1e-12)))


def ends_at_tail(armature: bpy.types.Object, bone: str) -> bool:
    """Whether what stands of a bone is its tail, which is what IK brings to a place."""
    ends = character.ends_of(armature).along[armature.data.bones.find(bone)]
    length = armature.data.bones[bone].length
    return bool(np.linalg.norm(ends - [0.0, length, 0.0]) < AT_TAIL * length)


def _show(armature: bpy.types.Object, pin: Pin) -> None:
    """In a collection of the armature's pins, beside it."""
    name = f"{armature.name} Pins"
    scene = bpy.context.scene
    home = next((each for each in scene.collection.children_recursive if each.name == name), None)
    if home is None or home.library is not None:
        home = bpy.data.collections.new(name)
        scene.collection.children.link(home)
    for thing in (pin.empty, pin.target):
        for other in thing.users_collection:  # of what it was duplicated from
            other.objects.unlink(thing)
        home.objects.link(thing)


def fork(armature: bpy.types.Object, bone: str, gate: str, own: str) -> None:
    """Give a bone of a duplicate, or one that a copied action moves, a pin with keys and a gate of its own.

    What was duplicated along is taken for it: Blender lets constraints and drivers of copies refer to copies.
    """
    pin = find(armature, bone, gate)
    if pin is None:
        return
    constraint = armature.pose.bones[bone].constraints[pin_gate.constraint_name(gate)]
    is_twin = any(gate_is_used(other, gate) for other in everything.objects() if other != armature)
    mine = pin if is_twin and pin.owner == armature else _copied(armature, bone, gate, pin)
    twin: Any = armature.pose.bones[bone].constraints.copy(constraint)
    twin.name, twin.target = pin_gate.constraint_name(own), mine.target
    pin_gate.attach(armature, bone, own, mine.empty)
    if is_twin:
        release(armature, bone, gate)


def _copied(armature: bpy.types.Object, bone: str, gate: str, pin: Pin) -> Pin:
    """A pin like another one, for a duplicate: its empty may have been duplicated already."""
    brought = pin_gate.keyed_on(armature, bone, gate)
    empty = brought if brought not in (None, pin.empty) else pin.empty.copy()
    target, action = pin.target.copy(), pin.empty.animation_data.action
    if empty.animation_data.action == action:
        empty.animation_data.action = action.copy()
    empty[OWNER], target[OWNER], target.parent = armature, armature, empty
    if empty.parent is not None:
        empty.parent = armature
    made = Pin(empty, target)
    _show(armature, made)
    return made


def gate_is_used(thing: bpy.types.Object, gate: str) -> bool:
    """Whether something is an armature with pins of a gate."""
    return thing.type == "ARMATURE" and bool(pinned_bones(thing, gate))


def release(armature: bpy.types.Object, bone: str, gate: str) -> None:
    """Take the constraint away, and what is left of a pin of which the empty or the target was deleted."""
    constraints: Any = armature.pose.bones[bone].constraints if bone in armature.pose.bones else {}
    constraint = constraints.get(pin_gate.constraint_name(gate))
    if constraint is None:
        return
    target, empty = constraint.target, pin_gate.keyed_on(armature, bone, gate)
    pin_gate.detach(armature, bone, gate)
    constraints.remove(constraint)
    if target is None or target.parent is None:
        _delete([each for each in (target, empty) if each is not None and OWNER in each])


def delete(pin: Pin) -> None:
    """Delete what is to be seen of a pin, its keys, and its collection if nothing else is in it."""
    action = pin.empty.animation_data.action
    _delete([pin.target, pin.empty])
    if action is not None and action.users == 0:
        bpy.data.actions.remove(action)


def _delete(things: Sequence[bpy.types.Object]) -> None:
    homes = {home for thing in things for home in thing.users_collection if home.name.endswith(" Pins")}
    for thing in things:
        bpy.data.objects.remove(thing)
    for home in homes:
        if not home.objects and not home.children:
            bpy.data.collections.remove(home)
