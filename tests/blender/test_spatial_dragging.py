# SPDX-License-Identifier: GPL-3.0-or-later
"""Dragging in the plane of the keys, level with the ground and along the screen, seen by a made-up view."""

from __future__ import annotations

import importlib
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Matrix, Vector

from tests.blender.spatial_bear import BONES, cursor, set_key, settings

SIZE = (800, 600)
FLAT = {"a": (-1.0, -1.5, 1.0), "b": (1.0, -1.5, 1.2), "c": (0.2, -1.5, 2.4), "d": (-0.4, -1.5, 2.0)}


@pytest.fixture
def dragging(posewright):
    return importlib.import_module(f"{posewright.__name__}.operators.screen_drag")


@pytest.fixture
def planes(posewright):
    return importlib.import_module(f"{posewright.__name__}.bridge.spatial.drag_planes")


def view_from(eye, toward=(0.0, 0.0, 1.0), *, perspective=True):
    """A region with a camera that looks from one place to another."""
    away = Vector(toward) - Vector(eye)
    turned = away.to_track_quat("-Z", "Y").to_matrix().to_4x4()
    view = (Matrix.Translation(eye) @ turned).inverted()
    width, height, near, far = *SIZE, 0.1, 100.0
    if perspective:
        lens = 2.0
        window = Matrix(
            (
                (lens, 0, 0, 0),
                (0, lens * width / height, 0, 0),
                (0, 0, -(far + near) / (far - near), -2 * far * near / (far - near)),
                (0, 0, -1, 0),
            )
        )
    else:
        window = Matrix.Diagonal((0.2, 0.2 * width / height, -2 / far, 1.0))
    data = SimpleNamespace(
        view_matrix=view,
        window_matrix=window,
        perspective_matrix=window @ view,
        is_perspective=perspective,
        view_distance=away.length,
        view_perspective="PERSP" if perspective else "ORTHO",
    )
    return SimpleNamespace(x=0, y=0, width=width, height=height, data=data)


def mouse(at, shift=False):
    return SimpleNamespace(mouse_x=at[0], mouse_y=at[1], shift=shift)


def on_screen(region, place):
    return location_3d_to_region_2d(region, region.data, Vector(place))


def dragged(dragging, region, start, plane, to):
    """Grabbed where it is on the screen and dragged over `to`."""
    drag = dragging.ScreenDrag(region, Vector(start), mouse(on_screen(region, start)), plane=plane)
    drag.move(mouse(on_screen(region, to)))
    return drag


def rig_with(make_rig, places):
    rig = make_rig(BONES, name="Bear")
    bpy.ops.posewright.spatial_set_add(name="Look")
    for name, place in places.items():
        set_key(rig, place, name)
    bpy.context.view_layer.update()
    return rig


@pytest.mark.parametrize("perspective", [True, False])
@pytest.mark.parametrize("eye", [(6.0, -5.0, 4.0), (-7.0, -3.0, 1.5), (1.0, -8.0, 6.0)])
def test_every_marker_is_reached_from_an_oblique_view(make_rig, dragging, planes, eye, perspective):
    rig = rig_with(make_rig, FLAT)
    plane = planes.drag_plane(rig)
    region = view_from(eye, perspective=perspective)
    for place in FLAT.values():
        drag = dragged(dragging, region, (0.3, -1.2, 1.5), plane, place)
        assert tuple(drag.place) == pytest.approx(place, abs=1e-3), "also from a cursor beside the plane"


def test_a_moved_and_turned_character_takes_its_plane_along(make_rig, dragging, planes):
    rig = rig_with(make_rig, FLAT)
    rig.location, rig.rotation_euler = (1.0, 2.0, 0.5), (0.2, 0.1, 0.7)
    bpy.context.view_layer.update()
    region = view_from((9.0, -6.0, 5.0), (1.0, 2.0, 1.0))
    for key in settings(rig).sets[0].keys:
        place = key.marker.matrix_world.translation
        start = cursor(rig).matrix_world.translation
        drag = dragged(dragging, region, start, planes.drag_plane(rig), place)
        assert (drag.place - place).length < 1e-3


