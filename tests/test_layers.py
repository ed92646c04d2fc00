# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape of the code: dependencies point one way, and nothing is needed that Blender does not bring."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]

# From the user's side to the bottom. A part may import itself, its neighbours in a row and everything below.
LAYERS = (
    {"panels", "cli"},
    {"operators"},
    {"properties", "drawing", "handlers"},
    {"bridge"},
    {"core"},
)
HEIGHT = {part: -row for row, parts in enumerate(LAYERS) for part in parts}
NOT_SHIPPED = {"tests", "benchmarks", "demo", "docs", "tools"}

BLENDER = {"bpy", "bpy_extras", "bl_math", "blf", "gpu", "gpu_extras", "imbuf", "mathutils", "rna_prop_ui"}
CORE_MAY_USE = {"numpy"} | sys.stdlib_module_names
EXTENSION_MAY_USE = CORE_MAY_USE | BLENDER
NETWORK_AND_PICKLE = {"ftplib", "http", "marshal", "pickle", "shelve", "smtplib", "socket", "ssl", "urllib"}


class Import(NamedTuple):
    file: Path
    line: int
    level: int  # dots in front: 0 is an absolute import
    module: str

    def __str__(self) -> str:
        return f"{self.file.relative_to(CHECKOUT)}:{self.line} imports {'.' * self.level}{self.module}"

    @property
    def root(self) -> str:
        return self.module.split(".")[0]

    @property
    def part(self) -> str | None:
        """The part of the extension that a relative import reaches, or None for an absolute one."""
        if self.level == 0:
            return None
        package = self.file.relative_to(CHECKOUT).parent.parts
        kept = package[: len(package) - (self.level - 1)]
        return (*kept, *self.module.split("."))[0]


def _files(part: str) -> list[Path]:
    return sorted((CHECKOUT / part).rglob("*.py"))


def _shipped_parts() -> list[str]:
    folders = {file.parent.name for file in CHECKOUT.glob("*/*.py")}
    return sorted(name for name in folders if name not in NOT_SHIPPED and not name.startswith("."))


def _imports(file: Path) -> Iterator[Import]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield Import(file, node.lineno, 0, name.name)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield Import(file, node.lineno, node.level, node.module)
        elif isinstance(node, ast.ImportFrom):
            for name in node.names:
                yield Import(file, node.lineno, node.level, name.name)


def _extension_files() -> list[Path]:
    return [CHECKOUT / "__init__.py", *(file for part in _shipped_parts() for file in _files(part))]


def test_every_folder_of_code_has_its_layer():
    assert set(_shipped_parts()) <= set(HEIGHT), "give new folders a place in LAYERS, or in NOT_SHIPPED"
    assert {"panels", "operators", "bridge", "core"} <= set(_shipped_parts())


@pytest.mark.parametrize("part", _shipped_parts())
def test_dependencies_point_down(part: str):
    upwards = [
        str(found)
        for file in _files(part)
        for found in _imports(file)
        if found.part in HEIGHT and HEIGHT[found.part] > HEIGHT[part]
    ]
    assert not upwards


def test_the_extension_imports_itself_by_relative_imports_only():
    """The folder may have any name, so the parts must not be looked up by one."""
    absolute = [
        str(found)
        for file in _extension_files()
        for found in _imports(file)
        if found.level == 0 and (found.root in HEIGHT or found.root in {"posewright", "bl_ext"})
    ]
    assert not absolute


def test_core_uses_python_and_numpy_alone():
    foreign = [
        str(found)
        for file in _files("core")
        for found in _imports(file)
        if found.level == 0 and found.root not in CORE_MAY_USE
    ]
    assert not foreign


def test_the_extension_uses_what_blender_bundles_alone():
    foreign = [
        str(found)
        for file in _extension_files()
        for found in _imports(file)
        if found.level == 0 and found.root not in EXTENSION_MAY_USE
    ]
    assert not foreign


def test_no_network_no_pickle_no_eval():
    imported = [
        str(found)
        for file in _extension_files()
        for found in _imports(file)
        if found.level == 0 and found.root in NETWORK_AND_PICKLE
    ]
    called = [
        f"{file.relative_to(CHECKOUT)}:{node.lineno} calls {node.func.id}"
        for file in _extension_files()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"eval", "exec"}
    ]
    assert not imported + called


def test_the_package_and_core_load_without_blender(tmp_path: Path):
    """Under another folder name, with every Blender module made unavailable."""
    (tmp_path / "some_name").symlink_to(CHECKOUT, target_is_directory=True)
    blocked = ", ".join(f"{name}=None" for name in sorted(BLENDER))
    code = (
        f"import sys; sys.modules.update({blocked})\n"
        "import some_name.core\n"
        "some_name.core.select([[[frame**2, 0.0, 0.0]] for frame in range(9)])"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)


@pytest.mark.parametrize("part", ["panels", "core"])
def test_the_check_sees_an_import_that_points_up(part: str):
    """The rule above would be worth nothing if it could not fail."""
    lower = Import(CHECKOUT / "core" / "selection" / "x.py", 1, 3, f"{part}.y")
    assert lower.part == part
    assert (HEIGHT[lower.part] > HEIGHT["core"]) == (part == "panels")
