# SPDX-License-Identifier: GPL-3.0-or-later
"""A .blend that a full disk has cut off, which Blender itself reports as saved, never gets its name."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import bpy
import pytest


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("missing", [0, 1, 4000])
def test_a_blend_without_its_end_is_refused(
    clean_blender: Any, tmp_path: Path, compress: bool, missing: int
) -> None:
    whole_files = importlib.import_module(f"{clean_blender.__name__}.bridge.whole_files")
    path = tmp_path / "shot.blend"

    def write() -> None:
        with whole_files.written_whole(path) as partial:
            bpy.ops.wm.save_as_mainfile(filepath=str(partial), copy=True, compress=compress)
            content = partial.read_bytes()
            partial.write_bytes(content[: len(content) - missing * (1 if compress else 30)])

    if not missing:
        write()
        bpy.ops.wm.open_mainfile(filepath=str(path))
        return
    with pytest.raises(clean_blender.core.InputError, match="is full"):
        write()
    assert not list(tmp_path.iterdir())
