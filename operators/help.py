# SPDX-License-Identifier: GPL-3.0-or-later
"""Open a page of the documentation, without a network."""

from __future__ import annotations

from typing import ClassVar

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import EnumProperty

from ..bridge import help_pages
from .armature_operator import report_problems


class POSEWRIGHT_OT_help(bpy.types.Operator):
    """Open a page of the documentation in a Text Editor; it is not saved with your file"""

    bl_idname = "posewright.help"
    bl_label = "Posewright Help"
    bl_options: ClassVar[set[str]] = set()  # nothing of the user's changes, so there is nothing to undo

    page: EnumProperty(
        name="Page", description="Which page to open; the tour is where to begin", items=help_pages.PAGES
    )

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: POSEWRIGHT_OT_help) -> str:
        about = next(about for name, _, about in help_pages.PAGES if name == properties.page)
        return tip_(about)

    def execute(self, context: bpy.types.Context) -> set[str]:
        return report_problems(self, lambda: self._open(context))

    def _open(self, context: bpy.types.Context) -> None:
        text = help_pages.page(self.page)
        if not help_pages.show(context, text):
            where = rpt_('The page is the text "{name}": choose it in a Text Editor')
            self.report({"INFO"}, where.format(name=text.name))


CLASSES = (POSEWRIGHT_OT_help,)
