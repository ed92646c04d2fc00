# SPDX-License-Identifier: GPL-3.0-or-later
"""`FollowingView`: the views of a 3D viewport travel with a character, and come back."""

from __future__ import annotations

import bpy
from mathutils import Vector

from .screen_drag import views_in


class FollowingView:
    """Knows how far the views have travelled."""

    def __init__(self) -> None:
        self.travelled = Vector()

    def follow(self, area: bpy.types.Area | None, travelled: Vector) -> bool:
        """Let the views be as far as the character is; whether they moved.

        A camera stays where the scene wants it, and so does everything if the viewport was left.
        """
        if area is None or area.type != "VIEW_3D" or travelled == self.travelled:
            return False
        views = [region.data for region in views_in(area)]
        views = [view for view in views if view.view_perspective != "CAMERA"]
        for view in views:
            view.view_location += travelled - self.travelled
            view.update()
        if views:
            self.travelled = travelled
        return bool(views)
