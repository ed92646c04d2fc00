# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing only: panels read state and lay out properties and operators."""

import bpy

from . import distil, distil_settings, help_link, pictures, spatial

CLASSES: tuple[type, ...] = (
    *distil.CLASSES,
    *distil_settings.CLASSES,
    *pictures.CLASSES,
    *spatial.CLASSES,
)

_register_classes, _unregister_classes = bpy.utils.register_classes_factory(CLASSES)


def register() -> None:
    _register_classes()
    bpy.types.TOPBAR_MT_help.append(help_link.draw_menu)


def unregister() -> None:
    bpy.types.TOPBAR_MT_help.remove(help_link.draw_menu)
    _unregister_classes()
