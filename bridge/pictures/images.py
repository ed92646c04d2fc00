# SPDX-License-Identifier: GPL-3.0-or-later
"""Canvases as Blender images, PNG files and previews of data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...core import InputError
from ...core.picture import Canvas, png
from ..whole_files import written_whole


def to_image(canvas: Canvas, name: str) -> bpy.types.Image:
    """A packed image, saved with the file; one of the same name that Posewright made before is replaced.

    Blender's rows start at the bottom, a canvas' at the top.
    """
    image = _made_before(bpy.data.images, name)
    if image is None:
        image = bpy.data.images.new(name, canvas.width, canvas.height, alpha=True)
        image[OURS] = name
    elif tuple(image.size) != (canvas.width, canvas.height):
        image.scale(canvas.width, canvas.height)
    image.pixels.foreach_set(np.ascontiguousarray(canvas.straight()[::-1]).ravel())
    image.update()
    image.pack()
    return image


def save_png(canvas: Canvas, path: str) -> Path:
    """Write a PNG where the user said; `//` is the folder of the blend file."""
    return _save(path, ".png", png(canvas.bytes()))


def save_csv(content: str, path: str) -> Path:
    """Write comma-separated values where the user said."""
    return _save(path, ".csv", content.encode())


def _save(path: str, ending: str, content: bytes) -> Path:
    if path.startswith("//") and not bpy.data.filepath:
        raise InputError(
            "The file has not been saved yet, so // leads nowhere: save it or give a whole path."
        )
    target = Path(bpy.path.abspath(path))
    # "walk.v2" is a name and no file type.
    known = target.suffix.lower() in (".png", ".csv")
    target = target.with_suffix(ending) if known else target.with_name(target.name + ending)
    try:
        with written_whole(target) as partial:
            partial.write_bytes(content)
    except OSError as error:
        raise InputError(
            "Nothing could be written to {target}: {strerror}.", target=target, strerror=error.strerror
        ) from error
    return target


def to_text(content: str, name: str) -> bpy.types.Text:
    """A text for the Text Editor; one of the same name that Posewright made before is replaced."""
    text = _made_before(bpy.data.texts, name)
    if text is None:
        text = bpy.data.texts.new(name)
        text[OURS] = name
    text.from_string(content)
    return text


def set_preview(owner: bpy.types.ID, canvas: Canvas) -> None:
    """Show a canvas as the preview of some data, in the Asset Browser and wherever previews are shown.

    Unlike images, previews hold colours that are premultiplied by alpha, as Blender draws icons.
    """
    preview: Any = owner.preview_ensure()
    preview.image_size = (canvas.width, canvas.height)
    preview.image_pixels_float.foreach_set(np.ascontiguousarray(canvas.pixels[::-1]).ravel())


# Marks what was made here by the name it was made for: the user's own data of that name is left alone, and
# what Blender had to rename or to shorten the name of is found again.
OURS = "posewright"


def _made_before(collection: Any, name: str) -> Any | None:
    return next((item for item in collection if item.library is None and item.get(OURS) == name), None)
