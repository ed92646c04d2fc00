# SPDX-License-Identifier: GPL-3.0-or-later
"""What Posewright stores in a file: settings and state on objects and scenes."""

import bpy

CLASSES: tuple[type, ...] = ()

register, unregister = bpy.utils.register_classes_factory(CLASSES)
