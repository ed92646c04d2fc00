# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user installs: the manifest is right, and the zip holds only what is needed."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import bpy
import pytest

PARTS = {"bridge", "cli", "core", "drawing", "handlers", "languages"}
PARTS |= {"operators", "panels", "properties"}
FILES = {"LICENSE", "__init__.py", "blender_manifest.toml"}


@pytest.fixture(scope="module")
def manifest(checkout: Path) -> dict[str, Any]:
    return tomllib.loads((checkout / "blender_manifest.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def build_zip(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The zip as `blender --command extension build` makes it."""
    made = tmp_path_factory.mktemp("zip") / "posewright.zip"
    _extension_command("build", "--source-dir", str(checkout), "--output-filepath", str(made))
    return made


def _extension_command(*arguments: str) -> None:
    """The commands behind `blender --command extension`; a module has no command line of its own."""
    import bl_pkg

    tool = Path(bl_pkg.__file__).parent / "cli" / "blender_ext.py"
    done = subprocess.run(
        [sys.executable, str(tool), *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == 0, done.stdout


def test_the_manifest_is_valid(checkout: Path):
    _extension_command("validate", str(checkout))


def test_the_manifest_says_what_it_is(manifest: dict[str, Any]):
    assert manifest["id"] == "posewright"
    assert manifest["type"] == "add-on"
    assert manifest["license"] == ["SPDX:GPL-3.0-or-later"]
    assert manifest["blender_version_min"] == "4.2.0"
    assert re.fullmatch(r"\d+\.\d+\.\d+", manifest["version"])
    assert set(manifest["permissions"]) == {"files"}, "no network"


def test_the_versions_agree(manifest: dict[str, Any], checkout: Path):
    project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["version"] == manifest["version"]


def test_the_zip_holds_only_what_a_user_needs(build_zip: Path, checkout: Path, clean_blender: Any):
    with zipfile.ZipFile(build_zip) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    assert {name for name in names if "/" not in name} == FILES
    pages = {name for name in names if name.startswith("docs/")}
    assert pages == _help_pages()
    inside = {name for name in names if "/" in name} - pages
    assert {name.split("/")[0] for name in inside} <= PARTS
    sources = {
        file.relative_to(checkout).as_posix()
        for part in PARTS
        for file in (*(checkout / part).rglob("*.py"), *(checkout / part).rglob("*.json"))
    }
    assert inside == sources, "every source file of the extension is in it"


def _help_pages() -> set[str]:
    """What `posewright.help` opens."""
    known = bpy.ops.posewright.help.get_rna_type().properties["page"].enum_items.keys()
    assert len(known) == 9
    return {f"docs/{name}.md" for name in known}


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # Blender 4.3 leaves a pipe open
def test_the_zip_installs_enables_and_goes_away_again(build_zip: Path, clean_blender: Any):
    """In a repository of its own, beside the linked checkout that the other tests use."""
    repositories = bpy.context.preferences.extensions.repos
    repository = repositories.new(name="Zip", module="zip_test")
    try:
        bpy.ops.extensions.package_install_files(
            filepath=str(build_zip), repo="zip_test", enable_on_install=False
        )
        assert (Path(repository.directory) / "posewright" / "__init__.py").is_file()
        bpy.ops.preferences.addon_disable(module="bl_ext.user_default.posewright")
        bpy.ops.preferences.addon_enable(module="bl_ext.zip_test.posewright")
        assert "bl_ext.zip_test.posewright" in bpy.context.preferences.addons
        bpy.ops.preferences.addon_disable(module="bl_ext.zip_test.posewright")
    finally:
        repositories.remove(repository)
        bpy.ops.preferences.addon_enable(module="bl_ext.user_default.posewright")
