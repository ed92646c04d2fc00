# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation opens inside Blender, and touches nothing of the user's."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import bpy
import pytest

from tests.blender import panel_recorder


@pytest.fixture
def pages(clean_blender: Any) -> Any:
    return importlib.import_module(f"{clean_blender.__name__}.bridge.help_pages")


@pytest.fixture
def plain(clean_blender: Any) -> Any:
    return importlib.import_module(f"{clean_blender.__name__}.bridge.markdown").as_plain_text


def _names() -> list[str]:
    return bpy.ops.posewright.help.get_rna_type().properties["page"].enum_items.keys()


def test_every_page_opens_and_reads_well(pages: Any):
    for name in _names():
        assert bpy.ops.posewright.help(page=name) == {"FINISHED"}
    assert len(bpy.data.texts) == len(_names())
    for text in bpy.data.texts:
        content = text.as_string()
        assert len(content) > 500
        assert "](" not in content
        assert "![" not in content
        assert "```" not in content
        assert not any(line.startswith(("#", "|")) for line in content.splitlines())


def test_a_page_is_made_anew_and_not_saved_with_the_file(pages: Any, tmp_path: Path):
    bpy.ops.posewright.help(page="perform")
    text = bpy.data.texts["Posewright Perform"]
    as_made = text.as_string()
    text.write("scribbled")
    bpy.ops.posewright.help(page="perform")
    assert [text.name for text in bpy.data.texts] == ["Posewright Perform"]
    assert text.as_string() == as_made
    assert not text.use_fake_user
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    assert not bpy.data.texts


def test_a_text_of_the_user_is_left_alone(pages: Any, tmp_path: Path):
    own = bpy.data.texts.new("Posewright Perform")
    own.write("mine")
    bpy.ops.posewright.help(page="perform")
    bpy.ops.posewright.help(page="perform")
    assert own.as_string() == "mine"
    assert len(bpy.data.texts) == 2
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    assert [text.as_string() for text in bpy.data.texts] == ["mine"]


def test_a_page_stays_over_undo(pages: Any):
    bpy.ops.ed.undo_push()
    bpy.ops.posewright.help(page="distil")
    bpy.ops.ed.undo_push()
    bpy.data.objects.new("later", None)
    bpy.ops.ed.undo_push()
    bpy.ops.ed.undo()
    assert bpy.data.texts["Posewright How It Works"].as_string()


def test_a_missing_page_is_a_sentence(pages: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pages, "FOLDER", tmp_path)
    with pytest.raises(RuntimeError, match="install Posewright again"):
        bpy.ops.posewright.help(page="distil")
    assert not bpy.data.texts


@pytest.mark.parametrize("name", ["distil", "pictures", "spatial"])
def test_main_panels_link_to_their_page(clean_blender: Any, name: str):
    panel = getattr(bpy.types, f"POSEWRIGHT_PT_{name}")
    assert panel.help_page in _names()
    assert "posewright.help" in panel_recorder.draw(panel)


def test_prose_tables_and_code(plain: Any):
    page = """# Title
A line
that goes on, with **bold**, *weak* and a [link](there.md), 2 * 3 * 4.

![picture](a.png)

- an item
  that goes on, and on, and on, and on, and on, and on, and on, and on, and on, and on, and on, until it ends
- another

| a | long heading |
|---|---|
| longer | b |

    2**3 [kept](as it is)
    second

```python
x = 2**3
```
"""
    assert (
        plain(page)
        == """Title
=====

A line that goes on, with bold, weak and a link, 2 * 3 * 4.

- an item that goes on, and on, and on, and on, and on, and on, and on, and on, and on, and on,
  and on, until it ends
- another

a       long heading
longer  b

    2**3 [kept](as it is)
    second

    x = 2**3
"""
    )
