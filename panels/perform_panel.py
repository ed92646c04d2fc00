# SPDX-License-Identifier: GPL-3.0-or-later
"""The Perform panel: spatial sets, their keys, and what to do with them."""

from __future__ import annotations

from typing import Any, ClassVar

import bpy
from bpy.app.translations import pgettext_iface as iface_

from ..bridge.distil import reductions
from ..bridge.editable import is_linked_instance
from ..bridge.spatial import sets
from ..bridge.spatial.making import empties, upkeep
from ..bridge.spatial.takes import kept_takes
from ..operators import background_job
from ..operators.perform import is_performing
from ..operators.spatial_common import SETS_ELSEWHERE
from .help_link import HelpLink
from .progress_bar import draw_progress
from .room import draw_choice, draw_switch, is_narrow, names_beside, side_by_side
from .scene_end import draw_scene_end
from .sentence import draw_sentence
from .sidebar import PerformPanel

FIRST_STEP = "Attach poses to places in space and act by dragging one cursor between them."
FIRST_KEY = "Pose the character, move the red cursor to where that pose belongs, and Set Key."
SECOND_KEY = "Set at least one more key, of another pose in another place: the cursor blends between them."
LINKED = "Linked from another file: make a library override (Object > Library Override) to perform it."
KEEP_TAKES = "With this ticked every recording is kept, and you can choose among them here."
PERFORMING = "Drag in the viewport. Enter keeps what was performed, Esc brings everything back."


class POSEWRIGHT_UL_spatial_sets(bpy.types.UIList):
    """A character's sets with their shares."""

    bl_idname = "POSEWRIGHT_UL_spatial_sets"

    def draw_item(
        self, context: Any, layout: Any, _data: Any, item: Any, _icon: Any, _active: Any, _property: Any
    ) -> None:
        narrow = is_narrow(context)
        row = layout.split(factor=0.6 if narrow else 0.68)
        row.prop(item, "name", text="", emboss=False, icon="NONE" if narrow else "SPHERE")
        row.prop(item, "influence", text="")


class POSEWRIGHT_UL_spatial_keys(bpy.types.UIList):
    """The keys of a set; one that lost its marker or its pose says so."""

    bl_idname = "POSEWRIGHT_UL_spatial_keys"

    def draw_item(
        self, _context: Any, layout: Any, _data: Any, item: Any, _icon: Any, _active: Any, _property: Any
    ) -> None:
        icon = "DOT" if sets.is_usable(item) else "ERROR"
        layout.prop(item, "name", text="", emboss=False, icon=icon)


def _draw_arrows(column: bpy.types.UILayout, operator: str) -> None:
    column.separator()
    for direction, icon in (("UP", "TRIA_UP"), ("DOWN", "TRIA_DOWN")):
        column.operator(operator, text="", icon=icon).direction = direction


