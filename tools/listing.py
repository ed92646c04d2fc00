# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures and films of docs/listing, and panels in docs/images, from a real window: `dev.py listing`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from tools.places import ARTEFACTS, CHECKOUT

FOLDER = CHECKOUT / "docs" / "listing"
SCREENSHOTS = ("1-distil", "2-filmstrip", "3-perform", "4-sheet", "5-compare")
FILMS = ("slider", "performance")
THERE_AND_BACK = {"performance"}
MILLISECONDS = 250  # a picture of a film, taken four times a second
WIDEST = 1280
DARK, LIGHT, GREY, ORANGE = "#1d1f23", "#f2f2f2", "#6f7682", "#ff9a2e"


def screenshot(name: str) -> None:
    picture = Image.open(ARTEFACTS / f"listing-{name}.png").convert("RGB")
    picture.thumbnail((WIDEST, WIDEST))
    picture.quantize(192).save(FOLDER / f"{name}.png", optimize=True)


def film(name: str) -> None:
    pictures = [Image.open(file).convert("RGB") for file in sorted(ARTEFACTS.glob(f"listing-{name}-*.png"))]
    if name in THERE_AND_BACK:
        pictures += pictures[-2:0:-1]
    options: dict[str, Any] = {"duration": MILLISECONDS, "loop": 0, "quality": 55, "method": 4}
    pictures[0].save(FOLDER / f"{name}.webp", save_all=True, append_images=pictures[1:], **options)


def icon(side: int = 256) -> Image.Image:
    """A captured curve of many small samples, and the one through three keys that replaces it."""
    fine = 4 * side
    picture = Image.new("RGBA", (fine, fine))
    draw = ImageDraw.Draw(picture)
    draw.rounded_rectangle((0, 0, fine - 1, fine - 1), fine // 6, fill=DARK)

    def place(share: float, wobble: float = 0.0) -> tuple[float, float]:
        high = 0.5 - 0.26 * math.sin(2 * math.pi * (share + 0.02)) + wobble
        return fine * (0.12 + 0.76 * share), fine * high

    for n in range(41):
        x, y = place(n / 40, 0.07 * math.sin(2.4 * n))
        draw.ellipse((x - fine / 90, y - fine / 90, x + fine / 90, y + fine / 90), fill=GREY)
    draw.line([place(n / 200) for n in range(201)], fill=ORANGE, width=fine // 22, joint="curve")
    for share in (0.0, 0.23, 0.73, 1.0):
        x, y = place(share)
        big = fine / 14
        draw.polygon([(x - big, y), (x, y - big), (x + big, y), (x, y + big)], fill=LIGHT)
    return picture.resize((side, side), Image.Resampling.LANCZOS)


def featured() -> None:
    """The poses of a jump, with our name and what we do."""
    seen = Image.open(ARTEFACTS / "listing-featured.png").convert("RGB")
    wide = min(seen.width, seen.height * 16 // 9)
    high = wide * 9 // 16
    left, top = (seen.width - wide) // 2, seen.height - high  # without the header
    picture = seen.crop((left, top, left + wide, top + high)).resize((1920, 1080), Image.Resampling.LANCZOS)
    picture.paste(icon(150), (90, 80), icon(150))
    draw = ImageDraw.Draw(picture)
    draw.text((275, 70), "Posewright", font=ImageFont.load_default(110), fill=LIGHT)
    motto = "Mocap into a few poses. Poses into a performance."
    draw.text((280, 200), motto, font=ImageFont.load_default(44), fill=LIGHT)
    picture.quantize(224).save(FOLDER / "featured.png", optimize=True)


def panels() -> None:
    """Those of Distil, which its page shows."""
    picture = Image.open(ARTEFACTS / "listing-distil-panels.png")  # fewer colours would change the plot's
    picture.save(CHECKOUT / "docs" / "images" / "distil-panels.png", optimize=True)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    icon().save(FOLDER / "icon.png", optimize=True)
    featured()
    panels()
    for name in SCREENSHOTS:
        screenshot(name)
    for name in FILMS:
        film(name)
    for file in sorted(Path(FOLDER).iterdir()):
        print(f"{file.name:20} {file.stat().st_size / 1024:8.0f} kB")


if __name__ == "__main__":
    main()
