# SPDX-License-Identifier: GPL-3.0-or-later
"""What a scenario can do in Blender's window: the mouse, the keys, the sidebar, screenshots."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import bpy
from screenshots import read_screen, write_png

Steps = Generator[float | None, None, None]
Point = tuple[int, int]


class Skip(Exception):
    """The scenario cannot be played here; the message says why."""


class Interface:
    """Coordinates are pixels of the window, from its lower left corner."""

    def __init__(self, task: dict[str, Any]) -> None:
        self.name = Path(task["scenario"]).stem
        self.screenshots = Path(task["screenshots"])
        self.temporary = Path(task["temporary"])
        self.screen = Path(task["screen"])
        self.mocap_folder = task["mocap"]
        self._found: dict[tuple[str, float], Point] = {}

    # -- where things are ---------------------------------------------------------------------------

    @property
    def window(self) -> Any:
        return bpy.context.window_manager.windows[0]

    def area(self, kind: str = "VIEW_3D") -> Any:
        return next(area for area in self.window.screen.areas if area.type == kind)

    def region(self, kind: str = "UI", area: str = "VIEW_3D") -> Any:
        return next(region for region in self.area(area).regions if region.type == kind)

    def middle(self, kind: str = "WINDOW", area: str = "VIEW_3D") -> Point:
        region = self.region(kind, area)
        return region.x + region.width // 2, region.y + region.height // 2

    def override(self, kind: str = "WINDOW", area: str = "VIEW_3D") -> Any:
        """A context manager in which operators believe that the mouse is in that region."""
        return bpy.context.temp_override(
            window=self.window, area=self.area(area), region=self.region(kind, area)
        )

    def on_screen(self, point: Any) -> Point:
        """Where a place in space is in the window."""
        from bpy_extras.view3d_utils import location_3d_to_region_2d

        region = self.region("WINDOW")
        found = location_3d_to_region_2d(region, self.area().spaces.active.region_3d, point)
        assert found is not None, f"{point} is behind the view"
        return round(region.x + found.x), round(region.y + found.y)

    # -- mouse and keys -----------------------------------------------------------------------------

    def move(self, x: int, y: int) -> Steps:
        self.window.event_simulate(type="MOUSEMOVE", value="NOTHING", x=x, y=y)
        yield None

    def click(self, x: int, y: int, button: str = "LEFTMOUSE", **modifiers: bool) -> Steps:
        yield from self.move(x, y)
        yield from self.settle()
        self.window.event_simulate(type=button, value="PRESS", x=x, y=y, **modifiers)
        yield from self.settle()
        self.window.event_simulate(type=button, value="RELEASE", x=x, y=y, **modifiers)
        yield from self.settle()
        yield 0.1

    def settle(self) -> Steps:
        """Wait until Blender has handled what was simulated and drawn again, however slow the machine is."""
        drawn: list[bool] = []
        space = bpy.types.SpaceView3D
        # Everything that has to be drawn is drawn in one go; the header is what takes the least time.
        handle = space.draw_handler_add(drawn.append, (True,), "HEADER", "POST_PIXEL")
        self.region("HEADER").tag_redraw()
        for _ in range(400):
            yield None
            if drawn:
                break
        space.draw_handler_remove(handle, "HEADER")
        assert drawn, "Blender does not draw any more"

    def drag(self, start: Point, stop: Point, steps: int = 20, button: str = "LEFTMOUSE") -> Steps:
        yield from self.move(*start)
        self.window.event_simulate(type=button, value="PRESS", x=start[0], y=start[1])
        yield None
        for step in range(1, steps + 1):
            share = step / steps
            x, y = (round(a + (b - a) * share) for a, b in zip(start, stop, strict=True))
            yield from self.move(x, y)
        self.window.event_simulate(type=button, value="RELEASE", x=stop[0], y=stop[1])
        yield 0.1

    def press(self, key: str, at: Point | None = None, **modifiers: bool) -> Steps:
        """A key, such as "ESC" or "Z" with ctrl=True, with the mouse `at` a place (the 3D view's middle)."""
        x, y = at or self.middle()
        yield from self.move(x, y)
        text = {"SPACE": " "}.get(key, key.lower() if len(key) == 1 and not modifiers else "")
        self.window.event_simulate(type=key, value="PRESS", x=x, y=y, unicode=text, **modifiers)
        self.window.event_simulate(type=key, value="RELEASE", x=x, y=y, **modifiers)
        yield 0.1

    def search(self, words: str) -> Steps:
        """Run what F3 finds first for some words; a screenshot shows what it found."""
        yield from self.press("F3")
        yield 0.5
        x, y = self.middle()
        for letter in words:
            kind = "SPACE" if letter == " " else letter.upper()
            self.window.event_simulate(type=kind, value="PRESS", x=x, y=y, unicode=letter)
            self.window.event_simulate(type=kind, value="RELEASE", x=x, y=y)
            yield None
        yield 0.7
        self.screenshot(words.replace(" ", "-"))
        self.window.event_simulate(type="RET", value="PRESS", x=x, y=y)
        self.window.event_simulate(type="RET", value="RELEASE", x=x, y=y)
        yield 0.3

    def until(self, happened: Callable[[], Any], seconds: float = 20.0, what: str = "") -> Steps:
        for _ in range(int(seconds / 0.1)):
            if happened():
                return
            yield 0.1
        raise AssertionError(f"waited {seconds:g} seconds in vain{' for ' + what if what else ''}")

    # -- the sidebar --------------------------------------------------------------------------------

    def open_sidebar(self, category: str = "Posewright") -> Steps:
        self.area().spaces.active.show_region_ui = True
        yield 0.3
        self.region("UI").active_panel_category = category
        self.area().tag_redraw()
        yield 0.3

    def open_panel(self, name: str) -> None:
        """Closed panels open by a click whose place nobody knows beforehand; made anew they begin open."""
        wanted = getattr(bpy.types, name)
        inside = [
            kind
            for kind in bpy.types.Panel.__subclasses__()
            if getattr(kind, "bl_parent_id", "") == wanted.bl_parent_id and kind.is_registered
        ]
        inside.sort(key=lambda kind: getattr(kind, "bl_order", 0))
        for kind in inside:
            bpy.utils.unregister_class(kind)
        wanted.bl_options = set()
        for kind in inside:
            bpy.utils.register_class(kind)

    def widen_sidebar(self, pixels: int = 160) -> Steps:
        """Drag the sidebar's edge, so that labels are readable in screenshots."""
        region = self.region("UI")
        edge = (region.x, region.y + region.height - 20)  # it can be grabbed beside panels only
        yield from self.drag(edge, (edge[0] - pixels, edge[1]))

    def find(self, wanted: str, column: float = 0.5) -> Generator[float | None, None, Point]:
        """The place in the sidebar of an operator ("posewright.analyze") or a property ("key_count").

        The mouse looks for it from the top down, `column` being its share of the way from left to right:
        Blender tells what is under the mouse, as it does for Copy Data Path in a button's menu.
        """
        known = self._found.get((wanted, column))
        if known is not None and (yield from self._is_at(known, wanted)):  # most things stay where they are
            return known
        seen: list[str] = []
        place = self.region("UI")
        x = place.x + round(place.width * column)
        for y in range(place.y + place.height - 12, place.y, -9):
            yield from self.move(x, y)
            name = self._under_mouse()
            if name and name not in seen:
                seen.append(name)
            if _matches(name, wanted) and (yield from self._is_at((x, y - 4), wanted)):
                self._found[wanted, column] = (x, y - 4)
                return x, y - 4
        raise AssertionError(f"there is no {wanted} in the sidebar, only {seen}")

    def _is_at(self, place: Point, wanted: str) -> Generator[float | None, None, bool]:
        """Whether it is there also when the sidebar was drawn anew, and not only what was there before."""
        self.region("UI").tag_redraw()
        yield from self.settle()
        yield from self.move(*place)
        yield from self.settle()
        return _matches(self._under_mouse(), wanted)

    def press_button(self, operator: str, column: float = 0.5) -> Steps:
        x, y = yield from self.find(operator, column)
        yield from self.click(x, y)

    def _under_mouse(self) -> str:
        manager = bpy.context.window_manager
        manager.clipboard = ""
        with self.override("UI"):
            for command in (
                lambda: bpy.ops.ui.copy_python_command_button(),
                lambda: bpy.ops.ui.copy_data_path_button(full_path=True),
            ):
                try:
                    command()
                except RuntimeError:
                    continue  # no button there, or one of the other kind
                if manager.clipboard:
                    return manager.clipboard
        return ""

    # -- what was seen ------------------------------------------------------------------------------

    def screenshot(self, name: str) -> Path:
        """What is on the screen now; `yield 0.3` before it lets Blender draw."""
        path = self.screenshots / f"{self.name}-{name}.png"
        write_png(path, read_screen(self.screen))
        return path

    # -- things to look at --------------------------------------------------------------------------

    def clear(self) -> None:
        """An empty scene."""
        for thing in list(bpy.data.objects):
            bpy.data.objects.remove(thing)

    def mocap(self, name: str) -> Any:
        """Import a clip of real motion capture, without the T-pose of its first frame."""
        clip = Path(self.mocap_folder or "") / f"{name}.bvh"
        if self.mocap_folder is None or not clip.is_file():
            raise Skip(f"no motion capture clip {name}: set POSEWRIGHT_MOCAP to a folder of BVH clips")
        lines = clip.read_text().splitlines()
        row = next(n for n, line in enumerate(lines) if line.startswith("Frames:"))
        lines[row] = f"Frames: {int(lines[row].split(':')[1]) - 1}"
        del lines[row + 2]
        trimmed = self.temporary / clip.name
        trimmed.write_text("\n".join(lines) + "\n")
        with self.override():
            bpy.ops.import_anim.bvh(
                filepath=str(trimmed), global_scale=0.06, update_scene_fps=True, update_scene_duration=True
            )
        return bpy.context.view_layer.objects.active

    def character(self, name: str) -> Any:
        """Import a character with Blender's defaults and touch nothing; its armature."""
        from benchmarks import character_files

        folder = character_files.character_folder()
        if folder is None or not (folder / name).is_file():
            raise Skip(f"no {name}: put characters in ../shared/characters")
        with self.override():
            return character_files.import_into_scene(folder / name)

    def frame_all(self) -> Steps:
        with self.override():
            bpy.ops.view3d.view_all()
        yield 0.3


def _matches(name: str, wanted: str) -> bool:
    return f"ops.{wanted}(" in name or name.endswith(f".{wanted}")
