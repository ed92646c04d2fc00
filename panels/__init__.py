# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing only: panels read state and lay out properties and operators."""

from typing import Any

import bpy

from . import (
    character_panel,
    distil,
    distil_settings,
    editors,
    help_link,
    menu,
    overlays_popover,
    perform_panel,
    pictures_panel,
    pose_shelf,
    quick_pie,
    spatial_tool,
)

CLASSES: tuple[type, ...] = (
    *distil.CLASSES,
    *distil_settings.CLASSES,
    *pictures_panel.CLASSES,
    *perform_panel.CLASSES,
    *pose_shelf.CLASSES,
    *character_panel.CLASSES,
    *menu.CLASSES,
    *editors.CLASSES,
    *overlays_popover.CLASSES,
    *quick_pie.CLASSES,
)

_register_classes, _unregister_classes = bpy.utils.register_classes_factory(CLASSES)


def _key_menus() -> tuple[Any, ...]:
    return (bpy.types.GRAPH_MT_key_density, bpy.types.DOPESHEET_MT_key)


def register() -> None:
    _register_classes()
    bpy.types.TOPBAR_MT_help.append(help_link.draw_menu)
    bpy.types.VIEW3D_MT_object_animation.append(menu.draw_entry)
    bpy.types.VIEW3D_MT_armature_add.append(menu.draw_bear)
    bpy.types.ASSETBROWSER_MT_context_menu.append(menu.draw_asset)
    for key_menu in _key_menus():
        key_menu.append(editors.draw_verbs)
    spatial_tool.register()
    quick_pie.register()


def unregister() -> None:
    quick_pie.unregister()
    spatial_tool.unregister()
    for key_menu in _key_menus():
        key_menu.remove(editors.draw_verbs)
    bpy.types.ASSETBROWSER_MT_context_menu.remove(menu.draw_asset)
    bpy.types.VIEW3D_MT_armature_add.remove(menu.draw_bear)
    bpy.types.VIEW3D_MT_object_animation.remove(menu.draw_entry)
    bpy.types.TOPBAR_MT_help.remove(help_link.draw_menu)
    _unregister_classes()
