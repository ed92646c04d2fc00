# SPDX-License-Identifier: GPL-3.0-or-later
"""The way of a Distil run, traced as it happens: it goes down through the layers, and nothing jumps up."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import bpy
import pytest

from tests.test_layers import HEIGHT

# Handed down to be called: how work under way says how far it is.
REPORTS = "bridge/steps.py"
# Blender calls these when its data changes, whoever changed it.
CALLED_BY_BLENDER = ("handlers/", "drawing/")


class Trace:
    """Calls from one place of the extension to another, while it is listening."""

    def __init__(self, root: Path) -> None:
        self.root = str(root)
        self.calls: Counter[tuple[str, str]] = Counter()
        self.functions: set[str] = set()

    def __enter__(self) -> Trace:
        sys.setprofile(self._listen)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _listen(self, frame: FrameType, event: str, _argument: object) -> None:
        if event != "call" or not frame.f_code.co_filename.startswith(self.root):
            return
        callee = self._place(frame)
        self.functions.add(f"{callee}:{frame.f_code.co_qualname}")
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(self.root):
            caller = caller.f_back
        if caller is not None:
            self.calls[self._place(caller), callee] += 1

    def _place(self, frame: FrameType) -> str:
        return frame.f_code.co_filename[len(self.root) + 1 :]

    def files(self) -> set[str]:
        return {function.split(":")[0] for function in self.functions}

    def upward(self) -> list[str]:
        def height(place: str) -> int:
            return HEIGHT[place.split("/")[0]]

        return [
            f"{caller} calls {callee}"
            for caller, callee in self.calls
            if "/" in caller
            and "/" in callee
            and height(callee) > height(caller)
            and not callee.startswith(CALLED_BY_BLENDER)
            and callee != REPORTS
        ]


@pytest.fixture
def moving(clean_blender: Any, make_rig: Any, set_keys: Any) -> Any:
    rig = make_rig(3, rotation_mode="XYZ")
    turns = {frame: ((frame % 17) / 17.0, (frame % 5) / 5.0, 0.0) for frame in range(1, 60)}
    set_keys(rig.pose.bones[0], "rotation_euler", turns)
    return rig


def test_from_analyze_to_keys_nothing_jumps_up(clean_blender: Any, moving: Any):
    root = Path(clean_blender.__file__).parent
    with Trace(root) as walk:
        assert bpy.ops.posewright.analyze() == {"FINISHED"}
        moving.posewright.key_count = 9
        moving.posewright.interpolation = "LINEAR"
        moving.posewright.detail = 0.5
        moving.posewright.show_original = True
        assert bpy.ops.posewright.restore() == {"FINISHED"}
    print(f"{len(walk.files())} files, {len(walk.functions)} functions")
    assert {"operators/analyze.py", "bridge/distil/analyse.py", "core/search/best_paths.py"} <= walk.files()
    assert not walk.upward()


def test_the_trace_sees_a_jump(clean_blender: Any):
    """The check above would be worth nothing if it could not fail."""
    walk = Trace(Path())
    walk.calls["bridge/distil/many.py", "properties/armature.py"] = 1
    assert walk.upward()
