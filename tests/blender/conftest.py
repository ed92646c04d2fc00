# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender with the extension loaded as a user's Blender loads it, and small things to test it on.

Blender is kept away from the settings of whoever runs the tests: it gets a user folder of its own.
"""

from __future__ import annotations

import gc
import importlib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tools.user_folder import MODULE, use_own_user_folder

use_own_user_folder()


@pytest.fixture(scope="session")
def posewright() -> ModuleType:
    """The extension, enabled once for the whole session; `posewright.core` and the rest hang from it."""
    import bpy

    if MODULE not in bpy.context.preferences.addons:
        bpy.ops.preferences.addon_enable(module=MODULE)
    assert MODULE in bpy.context.preferences.addons, "the extension could not be enabled, see above"
    package = importlib.import_module(MODULE)
    for part in ("core", "bridge.actions", "bridge.baking", "bridge.sampling"):
        importlib.import_module(f"{MODULE}.{part}")
    return package


@pytest.fixture(scope="module", autouse=True)
def _no_garbage_of_other_files() -> Iterator[None]:
    """What refers to files that were closed is let go; where much of it gathers, 4.2 may crash."""
    yield
    gc.collect()


@pytest.fixture
def clean_blender(posewright: ModuleType) -> Iterator[ModuleType]:
    """An empty factory file for this test, with the extension still enabled."""
    import bpy

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    yield posewright
    if bpy.context.object is not None and bpy.context.object.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")


Bone = tuple[Sequence[float], Sequence[float], str | None]


@pytest.fixture
def make_rig(clean_blender: ModuleType) -> Callable[..., Any]:
    """Builds small armatures.

    `make_rig(3)` is a chain of three bones of length 1 going up: "bone 0", "bone 1", "bone 2".
    `make_rig({"hip": (head, tail, None), "knee": (head, tail, "hip")})` is any other.
    `rotation_mode` is set on every bone; `location` on the object. The object becomes the active one.
    """
    return build_rig


def build_rig(
    bones: int | Mapping[str, Bone] = 1,
    *,
    name: str = "Rig",
    rotation_mode: Any = "QUATERNION",
    location: Sequence[float] = (0.0, 0.0, 0.0),
) -> Any:
    import bpy

    if isinstance(bones, int):
        bones = {
            f"bone {n}": ((0.0, 0.0, n), (0.0, 0.0, n + 1.0), f"bone {n - 1}" if n else None)
            for n in range(bones)
        }
    rig = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    rig.location = location
    bpy.context.scene.collection.objects.link(rig)
    for other in bpy.context.selected_objects:
        other.select_set(False)
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    for bone_name, (head, tail, parent) in bones.items():
        bone = rig.data.edit_bones.new(bone_name)
        bone.head, bone.tail = head, tail
        if parent is not None:
            bone.parent = rig.data.edit_bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in rig.pose.bones:
        bone.rotation_mode = rotation_mode
    return rig


@pytest.fixture
def humanoid(clean_blender: ModuleType) -> Callable[..., Any]:
    """`humanoid()` is the demo character, 31 bones, walking for two seconds at 120 frames a second."""

    def build(seconds: float = 2.0, first_frame: int = 1, noise: float = 1.0) -> Any:
        from demo.character import animate, build_character
        from demo.movement import make_movement

        armature = build_character()
        animate(armature, make_movement(seconds, noise=noise), clean_blender, first_frame)
        return armature

    return build


@pytest.fixture
def set_keys() -> Callable[..., None]:
    """`set_keys(rig.pose.bones["hip"], "location", {1: (0, 0, 0), 20.5: (0, 0, 1)})` as a user keys it."""

    def key(owner: Any, path: str, values: Mapping[float, Any]) -> None:
        for frame, value in values.items():
            setattr(owner, path, value)
            owner.keyframe_insert(path, frame=frame)

    return key


@pytest.fixture
def mocap(clean_blender: ModuleType, mocap_folder: Path, tmp_path: Path) -> Callable[[str], Any]:
    """`mocap("02_01")` imports that clip, without the T-pose in its first frame, and returns the armature.

    Its frames start at 1, at 120 frames a second, which is also set on the scene.
    """

    def load(name: str) -> Any:
        import bpy

        clip = mocap_folder / f"{name}.bvh"
        if not clip.is_file():
            pytest.skip(f"the motion capture clip {clip} is not there")
        trimmed = without_first_frame(clip, tmp_path / clip.name)
        with warnings.catch_warnings():
            # Blender's importer leaves the closing of the file to the garbage collector.
            warnings.simplefilter("ignore", ResourceWarning)
            bpy.ops.import_anim.bvh(filepath=str(trimmed), update_scene_fps=True, update_scene_duration=True)
        return bpy.context.object

    return load


@pytest.fixture
def import_character(posewright: ModuleType, characters_folder: Path) -> Callable[..., Any]:
    """`import_character("Fox.glb")` imports that file as Blender does by default; returns the armature.

    With the name of an action, `import_character("Fox.glb", "Run")`, it is active and plays that one alone.
    """

    def load(file: str, action: str = "") -> Any:
        from benchmarks.character_files import import_character

        path = characters_folder / file
        if not path.is_file():
            pytest.skip(f"the character {path} is not there")
        armature = import_character(path)
        if action:
            play_alone(armature, action)
        return armature

    def play_alone(armature: Any, name: str) -> None:
        import bpy

        bridge = f"{posewright.__name__}.bridge"
        actions = importlib.import_module(f"{bridge}.actions")
        channels = importlib.import_module(f"{bridge}.distil.channels")
        names = {name, f"{name}_{armature.name}"}  # importers before Blender 4.4 add what plays it
        action = next(each for each in bpy.data.actions if each.name in names)
        actions.assign(armature, action, channels.slots_for(armature, action)[0])
        for track in armature.animation_data.nla_tracks:
            track.mute = True
        bpy.context.view_layer.objects.active = armature

    return load


def without_first_frame(clip: Path, copy: Path) -> Path:
    lines = clip.read_text().splitlines()
    count = next(n for n, line in enumerate(lines) if line.strip().startswith("Frames:"))
    frames = int(lines[count].split(":")[1])
    lines[count] = f"Frames: {frames - 1}"
    del lines[count + 2]
    copy.write_text("\n".join(lines) + "\n")
    return copy


@pytest.fixture
def panel(posewright: ModuleType) -> Callable[[], str]:
    """What the Perform panel says, on one line."""
    from tests.blender.panel_recorder import draw

    main = importlib.import_module(f"{posewright.__name__}.panels.perform_panel").POSEWRIGHT_PT_spatial
    return lambda: " ".join(draw(main).split())


@pytest.fixture
def session(posewright: ModuleType) -> Any:
    """The class of a performance."""
    return importlib.import_module(f"{posewright.__name__}.bridge.spatial.session").Session


@pytest.fixture
def do(clean_blender: ModuleType) -> Any:
    """`do("reduce", file, "--keys", 9)` does here what the command line does in a Blender of its own."""
    cli, plan, jobs = (
        importlib.import_module(f"{clean_blender.__name__}.cli.{name}")
        for name in ("arguments", "plan", "jobs")
    )

    def do(verb: str, path: Path, *words: object, fails: bool = False) -> dict[str, Any]:
        parsed = cli.parser().parse_args([verb, str(path), *map(str, words)])
        [job] = plan.plan(parsed)
        result = jobs.carry_out({"job": vars(job), "replace": parsed.overwrite})
        assert (result["status"] == "failed") == fails, result
        return result

    return do
