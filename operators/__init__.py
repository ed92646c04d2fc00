# SPDX-License-Identifier: GPL-3.0-or-later
"""One file a verb: each operator reads its properties, calls the bridge and reports."""

import bpy

CLASSES: tuple[type, ...] = ()

register, unregister = bpy.utils.register_classes_factory(CLASSES)
