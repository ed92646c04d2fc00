# SPDX-License-Identifier: GPL-3.0-or-later
"""Make an asset library of the clips of a folder, beside the window."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.app.translations import pgettext_n as n_
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import BoolProperty

from ..bridge.pictures.clip_library import Library, library_in_steps, list_library
from .index_folder import tell_of_files
from .stepped import KEEP_DONE, SteppedOperator, Steps


class POSEWRIGHT_OT_make_library(SteppedOperator, bpy.types.Operator):
    """Make assets with thumbnails of all clips below the folder, in a folder posewright-library there"""

    bl_idname = "posewright.make_library"
    bl_label = "Make Asset Library"
    doing = n_("Making assets of clips")
    esc = KEEP_DONE
    stopped = n_("Stopped: what was made is kept for the next time")

    listed: BoolProperty(
        name="Add to Preferences",
        description="Add the library to the asset libraries in Blender's preferences, so that it is listed",
    )
    asked: BoolProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not context.scene.posewright.search.folder:
            cls.poll_message_set("Choose a folder of clips")
            return False
        return cls.is_idle()

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        self.asked = True
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context: bpy.types.Context) -> set[str]:
        # After the dialog the window stays alive; from a script all is done on return.
        if self.asked:
            self.asked = False
            return SteppedOperator.invoke(self, context, None)
        return SteppedOperator.execute(self, context)

    def steps(self, context: bpy.types.Context) -> Steps:
        return library_in_steps(Path(bpy.path.abspath(context.scene.posewright.search.folder)))

    def finished(self, _context: bpy.types.Context, result: Library) -> None:
        if self.listed:
            list_library(result.folder)
        summary = rpt_("The clips of {count} files are assets in {folder}")
        said = summary.format(count=result.files, folder=result.folder)
        tell_of_files(self, said, result.left_out)


CLASSES = (POSEWRIGHT_OT_make_library,)
