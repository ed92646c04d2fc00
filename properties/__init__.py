# SPDX-License-Identifier: GPL-3.0-or-later
"""What Posewright stores in a file: settings and state on objects and scenes."""

import bpy
from bpy.props import PointerProperty

from . import armature, pictures, scene, slider, spatial

CLASSES: tuple[type, ...] = (
    *spatial.CLASSES,
    *armature.CLASSES,
    *pictures.CLASSES,
    scene.PosewrightScene,
)

_register_classes, _unregister_classes = bpy.utils.register_classes_factory(CLASSES)


def register() -> None:
    _register_classes()
    bpy.types.Object.posewright = PointerProperty(
        type=armature.PosewrightObject, override=armature.OVERRIDABLE
    )
    bpy.types.Scene.posewright = PointerProperty(type=scene.PosewrightScene)


def unregister() -> None:
    slider.unregister()
    del bpy.types.Scene.posewright
    del bpy.types.Object.posewright
    _unregister_classes()
