# SPDX-License-Identifier: GPL-3.0-or-later
"""What Posewright stores in a file: settings and state on objects and scenes."""

import bpy
from bpy.props import PointerProperty

from . import armature, spatial

CLASSES: tuple[type, ...] = (
    *spatial.CLASSES,
    *armature.CLASSES,
)

_register_classes, _unregister_classes = bpy.utils.register_classes_factory(CLASSES)


def register() -> None:
    _register_classes()
    bpy.types.Object.posewright = PointerProperty(
        type=armature.PosewrightObject, override=armature.OVERRIDABLE
    )


def unregister() -> None:
    del bpy.types.Object.posewright
    _unregister_classes()
