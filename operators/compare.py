# SPDX-License-Identifier: GPL-3.0-or-later
"""Try several algorithms on the active action and show which one follows it best."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_n as n_
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import BoolProperty, EnumProperty, StringProperty

from ..bridge.pictures import comparison, images, show, tables
from ..core import ALGORITHMS
from ..properties.options import algorithm_items
from .armature_operator import active_armature, fill_in, what_is_missing
from .file_options import FILE_OPTIONS
from .stepped import SteppedArmatureOperator, Steps

ITEMS = [(name, label, about, 1 << number) for number, (name, label, about) in enumerate(algorithm_items())]


class POSEWRIGHT_OT_compare(SteppedArmatureOperator, bpy.types.Operator):
    """Try algorithms on the active action: a plot of error over compression, a table and a CSV file"""

    bl_idname = "posewright.compare"
    bl_label = "Compare Algorithms"
    doing = n_("Comparing")
    asked = False  # whether the user has seen the dialog of this run

    algorithms: EnumProperty(
        name="Algorithms",
        description="Which algorithms to try; each takes its time on long actions",
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
        description="What the plot is drawn on: light for documents, dark for screens",
        items=[("LIGHT", "Light", "On white"), ("DARK", "Dark", "On dark grey")],
    )
    filepath: StringProperty(
        name="PNG and CSV File",
        description="Also save the plot and the numbers to files of this name; empty writes nothing",
        subtype="FILE_PATH",
        options=FILE_OPTIONS,
    )
    show: BoolProperty(
        name="Open in Image Editor", description="Show the plot in a window when it is done", default=False
    )

    @classmethod
    def why_not(cls, armature: bpy.types.Object) -> str:
        return what_is_missing(armature)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        fill_in(self, show=True)
        self.asked = True
        return context.window_manager.invoke_props_dialog(self, width=360)

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.column().prop(self, "algorithms")
        layout.use_property_split = True
        layout.use_property_decorate = False
        for name in ("decimate", "theme", "filepath", "show"):
            layout.prop(self, name)

    def execute(self, context: bpy.types.Context) -> set[str]:
        # After the dialog the window stays alive; from a script all is done on return.
        if self.asked:
            self.asked = False
            return SteppedArmatureOperator.invoke(self, context, None)
        return SteppedArmatureOperator.execute(self, context)

    def steps(self, context: bpy.types.Context) -> Steps:
        chosen = [name for name in ALGORITHMS if name in self.algorithms]
        return comparison.compare_in_steps(
            active_armature(context), context.scene, chosen, with_decimate=self.decimate
        )

    def finished(self, context: bpy.types.Context, result: comparison.Comparison) -> None:
        canvas = tables.plot(result, self.theme.lower())
        values = tables.comma_separated(result)
        if self.filepath:
            images.save_png(canvas, self.filepath)
            images.save_csv(values, self.filepath)
        name = f"{result.action} comparison"
        image = images.to_image(canvas, name)
        images.to_text(tables.table(result), f"{name}.txt")
        images.to_text(values, f"{name}.csv")
        if self.show:
            show.in_image_editor(context, image)
        made = rpt_('Plot "{name}" and a table of the same name in the Text Editor')
        self.report({"INFO"}, made.format(name=image.name))
        for note in result.notes:  # last: Blender's status bar shows the last report alone
            self.report({"WARNING"}, note)


CLASSES = (POSEWRIGHT_OT_compare,)
