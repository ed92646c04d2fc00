# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation as a site: every page is in it, with what it shows, and nothing is fetched."""

from __future__ import annotations

import re
from pathlib import Path

from tools import site


def test_every_page_has_a_place_in_the_navigation(checkout: Path) -> None:
    pages = {
        file.relative_to(checkout).as_posix() for pattern in site.PAGES for file in checkout.glob(pattern)
    }
    named = re.findall(r": (\S+\.md)$", site.CONFIGURATION.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(pages) > 20
    assert sorted(named) == sorted(pages)


def test_what_pages_show_and_lead_to_comes_along(checkout: Path, tmp_path: Path) -> None:
    configuration = site.gather(tmp_path)
    assert configuration.parent == tmp_path
    gathered = {
        file.relative_to(tmp_path / "pages").as_posix()
        for file in (tmp_path / "pages").rglob("*")
        if file.is_file()
    }
    assert {
        "README.md",
        "docs/tour.md",
        "docs/listing/1-distil.png",
        "docs/iframe-worker.js",
        "core/workers.py",
        "LICENSE",
    } <= gathered
    assert not any(name.startswith("docs/mkdocs") for name in gathered)


def test_what_pages_would_fetch_is_found(tmp_path: Path) -> None:
    page = '<script src="../own.js"></script><a href="https://a.example/">a link</a>'
    (tmp_path / "page.html").write_text(page)
    assert site.fetched(tmp_path) == []
    (tmp_path / "page.html").write_text(f'{page}<script src="https://b.example/shim"></script>')
    assert site.fetched(tmp_path) == ["https://b.example/shim"]


def test_nothing_is_fetched(checkout: Path) -> None:
    text = site.CONFIGURATION.read_text(encoding="utf-8")
    assert "font: false" in text
    assert "://" not in text
