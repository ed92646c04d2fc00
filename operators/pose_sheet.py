# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw the key poses of the active armature side by side in one image."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import BoolProperty, EnumProperty, IntProperty, StringProperty

from ..bridge.pictures import images, sampled_poses, show, viewport
from ..core.picture import (
    Canvas,
    Figures,
    Paint,
    SheetStyle,
    SynopsisStyle,
    View,
    draw_figure,
    draw_figures,
    draw_overlapping,
)
from ..properties.options import algorithm_items
from .armature_operator import ArmatureOperator, active_armature, fill_in, what_is_missing
from .file_options import FILE_OPTIONS

CURRENT = "CURRENT"

VIEW_ITEMS = [
    ("BEST", "Best", "Where the poses and what changes between them show most"),
    ("CAMERA", "Camera", "Through the scene's camera"),
    ("FRONT", "Front", "From the front, as in Blender's front view"),
    ("RIGHT", "Right", "From the right"),
    ("BACK", "Back", "From behind"),
    ("LEFT", "Left", "From the left"),
    ("TOP", "Top", "From above"),
    ("THREE_QUARTER", "Three-Quarter", "From the front right, a little from above"),
]
LAYOUT_ITEMS = [
    ("EVEN", "Side by Side", "One pose after the other"),
    ("TIME", "Side by Side, by Time", "The longer the time between two poses, the wider the gap"),
    ("SYNOPSIS", "Synopsis", "Poses overlap in one picture, some of them faint"),
]
FADE_ITEMS = [
    ("TIME", "By Time", "Earlier poses are fainter"),
    ("IMPORTANCE", "By Importance", "The poses that were chosen last are the faintest"),
]
THEME_ITEMS = [
    ("LIGHT", "Light", "On white"),
    ("DARK", "Dark", "On dark grey"),
    ("TRANSPARENT", "Transparent", "On nothing, to be laid over something else"),
]

SOURCE_ITEMS = [
    (CURRENT, "Current Keys", "The frames that have keys now, for example those of the slider"),
    *algorithm_items(),
]


class POSEWRIGHT_OT_pose_sheet(ArmatureOperator, bpy.types.Operator):
    """Draw the key poses of the active armature side by side, with their frame numbers, as an image"""

    bl_idname = "posewright.pose_sheet"
    bl_label = "Pose Sheet"

    algorithm: EnumProperty(
        name="Poses",
        description="Which poses to show: those that have keys now, or those that an algorithm chooses",
        items=SOURCE_ITEMS,
    )
    key_count: IntProperty(
        name="Count", description="How many poses an algorithm shall choose", default=12, min=1, max=400
    )
    character: BoolProperty(
        name="Character",
        description=(
            "Draw the character's mesh as the viewport shows it, where there is one. Off, its skeleton is "
            "drawn, which needs no window"
        ),
        default=True,
    )
    view: EnumProperty(
        name="View",
        description="Where to look from. The default is where the poses and their changes show most",
        items=VIEW_ITEMS,
    )
    arrangement: EnumProperty(
        name="Layout", description="How poses are arranged in the image", items=LAYOUT_ITEMS
    )
    fade: EnumProperty(
        name="Fade",
        description="What makes poses faint where they overlap: being early, or being less important",
        items=FADE_ITEMS,
    )
    theme: EnumProperty(
        name="Background",
        description="What the poses are drawn on: light for paper, dark for screens, transparent for layouts",
        items=THEME_ITEMS,
    )
    pose_height: IntProperty(
        name="Pose Height",
        description="How high the tallest pose is drawn, in pixels",
        default=240,
        min=32,
        max=2048,
        subtype="PIXEL",
    )
    width: IntProperty(
        name="Most Width",
        description="A sheet that would be wider continues in another row",
        default=2048,
        min=256,
        max=16384,
        subtype="PIXEL",
    )
    filepath: StringProperty(
        name="PNG File",
        description="Also save the sheet to this file; nothing is written if it is empty",
        subtype="FILE_PATH",
        options=FILE_OPTIONS,
    )
    show: BoolProperty(
        name="Open in Image Editor", description="Show the sheet in a window when it is done", default=False
    )

    @classmethod
    def why_not(cls, armature: bpy.types.Object) -> str:
        return what_is_missing(armature)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        fill_in(self, show=True, character=viewport.can_draw_character(context, active_armature(context), 1))
        return context.window_manager.invoke_props_dialog(self, width=360)

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(self, "algorithm")
        if self.algorithm != CURRENT:
            layout.prop(self, "key_count")
        for name in ("character", "view", "arrangement"):
            layout.prop(self, name)
        if self.arrangement == "SYNOPSIS":
            layout.prop(self, "fade")
        for name in ("theme", "pose_height", "width", "filepath", "show"):
            layout.prop(self, name)

    def work(self, context: bpy.types.Context, armature: Any) -> None:
        canvas = self._draw_canvas(context, armature)
        path = images.save_png(canvas, self.filepath) if self.filepath else None
        image = images.to_image(canvas, f"{self._action} poses")
        if self.show:
            show.in_image_editor(context, image)
        if path:
            made = rpt_('Pose sheet "{name}", {width} x {height} pixels, saved to {path}')
        else:
            made = rpt_('Pose sheet "{name}", {width} x {height} pixels')
        self.report(
            {"INFO"}, made.format(name=image.name, width=canvas.width, height=canvas.height, path=path)
        )

    def _draw_canvas(self, context: bpy.types.Context, armature: Any) -> Canvas:
        self._action = armature.animation_data.action.name
        if self.algorithm == CURRENT:
            self._chosen = sampled_poses.current_poses(armature)
        else:
            self._chosen = sampled_poses.chosen_poses(armature, context.scene, self.algorithm, self.key_count)
        shown = sampled_poses.sample_poses(armature, self._chosen.frames)
        if self.view == "CAMERA":
            view = sampled_poses.camera_view(context.scene, self._chosen.frames)
        else:
            view = View.named(self.view.lower(), shown)
        self._as_character = self._wants_character(context, armature, len(shown))
        if self._as_character:
            return viewport.draw_character(context, armature, shown, view, self._arranged)
        return self._arranged(Figures.of(shown, view), draw_figure)

    def _wants_character(self, context: bpy.types.Context, armature: Any, count: int) -> bool:
        """What was asked for is tried, so that its problem is said; by default, whatever can be drawn."""
        if self.properties.is_property_set("character"):
            return self.character
        return viewport.can_draw_character(context, armature, count)

    def _arranged(self, figures: Figures, paint: Paint) -> Canvas:
        theme = self.theme.lower()
        if self.arrangement == "SYNOPSIS":
            height = round(1.4 * self.pose_height)
            style = SynopsisStyle(self.width, height, theme, trim=True, fade=self.fade.lower())
            return draw_overlapping(figures, style, paint, self._chosen.importance)
        style = SheetStyle(
            pose_height=self.pose_height,
            width=self.width,
            spacing=self.arrangement.lower(),
            theme=theme,
            title=f"{self._action}   {len(figures)} poses",
            legend=not self._as_character,
        )
        return draw_figures(figures, style, paint)


CLASSES = (POSEWRIGHT_OT_pose_sheet,)