def test_from_its_edge_a_plane_is_dragged_along_the_screen(make_rig, dragging, planes):
    rig = rig_with(make_rig, FLAT)
    region = view_from((8.0, -1.5, 1.0), (0.0, -1.5, 1.0))
    start = (0.0, -1.5, 1.0)
    moved = dragged(dragging, region, start, planes.drag_plane(rig), (0.0, -0.5, 1.7)).place
    assert tuple(moved) == pytest.approx((0.0, -0.5, 1.7), abs=1e-3)


def test_level_with_the_ground_the_height_stays(make_rig, dragging, planes):
    rig = rig_with(make_rig, FLAT)
    settings(rig).drag_in = "GROUND"
    region = view_from((6.0, -5.0, 4.0))
    drag = dragged(dragging, region, (0.0, -1.0, 1.0), planes.drag_plane(rig), (1.5, 0.5, 1.0))
    assert tuple(drag.place) == pytest.approx((1.5, 0.5, 1.0), abs=1e-3)
    drag.move(mouse((400, 5000)))
    assert tuple(drag.place) == pytest.approx((1.5, 0.5, 1.0), abs=1e-3), (
        "there is nothing beyond the horizon"
    )


def test_along_the_screen_the_depth_stays(make_rig, dragging, planes):
    rig = rig_with(make_rig, FLAT)
    settings(rig).drag_in = "SCREEN"
    assert planes.drag_plane(rig) is None
    region = view_from((0.0, -8.0, 1.0))
    drag = dragged(dragging, region, (0.0, -1.0, 1.0), None, (0.7, -1.0, 1.6))
    assert tuple(drag.place) == pytest.approx((0.7, -1.0, 1.6), abs=1e-3)


def test_two_keys_keys_in_a_row_and_keys_all_around_make_no_plane(make_rig, planes):
    rig = rig_with(make_rig, {"a": (0, 0, 0), "b": (1, 0, 0)})
    assert planes.drag_plane(rig) is None
    set_key(rig, (2, 0, 0), "c")
    assert planes.drag_plane(rig) is None
    set_key(rig, (0, 0, 2), "d")
    assert planes.drag_plane(rig) is not None
    set_key(rig, (0, 2, 0), "e")
    assert planes.drag_plane(rig) is None


def test_the_depth_goes_out_of_the_plane_and_the_next_plane_goes_on_there(make_rig, dragging, planes):
    rig = rig_with(make_rig, FLAT)
    region, plane = view_from((0.0, -8.0, 1.5), (0.0, 0.0, 1.5)), planes.drag_plane(rig)
    drag = dragged(dragging, region, (0.0, -1.5, 1.5), plane, (0.5, -1.5, 1.5))
    drag.push(2.0, False)
    assert drag.place.y == pytest.approx(-1.5 + 2 * 0.03 * 8.0, abs=0.01)
    there = drag.place
    drag.change_plane(None)
    assert (drag.place - there).length < 1e-3


def test_the_key_goes_through_all_ways(make_rig, dragging):
    rig = rig_with(make_rig, FLAT)
    seen = []
    for _ in range(4):
        seen.append(settings(rig).drag_in)
        dragging.change_drag(rig)
    assert seen == ["KEYS", "GROUND", "SCREEN", "KEYS"]


def test_planes_agree_with_a_fit_of_another_kind(planes):
    random = np.random.default_rng(1)
    for _ in range(20):
        normal = random.normal(size=3)
        normal /= np.linalg.norm(normal)
        places = random.normal(size=(12, 3))
        places -= np.outer((places - 1.0) @ normal, normal)  # into the plane through (1, 1, 1)
        plane = planes._through(places)
        assert abs(abs(np.array(plane.normal) @ normal) - 1.0) < 1e-5
        assert abs((np.array(plane.through) - 1.0) @ normal) < 1e-5
