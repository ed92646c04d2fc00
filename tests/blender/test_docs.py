# SPDX-License-Identifier: GPL-3.0-or-later
"""Every command and example that the documentation shows is run, or at least understood."""

from __future__ import annotations

import contextlib
import importlib
import io
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bpy
import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
PAGES = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PICTURE_OR_LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")


def blocks(page: Path, language: str) -> Iterator[str]:
    return (text for found, text in FENCE.findall(page.read_text(encoding="utf-8")) if found == language)


PYTHON = [
    pytest.param(text, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, text in enumerate(blocks(page, "python"), start=1)
]
COMMANDS = [
    pytest.param(line, id=f"{page.stem}: {line[-60:]}")
    for page in PAGES
    for text in blocks(page, "sh")
    for line in text.splitlines()
    if "posewright reduce" in line or "posewright sheet" in line or "posewright compare" in line
]


def test_there_is_something_to_test() -> None:
    assert len(PYTHON) > 8
    assert len(COMMANDS) > 8


@pytest.mark.parametrize("example", PYTHON)
def test_examples_run_as_they_stand(example: str, humanoid: Callable[..., Any], tmp_path: Path) -> None:
    armature = humanoid(1.0)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))  # so that // leads there
    bpy.context.view_layer.objects.active = armature
    armature.select_set(True)
    if "bake_cursor" in example or "bake_path" in example:
        _add_two_keys()
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(example, "documentation", "exec"), {"bpy": bpy})
    assert not armature.posewright.problem


def _add_two_keys() -> None:
    """What the example before leaves: a set with two keys."""
    bpy.ops.posewright.spatial_set_add()
    cursor = bpy.context.object.posewright.spatial.sets[0].cursor
    for x in (-1.0, 1.0):
        cursor.location.x = x
        bpy.context.view_layer.update()
        bpy.ops.posewright.spatial_key_add()


@pytest.mark.parametrize("line", COMMANDS)
def test_command_lines_are_understood(line: str, posewright: Any) -> None:
    """The words after `posewright`, wherever a farm's own command puts them, must parse."""
    arguments = importlib.import_module(f"{posewright.__name__}.cli.arguments")
    words = shlex.split(re.sub(r"\$\(\([^)]*\)\)|\$\w+|<\w+>|#\w+#|\{\}", "1", line))
    said = next(word for word in words if "posewright" in word)
    if " " in said:  # a command inside a command
        words = shlex.split(said)
    start = next(index for index, word in enumerate(words) if Path(word).name == "posewright") + 1
    end = words.index(":::") if ":::" in words else len(words)
    parsed = arguments.parser().parse_args(words[start:end])
    assert parsed.verb in ("reduce", "sheet", "compare")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_and_pictures_lead_somewhere(page: Path) -> None:
    targets = PICTURE_OR_LINK.findall(page.read_text(encoding="utf-8"))
    missing = [
        target
        for target in targets
        if not target.startswith(("http:", "https:")) and not (page.parent / target).exists()
    ]
    assert not missing
