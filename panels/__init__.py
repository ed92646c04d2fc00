# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing only: panels read state and lay out properties and operators."""

import bpy

from . import distil, distil_settings, pictures, spatial

CLASSES: tuple[type, ...] = (
    *distil.CLASSES,
    *distil_settings.CLASSES,
    *pictures.CLASSES,
    *spatial.CLASSES,
)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
