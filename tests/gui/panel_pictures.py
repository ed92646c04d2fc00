# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of every panel, opened, at three widths, in two themes and all languages, to be looked at."""

import sys

import bpy
import numpy as np
from installed import PACKAGE
from screenshots import read_screen, write_png

WIDTHS = {"narrow": -70, "default": 0, "wide": 160}  # pixels, at a scale of one
THEMES = {"dark": "Blender_Dark", "light": "Blender_Light"}
LANGUAGES = ("de_DE", "es", "fr_FR", "ja_JP", "zh_HANS")
MOST_PAGES = 24


def open_all_panels():
    """They are closed until somebody opens them: registered anew, before any was drawn, they are open."""
    panels = [each for each in sys.modules[f"{PACKAGE}.panels"].CLASSES if issubclass(each, bpy.types.Panel)]
    for panel in reversed(panels):
        bpy.utils.unregister_class(panel)
    for panel in panels:
        if hasattr(panel, "bl_options"):
            panel.bl_options = set(panel.bl_options) - {"DEFAULT_CLOSED"}
        bpy.utils.register_class(panel)


def use_theme(name):
    for folder in bpy.utils.preset_paths("interface_theme"):
        path = f"{folder}/{name}.xml"
        if bpy.path.abspath(path) and __import__("os").path.exists(path):
            bpy.ops.script.execute_preset(filepath=path, menu_idname="USERPREF_MT_interface_theme_presets")
            return
    raise AssertionError(f"no theme {name}")


def seen_sidebar(ui):
    """(height, width, 3) what the sidebar shows now."""
    region = ui.region("UI")
    colours = read_screen(ui.screen)
    top = len(colours) - region.y - region.height
    return colours[top : top + region.height, region.x : region.x + region.width]


def pages(ui):
    """The sidebar from top to bottom, as pictures side by side."""
    region = ui.region("UI")
    # Beside the panels: a list under the mouse would be scrolled instead.
    x, y = region.x + round(8 * bpy.context.preferences.view.ui_scale), region.y + region.height // 2
    for _ in range(80):
        ui.window.event_simulate(type="WHEELUPMOUSE", value="PRESS", x=x, y=y)
    yield from ui.settle()
    yield 0.2
    found = [seen_sidebar(ui)]
    while len(found) < MOST_PAGES:
        for _ in range(round(region.height / 60 / bpy.context.preferences.view.ui_scale)):
            ui.window.event_simulate(type="WHEELDOWNMOUSE", value="PRESS", x=x, y=y)
        yield from ui.settle()
        yield 0.1
        page = seen_sidebar(ui)
        if np.array_equal(page, found[-1]):
            break
        found.append(page)
    return np.hstack(found)


def look(ui, category, name):
    yield from ui.open_sidebar(category)
    picture = yield from pages(ui)
    write_png(ui.screenshots / f"{ui.name}-{category.lower()}-{name}.png", np.ascontiguousarray(picture))


def prepare(ui, scale):
    """The panels' subjects, at a scale of the interface: a clip that was distilled, and a bear with sets."""
    open_all_panels()
    ui.clear()
    clip = ui.mocap("02_01")
    with ui.override():
        bpy.ops.posewright.bear_add()
    bear = bpy.context.object
    bpy.context.view_layer.objects.active = clip
    with ui.override():
        bpy.ops.posewright.analyze("EXEC_DEFAULT")
    bpy.context.preferences.view.ui_scale = scale
    yield from ui.open_sidebar()
    return {"Posewright": clip, "Perform": bear}


def look_at_both(ui, subjects, name):
    for category, thing in subjects.items():
        bpy.context.view_layer.objects.active = thing
        yield from look(ui, category, name)


def look_at_all(ui, scale):
    """At all widths and in both themes."""
    subjects = yield from prepare(ui, scale)
    for width, pixels in WIDTHS.items():
        yield from ui.widen_sidebar(round(pixels * scale))
        for theme, file in THEMES.items():
            use_theme(file)
            yield from look_at_both(ui, subjects, f"{scale:g}x-{width}-{theme}")
        yield from ui.widen_sidebar(round(-pixels * scale))


def look_in_all_languages(ui):
    """At the narrowest, and as Blender opens the sidebar, where names stand beside what they name."""
    subjects = yield from prepare(ui, 1.0)
    view = bpy.context.preferences.view
    for width in ("narrow", "default"):
        yield from ui.widen_sidebar(WIDTHS[width])
        for language in LANGUAGES:
            view.language = language
            view.use_translate_interface = view.use_translate_tooltips = True
            yield from look_at_both(ui, subjects, f"{width}-{language}")
        yield from ui.widen_sidebar(-WIDTHS[width])
