# SPDX-License-Identifier: GPL-3.0-or-later
"""Index the clips of a folder for Find Pose, beside the window."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
from bpy.app.translations import pgettext_n as n_
from bpy.app.translations import pgettext_rpt as rpt_

from ..bridge.pictures.folder_index import Indexed, index_in_steps
from .stepped import KEEP_DONE, SteppedOperator, Steps


class POSEWRIGHT_OT_index_folder(SteppedOperator, bpy.types.Operator):
    """Gather the poses of all clips below the folder for Find Pose; only what is new or changed is read"""

    bl_idname = "posewright.index_folder"
    bl_label = "Index Folder"
    doing = n_("Indexing clips")
    esc = KEEP_DONE
    stopped = n_("Stopped: what was looked at is kept for the next time")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not context.scene.posewright.search.folder:
            cls.poll_message_set("Choose a folder of clips")
            return False
        return cls.is_idle()

    def steps(self, context: bpy.types.Context) -> Steps:
        return index_in_steps(Path(bpy.path.abspath(context.scene.posewright.search.folder)))

    def finished(self, _context: bpy.types.Context, result: Indexed) -> None:
        summary = rpt_("{clips} clips with {frames} frames can be searched")
        said = summary.format(clips=result.clips, frames=result.frames)
        tell_of_files(self, said, result.left_out)


def tell_of_files(operator: Any, said: str, left_out: Sequence[str]) -> None:
    """Report what became of a folder, and why some of its files are not in it."""
    if left_out:
        but = rpt_("{summary}; {count} files left out: {why}")
        said = but.format(summary=said, count=len(left_out), why=left_out[0])
    operator.report({"WARNING" if left_out else "INFO"}, said)


CLASSES = (POSEWRIGHT_OT_index_folder,)
