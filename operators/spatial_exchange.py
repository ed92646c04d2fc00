# SPDX-License-Identifier: GPL-3.0-or-later
"""Spatial sets out to files and in from files, and poses to and from the Pose Library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import EnumProperty, StringProperty
from bpy_extras.io_utils import ExportHelper, ImportHelper

from ..bridge.pictures import previews
from ..bridge.spatial import sets
from ..bridge.spatial.blending import switching
from ..bridge.spatial.making import exchange, library
from ..bridge.versions import HAS_SHELF_POPOVERS
from ..core import InputError
from .spatial_common import CharacterOperator, KeyOperator, SetOperator, tell_who_stepped_back

POSE_SHELF = "POSEWRIGHT_AST_poses"
LIBRARY_TYPES = [("LOCAL", "", "", 1), ("ALL", "", "", 2), ("ESSENTIALS", "", "", 3), ("CUSTOM", "", "", 100)]


def _library_types(_operator: object, _context: object) -> list[tuple[str, str, str, int]]:
    """Blender's own numbers for where an asset comes from, which nobody reads."""
    return LIBRARY_TYPES


class POSEWRIGHT_OT_spatial_set_export(ExportHelper, SetOperator, bpy.types.Operator):
    """Write the active spatial set to a JSON file"""

    bl_idname = "posewright.spatial_set_export"
    bl_label = "Export Spatial Set"
    keeps_sets = True

    filename_ext = ".json"
    filter_glob: StringProperty(default="*.json", options={"HIDDEN"})

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        path = Path(bpy.path.abspath(self.filepath))
        try:
            path.write_text(exchange.to_json(armature, sets.active_set(armature)), encoding="utf-8")
        except OSError as error:
            raise InputError("The file could not be written: {error}.", error=error) from error
        self.report({"INFO"}, rpt_("Spatial set written to {path}").format(path=path))


class POSEWRIGHT_OT_spatial_set_import(ImportHelper, CharacterOperator, bpy.types.Operator):
    """Add a spatial set from a JSON file to this character"""

    bl_idname = "posewright.spatial_set_import"
    bl_label = "Import Spatial Set"

    filename_ext = ".json"
    filter_glob: StringProperty(default="*.json", options={"HIDDEN"})

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        try:
            text = Path(bpy.path.abspath(self.filepath)).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError("The file could not be read: {error}.", error=error) from error
        spatial_set, left_out = exchange.from_json(armature, text)
        if left_out.bones:
            sentence = rpt_("{character} has no bones called {bones}: they were left out")
            self.report({"WARNING"}, sentence.format(character=armature.name, bones=_listed(left_out.bones)))
        if left_out.targets:
            sentence = rpt_(
                "There is no object called {names}: what reached for it was left out. "
                "Add it under Reach, with another target"
            )
            self.report({"WARNING"}, sentence.format(names=_listed(left_out.targets)))
        if left_out.dials:
            sentence = rpt_("{character} has no shape key or property {names}: they were left out")
            self.report({"WARNING"}, sentence.format(character=armature.name, names=_listed(left_out.dials)))
        if not (left_out.bones or left_out.targets or left_out.dials):
            added = rpt_('Spatial set "{name}" added with {count} keys')
            self.report({"INFO"}, added.format(name=spatial_set.name, count=len(spatial_set.keys)))


def _listed(names: list[str]) -> str:
    return ", ".join(names[:5]) + (" and more" if len(names) > 5 else "")


class POSEWRIGHT_OT_spatial_key_to_library(KeyOperator, bpy.types.Operator):
    """Make the pose of this key an asset of the Pose Library"""

    bl_idname = "posewright.spatial_key_to_library"
    bl_label = "To Pose Library"

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        key = sets.active_key(sets.active_set(armature))
        library.give(key)
        previews.show_pose(key.pose, armature, context)
        self.report(
            {"INFO"}, rpt_('"{name}" is now in the Pose Library of this file').format(name=key.pose.name)
        )


class POSEWRIGHT_OT_spatial_key_from_library(SetOperator, bpy.types.Operator):
    """Set a key at the control cursor with a pose of the Pose Library"""

    bl_idname = "posewright.spatial_key_from_library"
    bl_label = "From Pose Library"

    action: StringProperty(
        name="Pose",
        description="A pose action of this file; the asset that is chosen in the asset browser if left out",
        options={"SKIP_SAVE"},
    )
    # In these, as well as in the context, a shelf says what was clicked, and complains if there are none.
    asset_library_type: EnumProperty(items=_library_types, options={"HIDDEN", "SKIP_SAVE"})
    asset_library_identifier: StringProperty(options={"HIDDEN", "SKIP_SAVE"})
    relative_asset_identifier: StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        if library.chosen_asset(context, self.clicked()) is not None:
            return self.execute(context)
        if HAS_SHELF_POPOVERS:
            bpy.ops.wm.call_asset_shelf_popover("INVOKE_DEFAULT", name=POSE_SHELF)
            return {"CANCELLED"}  # clicking a pose begins anew
        return context.window_manager.invoke_props_dialog(self)

    def clicked(self) -> Any | None:
        return library.clicked_asset(self.asset_library_identifier, self.relative_asset_identifier)

    def draw(self, _context: bpy.types.Context) -> None:
        self.layout.prop_search(self, "action", bpy.data, "actions")

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        spatial_set = sets.active_set(armature)
        with library.wanted(context, self.action, self.clicked()) as pose:
            key = library.take(armature, spatial_set, pose)
        tell_who_stepped_back(self, switching.take_over_at_first_key(armature, spatial_set))
        context.view_layer.update()
        self.report({"INFO"}, rpt_('Key "{name}" set at the cursor').format(name=key.name))


CLASSES = (
    POSEWRIGHT_OT_spatial_set_export,
    POSEWRIGHT_OT_spatial_set_import,
    POSEWRIGHT_OT_spatial_key_to_library,
    POSEWRIGHT_OT_spatial_key_from_library,
)
