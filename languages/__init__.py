# SPDX-License-Identifier: GPL-3.0-or-later
"""What Posewright says, in other languages than English: one file for each, sentence by sentence.

Blender shows the sentence of its interface's language wherever it would show the English one. Names in braces
stand for what is put in. `python3 dev.py messages` tells what a file lacks.
"""

from __future__ import annotations

import json
from pathlib import Path

import bpy

FOLDER = Path(__file__).parent
# Of our settings: without it Blender would show its own word for, say, the blend mode Screen.
OURS = "Posewright"
CONTEXTS = ("*", "Operator", OURS)  # Blender looks for the names of operators apart from everything else


def spoken_languages() -> list[str]:
    """By Blender's own names for them."""
    return sorted(file.stem for file in FOLDER.glob("*.json"))


def translations(language: str) -> dict[str, str]:
    """What to say for each English sentence."""
    return json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))


def register() -> None:
    bpy.app.translations.register(
        __package__,
        {
            language: {
                (context, english): said
                for english, said in translations(language).items()
                for context in CONTEXTS
            }
            for language in spoken_languages()
        },
    )


def unregister() -> None:
    bpy.app.translations.unregister(__package__)
