# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user says of a character counts, and takes along what follows from it."""

from __future__ import annotations

import numpy as np
import pytest

from core import InputError, anatomy

from .skeletons import BODY, SNAKE, below, bones_of, describe, turned


def test_what_the_user_says_counts():
    found = anatomy.corrected(
        describe(BODY),
        {
            "height": 2.0,
            "front": (0, 3, 0),
            "hips": "spine",
            "feet": [None, "toe.R"],
            "pairs": [("hips", "neck")],
        },
    )
    assert (found.height, found.hips) == (2.0, "spine")
    np.testing.assert_allclose(found.front, (0, 1, 0))
    assert not found.left_is_left
    assert found.feet == ("foot.L", "toe.R")
    assert found.mirror_of("neck") == "hips"
    assert found.mirror_of("shin.L") == "shin.R"


def test_hips_that_are_said_leave_carriers_above_and_a_spine_below():
    skeleton = below(dict(BODY), root=(0, 0, 0))
    parents = {name: parent for name, (parent, _) in skeleton.items()}
    found = anatomy.corrected(describe(skeleton), {"hips": "spine"}, parents)
    assert found.carriers == ("root", "hips")
    assert found.spine == ("chest", "neck")
    assert "hips" not in found.figure


@pytest.mark.parametrize(
    ("said", "ends"),
    [
        ("heel.L", ("shin.L", "foot.L", "heel.L")),
        ("ik.L", ("shin.L", "ik.L")),
        ("hand.R", ("shin.L", "hand.R")),
    ],
)
def test_a_foot_that_is_said_may_be_beside_the_leg_that_was_found(said, ends):
    """Such as a control that was chosen by mistake: what stands of it could not be told."""
    skeleton = dict(BODY) | {"heel.L": ("foot.L", (0.1, 0.05, -0.08)), "ik.L": (None, (0.1, 0.0, 0.0))}
    parents = {name: parent for name, (parent, _) in skeleton.items()}
    found = anatomy.corrected(describe(skeleton), {"feet": [said, None]}, parents)
    left, right = found.legs
    assert (left.end, left.sole, left.tip) == (said, said, None)
    assert left.bones[-len(ends) :] == ends
    assert right.sole == "foot.R"


def test_a_limb_that_was_not_found_is_said():
    parents = {name: parent for name, (parent, _) in SNAKE.items()}
    names = list(SNAKE)
    found = anatomy.corrected(describe(SNAKE), {"feet": [names[3], names[5]]}, parents)
    assert found.feet == (names[3], names[5])
    assert [(leg.side, leg.upper, leg.lower) for leg in found.legs] == [
        ("left", names[1], names[2]),
        ("right", names[3], names[4]),
    ]


@pytest.mark.parametrize("said", [(1, 0, 0), (0, 1, 0), (-1, -1, 0), (-1, 1, 0)])
def test_a_front_that_is_said_turns_with_the_body(said):
    """A quarter turn of the body turns what it is said to look at by as much."""
    found = anatomy.corrected(describe(BODY), {"front": said})
    heads = np.stack([bones_of(BODY, turned(z=angle)).heads for angle in (0.0, 90.0)])
    front = np.array(said) / np.linalg.norm(said)
    looks = anatomy.facing(found, list(BODY), heads)
    np.testing.assert_allclose(looks, [front, (-front[1], front[0], 0)], atol=1e-9)


def test_the_ground_that_is_said_is_the_ground():
    found = anatomy.corrected(describe(BODY), {"ground": 0.25})
    assert anatomy.ground_below(found, list(BODY), bones_of(BODY).heads[None] + 3.0) == 0.25


def test_bones_on_one_side_without_a_counterpart():
    alone = {name: bone for name, bone in BODY.items() if name not in ("finger_2.R", "toe_end.L")}
    found = describe(alone)
    assert set(found.unpaired) == {"finger_2.L", "toe_end.R"}
    assert describe(BODY).unpaired == ()
    said = anatomy.corrected(found, {"pairs": [("finger_2.L", "toe_end.R")]})
    assert said.unpaired == ()
    said = anatomy.corrected(describe(BODY), {"pairs": [("shin.L", "thigh.R")]})
    assert set(said.unpaired) == {"shin.R", "thigh.L"}


@pytest.mark.parametrize(
    "wrong",
    [{"size": 2.0}, {"height": 0.0}, {"front": (0, 0, 0)}, {"hips": "nobody"}, {"feet": ["toe.L"] * 3}],
)
def test_corrections_that_say_nothing_are_refused(wrong):
    with pytest.raises(InputError):
        anatomy.corrected(describe(BODY), wrong)
