# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Extensions platform asks of an add-on and its own checker cannot see: read from the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PARTS = ("bridge", "cli", "core", "drawing", "handlers", "operators", "panels", "properties")
NETWORK = {
    "aiohttp",
    "ftplib",
    "http",
    "requests",
    "smtplib",
    "socket",
    "ssl",
    "telnetlib",
    "urllib",
    "urllib3",
}
INTERPRETER = {"sys.modules", "sys.path", "sys.meta_path", "sys.path_hooks"}
CHANGING = {"append", "clear", "extend", "insert", "pop", "remove", "setdefault", "update"}


def _shipped(checkout: Path) -> list[Path]:
    files = [file for part in PARTS for file in (checkout / part).rglob("*.py")]
    return [checkout / "__init__.py", *files]


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module


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


def _called(tree: ast.AST) -> Iterator[str]:
    yield from (ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call))


def _trespasses(source: str) -> set[str]:
    tree = ast.parse(source)
    network = {f"imports {name}" for name in _imported(tree) if name.split(".")[0] in NETWORK}
    interpreter = {f"changes {name}" for name in _changed(tree) if name.split("[")[0] in INTERPRETER}
    code = {f"calls {name}" for name in _called(tree) if name in {"eval", "exec", "os.system"}}
    return network | interpreter | code


def test_nothing_shipped_reaches_the_network_or_changes_the_interpreter(checkout: Path) -> None:
    found = {
        file.relative_to(checkout): _trespasses(file.read_text(encoding="utf-8"))
        for file in _shipped(checkout)
    }
    assert len(found) > 100
    assert {str(file): what for file, what in found.items() if what} == {}


@pytest.mark.parametrize(
    "source",
    [
        "import urllib.request",
        "from socket import create_connection",
        "import sys\nsys.modules['posewright'] = None",
        "import sys\nsys.path.insert(0, 'folder')",
        "import sys\nsys.path += ['folder']",
        "eval('1 + 1')",
    ],
)
def test_a_trespass_is_found(source: str) -> None:
    assert _trespasses(source)
