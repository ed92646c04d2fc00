# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension, installed from its zip, shows its tab in the sidebar."""

import bpy
from installed import PACKAGE


def scenario(ui):
    module = PACKAGE
    assert module in bpy.context.preferences.addons, "the zip was installed and enabled beforehand"
    with ui.override():
        bpy.ops.object.armature_add()
    yield from ui.open_sidebar()
    assert ui.region("UI").active_panel_category == "Posewright"
    yield from ui.widen_sidebar()
    yield 0.3
    ui.screenshot("sidebar")
