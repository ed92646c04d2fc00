# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever is done in whatever order, undo included, nothing raises and nothing is left lying about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from tests.blender.spatial_bear import BONES, rest, select_bones, set_five_keys, settings, turn

STEPS = 80


def bear():
    return bpy.data.objects["Bear"]


def active_set():
    all_sets = settings(bear()).sets
    index = settings(bear()).set_index
    return all_sets[index] if index < len(all_sets) else None


def any_key(random):
    spatial_set = active_set()
    if spatial_set is None or not len(spatial_set.keys):
        return None
    spatial_set.key_index = int(random.integers(len(spatial_set.keys)))
    return spatial_set.keys[spatial_set.key_index]


def move_cursor(random):
    if active_set() is not None and active_set().cursor is not None:
        active_set().cursor.location = random.normal(size=3)
        bpy.context.view_layer.update()


def move_marker(random):
    key = any_key(random)
    if key is not None and key.marker is not None:
        key.marker.location = random.normal(size=3)
        bpy.context.view_layer.update()


def delete_something(random):
    """As a user deletes an object in the outliner."""
    key = any_key(random)
    if key is not None and key.marker is not None:
        bpy.data.objects.remove(key.marker)
    elif active_set() is not None and active_set().cursor is not None:
        bpy.data.objects.remove(active_set().cursor)
    bpy.context.view_layer.update()


def delete_by_hand(random):
    """As a user deletes a marker or the cursor in the viewport: Blender only takes it out of the scene."""
    key = any_key(random)
    thing = None if active_set() is None else active_set().cursor
    if key is not None and random.integers(3):
        thing = key.marker
    if thing is None or thing.name not in bpy.context.scene.objects:
        return
    bpy.ops.object.select_all(action="DESELECT")
    thing.select_set(True)
    bpy.ops.object.delete()
    bear().select_set(True)
    bpy.context.view_layer.objects.active = bear()
    bpy.context.view_layer.update()


def toggle_live(_random):
    settings(bear()).live = not settings(bear()).live
    bpy.context.view_layer.update()


def edit_pose(random):
    turn(bear(), "head", *random.uniform(-60, 60, 3))
    bpy.context.view_layer.update()


def change_mode(random):
    mode: Any = str(random.choice(["QUATERNION", "XYZ", "ZYX", "AXIS_ANGLE"]))
    bear().pose.bones["head"].rotation_mode = mode


def switch(random):
    if len(settings(bear()).sets):
        bpy.ops.posewright.spatial_set_switch(
            index=int(random.integers(len(settings(bear()).sets))), keyed=bool(random.integers(2))
        )


def press(name, needs_key=False, **options):
    def pressed(random):
        operator = getattr(bpy.ops.posewright, name)
        if needs_key:
            any_key(random)
        if operator.poll():
            try:
                operator(**options)
            except RuntimeError as refused:
                # Refusing in a sentence is fine; failing is not.
                if "Traceback" in str(refused):
                    raise

    return pressed


def save_and_reload(_random):
    """What a user has tomorrow is what was saved today."""
    before = told()
    path = str(Path(bpy.app.tempdir) / "walk.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert told() == before
    bpy.ops.ed.undo_push(message="reloaded")


def told():
    """What the sets hold, by names: deleted markers and cursors nobody uses are not saved."""
    return [
        (
            each.name,
            round(each.influence, 5),
            None if each.cursor is None else each.cursor.name,
            [(key.name, key.marker and key.marker.name, key.pose and key.pose.name) for key in each.keys],
            [(effector.bone, effector.chain_length) for effector in each.effectors],
        )
        for each in settings(bear()).sets
    ]


def throw_away(random):
    """As with G and a slip of the mouse, or a driver gone wild."""
    thing = None if active_set() is None else active_set().cursor
    if random.integers(2) and any_key(random) is not None:
        thing = any_key(random).marker
    if thing is not None:
        thing.location = random.normal(size=3) * 10.0 ** random.integers(0, 38)
        bpy.context.view_layer.update()


VERBS = (
    press("spatial_set_add"),
    press("spatial_set_remove"),
    *[press("spatial_key_add")] * 3,
    press("spatial_key_add", bones="SELECTED"),
    press("spatial_key_update", needs_key=True),
    press("spatial_key_remove", needs_key=True),
    press("spatial_key_go_to", needs_key=True),
    press("spatial_key_duplicate", needs_key=True),
    press("spatial_key_mirror", needs_key=True),
    press("spatial_reach_add"),
    press("bake_cursor", frame_start=1, frame_end=4),
    press("bake_cursor", frame_start=2, frame_end=9, distil=True, error=0.05),
    *[move_cursor] * 4,
    *[move_marker] * 2,
    *[toggle_live] * 2,
    edit_pose,
    change_mode,
    switch,
    delete_something,
    *[delete_by_hand] * 2,
    *[save_and_reload] * 2,
    throw_away,
    lambda random: bpy.context.scene.frame_set(int(random.integers(1, 20))),
)


def check_that_all_belongs_together():
    markers = [key.marker for each in settings(bear()).sets for key in each.keys if key.marker is not None]
    cursors = [each.cursor for each in settings(bear()).sets if each.cursor is not None]
    # What nobody uses is not saved: Blender itself leaves it at that when an object is deleted by hand.
    objects = {thing.name for thing in bpy.data.objects if thing.users} - {"Bear"}
    assert objects == {thing.name for thing in (*markers, *cursors)}, "no object is left lying about"
    poses = {key.pose.name for each in settings(bear()).sets for key in each.keys if key.pose is not None}
    kept = {action.name for action in bpy.data.actions if action.name not in poses and action.use_fake_user}
    assert all("perform" in name or "Action" in name for name in kept), kept
    assert np.isfinite([bone.matrix_basis for bone in bear().pose.bones]).all()


@pytest.mark.parametrize("seed", range(6))
def test_a_random_walk(make_rig, capfd, seed):
    random = np.random.default_rng(seed)
    rig = make_rig(BONES, name="Bear")
    bpy.ops.posewright.spatial_set_add(name="Look")
    set_five_keys(rig)
    rest(rig)
    select_bones(rig, "head", "arm.L")
    bpy.ops.ed.undo_push(message="start")
    for _ in range(STEPS):
        verb = VERBS[random.integers(len(VERBS))]
        bpy.context.view_layer.objects.active = bear()
        verb(random)
        bpy.ops.ed.undo_push(message="step")
        if random.random() < 0.2:
            bpy.ops.ed.undo()
            bpy.context.view_layer.update()
        if random.random() < 0.1 and bpy.ops.ed.redo.poll():
            bpy.ops.ed.redo()
        check_that_all_belongs_together()
    assert "Traceback" not in capfd.readouterr().err
