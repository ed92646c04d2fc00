# SPDX-License-Identifier: GPL-3.0-or-later
"""A menu below Object > Animation and Pose > Animation. What is in a menu is found by F3."""

from __future__ import annotations

import bpy

from ..bridge.distil import reductions
from ..operators.armature_operator import active_armature

DISTIL = (
    "posewright.analyze",
    "posewright.analyze_selected_keys",
    "posewright.leave_out_first_pose",
    "posewright.keys_below",
    "posewright.suggested_keys",
    "posewright.measure",
    "posewright.lock_extremes",
    "posewright.unlock_extremes",
    "posewright.release_edits",
    "posewright.echo_edit",
    "posewright.mark_contact",
    "posewright.restore",
    "posewright.apply",
    "posewright.back_to_keys",
    "posewright.extend_scene",
    "posewright.retime_by_tapping",
    "posewright.reduce_actions",
    "posewright.reduce_selected",
    "posewright.fixed_frame_add",
)
PICTURES = (
    "posewright.pose_sheet",
    "posewright.motion_thumbnail",
    "posewright.compare",
    "posewright.saliency_plot",
    "posewright.leading_parts",
    "posewright.find_pose",
    "posewright.index_folder",
    "posewright.make_library",
)
PERFORM = (
    "posewright.perform",
    "posewright.spatial_doodle",
    "posewright.bake_cursor",
    "posewright.spatial_take_again",
)
SPATIAL_SETS = (
    "posewright.spatial_set_add",
    "posewright.spatial_set_remove",
    "posewright.spatial_set_export",
    "posewright.spatial_set_import",
    "posewright.spatial_bring_into_scene",
    "posewright.spatial_make_own",
    "posewright.spatial_bone_renamed",
)
SPATIAL_KEYS = (
    "posewright.spatial_cursor_move",
    "posewright.spatial_key_remove",
    "posewright.spatial_key_go_to",
    "posewright.spatial_key_duplicate",
    "posewright.spatial_key_mirror",
    "posewright.spatial_key_to_library",
    "posewright.spatial_key_from_library",
)
BODY = ("posewright.spatial_reach_add", "posewright.spatial_contact_add")


def _draw_settings(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """What is a setting in the panels and in no other menu: who looks for it with F3 means that as well."""
    armature = active_armature(context)
    if armature is None:
        return
    if reductions.find(armature) is not None:
        layout.prop_menu_enum(armature.posewright, "interpolation")
        layout.prop_menu_enum(armature.posewright, "hold", text="Hold Feet (No Foot Sliding)")
    layout.prop(armature.posewright.character, "show", text="Show Character in Viewport")


class POSEWRIGHT_MT_posewright(bpy.types.Menu):
    """Distil, pictures and performing"""

    bl_label = "Posewright"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        for name in DISTIL:
            layout.operator(name)
        for direction, text in (("PREVIOUS", "Previous Sweet Spot"), ("NEXT", "Next Sweet Spot")):
            layout.operator("posewright.sweet_spot", text=text).direction = direction
        layout.operator_menu_enum("posewright.bone_weights", "preset")
        layout.operator("posewright.character_pair_add", text="Pair Bones of Both Sides")
        layout.separator()
        _draw_settings(layout, context)
        for names in (PICTURES, PERFORM):
            layout.separator()
            for name in names:
                layout.operator(name)
        layout.operator("posewright.perform", text="Record Performance").record = True
        layout.operator("posewright.bear_add")
        layout.menu(POSEWRIGHT_MT_spatial.__name__)


class POSEWRIGHT_MT_spatial(bpy.types.Menu):
    """Spatial keys, sets, and what the body does"""

    bl_label = "Spatial Keys"

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.operator("posewright.spatial_key_add").bones = "ALL"
        layout.operator("posewright.spatial_key_add", text="Set Key for Selected Bones").bones = "SELECTED"
        for name in SPATIAL_KEYS:
            layout.operator(name)
        layout.operator_menu_enum("posewright.spatial_key_update", "bones")
        layout.operator_menu_enum("posewright.spatial_key_move", "direction")
        for names in (SPATIAL_SETS, BODY):
            layout.separator()
            for name in names:
                layout.operator(name)
        layout.separator()
        layout.operator_menu_enum("posewright.spatial_set_ready", "kind")
        layout.operator_menu_enum("posewright.spatial_set_from_action", "keys")
        layout.operator_menu_enum("posewright.spatial_set_move", "direction")
        layout.operator("posewright.spatial_set_switch", text="Switch to Active Set").keyed = False
        layout.operator("posewright.spatial_set_switch", text="Key the Switch to Active Set").keyed = True


def draw_entry(self: bpy.types.Menu, _context: bpy.types.Context) -> None:
    """In Object > Animation and Pose > Animation: what everything begins with, in our words and others'."""
    self.layout.separator()
    self.layout.operator("posewright.analyze", text="Distil Mocap with Posewright (Reduce Keys)")
    self.layout.menu(POSEWRIGHT_MT_posewright.__name__)


def draw_asset(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    """In the Asset Browser, for actions: poses become spatial keys, and motions get a picture."""
    asset = getattr(context, "asset", None)
    if asset is not None and asset.id_type == "ACTION":
        self.layout.separator()
        self.layout.operator("posewright.spatial_key_from_library", icon="POSE_HLT")
        self.layout.operator("posewright.motion_thumbnail", icon="ASSET_MANAGER")


def draw_bear(self: bpy.types.Menu, _context: bpy.types.Context) -> None:
    """In Add > Armature."""
    self.layout.operator("posewright.bear_add", text="Bear to Perform", icon="OUTLINER_OB_ARMATURE")


CLASSES: tuple[type, ...] = (POSEWRIGHT_MT_posewright, POSEWRIGHT_MT_spatial)
