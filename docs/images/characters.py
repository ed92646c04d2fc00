# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes docs/images/character-*.png of the screenshots that the scenario `characters` has left.

python3 dev.py gui -k characters, then python docs/images/characters.py with a Python that has Pillow
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image

HERE = Path(__file__).resolve()
SHOTS = HERE.parents[2] / "test-artefacts"
VIEW = (330, 75, 920, 895)  # of the screen: the middle of the 3D view, ...
PANELS = (1028, 85, 1286, 900)  # ... and its sidebar
TALL, LOW, GAP = 390, 170, 10
COLOURS = 224


def scaled(name: str, what: str, height: int, crop: tuple[int, int, int, int] | None = None) -> Image.Image:
    picture = Image.open(SHOTS / f"characters-{name}-{what}.png").convert("RGB")
    picture = picture.crop(crop) if crop else picture
    return picture.resize((round(picture.width * height / picture.height), height), Image.Resampling.LANCZOS)


def montage(name: str) -> Image.Image:
    """What was found, ghosts and a set with its cursor; thumbnail and sheet below, panels beside."""
    views = [scaled(name, what, TALL, VIEW) for what in ("found", "ghosts", "cursor")]
    panels = scaled(name, "ghosts", TALL + GAP + LOW, PANELS)
    thumbnail, sheet = scaled(name, "thumbnail", LOW), scaled(name, "sheet", LOW)
    left = sum(each.width + GAP for each in views)
    sheet.thumbnail((left - thumbnail.width - 2 * GAP, LOW))
    found = Image.new("RGB", (left + panels.width, panels.height), "white")
    for number, each in enumerate(views):
        found.paste(each, (number * (each.width + GAP), 0))
    found.paste(thumbnail, (0, TALL + GAP))
    found.paste(sheet, (thumbnail.width + GAP, TALL + GAP + (LOW - sheet.height) // 2))
    found.paste(panels, (left, 0))
    return found


def main() -> None:
    for file in sorted(SHOTS.glob("characters-*-found.png")):
        name = file.stem.removeprefix("characters-").removesuffix("-found")
        picture = montage(name).quantize(COLOURS, dither=Image.Dither.NONE)
        picture.save(HERE.with_name(f"character-{name.lower()}.png"), optimize=True)


if __name__ == "__main__":
    main()
