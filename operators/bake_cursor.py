# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake Cursor: keys from a cursor that is animated, or from a list of frames and places."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_n as n_
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import BoolProperty, CollectionProperty, FloatProperty, FloatVectorProperty, IntProperty

from ..bridge.spatial import sets
from ..bridge.spatial.takes import cursor_baking
from .armature_operator import fill_in
from .spatial_common import SetOperator, character_in
from .stepped import SteppedOperator, Steps


class PathStep(bpy.types.PropertyGroup):
    """Where the cursor is at a frame. Blender wants its `name` given as well, which says nothing here."""

    frame: FloatProperty(name="Frame", description="When the cursor is there; parts of frames are allowed")
    place: FloatVectorProperty(
        name="Place",
        description="Where the cursor is, in the space of the armature",
        size=3,
        subtype="TRANSLATION",
    )


class POSEWRIGHT_OT_bake_cursor(SteppedOperator, SetOperator, bpy.types.Operator):
    """Write the motion that the control cursor gives as keys on the selected characters"""

    bl_idname = "posewright.bake_cursor"
    bl_label = "Bake Cursor"
    keeps_sets = True
    doing = n_("Baking the cursor")
    _asked = False  # whether the dialog is open

    frame_start: IntProperty(name="Start", description="First frame that is keyed; the scene's if left out")
    frame_end: IntProperty(name="End", description="Last frame that is keyed; the scene's if left out")
    path: CollectionProperty(
        type=PathStep,
        name="Path",
        description="Frames and places to go through instead of the cursor's own motion, for scripts",
        options={"HIDDEN", "SKIP_SAVE"},
    )
    distil: BoolProperty(
        name="Distil",
        description=(
            "Leave as few keys as keep every joint within the error below, instead of one on every frame"
        ),
    )
    error: FloatProperty(
        name="Error",
        description=(
            "The farthest any joint may be from the full motion when keys are distilled: larger "
            "leaves fewer keys"
        ),
        default=0.01,
        min=0.0,
        subtype="DISTANCE",
        precision=4,
    )

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        settings = sets.settings_of(character_in(context))
        fill_in(
            self,
            frame_start=context.scene.frame_start,
            frame_end=context.scene.frame_end,
            distil=settings.record_keys == "DISTIL",
            error=settings.record_error,
        )
        self._asked = True
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context: bpy.types.Context) -> set[str]:
        context.view_layer.update()  # a script may just have moved the cursor
        # The dialog calls this as well, and only then is there somebody to wait for it. Adjusting the last
        # operation calls it once more, and Blender does not expect that to become modal.
        asked, self._asked = self._asked, False
        return self.begin(context) if asked else super().execute(context)

    def steps(self, context: bpy.types.Context) -> Steps:
        armatures = self._characters(context)
        error = self.error if self.distil else None
        if self.path:
            path = [(step.frame, tuple(step.place)) for step in self.path]
            return cursor_baking.bake_paths_in_steps(armatures, path, error=error)
        given = self.properties.is_property_set
        first = self.frame_start if given("frame_start") else context.scene.frame_start
        last = self.frame_end if given("frame_end") else context.scene.frame_end
        return cursor_baking.bake_cursors_in_steps(armatures, context.scene, first, last, error=error)

    def finished(self, context: bpy.types.Context, result: int) -> None:
        names = ", ".join(each.name for each in self._characters(context))
        self.report({"INFO"}, rpt_("{count} keys written for {names}").format(count=result, names=names))

    def _characters(self, context: bpy.types.Context) -> list[bpy.types.Object]:
        """The active one and all others that are selected and have sets."""
        active = character_in(context)
        assert active is not None  # poll saw to it
        others = [thing for thing in context.selected_objects if sets.is_character(thing) and thing != active]
        return [active, *(thing for thing in others if sets.settings_of(thing).sets)]


CLASSES = (PathStep, POSEWRIGHT_OT_bake_cursor)
