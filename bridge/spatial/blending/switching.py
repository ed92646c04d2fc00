# SPDX-License-Identifier: GPL-3.0-or-later
"""Going from one set to another: at once, or over some frames with ordinary keys on the sets' shares."""

from __future__ import annotations

import bpy

from ....core import InputError
from ....core.spatial import smoothstep
from .. import sets
from .mapping_cache import held_parts


def switch(armature: bpy.types.Object, index: int) -> None:
    """The set takes over the bones it moves; sets that move other bones keep acting."""
    settings = sets.settings_of(armature)
    for other, share in shares_after(armature, index).items():
        settings.sets[other].influence = share
    settings.set_index = index


def take_over_at_first_key(armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup) -> list[str]:
    """Let a set take over as soon as it has a key to show; the names of the sets that stepped back for it."""
    settings = sets.settings_of(armature)
    if len(sets.usable_keys(spatial_set)) != 1:
        return []
    counted = [each.name for each in settings.sets if each.influence > 0.0]
    if _is_part_of_another(armature, spatial_set):
        spatial_set.layer = sets.OVER
    switch(armature, settings.sets.find(spatial_set.name))
    return [each.name for each in settings.sets if each.name in counted and each.influence == 0.0]


def key_switch(armature: bpy.types.Object, index: int, frame: int, length: int) -> None:
    """Keys that let the set take over between `frame` and `length` frames later.

    At `frame` itself the shares stay as they are, unless they change at once.
    """
    settings = sets.settings_of(armature)
    _refuse_linked_action(armature)
    for other, share in shares_after(armature, index).items():
        spatial_set = settings.sets[other]
        before = spatial_set.influence
        if length > 0:
            spatial_set.keyframe_insert("influence", frame=frame)
        spatial_set.influence = share
        spatial_set.keyframe_insert("influence", frame=frame + length)
        if length > 0:
            spatial_set.influence = before
    settings.set_index = index


def _refuse_linked_action(armature: bpy.types.Object) -> None:
    data = armature.animation_data
    if data is not None and data.action is not None and data.action.library is not None:
        raise InputError(
            'The action "{action}" is linked from another file and cannot be keyed: make it '
            "local, or record a take first, which goes into a copy.",
            action=data.action.name,
        )


class Transition:
    """The change from one set to another while performing. Sets stay as they were switched.

    Sets are known by their numbers. An unfinished transition goes over into the next from where it is.
    """

    def __init__(self) -> None:
        self._shares: dict[int, float] = {}  # of all sets that were switched, as they are now
        self._begun = 0.0
        self._before: dict[int, float] = {}
        self._after: dict[int, float] = {}  # empty if no transition is under way

    def begin(self, armature: bpy.types.Object, index: int, now: float) -> None:
        """Start to hand over to a set at `now`, in seconds."""
        settings = sets.settings_of(armature)
        self._begun, self._after = now, shares_after(armature, index)
        self._before = {n: settings.sets[n].influence for n in self._after}
        settings.set_index = index

    def jump(self, armature: bpy.types.Object, index: int) -> None:
        """Hand over to a set at once."""
        self._shares |= shares_after(armature, index)
        self.hold(armature)

    def step(self, armature: bpy.types.Object, now: float, rate: float) -> None:
        """Let the shares be as far as they are at `now`; `rate` is in frames a second."""
        if self._after:
            length = sets.settings_of(armature).transition
            done = _eased((now - self._begun) * rate, length)
            self._shares |= {
                n: self._before[n] + done * (after - self._before[n]) for n, after in self._after.items()
            }
            if done >= 1.0:
                self._after = {}
        self.hold(armature)

    def hold(self, armature: bpy.types.Object) -> None:
        """Keep switched sets as they are, whatever their keyed shares say at the frame that is shown."""
        all_sets = sets.settings_of(armature).sets
        for n, share in self._shares.items():
            if abs(all_sets[n].influence - share) > 1e-6:  # setting it updates the scene
                all_sets[n].influence = share


def _eased(passed: float, length: float) -> float:
    """How much of a transition is done, slow at both ends, after `passed` of `length` frames."""
    return 1.0 if passed >= length else float(smoothstep(passed / length))


def shares_after(armature: bpy.types.Object, index: int) -> dict[int, float]:
    """The shares of the set that takes over and of its rivals, by their numbers.

    A set that is over others, or on top of them, needs no room from those underneath.
    """
    all_sets = sets.settings_of(armature).sets
    parts, layer = held_parts(armature, all_sets[index]), all_sets[index].layer
    rivals = [
        n
        for n, other in enumerate(all_sets)
        if n != index and _steps_back(other.layer, layer) and held_parts(armature, other) & parts
    ]
    return {index: 1.0, **dict.fromkeys(rivals, 0.0)}


def _steps_back(other: str, layer: str) -> bool:
    """Whether a set in a layer must step back for one that takes over in another."""
    if sets.ADD in (other, layer):
        return False
    return layer == sets.BLEND or other == sets.OVER


def _is_part_of_another(armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup) -> bool:
    """Whether a set that counts moves all the bones of this one, and others, with which it should go on."""
    parts = held_parts(armature, spatial_set)
    counting = [each for each in sets.settings_of(armature).sets if each.influence > 0.0]
    return any(held_parts(armature, each) > parts for each in counting)
