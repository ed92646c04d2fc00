# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages of the documentation, which come with the extension, in Blender's Text Editor.

They are for reading and not part of anybody's work: Blender does not save them with the file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy

from ..core import InputError
from .markdown import as_plain_text
from .pictures.images import OURS, to_text
from .pictures.show import new_editor

FOLDER = Path(__file__).resolve().parents[1] / "docs"

# Name, label and what it is about, as Blender wants the items of a choice; the file is `docs/<name>.md`.
PAGES = (
    ("tour", "Tour", "Step by step from a clip of motion capture to a few poses that you can edit"),
    ("distil", "How It Works", "What happens to an action that is distilled, and how close the keys come"),
    ("editing", "Editing", "What becomes of what you change on the keys: it stays with every number of keys"),
    ("perform", "Perform", "Set poses in space, drag between them and record what you perform"),
    ("pictures", "Pictures", "Ghosts, pose sheets, thumbnails of actions and comparisons"),
    ("characters", "Characters", "What is found out about a character, and what to do where that is wrong"),
    ("algorithms", "Which Algorithm", "What each algorithm and objective is good for"),
    ("python", "Python", "Short examples for Blender's Python console"),
    ("command-line", "Command Line", "Whole folders of clips from a terminal"),
)

WHERE_THE_OTHERS_ARE = "\n\nAll pages are in Blender's menu: Help > Posewright.\n"


def page(name: str) -> bpy.types.Text:
    """A page as a text, made anew; a text of the same name that the user made is left alone."""
    file = FOLDER / f"{name}.md"
    try:
        content = file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            "The page {file} is not in this installation: install Posewright again to have it.",
            file=file.name,
        ) from error
    text = to_text(as_plain_text(content) + WHERE_THE_OTHERS_ARE, f"Posewright {_label(name)}")
    text.use_fake_user = False
    text.is_runtime_data = True  # not saved with the file
    text.cursor_set(0)
    return text


def show(context: bpy.types.Context, text: bpy.types.Text) -> bool:
    """Open a page in the window that already shows one, or in a new one; False where there are no windows."""
    if bpy.app.background or context.window is None:
        return False
    space = _editor_with_a_page(context) or new_editor(context, "TEXT_EDITOR")
    if space is None:
        return False
    space.text = text
    space.top = 0
    space.show_word_wrap = True
    space.show_line_numbers = False
    space.show_syntax_highlight = False
    return True


def _editor_with_a_page(context: bpy.types.Context) -> Any | None:
    """Editors of the user's own texts are left alone."""
    spaces = (
        area.spaces.active
        for window in context.window_manager.windows
        for area in window.screen.areas
        if area.type == "TEXT_EDITOR"
    )
    return next((space for space in spaces if space.text is not None and _is_page(space.text)), None)


def _is_page(text: bpy.types.Text) -> bool:
    return text.get(OURS) in {f"Posewright {label}" for _, label, _ in PAGES}


def _label(name: str) -> str:
    return next(label for known, label, _ in PAGES if known == name)
