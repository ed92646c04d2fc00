# SPDX-License-Identifier: GPL-3.0-or-later
"""What Posewright does by itself when Blender's data changes. Each part lists Blender's calls and ours."""

from ..bridge.spatial import live
from . import (
    background_measuring,
    busy,
    detail_layers,
    edited_keys,
    leftover_scenes,
    live_updates,
    override_groups,
    reading,
    wishes,
)

HANDLERS = (
    *detail_layers.HANDLERS,
    *edited_keys.HANDLERS,
    *leftover_scenes.HANDLERS,
    *live_updates.HANDLERS,
    *override_groups.HANDLERS,
    *busy.HANDLERS,
    *reading.HANDLERS,
    *wishes.HANDLERS,
)


def register() -> None:
    for calls, handler in HANDLERS:
        calls.append(handler)


def unregister() -> None:
    for calls, handler in HANDLERS:
        if handler in calls:
            calls.remove(handler)
    background_measuring.unregister()
    wishes.forget()
    live.forget_everything()
