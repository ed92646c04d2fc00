# SPDX-License-Identifier: GPL-3.0-or-later
"""What an analysis goes by, in panels below Distil that are closed until someone needs them."""

from __future__ import annotations

from typing import Any, ClassVar

import bpy
from bl_ui.utils import PresetPanel

from ..bridge.distil import reductions
from ..core import ALGORITHMS
from ..operators.armature_operator import active_armature
from ..operators.distil_preset import FOLDER
from .help_link import HelpLink
from .room import draw_choice, names_beside
from .sidebar import SidebarPanel


class SettingsPanel(SidebarPanel):
    """Shown for armatures; they override `draw_settings`."""

    bl_parent_id = "POSEWRIGHT_PT_distil"
    bl_options: ClassVar[set[str]] = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return active_armature(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        armature = active_armature(context)
        layout = self.layout.column()  # type: ignore[attr-defined]
        names_beside(layout, context)
        self.draw_settings(context, layout, armature)

    def draw_settings(
        self, context: bpy.types.Context, layout: bpy.types.UILayout, armature: bpy.types.Object
    ) -> None:
        raise NotImplementedError


class POSEWRIGHT_PT_distil_presets(PresetPanel, bpy.types.Panel):
    """Settings kept under a name"""

    bl_label = "Distil Presets"
    preset_subdir = FOLDER
    preset_operator = "script.execute_preset"
    preset_add_operator = "posewright.distil_preset_add"


class POSEWRIGHT_PT_distil_algorithm(HelpLink, SettingsPanel, bpy.types.Panel):
    """How keys are chosen"""

    bl_label = "Algorithm"
    help_page = "algorithms"

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        POSEWRIGHT_PT_distil_presets.draw_panel_header(self.layout)
        HelpLink.draw_header_preset(self, context)

    def draw_settings(
        self, context: bpy.types.Context, layout: bpy.types.UILayout, armature: bpy.types.Object
    ) -> None:
        asked = armature.posewright
        algorithm = ALGORITHMS[asked.algorithm]
        draw_choice(layout, context, asked, "algorithm")
        if len(algorithm.objectives) > 1:
            draw_choice(layout, context, asked, "objective")
        for name in algorithm.options:
            layout.prop(getattr(asked.options, asked.algorithm), name)
        layout.prop(asked, "max_keys")
        draw_again(layout, armature)


class POSEWRIGHT_PT_distil_frames(SettingsPanel, bpy.types.Panel):
    """Which frames to reduce, and which of them must be keys"""

    bl_label = "Frames"

    def draw_settings(
        self, context: bpy.types.Context, layout: bpy.types.UILayout, armature: bpy.types.Object
    ) -> None:
        asked = armature.posewright
        draw_choice(layout, context, asked, "range_from")
        if asked.range_from == "NUMBERS":
            column = layout.column(align=True)
            column.prop(asked, "range_start")
            column.prop(asked, "range_end")
        layout.prop(asked, "sub_frames")
        if asked.range_from == "ACTION":
            draw_choice(layout, context, asked, "loop")
            layout.prop(asked, "leave_out_first_pose")
        column = layout.column(heading="Always Keys")
        column.prop(asked, "fix_markers")
        column.prop(asked, "fix_selected_keys")
        column.prop(asked, "fix_typed_keys")
        row = layout.row()
        row.use_property_split = False
        row.template_list(
            "POSEWRIGHT_UL_fixed_frames", "", asked, "fixed_frames", asked, "fixed_frame_index", rows=2
        )
        column = row.column(align=True)
        column.operator("posewright.fixed_frame_add", text="", icon="ADD")
        column.operator("posewright.fixed_frame_remove", text="", icon="REMOVE")
        layout.prop(asked, "show_markers")
        draw_again(layout, armature)


class POSEWRIGHT_PT_distil_bones(SettingsPanel, bpy.types.Panel):
    """Which bones decide, and how much each counts"""

    bl_label = "Bones"

    def draw_settings(
        self, context: bpy.types.Context, layout: bpy.types.UILayout, armature: bpy.types.Object
    ) -> None:
        asked = armature.posewright
        draw_choice(layout, context, asked, "bones_from")
        draw_choice(layout, context, asked, "space")
        layout.operator_menu_enum("posewright.bone_weights", "preset", text="Weights", icon="PRESET")
        if len(asked.bone_weights):
            row = layout.row()
            row.use_property_split = False
            row.template_list(
                "POSEWRIGHT_UL_bone_weights", "", asked, "bone_weights", asked, "bone_weight_index", rows=4
            )
        draw_again(layout, armature)


class POSEWRIGHT_PT_distil_many(SettingsPanel, bpy.types.Panel):
    """Several actions or characters, each to the same error"""

    bl_label = "Many at Once"

    def draw_settings(
        self, context: bpy.types.Context, layout: bpy.types.UILayout, armature: bpy.types.Object
    ) -> None:
        layout.prop(armature.posewright, "wanted_error")
        layout.operator("posewright.reduce_actions", icon="ACTION")
        layout.operator("posewright.reduce_selected", text="Reduce Selected", icon="ARMATURE_DATA")


def draw_again(layout: bpy.types.UILayout, armature: bpy.types.Object) -> None:
    """Settings take effect with the next analysis."""
    if reductions.find(armature) is not None:
        layout.operator("posewright.analyze", text="Analyze Again", icon="FILE_REFRESH")


class POSEWRIGHT_UL_fixed_frames(bpy.types.UIList):
    """Frames that are keys in every solution"""

    bl_idname = "POSEWRIGHT_UL_fixed_frames"

    def draw_item(
        self, _context: Any, layout: Any, _data: Any, item: Any, _icon: Any, _active: Any, _property: Any
    ) -> None:
        row = layout.row()
        row.label(text="Frame", icon="KEYFRAME_HLT")
        row.prop(item, "frame", text="", emboss=False)


class POSEWRIGHT_UL_bone_weights(bpy.types.UIList):
    """Bones with their weights"""

    bl_idname = "POSEWRIGHT_UL_bone_weights"

    def draw_item(
        self, _context: Any, layout: Any, _data: Any, item: Any, _icon: Any, _active: Any, _property: Any
    ) -> None:
        row = layout.split(factor=0.65)
        row.label(text=item.name, icon="BONE_DATA", translate=False)
        row.prop(item, "weight", text="", emboss=False)


CLASSES: tuple[type, ...] = (
    POSEWRIGHT_UL_fixed_frames,
    POSEWRIGHT_UL_bone_weights,
    POSEWRIGHT_PT_distil_presets,
    POSEWRIGHT_PT_distil_algorithm,
    POSEWRIGHT_PT_distil_frames,
    POSEWRIGHT_PT_distil_bones,
    POSEWRIGHT_PT_distil_many,
)
