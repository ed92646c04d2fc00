# SPDX-License-Identifier: GPL-3.0-or-later
"""Every file in scenarios/ is played in a window of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

SCENARIOS = sorted((Path(__file__).parent / "scenarios").glob("*.py"))


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenario(path: Path, run_scenario: Callable[[Path], None]):
    run_scenario(path)


PRINTS_A_TRACEBACK = """
import bpy

def fail(*_):
    raise RuntimeError("nobody sees this")

def scenario(ui):
    bpy.app.handlers.frame_change_post.append(fail)
    bpy.context.scene.frame_set(5)
    yield
"""


def test_a_traceback_in_the_output_fails_the_scenario(tmp_path: Path, run_scenario: Callable[[Path], None]):
    path = tmp_path / "prints_a_traceback.py"
    path.write_text(PRINTS_A_TRACEBACK)
    with pytest.raises(AssertionError, match="nobody sees this"):
        run_scenario(path)
