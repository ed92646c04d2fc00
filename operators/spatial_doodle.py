# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw a Walk: a path on the ground, by hand or from a curve, that the character walks along."""

from __future__ import annotations

from time import perf_counter

import bpy
import numpy as np
from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_n as n_
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import CollectionProperty, EnumProperty, FloatProperty, FloatVectorProperty, StringProperty

from ..bridge.character import shown
from ..bridge.spatial.takes.stroke_times import StrokeTimes
from ..bridge.spatial.walks.curve_paths import curve_places
from ..bridge.spatial.walks.doodle import Doodle, walk_along_in_steps
from ..core import InputError
from ..drawing import spatial_overlay
from ..drawing.status_bar import clear_status, show_status
from .background_job import start
from .screen_drag import ground_under, view_for, view_under
from .spatial_common import SetOperator, character_in
from .stepped import SteppedOperator, Steps

HELP = (("MOUSE_LMB_DRAG", n_("Draw the path")), ("EVENT_ESC", n_("Cancel")))
DRAW = n_("Draw a path on the ground: let go, and the character walks along it")
# What still does its usual thing before the path is begun.
PASSED = ("MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "TRACKPADPAN", "TRACKPADZOOM")


class DoodlePlace(bpy.types.PropertyGroup):
    """A place of the path. Blender wants its `name` given as well, which says nothing here."""

    place: FloatVectorProperty(
        name="Place", description="Where the path is, in the world", size=3, subtype="TRANSLATION"
    )
    seconds: FloatProperty(name="Seconds", description="When the hand was there, since it began to draw")


class POSEWRIGHT_OT_spatial_doodle(SteppedOperator, SetOperator, bpy.types.Operator):
    """Draw a path on the ground: the character walks along it by the keys of a walk, recorded as a take"""

    bl_idname = "posewright.spatial_doodle"
    bl_label = "Draw a Walk"
    keeps_sets = True
    doing = n_("Walking along the path")

    timing: EnumProperty(
        name="Timing",
        description="How fast the path is walked",
        items=(
            ("STEADY", "Steady", "So many steps a second, however fast the path was drawn"),
            ("DRAWN", "As Drawn", "As fast as the hand went"),
        ),
    )
    pace: FloatProperty(
        name="Steps a Second",
        description="How many steps are taken in a second of a steady walk",
        default=1.8,
        min=0.1,
        soft_max=4.0,
        max=20.0,
    )
    path: CollectionProperty(
        type=DoodlePlace,
        name="Path",
        description="Places to walk along and when the hand was at each, for scripts",
        options={"HIDDEN", "SKIP_SAVE"},
    )
    curve: StringProperty(
        name="Curve",
        description="A curve object to walk along, instead of a path that is drawn",
        options={"HIDDEN", "SKIP_SAVE"},
    )

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        if self.path:
            layout.prop(self, "timing")
        pace = layout.row()
        pace.active = not self.path or self.timing == "STEADY"
        pace.prop(self, "pace")

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if self.curve or self.path:
            return super().invoke(context, event)
        if context.area is None or context.area.type != "VIEW_3D":
            self.report({"ERROR"}, "Draw in a 3D viewport: move the mouse over one and try again.")
            return {"CANCELLED"}
        self._ground = shown(character_in(context)).ground
        self._stroke: StrokeTimes | None = None
        context.window_manager.modal_handler_add(self)
        self._tell(context, DRAW)
        show_status(HELP)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if self.job is not None:
            return super().modal(context, event)
        if context.area is None or context.area.type != "VIEW_3D":
            return self._give_up(context)
        if event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            return self._give_up(context)
        if event.type == "LEFTMOUSE" and event.value in {"PRESS", "DOUBLE_CLICK"}:
            if view_under(context.area, event) is None:
                return {"PASS_THROUGH"}
            self._stroke = StrokeTimes()
            self._draw_on(context, event)
        elif self._stroke is not None and event.type in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE"}:
            self._draw_on(context, event)
        elif self._stroke is not None and event.type == "LEFTMOUSE" and event.value == "RELEASE":
            return self._drawn(context, self._stroke)
        elif self._stroke is None and (event.type in PASSED or event.type.startswith(("NUMPAD_", "NDOF_"))):
            return {"PASS_THROUGH"}
        return {"RUNNING_MODAL"}

    def cancel(self, context: bpy.types.Context) -> None:
        if self.job is None:
            self._leave_window(context)
        super().cancel(context)

    def _draw_on(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        assert self._stroke is not None  # the button is held
        place = ground_under(view_for(context.area, event), event, self._ground)
        if place is not None:  # else it is above the horizon
            self._stroke.add(place, perf_counter(), spatial_overlay.redraws())
            spatial_overlay.set_trail(self._stroke.places)
            context.area.tag_redraw()

    def _drawn(self, context: bpy.types.Context, stroke: StrokeTimes) -> set[str]:
        self._leave_window(context)
        for place, seconds in zip(stroke.places, stroke.seconds(), strict=True):
            item = self.path.add()
            item.place, item.seconds = place, seconds
        # Not by `begin`: a second handler of one operator would outlive it.
        self.job = start(self.doing, self.steps(context), context.window)
        return {"RUNNING_MODAL"}

    def _give_up(self, context: bpy.types.Context) -> set[str]:
        self._leave_window(context)
        return {"CANCELLED"}

    def _tell(self, context: bpy.types.Context, text: str) -> None:
        spatial_overlay.set_banner(iface_(text) if text else "")
        if context.area is not None:
            context.area.tag_redraw()

    def _leave_window(self, context: bpy.types.Context) -> None:
        clear_status()
        spatial_overlay.set_trail(None)
        self._tell(context, "")

    def steps(self, context: bpy.types.Context) -> Steps:
        armature = character_in(context)
        assert armature is not None  # poll saw to it
        context.view_layer.update()  # a script may just have moved it
        return (yield from walk_along_in_steps(armature, context.scene, self._doodle()))

    def _doodle(self) -> Doodle:
        if self.curve:
            curve = bpy.data.objects.get(self.curve)
            if curve is None or curve.type != "CURVE":
                raise InputError('There is no curve called "{name}" in this file.', name=self.curve)
            return Doodle(curve_places(curve), pace=self.pace)
        if not self.path:
            raise InputError("There is no path: give one, or a curve, or draw it in a 3D viewport.")
        seconds = np.array([step.seconds for step in self.path]) if self.timing == "DRAWN" else None
        return Doodle(np.array([step.place for step in self.path]), seconds, self.pace)

    def finished(self, context: bpy.types.Context, result: int) -> None:
        last, end = context.scene.frame_current + result - 1, context.scene.frame_end
        said = rpt_("{name} walks along the path in {frames} frames")
        if last > end:
            said = rpt_(
                "{name} walks along the path in {frames} frames, to frame {last}; the scene ends at {end}"
            )
        name = character_in(context).name
        self.report({"INFO"}, said.format(name=name, frames=result, last=last, end=end))


CLASSES = (DoodlePlace, POSEWRIGHT_OT_spatial_doodle)
