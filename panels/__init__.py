# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing only: panels read state and lay out properties and operators."""

import bpy

from . import pictures, spatial

CLASSES: tuple[type, ...] = (*pictures.CLASSES, *spatial.CLASSES)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
