# SPDX-License-Identifier: GPL-3.0-or-later
"""Try several algorithms on the active action and show which one follows it best."""

from __future__ import annotations

from typing import ClassVar

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty

from ..bridge.distil.analysis import run
from ..bridge.pictures import comparison, images, poses, show, tables
from ..core import ALGORITHMS, InputError
from ..core.picture import Canvas

ITEMS = [
    (name, label, about, 1 << number) for number, (name, label, about) in enumerate(poses.algorithm_items())
]


class POSEWRIGHT_OT_compare(bpy.types.Operator):
    """Try algorithms on the active action: a plot of error over compression, a table and a CSV file"""

    bl_idname = "posewright.compare"
    bl_label = "Compare Algorithms"
    bl_options: ClassVar[set[str]] = {"REGISTER", "UNDO"}

    algorithms: EnumProperty(
        name="Algorithms",
        description="Which algorithms to try",
        items=ITEMS,
        options={"ENUM_FLAG"},
        default=set(ALGORITHMS),
    )
    decimate: BoolProperty(
        name="Blender's Decimate",
        description="Also try the Graph Editor's Decimate; slow on long actions",
        default=True,
    )
    theme: EnumProperty(
        name="Background",
        description="What the plot is drawn on",
        items=[("LIGHT", "Light", "On white"), ("DARK", "Dark", "On dark grey")],
    )
    filepath: StringProperty(
        name="PNG and CSV File",
        description="Also save the plot and the numbers to files of this name; empty writes nothing",
        subtype="FILE_PATH",
        options={"SKIP_SAVE"},
    )
    show: BoolProperty(
        name="Open in Image Editor", description="Show the plot when it is done", default=False
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        armature = context.object
        if armature is None or armature.type != "ARMATURE":
            cls.poll_message_set("Select the armature whose action you want to compare algorithms on.")
            return False
        if armature.animation_data is None or armature.animation_data.action is None:
            cls.poll_message_set("The armature has no action: there is nothing to compare.")
            return False
        return True

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        self.show = True
        return context.window_manager.invoke_props_dialog(self, width=360)

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.column().prop(self, "algorithms")
        for name in ("decimate", "theme", "filepath", "show"):
            layout.prop(self, name)

    def execute(self, context: bpy.types.Context) -> set[str]:
        manager = context.window_manager
        manager.progress_begin(0.0, 1.0)
        try:
            compared = self._compare(context)
            canvas = tables.plot(compared, self.theme.lower())
            self._save(canvas, compared)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        finally:
            manager.progress_end()
        name = f"{compared.action} comparison"
        image = images.to_image(canvas, name)
        images.to_text(tables.table(compared), f"{name}.txt")
        images.to_text(tables.comma_separated(compared), f"{name}.csv")
        if self.show:
            show.in_image_editor(context, image)
        for note in compared.notes:
            self.report({"WARNING"}, note)
        self.report({"INFO"}, f"Plot {image.name!r} and a table of the same name in the Text Editor")
        return {"FINISHED"}

    def _compare(self, context: bpy.types.Context) -> comparison.Comparison:
        chosen = [name for name in ALGORITHMS if name in self.algorithms]
        work = comparison.compare_in_steps(context.object, context.scene, chosen, with_decimate=self.decimate)
        return run(work, context.window_manager.progress_update)

    def _save(self, canvas: Canvas, compared: comparison.Comparison) -> None:
        if self.filepath:
            images.save_png(canvas, self.filepath)
            images.save_csv(tables.comma_separated(compared), self.filepath)


CLASSES = (POSEWRIGHT_OT_compare,)
