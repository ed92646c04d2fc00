# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation as a site, from the same pages that are read in the checkout."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from .places import CHECKOUT

CONFIGURATION = CHECKOUT / "docs" / "mkdocs.yml"
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/*.md", "docs/listing/*.md")
_LINKS = (re.compile(r"\]\(([^)#\s:]+)[^):]*\)"), re.compile(r'src="([^":]+)"'))
_FETCHED = re.compile(r'(?:\bsrc=|<link[^>]*rel="(?:stylesheet|preconnect)"[^>]*href=)"(https?://[^"]+)"')


def gather(folder: Path) -> Path:
    """Copy the pages and all they show or lead to, at the places they have here; what to build them with."""
    for file in _wanted():
        copy = folder / "pages" / file.relative_to(CHECKOUT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    return Path(shutil.copy(CONFIGURATION, folder))


def fetched(folder: Path) -> list[str]:
    """What the pages of a site would fetch from elsewhere when they are read."""
    return sorted(
        {url for page in folder.rglob("*.html") for url in _FETCHED.findall(page.read_text("utf-8"))}
    )


def _wanted() -> set[Path]:
    pages = {file for pattern in PAGES for file in CHECKOUT.glob(pattern)}
    scripts = set((CHECKOUT / "docs").glob("*.js"))
    return pages | scripts | {file for page in pages for file in _led_to(page) if file.is_file()}


def _led_to(page: Path) -> Iterator[Path]:
    text = page.read_text(encoding="utf-8")
    for pattern in _LINKS:
        for link in pattern.findall(text):
            yield (page.parent / link).resolve()
