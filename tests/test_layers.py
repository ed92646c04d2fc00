# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape of the code: dependencies point one way, and nothing is needed that Blender does not bring."""

from __future__ import annotations

import ast
import graphlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
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
    {"core", "languages"},
)
HEIGHT = {part: -row for row, parts in enumerate(LAYERS) for part in parts}
NOT_SHIPPED = {"tests", "benchmarks", "demo", "docs", "tools"}

BLENDER = {
    *(
        "bl_math",
        "blf",
        "bmesh",
        "bpy",
        "bpy_extras",
        "gpu",
        "gpu_extras",
        "imbuf",
        "mathutils",
        "rna_prop_ui",
    ),
    *("bl_operators", "bl_ui"),  # presets, as Blender's own panels have them
}
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


def _module_name(file: Path) -> str:
    """Below the package, which may have any name: `bridge.actions`; folders have their `__init__.py`'s."""
    parts = file.relative_to(CHECKOUT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _import_graph(sources: dict[str, str], packages: set[str]) -> dict[str, set[str]]:
    """{module: the modules that its code imports}; what is only for the type checker does not count.

    Imports inside of functions count: putting one there hides a cycle, and does not remove it.
    """
    return {
        name: {
            imported
            for node in _running_nodes(ast.parse(source))
            if isinstance(node, ast.ImportFrom) and node.level
            for imported in _imported_modules(node, name, name in packages, set(sources))
        }
        for name, source in sources.items()
    }


def _running_nodes(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _running_nodes(child)


def _imported_modules(node: ast.ImportFrom, by: str, is_package: bool, known: set[str]) -> Iterator[str]:
    """`from .a import b` is about `a.b` where that is a module, and otherwise about `a`."""
    folder = by.split(".") if is_package and by else by.split(".")[:-1]
    kept = folder[: len(folder) - (node.level - 1)]
    start = ".".join([*kept, *(node.module.split(".") if node.module else ())])
    for alias in node.names:
        inside = f"{start}.{alias.name}".lstrip(".")
        yield inside if inside in known else start


def _first_cycle(graph: dict[str, set[str]]) -> list[str]:
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return list(reversed(error.args[1]))
    return []


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


def test_no_cycle_between_modules():
    files = _extension_files()
    sources = {_module_name(file): file.read_text(encoding="utf-8") for file in files}
    packages = {_module_name(file) for file in files if file.name == "__init__.py"}
    cycle = _first_cycle(_import_graph(sources, packages))
    assert not cycle, " -> ".join(cycle)


# Blender itself is imported once; of the extension nothing is there when the next module comes first.
IMPORT_EACH_FIRST = """
import importlib, json, sys
import bpy

sys.dont_write_bytecode, sys.pycache_prefix = False, "compiled"  # each file is compiled once, whoever asks
failed = {}
for name in json.load(sys.stdin):
    for loaded in [loaded for loaded in sys.modules if loaded.split(".")[0] == "some_name"]:
        del sys.modules[loaded]
    try:
        importlib.import_module(name)
    except Exception as error:
        failed[name] = f"{type(error).__name__}: {error}"
print("failed:", json.dumps(failed))
"""


def test_every_module_can_be_imported_first(tmp_path: Path):
    if "bpy" in sys.modules and sys.modules["bpy"].app.binary_path:
        pytest.skip("inside a real Blender: only Blender's module can be started as a plain Python")
    (tmp_path / "some_name").symlink_to(CHECKOUT, target_is_directory=True)
    names = [f"some_name.{_module_name(file)}".rstrip(".") for file in _extension_files()]
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_EACH_FIRST],
        cwd=tmp_path,
        env=dict(os.environ, BLENDER_USER_RESOURCES=str(tmp_path / "user")),
        input=json.dumps(names),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert "failed: " in done.stdout, f"Python ended with {done.returncode}: {done.stdout}"
    failed = json.loads(done.stdout.split("failed: ")[1].splitlines()[0])
    assert not failed, "\n".join(f"{name}: {why}" for name, why in failed.items())


def test_the_command_line_is_there_without_blender():
    """It starts Blender itself, so a Python that has none begins it."""
    words = "import sys; from tools.package import load_package; load_package(); import posewright.cli.claims"
    told = "sys.exit('bpy' in sys.modules and 'the command line imports Blender')"
    done = subprocess.run(
        [sys.executable, "-c", f"{words}; {told}"], cwd=CHECKOUT, stderr=subprocess.PIPE, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("importing", "cycle"),
    [
        ("from .b import name", ["a", "b", "a"]),
        ("from . import b", ["a", "b", "a"]),
        ("def later():\n    from .b import name", ["a", "b", "a"]),
        ("if TYPE_CHECKING:\n    from .b import name", []),
        ("import b", []),
    ],
)
def test_the_check_sees_a_cycle(importing: str, cycle: list[str]):
    sources = {"": "", "a": importing, "b": "from .a import name"}
    found = _first_cycle(_import_graph(sources, {""}))
    assert set(found) == set(cycle)
    assert len(found) == len(cycle)


def test_the_check_sees_a_cycle_through_a_package():
    sources = {"a": "from .inner import name", "a.inner": "from .. import b", "b": "from .a import name"}
    assert set(_first_cycle(_import_graph(sources, {"a"}))) == {"a", "a.inner", "b"}


def test_no_two_modules_have_one_name():
    """A name in a traceback or a search then means one room."""
    names = Counter(file.name for file in _extension_files() if not file.name.startswith("__"))
    assert [name for name, count in names.items() if count > 1] == []


def _listed(docstring: str) -> set[str]:
    """What a list of files names, in one column or two."""
    lines = [line for line in docstring.splitlines() if line.startswith("`")]
    return {name for line in lines for name in re.findall(r"`(\w+)`", line)}


def test_a_folder_that_lists_what_is_in_it_lists_all_of_it():
    found: dict[str, set[str]] = {}
    for file in _extension_files():
        if file.name != "__init__.py" or file.parent == CHECKOUT:
            continue
        inside = {path.stem for path in file.parent.iterdir() if path.suffix == ".py" or _is_package(path)}
        listed = _listed(ast.get_docstring(ast.parse(file.read_text("utf-8"))) or "")
        if len(listed & inside) > 1:
            found[str(file.parent.relative_to(CHECKOUT))] = inside - {"__init__"} ^ listed
    assert len(found) > 15
    assert {folder: wrong for folder, wrong in found.items() if wrong} == {}


def _is_package(path: Path) -> bool:
    return (path / "__init__.py").exists()


def test_the_check_sees_what_a_list_names():
    assert _listed("Room: `not` listed.\n\n`one`  this  `two`  that\n`three`  those") == {
        "one",
        "two",
        "three",
    }


@pytest.mark.parametrize("part", ["panels", "core"])
def test_the_check_sees_an_import_that_points_up(part: str):
    """The rule above would be worth nothing if it could not fail."""
    lower = Import(CHECKOUT / "core" / "selection" / "x.py", 1, 3, f"{part}.y")
    assert lower.part == part
    assert (HEIGHT[lower.part] > HEIGHT["core"]) == (part == "panels")
