# SPDX-License-Identifier: GPL-3.0-or-later
"""Enabling, disabling and enabling again leaves nothing behind, and says nothing."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import bpy
import pytest

MODULE = "bl_ext.user_default.posewright"

Snapshot = dict[str, set[Any]]


def _blender_types() -> list[type]:
    found = [getattr(bpy.types, name) for name in dir(bpy.types)]
    return [kind for kind in found if isinstance(kind, type)]


def _subclasses(cls: type) -> Iterator[type]:
    for subclass in cls.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)


def _properties() -> set[str]:
    return {
        f"{kind.__name__}.{name}"
        for kind in _blender_types()
        if hasattr(kind, "bl_rna")
        for name in kind.bl_rna.properties.keys()  # noqa: SIM118  (a Blender collection is no dict)
    }


def _handlers() -> set[str]:
    lists = {name: getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers) if name[0] != "_"}
    return {
        f"{name}: {function.__module__}.{function.__qualname__}"
        for name, functions in lists.items()
        if isinstance(functions, list)
        for function in functions
    }


def _timers() -> set[str]:
    """Timers cannot be listed, but each of our functions can be asked about."""
    # By type() and not isinstance(), which asks things that Blender has freed already.
    callables = [thing for thing in gc.get_objects() if type(thing) in (FunctionType, functools.partial)]
    return {str(thing) for thing in callables if _is_ours(thing) and bpy.app.timers.is_registered(thing)}


def _is_ours(thing: Any) -> bool:
    function = thing.func if isinstance(thing, functools.partial) else thing
    return str(getattr(function, "__module__", "")).startswith(MODULE)


def _keymaps() -> set[str]:
    configurations = bpy.context.window_manager.keyconfigs
    return {
        f"{name}: {keymap.name}: {item.idname} {item.type} {item.value}"
        for name in ("addon", "user", "default")
        for keymap in (getattr(configurations, name).keymaps if getattr(configurations, name) else ())
        for item in keymap.keymap_items
    }


def _menu_entries() -> set[str]:
    return {
        f"{kind.__name__}: {function.__module__}.{function.__qualname__}"
        for kind in _blender_types()
        for function in getattr(getattr(kind, "draw", None), "_draw_funcs", ())
        # A menu that was appended to once lists its own draw function from then on.
        if function.__qualname__ != f"{kind.__name__}.draw"
    }


def _registered_classes() -> set[str]:
    return {
        f"{cls.__module__}.{cls.__qualname__}"
        for cls in _subclasses(bpy.types.bpy_struct)
        # Blender makes the classes of its own types when somebody first looks at them.
        if getattr(cls, "is_registered", False) and cls.__module__ != "bpy.types"
    }


def snapshot() -> Snapshot:
    return {
        "classes": _registered_classes(),
        "types": set(dir(bpy.types)),
        "operators": set(dir(bpy.ops.posewright)),
        "properties": _properties(),
        "handlers": _handlers(),
        "timers": _timers(),
        "keymaps": _keymaps(),
        "menu entries": _menu_entries(),
        "tools": {str(tool) for tool in _toolbar_entries()},
    }


def _toolbar_entries() -> Iterator[Any]:
    toolbar: Any = bpy.types.VIEW3D_PT_tools_active
    for tools in toolbar._tools.values():
        yield from tools


def difference(before: Snapshot, after: Snapshot) -> dict[str, Any]:
    return {
        kind: {"gone": before[kind] - after[kind], "left behind": after[kind] - before[kind]}
        for kind in before
        if before[kind] != after[kind]
    }


class Balance:
    """Counts what is added and removed, for lists that Blender does not let one read."""

    def __init__(self) -> None:
        self.added: list[Any] = []
        self.removed: list[Any] = []

    def adding(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def add(*arguments: Any, **named: Any) -> Any:
            handle = function(*arguments, **named)
            self.added.append(handle)
            return handle

        return add

    def removing(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def remove(handle: Any, *arguments: Any) -> Any:
            self.removed.append(handle)
            return function(handle, *arguments)

        return remove

    def left(self) -> list[Any]:
        return [handle for handle in self.added if not any(handle is gone for gone in self.removed)]


@pytest.fixture
def draw_callbacks(monkeypatch: pytest.MonkeyPatch) -> Balance:
    balance = Balance()
    spaces = [kind for kind in _blender_types() if bpy.types.Space in kind.__bases__]
    for space in spaces:
        monkeypatch.setattr(space, "draw_handler_add", balance.adding(space.draw_handler_add))
        monkeypatch.setattr(space, "draw_handler_remove", balance.removing(space.draw_handler_remove))
    return balance


@pytest.fixture
def cli_commands(monkeypatch: pytest.MonkeyPatch) -> Balance:
    balance = Balance()
    for name, wrap in (
        ("register_cli_command", balance.adding),
        ("unregister_cli_command", balance.removing),
    ):
        monkeypatch.setattr(bpy.utils, name, wrap(getattr(bpy.utils, name)))
    return balance


@pytest.fixture
def disabled(clean_blender: Any) -> Iterator[None]:
    disable()
    yield
    enable()


def enable() -> None:
    bpy.ops.preferences.addon_enable(module=MODULE)
    assert MODULE in bpy.context.preferences.addons


def disable() -> None:
    bpy.ops.preferences.addon_disable(module=MODULE)
    assert MODULE not in bpy.context.preferences.addons


def test_disabling_leaves_nothing_behind(
    disabled: None, draw_callbacks: Balance, cli_commands: Balance, capfd: pytest.CaptureFixture[str]
):
    before = snapshot()
    enable()
    enabled = snapshot()
    disable()
    assert difference(before, snapshot()) == {}
    enable()
    assert difference(enabled, snapshot()) == {}
    disable()
    assert difference(before, snapshot()) == {}
    assert draw_callbacks.left() == []
    assert cli_commands.left() == []
    assert "Traceback" not in "".join(capfd.readouterr()), "Blender swallows exceptions of register()"


def test_nothing_of_ours_is_there_while_disabled(disabled: None):
    ours = {
        kind: {entry for entry in entries if "posewright" in entry.lower()}
        for kind, entries in snapshot().items()
        if kind != "classes"  # classes that were registered before stay in memory, unregistered
    }
    assert not any(ours.values()), ours


def test_the_snapshot_sees_what_is_left_behind(clean_blender: Any):
    """A test that compares is worth nothing if it could not see a difference."""

    class POSEWRIGHT_OT_left_behind(bpy.types.Operator):
        bl_idname = "posewright.left_behind"
        bl_label = "Left behind"

    def draw(self: Any, context: Any) -> None:
        pass

    def tick() -> None:
        pass

    tick.__module__ = MODULE
    before = snapshot()
    bpy.utils.register_class(POSEWRIGHT_OT_left_behind)
    owner: Any = bpy.types.Object
    owner.posewright_left_behind = bpy.props.BoolProperty()
    bpy.app.handlers.frame_change_post.append(draw)
    bpy.types.VIEW3D_MT_object.append(draw)
    bpy.app.timers.register(tick, first_interval=1000.0)
    try:
        seen = set(difference(before, snapshot()))
    finally:
        bpy.app.timers.unregister(tick)
        bpy.types.VIEW3D_MT_object.remove(draw)
        bpy.app.handlers.frame_change_post.remove(draw)
        del owner.posewright_left_behind
        bpy.utils.unregister_class(POSEWRIGHT_OT_left_behind)
    assert {"classes", "operators", "properties", "handlers", "menu entries", "timers"} <= seen
    assert difference(before, snapshot()) == {}


def test_draw_callbacks_are_counted(draw_callbacks: Balance):
    space = bpy.types.SpaceView3D
    handle = space.draw_handler_add(lambda: None, (), "WINDOW", "POST_VIEW")
    assert draw_callbacks.left() == [handle]
    space.draw_handler_remove(handle, "WINDOW")
    assert draw_callbacks.left() == []
