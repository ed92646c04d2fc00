# SPDX-License-Identifier: GPL-3.0-or-later
"""Small pose sheets of reduced clips, for the page of a run."""

from __future__ import annotations

from pathlib import Path

import bpy

from ..bridge.pictures import images, sampled_poses
from ..core import InputError
from ..core.picture import SheetStyle, View
from ..core.picture import draw_sheet as draw_poses
from ..core.spread import spread
from .plan import Job

# What is seen at a glance: more poses than these are thinned out.
_MOST_POSES = 16
_STYLE = SheetStyle(pose_height=120, width=1200, spacing="even", theme="light", legend=False)


def sheet_of(job: Job, number: int) -> Path | None:
    """Where the nth clip of a job is drawn, if it is."""
    if not job.sheet:
        return None
    first = Path(job.sheet)
    return first.with_stem(f"{first.stem}_{number + 1}") if number else first


def draw_sheet(armature: bpy.types.Object, path: Path) -> dict[str, str]:
    """Draw the keys that the armature plays; what is told of the clip then, nothing where that failed."""
    try:
        frames = sampled_poses.pose_frames(armature)
        shown = sampled_poses.sample_poses(armature, frames[spread(len(frames), _MOST_POSES)])
        canvas = draw_poses(shown, View.named("best", shown), _STYLE)
        path.parent.mkdir(parents=True, exist_ok=True)
        return {"sheet": str(images.save_png(canvas, str(path)))}
    except (InputError, OSError):
        return {}  # the clip counts, its picture is extra
