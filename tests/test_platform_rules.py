# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Extensions platform asks of an add-on and its own checker cannot see: read from the source."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

PARTS = ("bridge", "cli", "core", "drawing", "handlers", "languages", "operators", "panels", "properties")
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


def _questions_about_the_version(source: str) -> set[str]:
    """Whether a program asks which Blender this is: for its number, or for what only some have."""
    found = {
        ast.unparse(node)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, (ast.Attribute, ast.Call))
    }
    return {each for each in found if each.startswith(("bpy.app.version", "hasattr(")) or "HAS_SLOTS" in each}


def test_one_file_knows_what_differs_between_versions(checkout: Path) -> None:
    found = {
        str(file.relative_to(checkout))
        for file in _shipped(checkout)
        if _questions_about_the_version(file.read_text(encoding="utf-8"))
    }
    assert found == {"bridge/versions.py"}


def _gone_through(tree: ast.AST) -> Iterator[ast.expr]:
    """What loops, comprehensions and the like take one by one."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.comprehension)):
            either = node.iter
            yield from (either.body, either.orelse) if isinstance(either, ast.IfExp) else (either,)
        elif isinstance(node, (ast.YieldFrom, ast.Starred)) and node.value is not None:
            yield node.value
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("iter", "list", "set", "tuple"):
            yield from node.args


def _searches_of_the_file(source: str) -> list[str]:
    """Loops over all objects of a file, which may be thousands; `in` and a look by name are no loops."""
    ways = {"bpy.data.objects", "bpy.data.objects.values()", "bpy.data.objects.items()"}
    return [text for each in _gone_through(ast.parse(source)) if (text := ast.unparse(each)) in ways]


def test_one_file_goes_through_all_objects_and_says_why(checkout: Path) -> None:
    found = {
        str(file.relative_to(checkout))
        for file in _shipped(checkout)
        if _searches_of_the_file(file.read_text(encoding="utf-8"))
    }
    assert found == {"bridge/everything.py"}


@pytest.mark.parametrize(
    "source",
    [
        "for thing in bpy.data.objects: pass",
        "found = [thing for thing in bpy.data.objects if thing.type]",
        "found = list(bpy.data.objects)",
        "found = [thing for thing in (bpy.data.objects if yes else ())]",
    ],
)
def test_such_a_search_is_found(source: str) -> None:
    assert _searches_of_the_file(source)


NETWORK = {"ftplib", "http", "requests", "smtplib", "socket", "ssl", "urllib", "webbrowser", "xmlrpc"}
UNSAFE = {"ctypes", "marshal", "pickle", "shelve"}


def test_no_network_no_pickle_no_eval(checkout: Path) -> None:
    """What the manifest asks no permission for, and what a file from a stranger could run."""
    for file in _shipped(checkout):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        nodes = list(ast.walk(tree))
        names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
        assert not {name.split(".")[0] for name in names} & (NETWORK | UNSAFE), file
        called = {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)}
        assert not called & {"eval", "exec", "__import__", "pip.main"}, file


def test_the_manifest_says_where_to_find_us_and_what_is_done_with_files(checkout: Path) -> None:
    manifest = tomllib.loads((checkout / "blender_manifest.toml").read_text(encoding="utf-8"))
    assert manifest["website"].startswith("https://")
    assert manifest["website"].rstrip("/").endswith(manifest["id"])
    assert "command line reads and writes clips" in manifest["permissions"]["files"]
    assert not manifest["permissions"]["files"].endswith("."), "a rule of the platform"
    assert not manifest["tagline"].endswith("."), "a rule of the platform"
    assert len(manifest["tagline"]) <= 64, "a rule of the platform"


def test_the_changelog_tells_of_this_version(checkout: Path) -> None:
    manifest = tomllib.loads((checkout / "blender_manifest.toml").read_text(encoding="utf-8"))
    heading = re.search(r"^## (.*)$", (checkout / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert heading is not None
    version, _, date = heading[1].partition(", ")
    assert version == manifest["version"]
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", date), "released on a day"


def test_names_of_classes_are_ours(checkout: Path) -> None:
    """Operators, menus and panels begin with our name, so that they are in nobody's way."""
    kinds = {"bpy.types.Operator", "bpy.types.Panel", "bpy.types.Menu", "bpy.types.UIList"}
    for file in _shipped(checkout):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and kinds & {ast.unparse(base) for base in node.bases}:
                assert node.name.startswith("POSEWRIGHT_"), f"{file}: {node.name}"
