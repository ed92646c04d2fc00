# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways to look at feet that stand, and what animators do to characters whose feet are held."""

from __future__ import annotations

from typing import Any

import numpy as np

SLIDES = 0.005  # metres: less is not seen


class Feet:
    """The feet of a reduced character in what plays now, as Blender evaluates it."""

    def __init__(self, distil: Any) -> None:
        from bl_ext.user_default.posewright.bridge.distil.feet import stances
        from bl_ext.user_default.posewright.core import metrics

        self.stances, self._metrics, self._find = stances, metrics, distil.reductions.get

    def contacts(self, rig: Any) -> dict[str, list[Any]]:
        return self.stances.contacts_of(self._find(rig))

    def all_contacts(self, rig: Any) -> list[Any]:
        return [each for some in self.contacts(rig).values() for each in some]

    def places(self, rig: Any) -> list[np.ndarray]:
        """Where each contact stood."""
        return [each.place.copy() for each in self.all_contacts(rig)]

    def points(self, rig: Any, later: float = 0.0) -> np.ndarray:
        """(F, P, 3) what stands, some frames later."""
        bones, frames = list(self.contacts(rig)), self._find(rig).analysis().frames
        return self.stances.points_of(rig, self.stances.posed_now(rig, frames + later, bones), bones)

    def slides(self, rig: Any) -> np.ndarray:
        """How far each contact slides."""
        return self._metrics.slides(self.points(rig), self.all_contacts(rig))

    def slide(self, rig: Any) -> float:
        """How far the worst one does."""
        return float(self.slides(rig).max())

    def sinking(self, rig: Any) -> float:
        """How deep feet get below what they stand on, and below the original."""
        bones = list(self.contacts(rig))
        original = self.stances.points_of(rig, self.stances.reference(self._find(rig)), bones)
        return self._metrics.sinking(original, self.points(rig), self.all_contacts(rig))

    def off_place(self, rig: Any, places: list[np.ndarray] | None = None) -> float:
        """How far a planted foot is at most from where it stood."""
        now = self.points(rig)
        stood = self.places(rig) if places is None else places
        return max(
            float(np.linalg.norm(now[each.rows, each.point] - place, axis=1).max())
            for each, place in zip(self.all_contacts(rig), stood, strict=True)
        )


def shift(curve: Any, by: float, first: float = -np.inf, last: float = np.inf, axis: int = 1) -> None:
    """Move keys up, or with the axis 0 in time."""
    for key in curve.keyframe_points:
        if first - 0.5 < key.co[0] < last + 0.5:
            for each in (key.co, key.handle_left, key.handle_right):
                each[axis] += by
    curve.update()


def lower_hips(curves: Any, by: float = 0.1) -> float:
    """At the third key; its frame."""
    path = 'pose.bones["hips"].location'
    [curve] = [each for each in curves if (each.data_path, each.array_index) == (path, 1)]
    frame = curve.keyframe_points[2].co[0]
    shift(curve, -by, frame, frame)
    return frame


def with_controls(rig: Any) -> Any:
    """Let the demo's legs reach for controls that are keyed to where its feet are."""
    import bpy

    scene = bpy.context.scene
    feet = {f"foot.{side}": f"foot_ik.{side}" for side in "LR"}
    frames = range(1, 242)
    matrices = {}
    for frame in frames:
        scene.frame_set(frame)
        matrices[frame] = {foot: rig.pose.bones[foot].matrix.copy() for foot in feet}
    bpy.ops.object.mode_set(mode="EDIT")
    for foot, control in feet.items():
        bone, new = rig.data.edit_bones[foot], rig.data.edit_bones.new(control)
        new.head, new.tail, new.roll = bone.head, bone.tail, bone.roll
        new.use_deform = False
    bpy.ops.object.mode_set(mode="OBJECT")
    for foot, control in feet.items():
        ik = rig.pose.bones[foot.replace("foot", "shin")].constraints.new("IK")
        ik.target, ik.subtarget, ik.chain_count = rig, control, 2
        turn = rig.pose.bones[foot].constraints.new("COPY_ROTATION")
        turn.target, turn.subtarget = rig, control
        rest = rig.data.bones[control].matrix_local.inverted()
        bone = rig.pose.bones[control]
        bone.rotation_mode = "QUATERNION"
        for frame in frames:
            bone.matrix_basis = rest @ matrices[frame][foot]
            bone.keyframe_insert("location", frame=frame)
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    return rig


def with_followed_legs(rig: Any, *also: str) -> Any:
    """Let the demo's legs follow chains of their own, as FK of a rig, which have their keys instead.

    Args:
        also: what bones of more such chains begin with, which have the same keys and which nothing follows.
    """
    import bpy
    from bl_ext.user_default.posewright.bridge import actions

    parts = ("thigh", "shin", "foot")
    prefixes = (*also, "fk_")
    bpy.ops.object.mode_set(mode="EDIT")
    edited = rig.data.edit_bones
    for side in "LR":
        for prefix in prefixes:
            above = edited[f"hip.{side}"]
            for bone in (edited[f"{part}.{side}"] for part in parts):
                new = edited.new(prefix + bone.name)
                new.head, new.tail, new.roll, new.parent = bone.head, bone.tail, bone.roll, above
                above = new
    bpy.ops.object.mode_set(mode="OBJECT")
    legs = [f"{part}.{side}" for part in parts for side in "LR"]
    for bone in legs:
        follows = rig.pose.bones[bone].constraints.new("COPY_TRANSFORMS")
        follows.target, follows.subtarget = rig, f"fk_{bone}"
        for prefix in prefixes:
            rig.pose.bones[prefix + bone].rotation_mode = rig.pose.bones[bone].rotation_mode
    bag = actions.bag_of(rig.animation_data.action, actions.slot_of(rig), create=True)
    for curve in [curve for curve in bag.fcurves if curve.data_path.split('"')[1] in legs]:
        frames = actions.key_frames([curve])
        values = [curve.evaluate(frame) for frame in frames]
        for prefix in prefixes:
            path = curve.data_path.replace('bones["', f'bones["{prefix}')
            [new] = actions.ensure_curves(bag, [actions.Channel(path, curve.array_index)])
            new.keyframe_points.add(len(frames))
            new.keyframe_points.foreach_set("co", np.column_stack([frames, values]).ravel())
            new.update()
        bag.fcurves.remove(curve)
    return rig


def with_few_keys(rig: Any) -> Any:
    """Distilled to so few keys that its feet slide."""
    import bpy

    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 6
    return rig


def whole_pose(distil: Any, rig: Any) -> np.ndarray:
    """Where the joints are in every frame that was analysed."""
    return distil.positions(rig, distil.reductions.get(rig).analysis().frames)
