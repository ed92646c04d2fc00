# SPDX-License-Identifier: GPL-3.0-or-later
"""How high a character is: by its mesh where that is of the body, else by its bones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core import anatomy
from core.anatomy import Skin

from .skeletons import BODY, Skeleton, bones_of, describe


def test_the_mesh_says_how_high_it_is_without_what_it_holds():
    rows = list(BODY)
    points = np.array([(0, 0, -0.02), (0, 0, 1.85), (0.8, 0, 0.5), (0.8, 0, 2.9)])
    owners = np.array([rows.index(name) for name in ("foot.L", "head", "finger.L", "finger.L")])
    found = describe(BODY, skin=Skin(points, owners))
    assert found.height == pytest.approx(1.87)
    assert found.ground == pytest.approx(-0.02)
    assert found.sole == pytest.approx(0.04)


def test_a_mesh_in_another_scale_is_not_believed():
    points = np.array([(0, 0, 0), (0, 0, 180.0)])
    found = describe(BODY, skin=Skin(points, np.array([-1, -1])))
    assert found.height == pytest.approx(1.8)


def test_a_mesh_of_a_part_alone_does_not_hide_the_rest():
    hat = np.array([name == "head" for name in BODY])
    points = np.array([(0.0, 0.0, 1.6), (0.0, 0.0, 1.9)])
    owners = np.full(2, list(BODY).index("head"))
    found = describe(BODY, skin=Skin(points, owners), weighted=hat)
    assert found.feet == ("foot.L", "foot.R")
    assert found.height == pytest.approx(1.8)
    assert found.deform == ("head",)


@pytest.mark.parametrize("tail", [0.01, 8.0])
def test_the_mesh_of_a_single_bone_is_believed_wherever_its_importer_put_the_tail(tail: float):
    bones = anatomy.Bones.of(["sword"], [-1], [(0, 0, 0)], [(0, 0, tail)])
    points = np.array([(0, 0, -0.2), (0, 0, 0.9)])
    assert anatomy.describe(bones, np.eye(3), Skin(points, np.array([0, 0]))).height == pytest.approx(1.1)


def test_a_mesh_without_any_extent_tells_nothing():
    bones = anatomy.Bones.of(["sword"], [-1], [(0, 0, 0)], [(0, 0, 0.5)])
    points = np.zeros((4, 3))
    assert anatomy.describe(bones, np.eye(3), Skin(points, np.zeros(4, int))).height == pytest.approx(0.5)


@pytest.mark.parametrize("tail", [1.0, 2.0, 30.0])
def test_the_mesh_of_a_prop_is_believed_wherever_the_tail_of_its_last_bone_is(tail: float):
    """A cylinder of two bones, as glTF's sample of a simple rig is."""
    bones = anatomy.Bones.of(["base", "top"], [-1, 0], [(0, 0, 0), (0, 0, 1)], [(0, 0, 1), (0, 0, 1 + tail)])
    points = np.array([(0, 0, 0), (0, 0, 1.2)])
    assert anatomy.describe(bones, np.eye(3), Skin(points, np.array([0, 1]))).height == pytest.approx(1.2)


def test_a_body_may_be_a_block_around_few_joints():
    blob = {
        "root": (None, (0, 0, 0)),
        "body": ("root", (0, 0, 0.05)),
        "fin.L": ("body", (0.2, 0, 0.1)),
        "fin.R": ("body", (-0.2, 0, 0.1)),
    }
    corners = np.array(np.meshgrid([-0.4, 0.4], [-0.4, 0.4], [0.0, 1.5])).reshape(3, -1).T
    found = describe(blob, skin=Skin(corners, np.full(len(corners), 1)))
    assert found.height == pytest.approx(1.5)


def test_what_hands_hold_does_not_make_a_skeleton_higher():
    lance = {"lance": ("hand.R", (-0.75, 0.0, 1.45)), "lance_tip": ("lance", (-0.75, 0.0, 4.0))}
    assert describe({**BODY, **lance}).height == pytest.approx(1.8)


def test_a_rest_pose_that_nobody_stands_in_gives_the_length_from_head_to_toe():
    """BVH may have all bones along one axis at rest."""
    stretched: Skeleton = {}
    for name, (parent, place) in BODY.items():
        if parent is None:
            stretched[name] = (None, place)
            continue
        length = float(np.linalg.norm(np.subtract(place, BODY[parent][1])))
        side = -1.0 if name.endswith(".R") else 1.0
        x, y, z = stretched[parent][1]
        stretched[name] = (parent, (x + side * length, y, z))
    found = describe(stretched)
    assert not found.stands
    assert found.height == pytest.approx(1.8, rel=0.1)
    assert found.feet == ("foot.L", "foot.R")


@pytest.mark.parametrize(("length", "height"), [(0.15, 1.8), (1.5, 1.62)])
def test_the_tail_of_a_last_bone_counts_unless_it_is_far_off(length: float, height: float):
    body = {name: bone for name, bone in BODY.items() if name != "head_top"}
    ends = {parent: place for parent, place in reversed(body.values()) if parent is not None}
    tails = np.array([ends.get(name, place) for name, (_, place) in body.items()], float)
    tails[list(body).index("head")] = (0.0, 0.0, 1.65 + length)
    found = anatomy.describe(replace(bones_of(body), tails=tails), np.eye(3))
    assert found.tails_tell
    assert found.height == pytest.approx(height)


def test_the_mesh_is_believed_where_last_bones_reach_into_the_ground():
    """As glTF import makes them, as long as those above: a character of blocks was half as high again."""
    body = {name: bone for name, bone in BODY.items() if not name.startswith("toe_end")}
    ends = {parent: place for parent, place in reversed(body.values()) if parent is not None}
    tails = np.array([ends.get(name, place) for name, (_, place) in body.items()], float)
    tails[[list(body).index(f"toe.{side}") for side in "LR"]] -= (0, 0, 0.7)
    points = np.array([(0, 0, -0.02), (0, 0, 1.83)])
    skin = Skin(points, np.array([list(body).index(name) for name in ("foot.L", "head")]))
    found = anatomy.describe(replace(bones_of(body), tails=tails), np.eye(3), skin)
    assert found.tails_tell
    assert found.height == pytest.approx(1.85)
    assert found.ground == pytest.approx(-0.02)


def test_bones_that_exporters_add_at_ends_do_not_end_farther_on():
    ends = {parent: place for parent, place in reversed(BODY.values()) if parent is not None}
    tails = np.array([ends.get(name, place) for name, (_, place) in BODY.items()], float)
    tails[list(BODY).index("head_top")] += (0, 0, 0.2)
    tails[[list(BODY).index(f"toe_end.{side}") for side in "LR"]] -= (0, 0, 0.2)
    found = anatomy.describe(replace(bones_of(BODY), tails=tails), np.eye(3))
    assert found.tails_tell
    assert found.height == pytest.approx(1.8)
