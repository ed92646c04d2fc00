# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters that come from another file: appended, linked, overridden."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.blender.panel_recorder import draw
from tests.blender.spatial_bear import FIVE_KEYS, bear_with_five_keys, cursor, local_turn, select, settings


@pytest.fixture
def bear(make_rig):
    return bear_with_five_keys(make_rig, set_name="Acting", location=(1, 2, 0))


@pytest.fixture
def library(bear, tmp_path):
    """The bear's file; Blender is empty again."""
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return path


def linked(path):
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = ["Bear"]
    bpy.context.scene.collection.objects.link(wanted.objects[0])
    bpy.context.view_layer.objects.active = wanted.objects[0]
    return wanted.objects[0]


def test_an_override_is_performed_and_its_sets_are_left_to_their_file(library, session, tmp_path):
    bear = linked(library).override_hierarchy_create(
        bpy.context.scene, bpy.context.view_layer, do_fully_editable=True
    )
    bpy.context.view_layer.objects.active = bear
    for verb in ("spatial_set_add", "spatial_set_remove", "spatial_key_add", "spatial_key_update"):
        with pytest.raises(RuntimeError, match="changed in its own file"):
            getattr(bpy.ops.posewright, verb)()
    bpy.ops.posewright.spatial_key_go_to()
    performance = session(bear, bpy.context.scene)
    performance.record(1.0)
    performance.move_cursor(bear.matrix_world @ Vector(FIVE_KEYS["left"][0]))
    bpy.context.view_layer.update()
    performance.record(10.0)
    assert performance.write(error=None) == 10
    performance.end()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    bear = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE" and thing.library is None)
    bpy.context.scene.frame_set(10)
    assert np.abs(local_turn(bear, "head") - np.eye(3)).max() > 0.5
    assert tuple(cursor(bear).location) == pytest.approx(FIVE_KEYS["left"][0], abs=1e-5)
    assert cursor(bear).library is None, "it belongs to this file, and can be performed again"
    assert len(settings(bear).sets[0].keys) == 5


def test_an_override_whose_cursor_is_still_linked_is_told(library, session, posewright):
    bear = linked(library).override_create(remap_local_usages=True)
    bpy.context.view_layer.objects.active = bear
    with pytest.raises(posewright.core.InputError, match="make a library override of it as well"):
        session(bear, bpy.context.scene)
    before = cursor(bear).location.copy()
    with pytest.raises(RuntimeError, match="make a library override of it as well"):
        bpy.ops.posewright.spatial_key_go_to()
    assert cursor(bear).location == before


@pytest.mark.parametrize("overridden", [False, True])
def test_clicking_a_marker_of_a_linked_character_raises_nothing(library, overridden, capfd):
    bear = linked(library)
    if overridden:
        bear = bear.override_hierarchy_create(
            bpy.context.scene, bpy.context.view_layer, do_fully_editable=True
        )
    marker = settings(bear).sets[0].keys[2].marker
    if marker.name not in bpy.context.scene.objects:
        bpy.context.scene.collection.objects.link(marker)
    bpy.context.view_layer.objects.active = bear
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = marker
    bpy.context.view_layer.update()
    assert "Traceback" not in capfd.readouterr().err


def test_a_linked_character_that_was_saved_live_says_what_it_needs(library, panel):
    bear = linked(library)
    bpy.context.view_layer.update()
    assert "Linked from another file: make a library override" in panel()
    assert settings(bear).message == ""


def test_an_instance_of_a_linked_collection_says_what_it_needs(bear, panel, tmp_path):
    """File > Link leaves an empty that shows the character: there is no armature to select."""
    collection = bpy.data.collections.new("Bear")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(bear)
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.link(filename="Bear", directory=f"{path}/Collection/")
    assert bpy.context.object.type == "EMPTY"
    assert "Linked from another file: make a library override" in " ".join(panel().split())
    for verb in ("analyze", "perform", "pose_sheet"):
        with pytest.raises(RuntimeError, match="make a library override first"):
            getattr(bpy.ops.posewright, verb)()
    from bl_ext.user_default.posewright.panels import distil

    text = draw(distil.POSEWRIGHT_PT_distil)
    assert "Bear is linked from another file: make a library override of it first" in " ".join(text.split())


def test_an_override_without_sets_says_where_they_are_made(make_rig, panel, tmp_path):
    make_rig(name="Bear")
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bear = linked(path).override_create(remap_local_usages=True)
    bpy.context.view_layer.objects.active = bear
    assert "changed in its own file" in " ".join(panel().split())
    assert "spatial_set_add" not in panel()


def test_a_character_loaded_without_its_markers_keeps_them_when_a_set_is_added(library, panel):
    with bpy.data.libraries.load(library) as (_, wanted):
        wanted.objects = ["Bear"]
    bear = wanted.objects[0]
    bpy.context.scene.collection.objects.link(bear)
    select(bear)
    bpy.ops.posewright.spatial_set_add(name="Walk")
    bpy.context.view_layer.update()
    assert all(key.marker.name in bpy.context.scene.objects for key in settings(bear).sets[0].keys)
    settings(bear).set_index = 0
    assert "deleted" not in panel()


def test_a_linked_character_among_those_to_bake_is_told(library, make_rig):
    with bpy.data.libraries.load(library, link=True) as (_, wanted):
        wanted.objects = ["Bear"]
    theirs = wanted.objects[0]
    ours = bear_with_five_keys(make_rig)
    bpy.context.scene.collection.objects.link(theirs)
    for thing in (theirs.posewright.spatial.sets[0].cursor, *theirs.children):
        if thing.name not in bpy.context.scene.collection.objects:
            bpy.context.scene.collection.objects.link(thing)
    bpy.context.view_layer.update()
    select(ours, theirs)
    with pytest.raises(RuntimeError, match="linked from another file: make a library override"):
        bpy.ops.posewright.bake_cursor(frame_start=1, frame_end=5)
    assert ours.animation_data is None
