# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Extensions platform asks of an add-on and its own checker cannot see: read from the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PARTS = ("bridge", "cli", "core", "drawing", "handlers", "operators", "panels", "properties")
INTERPRETER = {"sys.modules", "sys.path", "sys.meta_path", "sys.path_hooks"}
CHANGING = {"append", "clear", "extend", "insert", "pop", "remove", "setdefault", "update"}


def _shipped(checkout: Path) -> list[Path]:
    files = [file for part in PARTS for file in (checkout / part).rglob("*.py")]
    return [checkout / "__init__.py", *files]


def _changed(tree: ast.AST) -> Iterator[str]:
    """What is assigned, deleted or changed by a method, as written."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.Delete)):
            yield from (ast.unparse(target) for target in node.targets)
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
            yield ast.unparse(node.target)
        elif (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING
        ):
            yield ast.unparse(node.func.value)


def _changes_to_the_interpreter(source: str) -> set[str]:
    return {name for name in _changed(ast.parse(source)) if name.split("[")[0] in INTERPRETER}


def test_nothing_shipped_changes_where_python_finds_modules(checkout: Path) -> None:
    files = _shipped(checkout)
    assert len(files) > 100
    found = {file: _changes_to_the_interpreter(file.read_text(encoding="utf-8")) for file in files}
    assert {str(file.relative_to(checkout)): what for file, what in found.items() if what} == {}


@pytest.mark.parametrize(
    "source",
    [
        "import sys\nsys.modules['posewright'] = None",
        "import sys\nsys.path.insert(0, 'folder')",
        "import sys\nsys.path += ['folder']",
        "import sys\ndel sys.modules['posewright']",
    ],
)
def test_such_a_change_is_found(source: str) -> None:
    assert _changes_to_the_interpreter(source)
