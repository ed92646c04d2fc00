# SPDX-License-Identifier: GPL-3.0-or-later
"""The takes of a file: every action of every armature, wherever it is assigned, and one at a time alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from ...core import InputError
from .. import actions, everything, versions
from ..distil import channels, endings, reductions
from ..distil.detail_layer import detail_gate
from ..editable import check_editable

# What a file calls the take that an action holds: given the action and the NLA track that it is in, if any.
Label = Callable[[bpy.types.Action, str], str]


POSE = {"location": 3, "rotation_quaternion": 4, "rotation_euler": 3, "rotation_axis_angle": 4, "scale": 3}


class Pose:
    """How the bones of an armature, and itself, are posed apart from what an action animates.

    Bones that an action does not animate stay as another one left them. Every take starts from the pose
    that the file has.
    """

    def __init__(self, armature: bpy.types.Object) -> None:
        self._own = {name: tuple(getattr(armature, name)) for name in POSE}
        self._bones = {
            name: np.empty(len(armature.pose.bones) * size, np.float32) for name, size in POSE.items()
        }
        for name, values in self._bones.items():
            armature.pose.bones.foreach_get(name, values)

    def put(self, armature: bpy.types.Object) -> None:
        for name, values in self._bones.items():
            armature.pose.bones.foreach_set(name, values)
            setattr(armature, name, self._own[name])
        armature.update_tag(refresh={"OBJECT", "DATA"})


@dataclass
class Take:
    """One action of one armature.

    Attributes:
        name: what the file calls it.
        handle: of the action's slot that moves the armature.
        active: whether the armature plays it.
        pose: of what it does not animate.
        reduced: the action with few keys, once there is one; files get it in place of the other.
        layers: NLA tracks that belong to the reduced action, such as its detail.
    """

    armature: bpy.types.Object
    action: bpy.types.Action
    handle: int
    name: str
    active: bool
    pose: Pose
    reduced: bpy.types.Action | None = None
    layers: frozenset[str] = frozenset()

    @property
    def played(self) -> bpy.types.Action:
        return self.reduced or self.action


@dataclass
class Takes:
    """Those of a file, and why some of its armatures are left out."""

    found: list[Take] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def chosen(self, names: tuple[str, ...] | list[str]) -> list[Take]:
        """All, those with a name, or with "active" those that the armatures play."""
        if not names:
            return self.found
        if list(names) == ["active"]:
            return [take for take in self.found if take.active]
        missing = [name for name in names if not any(_is_called(take, name) for take in self.found)]
        if missing:
            there = ", ".join(dict.fromkeys(take.name for take in self.found))
            raise InputError(
                "There is no action called {missing}: there are {there}.", missing=missing[0], there=there
            )
        return [take for take in self.found if any(_is_called(take, name) for name in names)]


def _is_called(take: Take, name: str) -> bool:
    return name in (take.name, take.action.name)


def by_action(action: bpy.types.Action, _track: str) -> str:
    """The label where takes are called like their actions."""
    return action.name


def find_takes(label: Label = by_action, *, reduced_too: bool = False) -> Takes:
    """Every action of every armature that a scene shows, those without a user included."""
    takes = Takes()
    editable: list[bpy.types.Object] = []
    for armature in armatures_in_scenes():
        _leave_tweak_mode(armature)
        try:
            check_editable(armature)
        except InputError as problem:
            if _plays(armature):
                takes.left_out.append(str(problem))
            continue
        editable.append(armature)
        takes.found += _assigned(armature, label)
    used = {action for owner in _animated() for action, _, _ in _plays(owner)}
    for action in bpy.data.actions:
        skipped = action.get(actions.REDUCED) and not reduced_too
        if action not in used and action.library is None and not skipped:
            takes.found += _unassigned(editable, action, label)
    return takes


def _leave_tweak_mode(armature: bpy.types.Object) -> None:
    data = armature.animation_data
    if armature.library is None and data is not None and data.use_tweak_mode:
        data.use_tweak_mode = False


def armatures_in_scenes() -> list[bpy.types.Object]:
    """Of all scenes, the present one first; not those in collections that every view layer leaves out."""
    here: Any = bpy.context.scene
    scenes = [here, *(scene for scene in bpy.data.scenes if scene != here)]
    found = (obj for scene in scenes for layer in scene.view_layers for obj in layer.objects)
    return [obj for obj in dict.fromkeys(found) if obj.type == "ARMATURE"]


def scene_of(armature: bpy.types.Object) -> bpy.types.Scene:
    """The present scene if it shows the armature, else one that does."""
    here: Any = bpy.context.scene
    return next((scene for scene in (here, *armature.users_scene) if armature.name in scene.objects), here)


def _animated() -> Iterator[Any]:
    """Whatever an armature's action could animate beside it."""
    yield from everything.objects()
    yield from bpy.data.shape_keys


def _plays(owner: Any) -> list[tuple[bpy.types.Action, int, str]]:
    """The actions that an ID plays itself or in strips: each with its slot's handle and the track's name."""
    data = owner.animation_data
    if data is None:
        return []
    strips = [(strip, track.name) for track in data.nla_tracks for strip in track.strips if strip.action]
    found = [(strip.action, _strip_handle(strip), name) for strip, name in strips]
    if data.action is not None:
        active = data.action, actions.slot_handle(actions.slot_of(owner))
        track = next((name for action, handle, name in found if (action, handle) == active), "")
        found.insert(0, (*active, track))
    return found


