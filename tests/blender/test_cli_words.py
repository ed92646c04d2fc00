# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of the command line mean what the panel's choices of the same names mean."""

from __future__ import annotations

import importlib
import itertools
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from tests.blender.test_files import reduce  # noqa: F401  a fixture
from tests.blender.test_takes import saved, swing


@pytest.fixture
def part(clean_blender: ModuleType) -> Any:
    return lambda name: importlib.import_module(f"{clean_blender.__name__}.{name}")


def choices(name: str) -> set[str]:
    items: Any = bpy.types.Object.bl_rna.properties["posewright"].fixed_type.properties[name].enum_items
    return {item.identifier.lower() for item in items}


def test_the_words_are_those_of_the_panel(part: Any) -> None:
    arguments, weights = part("cli.arguments"), part("bridge.distil.solving.weight_presets")
    assert set(arguments.INTERPOLATIONS) == choices("interpolation")
    assert set(arguments.SPACES) == choices("space")
    assert set(arguments.BONES) == choices("bones_from") - {"selected"}, "nobody selects bones here"
    assert set(arguments.WEIGHTS) == {name.replace(" ", "-") for name, _, _ in weights.PRESETS}


def test_words_become_settings(part: Any, make_rig: Any) -> None:
    rig = make_rig({"hip": ((0, 0, 0), (0, 0, 1), None), "hand.L": ((0, 0, 1), (1, 0, 1), "hip")})
    swing(rig, "walk")
    words = ["--algorithm", "saliency", "--sigma", "4", "--bones", "deform", "--space", "root"]
    words += ["--weights", "hand", "--range", "3,20", "--keys", "7"]
    parsed = part("cli.arguments").parser().parse_args(["sheet", bpy.app.binary_path or __file__, *words])
    [job] = part("cli.plan").plan(parsed)
    part("cli.asking").ask(rig, job.settings)
    found = part("bridge.distil.solving.settings").settings_of(rig, bpy.context.scene)
    assert (found.algorithm, found.options["sigma"], found.space) == ("saliency", 4.0, "root")
    assert (found.first, found.last, found.max_keys) == (3.0, 20.0, 7)
    assert found.weights["hand.L"] == 4.0 * found.weights.get("hip", 1.0)
    assert rig.posewright.bones_from == "DEFORM"


def test_what_has_no_word_is_as_the_file_has_it(part: Any, make_rig: Any) -> None:
    rig = make_rig(2)
    swing(rig, "walk")
    rig.posewright.space, rig.posewright.bones_from = "armature", "DEFORM"
    parsed = part("cli.arguments").parser().parse_args(["reduce", __file__])
    [job] = part("cli.plan").plan(parsed)
    part("cli.asking").ask(rig, job.settings)
    assert (rig.posewright.space, rig.posewright.bones_from) == ("armature", "DEFORM")


def test_the_largest_gap_holds(reduce: Any, tmp_path: Path, make_rig: Any) -> None:  # noqa: F811
    swing(make_rig(2), "walk", frames=60)
    reduce(saved(tmp_path / "shot.blend"), "--keys", 9, "--largest-gap", 9)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot_reduced.blend"))
    action = bpy.data.actions["walk reduced"]
    curves = (
        action.fcurves if hasattr(action, "fcurves") else action.layers[0].strips[0].channelbags[0].fcurves
    )
    frames = sorted({point.co.x for curve in curves for point in curve.keyframe_points})
    assert max(b - a for a, b in itertools.pairwise(frames)) <= 9
