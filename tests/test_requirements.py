# SPDX-License-Identifier: GPL-3.0-or-later
"""Every development package is pinned with all it needs itself, because nothing else gets installed."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools.environments import read_requirements
from tools.places import REQUIREMENTS, environments_folder

PLATFORMS = ("linux", "darwin", "win32")
# Some files are parts of others; these are installed, each into a folder of its own.
PARTS = {
    line[3:]
    for file in REQUIREMENTS.glob("*.txt")
    for line in file.read_text().splitlines()
    if line[:3] == "-r "
}
ENVIRONMENTS = sorted(file.stem for file in REQUIREMENTS.glob("*.txt") if file.name not in PARTS)
BROUGHT_BY_BLENDER = {"inside-blender": {"numpy"}}


class Need(NamedTuple):
    by: str
    what: Requirement

    def __str__(self) -> str:
        return f"{self.by} needs {self.what}"


def _pins(name: str, platform: str = "linux") -> dict[str, str]:
    return {
        canonicalize_name(package): version for package, version in read_requirements(name, platform).items()
    }


def _packages_of(name: str) -> Path | None:
    """Where an environment keeps its packages, once it was made."""
    pattern = "blender-python-*" if name == "inside-blender" else f"{name}/lib*/**/site-packages"
    return next(environments_folder().glob(pattern), None)


def _needs(packages: Path, pins: dict[str, str], platform: str) -> Iterator[Need]:
    """What the pinned packages say that they need; extras count where somebody asks for them."""
    asked: list[tuple[str, frozenset[str]]] = [(name, frozenset()) for name in pins]
    seen: set[tuple[str, frozenset[str]]] = set()
    found = {
        canonicalize_name(each.name): each for each in importlib.metadata.distributions(path=[str(packages)])
    }
    while asked:
        name, extras = entry = asked.pop()
        if entry in seen or name not in found:
            continue
        seen.add(entry)
        for line in found[name].requires or ():
            what = Requirement(line)
            if any(_applies(what, platform, extra) for extra in extras or {""}):
                asked.append((canonicalize_name(what.name), frozenset(what.extras)))
                yield Need(name, what)


def _applies(what: Requirement, platform: str, extra: str) -> bool:
    return what.marker is None or what.marker.evaluate({"sys_platform": platform, "extra": extra})


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_what_a_package_needs_is_pinned_too(name: str, platform: str):
    packages = _packages_of(name)
    if packages is None:
        pytest.skip(f"the environment {name} was not made yet")
    pins = _pins(name, platform)
    unmet = [
        str(need)
        for need in _needs(packages, pins, platform)
        if canonicalize_name(need.what.name) not in BROUGHT_BY_BLENDER.get(name, ())
        and not need.what.specifier.contains(pins.get(canonicalize_name(need.what.name), "0"))
    ]
    assert not unmet


def test_the_environment_of_the_tests_is_as_pinned():
    """The versions that are installed, not only those that a file asks for."""
    import bpy

    name = f"bpy-{bpy.app.version_string[:3]}"
    if name not in ENVIRONMENTS:
        pytest.skip(f"there are no requirements {name}: a real Blender brings packages of its own")
    pins = _pins(name)
    assert {name: importlib.metadata.version(name) for name in pins} == pins


def test_the_check_sees_what_is_missing():
    """The rule above would be worth nothing if it could not fail."""
    packages = Path(pytest.__file__).parents[1]
    needed = {need.what.name for need in _needs(packages, {"pytest": "0"}, "win32")}
    assert {"pluggy", "colorama"} <= needed
    assert "colorama" not in {need.what.name for need in _needs(packages, {"pytest": "0"}, "linux")}


@pytest.mark.parametrize("file", sorted(REQUIREMENTS.glob("*.txt")), ids=lambda file: file.stem)
def test_no_file_names_a_registry(file: Path):
    options = [line for line in file.read_text().splitlines() if "://" in line or line.startswith("--")]
    assert not options