def _strip_handle(strip: bpy.types.NlaStrip) -> int:
    return actions.slot_handle(versions.played_slot(strip))


def _assigned(armature: bpy.types.Object, label: Label) -> list[Take]:
    if reductions.find(armature) is not None:
        endings.restore(armature)  # saved between Analyze and Apply: its source is what to reduce
    once = {(action, handle): track for action, handle, track in reversed(_plays(armature))}
    ordered = list(reversed(once.items()))
    # An armature without an action of its own plays its strips, as far as they are not muted.
    pose = Pose(armature)
    own = armature.animation_data.action if ordered else None
    active = _heard(armature) if own is None else {own}
    return [
        Take(armature, action, handle, label(action, track), action in active, pose)
        for (action, handle), track in ordered
        if channels.curves_in(action, [handle])
    ]


def _heard(armature: bpy.types.Object) -> set[Any]:
    """The actions in strips that are not muted."""
    data = armature.animation_data
    tracks = [] if data is None else [track for track in data.nla_tracks if not track.mute]
    return {strip.action for track in tracks for strip in track.strips if not strip.mute}


def audible_tracks(armature: bpy.types.Object) -> frozenset[str]:
    data: Any = armature.animation_data
    return frozenset(track.name for track in data.nla_tracks if not track.mute)


def _unassigned(armatures: list[bpy.types.Object], action: bpy.types.Action, label: Label) -> list[Take]:
    """The take of an action that nothing plays, on the armature that it was most likely made for."""
    fitting = [
        (armature, slots[0]) for armature in armatures if (slots := channels.slots_for(armature, action))
    ]
    if not fitting:
        return []

    def likely(pair: tuple[bpy.types.Object, Any]) -> tuple[bool, int]:
        armature, slot = pair
        named = (slot is not None and slot.name_display == armature.name) or action.name.startswith(
            f"{armature.name}|"
        )
        curves = channels.curves_in(action, [actions.slot_handle(slot)])
        bones = {channels.bone_of(curve.data_path) for curve in curves}
        return named, len(bones & set(armature.data.bones.keys()))

    armature, slot = max(fitting, key=likely)
    return [Take(armature, action, actions.slot_handle(slot), label(action, ""), False, Pose(armature))]


@contextmanager
def alone(take: Take, action: bpy.types.Action | None = None) -> Iterator[bpy.types.Object]:
    """The armature, and its meshes' shape keys, playing a take's action and nothing else."""
    action = action or take.played
    owners = owners_of(take)
    before = [(owner, owner.animation_data, assignment(owner)) for owner in owners]
    others = [track for _, data, _ in before if data for track in data.nla_tracks if not track.mute]
    layers = take.layers if action == take.reduced else frozenset()
    muted = [track for track in others if track.name not in layers]
    for track in muted:
        track.mute = True
    take.pose.put(take.armature)
    for owner, handle in owners.items():
        assign(owner, action, handle)
    try:
        yield take.armature
    finally:
        for owner, _, (earlier, handle) in before:
            assign(owner, earlier, handle)
        for track in muted:
            track.mute = False
        take.pose.put(take.armature)


def assign(owner: Any, action: bpy.types.Action | None, handle: int) -> None:
    """Let an ID play an action, with its own detail and no other's."""
    actions.assign(owner, action, None if action is None else actions.slot_with_handle(action, handle))
    detail_gate.settle(owner)


def assignment(owner: Any) -> tuple[bpy.types.Action | None, int]:
    data = owner.animation_data
    return (None, 0) if data is None else (data.action, actions.slot_handle(actions.slot_of(owner)))


def owners_of(take: Take) -> dict[Any, int]:
    """The armature and the shape keys of its meshes that the take's action animates, with their slots."""
    handles = {keys: _companion_handle(keys, take) for keys in bpy.data.shape_keys}
    return {take.armature: take.handle} | {
        keys: handle for keys, handle in handles.items() if handle is not None
    }


def _companion_handle(keys: bpy.types.Key, take: Take) -> int | None:
    """The slot through which shape keys of the character are animated by the take's own action."""
    if not channels.belongs_to(keys, take.armature):
        return None
    return next((handle for action, handle, _ in _plays(keys) if action == take.action and handle), None)


def adopt(take: Take) -> None:
    """Let the reduced action play wherever the character played the other one, strips included."""
    if take.reduced is None:
        return
    for owner, handle in owners_of(take).items():
        slot = actions.slot_with_handle(take.reduced, handle)
        if assignment(owner) == (take.action, handle):
            assign(owner, take.reduced, handle)
        data: Any = owner.animation_data
        for strip in (strip for track in data.nla_tracks for strip in track.strips):
            if (strip.action, _strip_handle(strip)) == (take.action, handle):
                strip.action = take.reduced
                versions.play_slot(strip, slot)
    take.reduced.use_fake_user = True


@contextmanager
def in_one_scene(takes: list[Take]) -> Iterator[None]:
    """Exporters see the present view layer: characters of other scenes come over for a moment."""
    here: Any = bpy.context.scene
    wanted = [obj for take in takes for obj in (take.armature, *take.armature.children_recursive)]
    absent = [obj for obj in dict.fromkeys(wanted) if obj.name not in bpy.context.view_layer.objects]
    added = [obj for obj in absent if obj.name not in here.collection.objects]
    for obj in added:
        here.collection.objects.link(obj)
    try:
        yield
    finally:
        for obj in added:
            here.collection.objects.unlink(obj)
