# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's glTF export carries the character and its takes, not key poses and markers, unless asked."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from demo.character import animate, build_character
from demo.movement import make_movement
from tests.blender.spatial_bear import bear_with_five_keys, settings
from tests.blender.standing_feet import SLIDES, with_few_keys

# After many other tests the importer and the exporter of Blender 4.2 as a module crash in the end.
CRASHES = bpy.app.version < (4, 3, 0) and not bpy.app.binary_path


@pytest.fixture
def exported(posewright, tmp_path):
    if CRASHES:
        pytest.skip(
            "after many other tests Blender 4.2's exporter crashes; another test has a process of its own"
        )

    def export():
        path = tmp_path / "bear.gltf"
        bpy.ops.export_scene.gltf(filepath=str(path), export_format="GLTF_SEPARATE")
        return names_in(path)

    return export


def names_in(path: Path) -> tuple[set[str], set[str]]:
    """What the nodes and the animations of an exported file are called."""
    data = json.loads(path.read_text())
    nodes, animations = ({each["name"] for each in data.get(kind, ())} for kind in ("nodes", "animations"))
    return nodes, animations


def test_key_poses_and_markers_stay_at_home(make_rig, posewright, exported):
    rig = bear_with_five_keys(make_rig)
    baking = importlib.import_module(f"{posewright.__name__}.bridge.spatial.takes.cursor_baking")
    baking.bake_path(rig, [(1, (0, -1.5, 2)), (12, (1.5, -1, 2))])
    held = bpy.data.objects.new("lantern", None)
    bpy.context.scene.collection.objects.link(held)
    held.parent = settings(rig).sets[0].keys["up"].marker
    nodes, animations = exported()
    assert animations == {"Bear performance"}
    assert {"Bear", "body", "head", "lantern", "up"} <= nodes, "what something hangs from stays"
    assert not nodes & {"Look cursor", "front", "left", "right", "down"}
    settings(rig).use_gltf = True
    nodes, animations = exported()
    assert {"Look cursor", "front", "left"} <= nodes
    if bpy.app.version >= (4, 4, 0):  # before, the exporter passes over actions that were never played
        assert {"Bear performance", "Bear front", "Bear left"} <= animations


def export_pinned(folder: Path) -> None:
    """The demo's character with pins and a hat, exported, and what its pins are called."""
    package = importlib.import_module("bl_ext.user_default.posewright")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    rig = build_character()
    animate(rig, make_movement(2.0), package, 1)
    bpy.ops.posewright.analyze()
    rig.posewright.hold = "PINS"
    pins = [thing.name for thing in bpy.data.objects if thing.type == "EMPTY"]
    hat = bpy.data.objects.new("hat", None)
    bpy.context.scene.collection.objects.link(hat)
    hat.parent = rig
    (folder / "pins.json").write_text(json.dumps(pins))
    bpy.ops.export_scene.gltf(filepath=str(folder / "pinned.gltf"), export_format="GLTF_SEPARATE")


def run_apart(work: Callable[[Path], None], folder: Path, checkout: Path) -> None:
    """In a process of its own where Blender would crash in this one."""
    if not CRASHES:
        work(folder)
        return
    words = (
        "import os; from pathlib import Path; import benchmarks.extension; "
        f"from {__name__} import {work.__name__} as work; "
        f"work(Path({str(folder)!r})); "
        "os._exit(0)"  # where Blender as a module crashes in its own end
    )
    subprocess.run([sys.executable, "-c", words], check=True, cwd=checkout, stdout=subprocess.DEVNULL)


def test_pins_stay_at_home(posewright, checkout, tmp_path):
    run_apart(export_pinned, tmp_path, checkout)
    pins = json.loads((tmp_path / "pins.json").read_text())
    nodes, animations = names_in(tmp_path / "pinned.gltf")
    assert len(pins) == 4
    assert "hat" in nodes
    assert not nodes & {*pins}
    assert not [name for name in animations if "pin" in name]


def export_held(folder: Path) -> None:
    """The demo's character with feet that are held in a layer, exported as Blender does by default.

    How far feet slide is kept: here, and in each animation of the file once it is imported again.
    """
    package = importlib.import_module("bl_ext.user_default.posewright")
    parts = ("bridge.distil.reductions", "bridge.distil.feet.stances", "core.metrics", "bridge.actions")
    reductions, stances, metrics, actions = (
        importlib.import_module(f"{package.__name__}.{p}") for p in parts
    )
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    rig = build_character()
    animate(rig, make_movement(2.0), package, 1)
    with_few_keys(rig).posewright.hold = "BAKED"
    reduction = reductions.get(rig)
    found, frames = stances.contacts_of(reduction), reduction.analysis().frames
    contacts = [each for some in found.values() for each in some]

    def slide(armature: Any) -> float:
        return metrics.slides(toes(armature, frames), contacts).max()

    def strips() -> list[tuple[str, bool]]:
        return [(strip.name, strip.mute) for track in rig.animation_data.nla_tracks for strip in track.strips]

    told: dict[str, Any] = {"held": slide(rig), "names": [reduction.source.name, reduction.action.name]}
    for muted in (False, True):  # what is in the NLA besides is not exported with it, and stays as it was
        strip = rig.animation_data.nla_tracks.new().strips.new("again", 1, reduction.source)
        actions.versions.play_slot(strip, next(iter(getattr(reduction.source, "slots", ())), None))
        strip.blend_type, strip.mute = "ADD", muted
    before = slide(rig), strips()
    path = str(folder / "held.gltf")
    bpy.ops.export_scene.gltf(filepath=path, export_format="GLTF_SEPARATE")
    told["as before"] = before == (slide(rig), strips())
    bpy.ops.import_scene.gltf(filepath=path)
    imported = bpy.context.object
    for track in imported.animation_data.nla_tracks:
        track.mute = True
    slides = {}
    for track in imported.animation_data.nla_tracks:
        action = track.strips[0].action
        actions.assign(imported, action, next(iter(getattr(action, "slots", ())), None))
        slides[track.name] = slide(imported)
    told["animations"] = slides
    (folder / "slides.json").write_text(json.dumps(told, default=float))


def toes(rig: Any, frames: np.ndarray) -> np.ndarray:
    """(F, 2, 3) what stands."""
    places = []
    for frame in frames:
        bpy.context.scene.frame_set(int(frame))
        places.append([rig.matrix_world @ rig.pose.bones[f"toe.{side}"].head for side in "LR"])
    return np.array(places)


def test_feet_are_held_in_the_file_too(posewright, checkout, tmp_path):
    """The exporter turns the NLA off: it wrote the keys alone, and the layer as an animation."""
    run_apart(export_held, tmp_path, checkout)
    told = json.loads((tmp_path / "slides.json").read_text())
    source, reduced = told["names"]
    assert told["animations"].keys() == {source, reduced}
    assert told["animations"][reduced] == pytest.approx(told["held"], abs=1e-4)
    assert told["held"] < SLIDES
    assert told["as before"]
