# SPDX-License-Identifier: GPL-3.0-or-later
"""The poses that From Pose Library offers: those of Blender's own pose shelf."""

from __future__ import annotations

from typing import ClassVar

import bpy

from ..bridge.versions import HAS_SHELF_POPOVERS
from ..operators.spatial_exchange import POSE_SHELF


class POSEWRIGHT_AST_poses(bpy.types.AssetShelf):
    """Pose assets, shown at the mouse; clicking one sets a key with it."""

    bl_idname = POSE_SHELF
    bl_space_type = "VIEW_3D"
    bl_options: ClassVar[set[str]] = {"NO_ASSET_DRAG"}
    bl_activate_operator = "POSEWRIGHT_OT_spatial_key_from_library"
    bl_default_preview_size = 96
    filter_action = True

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        # The shelf at the bottom of the viewport stays Blender's.
        return context.region is None or not context.region.type.startswith("ASSET_SHELF")

    @classmethod
    def asset_poll(cls, asset: bpy.types.AssetRepresentation) -> bool:
        return asset.id_type == "ACTION"


CLASSES = (POSEWRIGHT_AST_poses,) if HAS_SHELF_POPOVERS else ()
