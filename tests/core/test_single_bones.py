# SPDX-License-Identifier: GPL-3.0-or-later
"""Toys and people of blocks, whose arms and legs are one bone each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core import anatomy
from core.anatomy import Character, Skin

from .skeletons import (
    BLOCK_ENDS,
    BLOCKS,
    BLOCKS_APART,
    HAND,
    Skeleton,
    bones_of,
    both_sides,
    describe,
    numbered,
    parents_first,
    renamed,
)


def block_ends(skeleton: Skeleton) -> np.ndarray:
    """(B, 3) where each block ends."""
    ends = []
    for name, (_, place) in skeleton.items():
        end = np.array(BLOCK_ENDS.get(name.partition(".")[0], place), float)
        ends.append(end * (-1, 1, 1) if name.endswith(".R") else end)
    return np.array(ends)


def block_mesh(skeleton: Skeleton) -> Skin:
    """A box around each bone, from where it begins to where it ends."""
    corners = np.array(np.meshgrid([-0.1, 0.1], [-0.1, 0.1], [0.0, 1.0])).reshape(3, -1).T
    heads = np.array([place for _, place in skeleton.values()], float)
    points = heads[:, None] * (1 - corners[:, 2:]) + block_ends(skeleton)[:, None] * corners[:, 2:]
    points += corners * (1, 1, 0)
    return Skin(points.reshape(-1, 3), np.repeat(np.arange(len(skeleton)), len(corners)))


def check_blocks(found: Character) -> None:
    assert found.feet == ("leg.L", "leg.R")
    assert found.hands == ("arm.L", "arm.R")
    assert (found.hips, found.head) == ("body", "head")
    assert found.height == pytest.approx(1.8)
    assert found.ground == pytest.approx(0.0, abs=1e-9)
    assert found.stands
    np.testing.assert_allclose(found.front, (0, -1, 0), atol=1e-9)


@pytest.mark.parametrize("body", [BLOCKS, BLOCKS_APART])
def test_limbs_of_one_bone_stand_where_their_mesh_ends(body: Skeleton):
    body = parents_first(both_sides(body))
    found = describe(body, skin=block_mesh(body))
    check_blocks(found)
    assert set(found.body) == set(body)
    assert {name for pair in found.pairs for name in pair} == {name for name in body if "." in name}
    assert {bone for leg in found.legs for bone in leg.bones} <= set(body)


@pytest.mark.parametrize("body", [BLOCKS, BLOCKS_APART])
def test_limbs_of_one_bone_stand_where_their_tails_are(body: Skeleton):
    body = parents_first(both_sides(body))
    check_blocks(anatomy.describe(replace(bones_of(body), tails=block_ends(body)), np.eye(3)))


def test_limbs_of_one_bone_without_names_are_told_by_place():
    body = parents_first(both_sides(BLOCKS))
    name_of = numbered(body)
    found = describe(renamed(body, name_of), skin=block_mesh(body))
    assert {*found.feet} == {name_of("leg.L"), name_of("leg.R")}
    assert {*found.hands} == {name_of("arm.L"), name_of("arm.R")}
    assert found.height == pytest.approx(1.8)


def test_the_ground_of_who_has_legs_of_one_bone():
    """Their ends are no joints, so that the place of the hips tells where the ground is."""
    body = parents_first(both_sides(BLOCKS))
    found, heads = describe(body, skin=block_mesh(body)), bones_of(body).heads
    assert anatomy.ground_below(found, list(body), heads[None] + (0, 0, 3)) == pytest.approx(3.0)


def test_wheels_and_wings_are_no_legs_of_one_bone():
    cart = {
        "frame": (None, (0, 0, 0.5)),
        "seat": ("frame", (0, 0, 1.0)),
        "wheel.L": ("frame", (0.5, 0, 0.3)),
        "wing.L": ("frame", (0.4, 0, 0.9)),
    }
    cart = parents_first(both_sides(cart))
    turns = np.linspace(0.0, 2.0 * np.pi, 32)
    rim = 0.3 * np.stack([0.0 * turns, np.cos(turns), np.sin(turns)], axis=1)
    names = list(cart)
    skin = Skin(
        np.concatenate([rim + cart["wheel.L"][1], rim + cart["wheel.R"][1], [[0.4, 0, 0], [-0.4, 0, 0]]]),
        np.repeat([names.index(name) for name in ("wheel.L", "wheel.R", "wing.L", "wing.R")], [32, 32, 1, 1]),
    )
    assert describe(cart, skin=skin).legs == ()


def test_the_fingers_of_a_single_hand_are_no_limbs():
    found = describe(HAND)
    assert (found.hips, found.legs, found.arms) == ("wrist", (), ())


def test_one_arm_without_a_mesh():
    body = parents_first(both_sides(BLOCKS))
    skin = block_mesh(body)
    weighted = np.array([name != "arm.R" for name in body])
    bones = replace(bones_of(body), weighted=weighted)
    seen = weighted[skin.owners]
    found = anatomy.describe(bones, np.eye(3), Skin(skin.points[seen], skin.owners[seen]))
    assert (found.feet, found.hips) == (("leg.L", "leg.R"), "body")


def test_a_bone_that_is_called_as_the_end_of_another_stays_what_it_is():
    """Such as the leaf bones of some exporters, which move no mesh and so are no part of the body."""
    body = parents_first(both_sides(BLOCKS))
    leaves = {f"{name} end": (name, (9.0, 9.0, 9.0)) for name in body if "." in name}
    bones = bones_of(body | leaves)
    weighted = np.array([name in body for name in bones.names])
    found = anatomy.describe(replace(bones, weighted=weighted), np.eye(3), block_mesh(body))
    check_blocks(found)
    assert set(found.controls) == set(bones.names)