class POSEWRIGHT_PT_spatial(HelpLink, PerformPanel, bpy.types.Panel):
    bl_idname = "POSEWRIGHT_PT_spatial"
    bl_label = "Perform"
    help_page = "perform"
    bl_order = 20

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        armature = sets.character_of(context.object)
        if armature is None and is_linked_instance(context.object):
            draw_sentence(layout, context, LINKED, icon="LINKED")
            return
        if armature is None:
            layout.label(text="Select an armature to perform, or", icon="ARMATURE_DATA")
            layout.operator("posewright.bear_add", icon="OUTLINER_OB_ARMATURE")
            return
        spatial_set = sets.active_set(armature)
        original = sets.shared_with(armature)
        if armature.library is not None:
            draw_sentence(layout, context, LINKED, icon="LINKED")
        elif spatial_set is None and armature.override_library is not None:
            draw_sentence(layout, context, SETS_ELSEWHERE, icon="LINKED")
        elif spatial_set is None:
            draw_sentence(layout, context, FIRST_STEP)
            layout.operator("posewright.spatial_set_add", icon="SPHERE")
            layout.operator_menu_enum("posewright.spatial_set_ready", "kind", icon="OUTLINER_OB_ARMATURE")
            if bpy.ops.posewright.spatial_set_from_action.poll():
                layout.operator_menu_enum("posewright.spatial_set_from_action", "keys", icon="ACTION")
        elif original is not None:
            said = iface_("A duplicate, still with the markers of {name}. Give it its own to perform it.")
            draw_sentence(layout, context, said.format(name=original.name))
            layout.operator("posewright.spatial_make_own", icon="DUPLICATE")
        else:
            column = layout.column()
            column.enabled = not is_performing()
            self._draw_sets(column, sets.settings_of(armature))
            self._draw_keys(column, context, spatial_set)
            self._draw_acting(context, armature)
            for complaint in upkeep.complaints(armature, spatial_set, context.scene):
                draw_sentence(layout, context, complaint, icon="ERROR")
            if upkeep.missing_bones(armature, spatial_set):
                layout.operator("posewright.spatial_bone_renamed", icon="BONE_DATA")

    def _draw_sets(self, layout: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
        row = layout.row()
        several = len(settings.sets) > 1
        row.template_list(
            "POSEWRIGHT_UL_spatial_sets",
            "",
            settings,
            "sets",
            settings,
            "set_index",
            rows=4 if several else 2,
        )
        column = row.column(align=True)
        column.operator("posewright.spatial_set_add", text="", icon="ADD")
        column.operator("posewright.spatial_set_remove", text="", icon="REMOVE")
        column.operator_menu_enum(
            "posewright.spatial_set_ready", "kind", text="", icon="OUTLINER_OB_ARMATURE"
        )
        if several:
            _draw_arrows(column, "posewright.spatial_set_move")

    def _draw_keys(
        self, layout: bpy.types.UILayout, context: bpy.types.Context, spatial_set: bpy.types.PropertyGroup
    ) -> None:
        row = layout.row()
        several = len(spatial_set.keys) > 1
        row.template_list(
            "POSEWRIGHT_UL_spatial_keys",
            "",
            spatial_set,
            "keys",
            spatial_set,
            "key_index",
            rows=6 if several else 4,
        )
        column = row.column(align=True)
        column.operator("posewright.spatial_key_remove", text="", icon="REMOVE")
        column.operator("posewright.spatial_key_duplicate", text="", icon="DUPLICATE")
        column.operator("posewright.spatial_key_mirror", text="", icon="MOD_MIRROR")
        column.operator("posewright.spatial_key_go_to", text="", icon="RESTRICT_SELECT_OFF")
        if several:
            _draw_arrows(column, "posewright.spatial_key_move")
        layout.operator("posewright.spatial_cursor_move", icon="EMPTY_ARROWS")
        column = layout.column(align=True)  # side by side their names would be cut off
        column.operator("posewright.spatial_key_add", icon="KEY_HLT").bones = "ALL"
        row = column.row(align=True)
        row.operator("posewright.spatial_key_add", text="Selected Bones", icon="BONE_DATA").bones = "SELECTED"
        row.operator("posewright.spatial_key_add", text="", icon="SHAPEKEY_DATA").bones = "SHAPES"
        row = layout.row()  # a menu is not grey by itself where its operator cannot run
        row.enabled = bpy.ops.posewright.spatial_key_update.poll()
        row.operator_menu_enum("posewright.spatial_key_update", "bones", icon="FILE_REFRESH")
        if len(spatial_set.keys) < 2:
            draw_sentence(layout, context, SECOND_KEY if spatial_set.keys else FIRST_KEY)

    def _draw_acting(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        layout = self.layout
        settings = sets.settings_of(armature)
        if is_performing():
            job = background_job.running()
            if job is None:
                draw_sentence(layout, context, PERFORMING, icon="VIEW_PAN")
            else:
                draw_progress(layout, job)
            return
        row = layout.row(align=True)
        row.prop(settings, "live", toggle=True, icon="CON_FOLLOWTRACK")
        row.prop(settings, "show", text="", icon="HIDE_OFF" if settings.show else "HIDE_ON")
        row.prop(settings, "drag_third", text="", icon_only=True)
        row = layout.row(align=True)
        draw_switch(row, context, settings, "drag_in")
        row.prop(settings, "drag_absolute", text="", icon="STYLUS_PRESSURE")
        row = side_by_side(layout, context)
        row.scale_y = 1.4
        row.operator("posewright.perform", icon="VIEW_PAN").record = False
        row.operator("posewright.perform", text="Record", icon="REC").record = True
        if settings.message:
            draw_sentence(layout, context, settings.message)
        playing = reductions.playing_action(armature)
        if playing is not None:
            draw_scene_end(layout, context, playing)
        if empties.not_in_scene(armature, context.scene):
            layout.operator("posewright.spatial_bring_into_scene", icon="OUTLINER_OB_EMPTY")


def _draw_bone(layout: bpy.types.UILayout, armature: bpy.types.Object, item: bpy.types.PropertyGroup) -> None:
    """A field for the name of a bone, with a warning where there is no such bone any more."""
    icon = "BONE_DATA" if item.bone in armature.data.bones else "ERROR"
    layout.prop_search(item, "bone", armature.data, "bones", text="", icon=icon)


class SetPanel(PerformPanel):
    """A part of the Perform panel that needs a set."""

    bl_parent_id = "POSEWRIGHT_PT_spatial"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        armature = sets.character_of(context.object)
        return (
            armature is not None
            and sets.active_set(armature) is not None
            and sets.shared_with(armature) is None
        )


class POSEWRIGHT_PT_spatial_recording(SetPanel, bpy.types.Panel):
    bl_idname = "POSEWRIGHT_PT_spatial_recording"
    bl_label = "Recording"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        names_beside(layout, context)
        settings = sets.settings_of(sets.character_of(context.object))
        layout.prop(settings, "record_with_scene")
        speed = layout.row()
        speed.active = not settings.record_with_scene
        speed.prop(settings, "record_speed")
        layout.prop(settings, "record_count_in")
        layout.prop(settings, "record_loop")
        row = layout.column(heading="Only Between").row(align=True)
        row.prop(settings, "record_punch", text="")
        frames = row.row(align=True)
        frames.active = settings.record_punch
        frames.prop(settings, "punch_first", text="")
        frames.prop(settings, "punch_last", text="")
        draw_choice(layout, context, settings, "record_keys")
        if settings.record_keys == "DISTIL":
            layout.prop(settings, "record_error")
        layout.prop(settings, "record_smoothing")
        layout.column(heading="Only").prop(settings, "record_selected", text="Selected Bones")
        column = layout.column(align=True)
        column.operator("posewright.spatial_take_again", icon="FILE_REFRESH")
        column.operator("posewright.bake_cursor", icon="ACTION")
        row = layout.row()  # a menu is not grey by itself where its operator cannot run
        row.enabled = bpy.ops.posewright.spatial_set_from_action.poll()
        row.operator_menu_enum("posewright.spatial_set_from_action", "keys", icon="PRESET_NEW")


class POSEWRIGHT_PT_spatial_takes(SetPanel, bpy.types.Panel):
    bl_idname = "POSEWRIGHT_PT_spatial_takes"
    bl_label = "Takes"
    bl_options: ClassVar[set[str]] = {"DEFAULT_CLOSED"}

    def draw_header(self, context: bpy.types.Context) -> None:
        self.layout.prop(sets.settings_of(sets.character_of(context.object)), "record_takes", text="")

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        armature = sets.character_of(context.object)
        takes, playing = kept_takes.takes_of(armature), kept_takes.playing(armature)
        if not takes:
            draw_sentence(layout, context, KEEP_TAKES)
        column = layout.column(align=True)
        for index, track in enumerate(takes):
            row = column.row(align=True)
            icon = "PLAY" if index == playing else "ACTION"
            chosen = row.operator(
                "posewright.spatial_take_choose", text=track.name, icon=icon, depress=index == playing
            )
            chosen.index = index
            row.operator("posewright.spatial_take_delete", text="", icon="X").index = index


class POSEWRIGHT_PT_spatial_switching(SetPanel, bpy.types.Panel):
    bl_idname = "POSEWRIGHT_PT_spatial_switching"
    bl_label = "Several Sets"
    bl_options: ClassVar[set[str]] = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        armature = sets.character_of(context.object)
        draw_switch(layout.row(), context, sets.active_set(armature), "layer")
        layout.prop(sets.settings_of(armature), "transition")
        layout.prop(sets.settings_of(armature), "replay_paths")
        row = side_by_side(layout, context)
        row.operator("posewright.spatial_set_switch", text="Switch To").keyed = False
        row.operator("posewright.spatial_set_switch", text="Key the Switch", icon="KEY_HLT").keyed = True


class POSEWRIGHT_PT_spatial_reach(SetPanel, bpy.types.Panel):
    bl_idname = "POSEWRIGHT_PT_spatial_reach"
    bl_label = "Reach"
    bl_options: ClassVar[set[str]] = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        armature = sets.character_of(context.object)
        for index, effector in enumerate(sets.active_set(armature).effectors):
            box = layout.box()
            row = box.row(align=True)
            _draw_bone(row, armature, effector)
            row.operator("posewright.spatial_reach_remove", text="", icon="X").index = index
            column = box.column()
            names_beside(column, context)
            column.prop(effector, "use_keys")
            row = column.row()
            row.active = not effector.use_keys
            row.prop(effector, "target")
            column.prop(effector, "use_location")
            row = column.row()
            row.active = not effector.use_location
            row.prop(effector, "chain_length")
            column.prop(effector, "use_rotation")
        layout.operator("posewright.spatial_reach_add", text="Add Selected", icon="ADD")


class POSEWRIGHT_PT_spatial_walk(SetPanel, bpy.types.Panel):
    bl_idname = "POSEWRIGHT_PT_spatial_walk"
    bl_label = "Walk"
    bl_options: ClassVar[set[str]] = {"DEFAULT_CLOSED"}

    def draw_header(self, context: bpy.types.Context) -> None:
        self.layout.prop(sets.settings_of(sets.character_of(context.object)), "use_locomotion", text="")

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        armature = sets.character_of(context.object)
        settings = sets.settings_of(armature)
        _draw_doodle(layout, context)
        layout = layout.column()
        layout.active = settings.use_locomotion
        row = layout.row()
        row.active = bool(settings.contacts)  # below feet that are found it is found, too
        row.prop(settings, "ground")
        layout.prop(settings, "use_solid_ground")
        layout.prop(settings, "use_steady_contacts")
        layout.prop(settings, "use_no_steps_back")
        layout.prop(settings, "follow_view")
        for index, contact in enumerate(settings.contacts):
            row = layout.row(align=True)
            _draw_bone(row, armature, contact)
            row.prop(contact, "end", text="")
            row.prop(contact, "offset", text="")
            row.operator("posewright.spatial_contact_remove", text="", icon="X").index = index
        layout.operator_menu_enum("posewright.spatial_contact_add", "end", text="Add Selected", icon="ADD")
        if settings.use_locomotion and not settings.contacts:
            draw_sentence(layout, context, upkeep.found_contacts(armature))


def _draw_doodle(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """A walk along a path that is drawn, or along a curve where one is selected as well."""
    curve = next((thing for thing in context.selected_objects if thing.type == "CURVE"), None)
    row = layout.row(align=True)
    row.operator("posewright.spatial_doodle", icon="GREASEPENCIL")
    if curve is not None:
        row.operator("posewright.spatial_doodle", text="Along Curve", icon="CURVE_DATA").curve = curve.name


class POSEWRIGHT_PT_spatial_exchange(PerformPanel, bpy.types.Panel):
    bl_idname = "POSEWRIGHT_PT_spatial_exchange"
    bl_label = "Exchange"
    bl_parent_id = "POSEWRIGHT_PT_spatial"
    bl_options: ClassVar[set[str]] = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return sets.character_of(context.object) is not None

    def draw(self, context: bpy.types.Context) -> None:
        column = self.layout.column(align=True)
        column.operator("posewright.spatial_key_to_library", icon="ASSET_MANAGER")
        column.operator("posewright.spatial_key_from_library", icon="POSE_HLT")
        column = self.layout.column(align=True)
        column.operator("posewright.spatial_set_export", text="Export Set", icon="EXPORT")
        column.operator("posewright.spatial_set_import", text="Import Set", icon="IMPORT")
        self.layout.prop(sets.settings_of(sets.character_of(context.object)), "use_gltf")


CLASSES = (
    POSEWRIGHT_UL_spatial_sets,
    POSEWRIGHT_UL_spatial_keys,
    POSEWRIGHT_PT_spatial,
    POSEWRIGHT_PT_spatial_recording,
    POSEWRIGHT_PT_spatial_takes,
    POSEWRIGHT_PT_spatial_switching,
    POSEWRIGHT_PT_spatial_reach,
    POSEWRIGHT_PT_spatial_walk,
    POSEWRIGHT_PT_spatial_exchange,
)
