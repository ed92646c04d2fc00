# SPDX-License-Identifier: GPL-3.0-or-later
"""Set, update, remove, move in the list, visit, duplicate and mirror the keys of a spatial set."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.props import BoolProperty, EnumProperty, FloatVectorProperty, StringProperty

from ..bridge.spatial import sets
from ..bridge.spatial.blending import switching
from ..bridge.spatial.blending.mapping_cache import dials_at_key
from ..bridge.spatial.making import editing, empties, key_poses
from ..bridge.spatial.posing.dials import apply_dials
from ..bridge.spatial.posing.pose_actions import (
    pose_for,
)
from ..bridge.spatial.posing.poses import apply_pose
from .spatial_common import (
    KeyOperator,
    ListedKeyOperator,
    MovesInList,
    SetOperator,
    tell_who_stepped_back,
)


class POSEWRIGHT_OT_spatial_key_add(SetOperator, bpy.types.Operator):
    """Attach the current pose to the place of the control cursor"""

    bl_idname = "posewright.spatial_key_add"
    bl_label = "Set Key"

    name: StringProperty(
        name="Name",
        description="Name of the key, its marker and its pose",
        default="Pose",
        options={"SKIP_SAVE"},
    )
    bones: EnumProperty(
        name="Bones",
        description="Which bones the key holds; those that no key holds are left alone",
        items=(
            ("ALL", "Whole Body", "Keep the pose of every bone, shape keys and custom properties"),
            ("SELECTED", "Selected Bones", "Keep only the selected bones and say nothing about the others"),
            ("SHAPES", "Shape Keys", "Keep only the shape keys, and say nothing about bones: for a face"),
        ),
    )
    place: FloatVectorProperty(
        name="Place",
        description="Where the key belongs, in the space of the armature; at the control cursor if left out",
        size=3,
        subtype="TRANSLATION",
        options={"SKIP_SAVE"},
    )

    update: BoolProperty(
        name="Update",
        description="Give the key that is already at this place the pose, instead of refusing to set another",
        options={"HIDDEN", "SKIP_SAVE"},
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """At a key, offer to update it."""
        armature = self.armature_in(context)
        assert armature is not None  # poll saw to it
        taken = editing.key_at(armature, sets.active_set(armature), self._place(armature))
        if taken is None:
            return self.execute(context)
        self.update = True
        question = iface_('The key "{name}" is here. Give it this pose?').format(name=taken.name)
        return context.window_manager.invoke_confirm(
            self, event, title=iface_("Update Key"), message=question, confirm_text=iface_("Update")
        )

    def _place(self, armature: bpy.types.Object) -> Iterable[float]:
        """The place that a script gave, or else the cursor's."""
        if self.properties.is_property_set("place"):
            return self.place
        return empties.place_of(armature, empties.cursor_of(armature, sets.active_set(armature)))

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        spatial_set = sets.active_set(armature)
        place = self._place(armature)
        taken = editing.key_at(armature, spatial_set, place) if self.update else None
        if taken is not None:
            key_poses.update_key(armature, taken, self.bones)
            spatial_set.key_index = spatial_set.keys.find(taken.name)
            return
        key_poses.set_key(armature, spatial_set, place, self.name, self.bones)
        self.place = place  # for Adjust Last Operation to show, and to keep when the cursor moves on
        tell_who_stepped_back(self, switching.take_over_at_first_key(armature, spatial_set))
        context.view_layer.update()


class POSEWRIGHT_OT_spatial_key_update(KeyOperator, bpy.types.Operator):
    """Give the key the current pose; its marker stays where it is"""

    bl_idname = "posewright.spatial_key_update"
    bl_label = "Update Key"

    bones: EnumProperty(
        name="Bones",
        description="Which bones get their current pose",
        items=(
            ("HELD", "Same Bones", "The bones that the key already holds"),
            ("ALL", "Whole Body", "Every bone"),
            (
                "SELECTED",
                "Selected Bones",
                "Only the selected bones; the key keeps its other bones",
            ),
            ("SHAPES", "Shape Keys", "Only the shape keys; the key keeps its bones"),
        ),
    )

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        key_poses.update_key(armature, sets.active_key(sets.active_set(armature)), self.bones)


class POSEWRIGHT_OT_spatial_key_remove(ListedKeyOperator, bpy.types.Operator):
    """Remove the key with its marker and its pose"""

    bl_idname = "posewright.spatial_key_remove"
    bl_label = "Remove Key"

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        spatial_set = sets.active_set(armature)
        # The marker may be the active object: the character must stay within reach.
        context.view_layer.objects.active = armature
        editing.remove_key(spatial_set, spatial_set.key_index)


class POSEWRIGHT_OT_spatial_key_move(MovesInList, ListedKeyOperator, bpy.types.Operator):
    """Move the key in the list; its marker stays where it is"""

    bl_idname = "posewright.spatial_key_move"
    bl_label = "Move Key in List"

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        editing.move_key(sets.active_set(armature), self.step)


class POSEWRIGHT_OT_spatial_key_go_to(KeyOperator, bpy.types.Operator):
    """Move the control cursor to the marker and pose the character as the key says"""

    bl_idname = "posewright.spatial_key_go_to"
    bl_label = "Go to Key"
    keeps_sets = True

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        spatial_set = sets.active_set(armature)
        key = sets.active_key(spatial_set)
        cursor = empties.cursor_of(armature, spatial_set)
        empties.move_to(armature, cursor, empties.place_of(armature, key.marker))
        apply_pose(armature, pose_for(armature, key.pose))
        apply_dials(armature, dials_at_key(armature, spatial_set, key))
        context.view_layer.update()


class POSEWRIGHT_OT_spatial_key_duplicate(KeyOperator, bpy.types.Operator):
    """Add the same pose beside this key, to be moved and changed"""

    bl_idname = "posewright.spatial_key_duplicate"
    bl_label = "Duplicate Key"

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        spatial_set = sets.active_set(armature)
        key = editing.duplicate_key(armature, spatial_set, sets.active_key(spatial_set))
        if context.mode == "OBJECT":
            _select_only(context, key.marker)  # to be moved away at once
        context.view_layer.update()


class POSEWRIGHT_OT_spatial_key_mirror(KeyOperator, bpy.types.Operator):
    """Add the mirrored pose at the mirrored place, or bring it up to date: left and right exchange"""

    bl_idname = "posewright.spatial_key_mirror"
    bl_label = "Mirror Key"

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        spatial_set = sets.active_set(armature)
        key_poses.mirror_key(armature, spatial_set, sets.active_key(spatial_set))
        context.view_layer.update()


def _select_only(context: bpy.types.Context, thing: bpy.types.Object) -> None:
    for other in context.selected_objects:
        other.select_set(False)
    thing.select_set(True)
    context.view_layer.objects.active = thing


CLASSES = (
    POSEWRIGHT_OT_spatial_key_add,
    POSEWRIGHT_OT_spatial_key_update,
    POSEWRIGHT_OT_spatial_key_remove,
    POSEWRIGHT_OT_spatial_key_move,
    POSEWRIGHT_OT_spatial_key_go_to,
    POSEWRIGHT_OT_spatial_key_duplicate,
    POSEWRIGHT_OT_spatial_key_mirror,
)
