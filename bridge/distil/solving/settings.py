# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user asked for, read once from an armature and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from ....core import ALGORITHMS, InputError
from ....core.motion import FloatArray
from ... import actions, character, sampling
from ...baking import enum_value
from ...bones import bone_of, selected_bones
from .. import markers
from ..editing.offsets import offsets_of
from ..ways import objective_for
from . import first_pose

# So many keys are always offered, if that is not more than half of the frames: solving for them takes about
# a second, and 30 to 90 kB in the file.
OFFERED = 1200


@dataclass(frozen=True)
class Settings:
    """One analysis to carry out."""

    algorithm: str
    objective: str
    first: float
    last: float
    whole: bool  # whether first and last are the ends of the action, or of its motion after a T-pose
    bones: tuple[str, ...]
    weights: Mapping[str, float]  # of bones, and of joints that differ from their bone; one where left out
    space: str
    fixed: tuple[float, ...]  # frame numbers
    max_keys: int | None
    sub_frames: bool = False  # whether keys may be between frames
    exact_ends: bool = False  # whether the first and last may be even so, since Cycles modifiers go on there
    loop: str = "AUTO"  # AUTO, ON or OFF
    matter: tuple[str, ...] = ()  # the bones that errors are measured at, whichever count
    wanted: float = 0.0  # the mean error that the first keys shall be within, in scene units
    options: Mapping[str, Any] = field(default_factory=dict)

    def frames(self, keyed: FloatArray) -> FloatArray:
        """The frames to choose keys from, for an action with keys on the frames `keyed`."""
        return sampling.frames_to_sample(
            keyed, self.first, self.last, whole_frames=not self.sub_frames, exact_ends=self.exact_ends
        )

    def most_keys(self, frames: int) -> int:
        """Half of the frames, or in a long action as many as take a moment, but a ninth at least."""
        return self.max_keys or max(min(frames // 2, OFFERED), frames // 9, 2)


def settings_of(
    armature: bpy.types.Object,
    scene: bpy.types.Scene,
    algorithm: str | None = None,
    *,
    shown: bpy.types.Action | None = None,
    way: str = "SMOOTH",
) -> Settings:
    """The settings that the armature's panel shows, for what it plays.

    Args:
        algorithm: the one to carry out with its own options, if it is not the one that the panel shows.
        shown: the action in which the user sees keys selected, if that is not the one that plays.
        way: how keys will be played, which an automatic objective goes by.
    """
    asked = armature.posewright
    chosen = algorithm or asked.algorithm
    keyed = sampling.action_range(armature)
    if keyed is None:
        raise InputError(
            "{armature} has no animation: give it an action with keys, then analyse it.",
            armature=character.name_of(armature),
        )
    shown = shown or actions.playing_action(armature)
    first, last = _range(armature, keyed, scene, shown)
    whole = first <= keyed[0] and last >= keyed[1]
    if whole and asked.leave_out_first_pose:
        first = first_pose.motion_begins(armature, first, last)
    if chosen not in ALGORITHMS:
        raise InputError("There is no algorithm called {chosen!r}: choose another one.", chosen=chosen)
    matter = character.bones_that_matter(armature)
    return Settings(
        algorithm=chosen,
        objective=objective_for(chosen, asked.objective, way),
        first=first,
        last=last,
        whole=whole,
        bones=matter if asked.bones_from == "AUTO" else _bones(armature, asked.bones_from),
        weights={each.name: each.weight for each in asked.bone_weights},
        space=asked.space,
        fixed=_fixed(armature, shown, scene, first, last),
        max_keys=asked.max_keys or None,
        sub_frames=asked.sub_frames,
        exact_ends=any(
            sampling.cycles_from_end_to_end(curve, first, last) for curve in actions.curves_of(armature)
        ),
        loop=asked.loop,
        matter=matter,
        wanted=asked.wanted_error / 100.0 * sampling.height_of(armature),
        options=_options(asked, chosen),
    )


def _range(
    armature: bpy.types.Object,
    keyed: tuple[float, float],
    scene: bpy.types.Scene,
    shown: bpy.types.Action,
) -> tuple[float, float]:
    asked = armature.posewright
    ranges = {
        "ACTION": keyed,
        "SCENE": (scene.frame_start, scene.frame_end),
        "PREVIEW": (scene.frame_preview_start, scene.frame_preview_end),
        "NUMBERS": (asked.range_start, asked.range_end),
        "SELECTED": _selected_range(armature, shown) if asked.range_from == "SELECTED" else keyed,
    }
    if not keyed[1] > keyed[0]:
        raise InputError(
            "All keys of the action are on frame {first:g}: there is no motion to reduce.", first=keyed[0]
        )
    if asked.range_from == "PREVIEW" and not scene.use_preview_range:
        raise InputError(
            "The scene has no preview range: set one in the Timeline (P), or choose another frame range."
        )
    first, last = ranges[asked.range_from]
    if not last > first:
        raise InputError(
            "The frames to reduce go from {first:g} to {last:g}: let the last come after the first.",
            first=first,
            last=last,
        )
    first, last = max(float(first), keyed[0]), min(float(last), keyed[1])
    if not last > first:
        raise InputError(
            "No animation lies in the frames to reduce: the action goes from {first:g} to {second:g}. "
            "Choose another frame range.",
            first=keyed[0],
            second=keyed[1],
        )
    return first, last


def _bones(armature: bpy.types.Object, chosen: str) -> tuple[str, ...]:
    if chosen == "SELECTED":
        bones = selected_bones(armature)
    else:
        bones = [bone.name for bone in armature.data.bones if bone.use_deform or chosen != "DEFORM"]
    if not bones:
        name = character.name_of(armature)
        if chosen == "SELECTED":
            raise InputError("No bone of {armature} is selected: select some in Pose Mode.", armature=name)
        raise InputError("No bone of {armature} deforms: let all bones count.", armature=name)
    return tuple(bones)


def _fixed(
    armature: bpy.types.Object,
    shown: bpy.types.Action,
    scene: bpy.types.Scene,
    first: float,
    last: float,
) -> tuple[float, ...]:
    asked = armature.posewright
    frames = {each.frame for each in asked.fixed_frames}
    if asked.fix_markers:
        frames |= {float(each.frame) for each in scene.timeline_markers if not markers.is_ours(each)}
    if asked.fix_selected_keys:
        frames |= _selected_keys(armature, shown)
    if asked.fix_typed_keys:
        frames |= _typed_keys(actions.curves_of(armature))
    return tuple(sorted(frame for frame in frames if first <= frame <= last))


def _typed_keys(curves: Sequence[Any]) -> set[float]:
    """Frames of keys whose type says that somebody meant them.

    Where some keys are called generated, all others were set by hand; elsewhere plain keys say nothing.
    """
    kinds = [np.empty(len(curve.keyframe_points), np.int32) for curve in curves]
    for curve, kind in zip(curves, kinds, strict=True):
        curve.keyframe_points.foreach_get("type", kind)
    plain, generated, jitter = (enum_value("type", name) for name in ("KEYFRAME", "GENERATED", "JITTER"))
    some_generated = any(np.any(kind == generated) for kind in kinds)
    meaningless = (generated, jitter) if some_generated else (plain, generated, jitter)
    return {
        float(frame)
        for curve, kind in zip(curves, kinds, strict=True)
        for frame in actions.key_points(curve)[~np.isin(kind, meaningless), 0]
    }


def _selected_range(armature: bpy.types.Object, shown: bpy.types.Action) -> tuple[float, float]:
    """From the first to the last selected key of what is shown."""
    frames = _selected_keys(armature, shown)
    if len(frames) < 2:
        raise InputError(
            "Fewer than two frames have selected keys: select the keys from where to where to reduce, in the "
            "Dope Sheet or the Graph Editor, or choose other Frames."
        )
    return min(frames), max(frames)


def _selected_keys(armature: bpy.types.Object, shown: bpy.types.Action) -> set[float]:
    """Frames of the poses whose keys the user sees selected."""
    handle = actions.slot_handle(actions.slot_of(armature))
    bag = actions.bag_of(shown, actions.slot_with_handle(shown, handle))
    late = offsets_of(shown)
    frames: set[float] = set()
    for curve in () if bag is None else bag.fcurves:
        selected = np.zeros(len(curve.keyframe_points), bool)
        curve.keyframe_points.foreach_get("select_control_point", selected)
        times = actions.key_points(curve)[:, 0]
        times[1:-1] -= late.get(bone_of(curve.data_path) or "", 0)
        frames.update(times[selected].tolist())
    return frames


def _options(asked: Any, algorithm: str) -> dict[str, Any]:
    """The algorithm's own; where it has no number by default, zero stands for none."""
    offered = ALGORITHMS[algorithm].options
    if not offered:
        return {}
    group = getattr(asked.options, algorithm)
    values = {name: getattr(group, name) for name in offered}
    return {name: value for name, value in values.items() if value or offered[name].default is not None}


def rows_of_frames(fixed: tuple[float, ...], frames: FloatArray) -> list[int]:
    """The row nearest to each fixed frame."""
    return sorted({int(np.argmin(np.abs(frames - frame))) for frame in fixed})
