# SPDX-License-Identifier: GPL-3.0-or-later
"""What Posewright does by itself when Blender's data changes. Each part lists Blender's calls and ours."""

from ..bridge.spatial import live
from . import (
    background_measuring,
    busy,
    detail_layers,
    edited_keys,
    following_edits,
    leftover_scenes,
    live_updates,
    older_files,
    override_groups,
    reading,
    while_used,
    wishes,
)

HANDLERS = (
    *detail_layers.HANDLERS,
    *edited_keys.HANDLERS,
    *following_edits.HANDLERS,
    *leftover_scenes.HANDLERS,
    *live_updates.HANDLERS,
    *older_files.HANDLERS,
    *override_groups.HANDLERS,
    *busy.HANDLERS,
    *reading.HANDLERS,
    *wishes.HANDLERS,
    *while_used.HANDLERS,
)


def register() -> None:
    for calls, handler in HANDLERS:
        if not while_used.is_often((calls, handler)):
            calls.append(handler)
    while_used.register([each for each in HANDLERS if while_used.is_often(each)])


def unregister() -> None:
    while_used.unregister()
    for calls, handler in HANDLERS:
        if handler in calls:
            calls.remove(handler)
    background_measuring.unregister()
    following_edits.unregister()
    wishes.forget()
    live.forget_everything()
