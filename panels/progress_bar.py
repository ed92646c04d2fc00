# SPDX-License-Identifier: GPL-3.0-or-later
"""How far long work is, drawn where it was started."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_iface as iface_

from ..operators.background_job import Job


def draw_progress(layout: bpy.types.UILayout, job: Job) -> None:
    column = layout.column(align=True)
    column.scale_y = 1.2
    column.progress(factor=job.share, text=f"{iface_(job.label)} {job.share:.0%}", translate=False)
    if job.esc:
        what = iface_("Esc: {what}").format(what=iface_(job.esc))
        column.label(text=what, icon="CANCEL", translate=False)
