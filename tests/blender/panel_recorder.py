# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws panels without a window: a layout that checks what it is given and remembers what it was told.

Blender draws panels in windows only, and a mistake in a draw function shows there as an empty panel. This
layout knows what Blender would refuse: properties, operators, options, lists and icons that do not exist.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy

_RNA: Any = bpy.types.UILayout.bl_rna
_FUNCTIONS = _RNA.functions
ICONS = set(_FUNCTIONS["label"].parameters["icon"].enum_items.keys())
WIDTH = 264  # of a sidebar as Blender opens it
ALIGNMENTS = set(bpy.types.UILayout.bl_rna.properties["alignment"].enum_items.keys())


class Recorder:
    """Stands for a `UILayout`; `seen` is shared with everything inside it."""

    seen: list[str]

    def __init__(self, seen: list[str] | None = None) -> None:
        object.__setattr__(self, "seen", [] if seen is None else seen)

    def __setattr__(self, name: str, value: Any) -> None:
        assert name in bpy.types.UILayout.bl_rna.properties, name
        assert name != "alignment" or value in ALIGNMENTS, value
        object.__setattr__(self, name, value)

    def _inside(self, **_: Any) -> Recorder:
        return Recorder(self.seen)

    def row(self, *, align: bool = False, heading: str = "") -> Recorder:
        return self._inside()

    column = row

    def menu_pie(self) -> Recorder:
        return self._inside()

    def split(self, *, factor: float = 0.0, align: bool = False) -> Recorder:
        return self._inside()

    def box(self) -> Recorder:
        return self._inside()

    def grid_flow(
        self, *, row_major: bool = False, columns: int = 0, even_columns: bool = False, align: bool = False
    ) -> Recorder:
        self._note(f"columns={columns}")
        return self._inside()

    def separator(self, *, factor: float = 1.0) -> None:
        pass

    def menu(self, name: str) -> None:
        """What a menu holds is found by F3 like what stands beside it."""
        menu = getattr(bpy.types, name)
        assert menu.bl_label
        menu.draw(SimpleNamespace(layout=self), bpy.context)

    def popover(self, *, panel: str, text: str = "", icon: str = "NONE") -> None:
        assert getattr(bpy.types, panel).bl_region_type == "HEADER"
        self._note(f"{panel}: {text}", icon)

    def label(
        self,
        *,
        text: str = "",
        text_ctxt: str = "",
        icon: str = "NONE",
        translate: bool = True,
        icon_value: int = 0,
    ) -> None:
        assert icon_value >= 0
        self._note(text, icon)

    def progress(
        self, *, text: str = "", translate: bool = True, factor: float = 0.0, type: str = "BAR"
    ) -> None:
        assert 0.0 <= factor <= 1.0
        self._note(text)

    def prop(self, data: Any, name: str, *, text: str | None = None, icon: str = "NONE", **_: Any) -> None:
        assert name in data.bl_rna.properties, f"{data!r} has no {name}"
        assert data.bl_rna.properties[name].description, f"{name} has no tooltip"
        self._note(f"{name}: {text}", icon)

    def prop_search(
        self,
        data: Any,
        name: str,
        among: Any,
        among_name: str,
        *,
        text: str | None = None,
        icon: str = "NONE",
    ) -> None:
        assert among_name in among.bl_rna.properties
        self.prop(data, name, text=text, icon=icon)

    def operator(
        self,
        name: str,
        *,
        text: str | None = None,
        icon: str = "NONE",
        emboss: bool = True,
        translate: bool = True,
    ) -> SimpleNamespace:
        operator = _operator(name)
        assert operator.description, f"{name} has no tooltip"
        self._note(f"{name}: {operator.name if text is None else text}", icon)
        return _Options(operator)

    def operator_menu_enum(self, name: str, enum: str, *, text: str = "", icon: str = "NONE") -> None:
        assert enum in _operator(name).properties
        self._note(f"{name}: {text}", icon)

    def prop_menu_enum(self, data: Any, name: str, *, text: str | None = None) -> None:
        assert data.bl_rna.properties[name].enum_items
        self.prop(data, name, text=text)

    def template_icon(self, icon_value: int, *, scale: float = 1.0) -> None:
        assert scale > 0.0
        self._note("picture")

    def template_list(
        self,
        kind: str,
        _id: str,
        data: Any,
        name: str,
        active: Any,
        active_name: str,
        *,
        rows: int = 5,
        maxrows: int = 5,
    ) -> None:
        assert name in data.bl_rna.properties
        assert active_name in active.bl_rna.properties
        item_class = getattr(bpy.types, kind)
        for item in getattr(data, name):
            item_class.draw_item(None, Sidebar(WIDTH), self._inside(), data, item, 0, active, active_name)
        self._note(name)

    def _note(self, text: str, icon: str = "NONE") -> None:
        assert isinstance(text, str)
        assert icon in ICONS, icon
        self.seen.append(text)


class _Options(SimpleNamespace):
    """What is set on an operator's button must be one of its properties."""

    def __init__(self, operator: Any) -> None:
        object.__setattr__(self, "_operator", operator)

    def __setattr__(self, name: str, value: Any) -> None:
        assert name in self._operator.properties, name


def _operator(name: str) -> Any:
    module, verb = name.split(".")
    return getattr(getattr(bpy.ops, module), verb).get_rna_type()


class Sidebar:
    """The context of a sidebar, which there is none of without a window."""

    def __init__(self, width: int) -> None:
        system = SimpleNamespace(ui_scale=1.0, pixel_size=1.0)
        preferences = bpy.context.preferences
        self.region = SimpleNamespace(width=width, height=800)
        self.preferences = SimpleNamespace(
            system=system, themes=preferences.themes, ui_styles=preferences.ui_styles
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(bpy.context, name)


def draw(panel: type, width: int = WIDTH) -> str:
    """Everything that a panel says in a sidebar, one thing a line; empty where it is not shown."""
    context: Any = Sidebar(width)
    if hasattr(panel, "poll") and not panel.poll(context):
        return ""
    stand_in = _StandIn(panel)
    for name in ("draw_header", "draw_header_preset", "draw"):
        if hasattr(panel, name):
            getattr(panel, name)(stand_in, context)
    return "\n".join(stand_in.layout.seen)


class _StandIn:
    """Stands for a panel, which cannot be made without a window; has its methods."""

    def __init__(self, panel: type) -> None:
        self._panel, self.layout = panel, Recorder()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._panel, name)
        return found.__get__(self) if callable(found) else found
