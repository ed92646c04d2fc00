# SPDX-License-Identifier: GPL-3.0-or-later
"""What Posewright stores in a file: settings on objects and scenes, state on reduced actions."""

import bpy
from bpy.props import PointerProperty

from . import action, armature, character_settings, pictures, preferences, scene, search, slider, spatial
from .declared import OVERRIDABLE

CLASSES: tuple[type, ...] = (
    *action.CLASSES,
    *spatial.CLASSES,
    *character_settings.CLASSES,
    *armature.CLASSES,
    *pictures.CLASSES,
    *search.CLASSES,
    scene.PosewrightScene,
    *preferences.CLASSES,
)

_register_classes, _unregister_classes = bpy.utils.register_classes_factory(CLASSES)


def register() -> None:
    _register_classes()
    bpy.types.Action.posewright = PointerProperty(type=action.PosewrightAction)
    bpy.types.Object.posewright = PointerProperty(type=armature.PosewrightObject, override=OVERRIDABLE)
    bpy.types.Scene.posewright = PointerProperty(type=scene.PosewrightScene)


def unregister() -> None:
    slider.unregister()
    del bpy.types.Scene.posewright
    del bpy.types.Object.posewright
    del bpy.types.Action.posewright
    _unregister_classes()
