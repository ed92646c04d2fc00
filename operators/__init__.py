# SPDX-License-Identifier: GPL-3.0-or-later
"""One file a verb: each operator reads its properties, calls the bridge and reports."""

import bpy

from . import (
    analyze,
    apply,
    bake_cursor,
    motion_thumbnail,
    perform,
    pose_sheet,
    restore,
    spatial_key,
    spatial_set,
)

CLASSES: tuple[type, ...] = (
    *analyze.CLASSES,
    *restore.CLASSES,
    *apply.CLASSES,
    *pose_sheet.CLASSES,
    *motion_thumbnail.CLASSES,
    *spatial_set.CLASSES,
    *spatial_key.CLASSES,
    *bake_cursor.CLASSES,
    *perform.CLASSES,
)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
