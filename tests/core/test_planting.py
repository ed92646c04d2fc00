# SPDX-License-Identifier: GPL-3.0-or-later
"""Planted feet stand still, come and go softly, and the hips give way only where they must."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from core import rotations
from core.feet.contacts import contact_at
from core.feet.planting import (
    LOCKED,
    SHORT,
    LimbPoses,
    goal_of,
    hips_step,
    joined_at_seam,
    planted,
    weights,
    within_reach,
)

TIMES = np.arange(240) / 60.0


def leg(hip_height: float = 0.9, seed: int = 3) -> LimbPoses:
    """A leg that sways over a foot that stands, with a little slide."""
    start = np.stack([0.3 * TIMES - 0.6, 0.0 * TIMES, np.full(240, hip_height)], axis=1)
    end = np.stack([0.02 * np.sin(TIMES), 0.0 * TIMES, np.full(240, 0.1)], axis=1)
    middle = (start + end) / 2.0 + [0.12, 0.0, 0.0]
    foot = Rotation.from_euler("y", 0.1 * np.sin(seed * TIMES)[:, None]).as_matrix()
    point = end + foot @ [0.15, 0.0, -0.08]
    bend = np.tile([0.0, -1.0, 0.0], (240, 1))
    return LimbPoses(start, middle, end, point, bend, foot, foot, foot, foot)


def played_point(limb: LimbPoses, found) -> np.ndarray:
    knee = limb.start + np.einsum("fij,fj->fi", found.turns.upper, limb.middle - limb.start)
    ankle = knee + np.einsum("fij,fj->fi", found.turns.lower, limb.end - limb.middle)
    offset = np.einsum("fji,fj->fi", limb.foot, limb.point - limb.end)
    return ankle + np.einsum("fij,fj->fi", found.foot, offset)


def test_a_planted_point_does_not_move():
    original = leg()
    reduced = leg(seed=9)
    away = np.array([0.04, 0.03, 0.02])
    reduced = replace(reduced, end=reduced.end + away, point=reduced.point + away)
    contacts = [contact_at(original.point, 0, 60, 120)]
    found = planted(reduced, goal_of(original, contacts, TIMES))
    point = played_point(reduced, found)
    assert np.abs(point[60:121] - contacts[0].place).max() < 1e-9
    np.testing.assert_allclose(found.foot[60:121], original.foot[60:121], atol=1e-9)


def test_far_from_contacts_nothing_is_touched():
    original, reduced = leg(), leg(seed=9)
    reduced = replace(reduced, point=reduced.point + np.array([0.0, 0.0, 0.05]))
    found = planted(reduced, goal_of(original, [contact_at(original.point, 0, 60, 120)], TIMES))
    for rows in (slice(0, 47), slice(134, None)):
        np.testing.assert_allclose(found.turns.upper[rows] - np.eye(3), 0.0, atol=1e-6)
        np.testing.assert_allclose(found.foot[rows], reduced.foot[rows], atol=1e-9)


def test_weights_come_and_go_softly_and_close_contacts_stay_held():
    points = np.zeros((240, 3))
    held = weights([contact_at(points, 0, 60, 120), contact_at(points, 0, 124, 150)], TIMES)
    assert np.all(held[60:121] == 1.0)
    assert held[122] > 0.9
    assert np.all(held[:47] == 0.0)
    assert np.abs(np.diff(held)).max() < 0.15
    assert np.all(weights([], TIMES) == 0.0)


def test_at_open_ends_nothing_is_held():
    original = leg()
    for first, last in ((0, 239), (5, 236)):
        goal = goal_of(original, [contact_at(original.point, 0, first, last)], TIMES, open_ends=True)
        assert goal.weight[0] == goal.weight[-1] == 0.0
        assert np.all(goal.weight[12:-12] == 1.0)
        assert np.abs(np.diff(goal.weight)).max() < 0.5


def test_only_open_ends_change_how_firmly_a_foot_is_held():
    original = leg()
    contacts = [contact_at(original.point, 0, *ends) for ends in ((0, 80), (92, 239))]
    closed, opened = (goal_of(original, contacts, TIMES, open_ends=each) for each in (False, True))
    firmly = weights(contacts, TIMES)
    assert 0.0 < firmly[86] < 1.0
    np.testing.assert_array_equal(closed.weight, firmly)
    np.testing.assert_allclose(opened.weight[30:210], firmly[30:210])
    assert opened.near[86] == closed.near[86]


def test_two_places_are_joined_without_a_jump():
    original = leg()
    points = original.point.copy()
    points[:, 1] += 0.03 * np.clip((np.arange(240) - 116) / 8.0, 0.0, 1.0)
    contacts = [contact_at(points, 0, 60, 116), contact_at(points, 0, 124, 180)]
    goal = goal_of(replace(original, point=points), contacts, TIMES)
    assert np.abs(np.diff(goal.end - original.end + points, axis=0)).max() < 0.011


def test_hips_give_way_where_a_leg_is_too_short_and_only_there():
    original, reduced = leg(), leg(hip_height=1.1)
    reduced = replace(reduced, middle=reduced.start - [0.0, 0.0, 0.41], end=reduced.start - [0.0, 0.0, 0.85])
    contacts = [contact_at(original.point, 0, 100, 140)]
    goal = goal_of(original, contacts, TIMES)
    step = hips_step([reduced], [goal], original.start - reduced.start, [original.start], TIMES)
    assert step[120, 2] < -0.03
    assert not step[:70].any()
    moved = reduced.moved(step)
    far = np.linalg.norm(goal.end - moved.start, axis=1)
    assert np.all(far[100:141] <= 1.004 * moved.reach[100:141])
    assert not hips_step([original], [goal], 0.0 * original.start, [original.start], TIMES).any()


def test_hips_go_where_legs_reach_though_their_pelvis_is_turned():
    """The way of the hips themselves would lead the leg further up."""
    original = leg(hip_height=0.9)
    reduced = leg(hip_height=0.97)
    reduced = replace(reduced, middle=reduced.start - [0.0, 0.0, 0.41], end=reduced.start - [0.0, 0.0, 0.85])
    goal = goal_of(original, [contact_at(original.point, 0, 100, 140)], TIMES)
    up = np.tile([0.0, 0.0, 0.05], (240, 1))
    for legs in (1, 2):
        step = hips_step([reduced] * legs, [goal] * legs, up, [original.start] * legs, TIMES)
        assert np.abs(np.diff(step, axis=0)).max() < 0.01, "softly from one way to the other"
        moved = reduced.moved(step)
        far = np.linalg.norm(goal.end - moved.start, axis=1)
        assert np.all(far[100:141] <= 1.004 * moved.reach[100:141])


def test_hips_go_the_short_way_where_those_of_the_original_lead_away():
    """Two legs, each too short on its own side, and neither hips nor legs of the original are any help."""
    original = leg(hip_height=0.9)
    reduced = leg(hip_height=0.97)
    reduced = replace(reduced, middle=reduced.start - [0.0, 0.0, 0.41], end=reduced.start - [0.0, 0.0, 0.85])
    goal = goal_of(original, [contact_at(original.point, 0, 100, 140)], TIMES)
    aside = np.array([0.0, 0.15, 0.0])
    goals = [replace(goal, end=goal.end + side * aside) for side in (-1.0, 1.0)]
    up = np.tile([0.0, 0.0, 0.05], (240, 1))
    step = hips_step([reduced] * 2, goals, up, [reduced.start + up] * 2, TIMES)
    assert np.abs(np.diff(step, axis=0)).max() < 0.01
    moved = reduced.moved(step)
    for each in goals:
        far = np.linalg.norm(each.end - moved.start, axis=1)
        assert np.all(far[100:141] <= 1.004 * moved.reach[100:141])
    assert np.linalg.norm(step, axis=1).max() < 0.06, "and no farther than it takes"


def test_a_foot_that_swings_does_not_sink_through_what_it_stands_on():
    original = leg()
    lifted = np.where((TIMES > 1.5) & (TIMES < 2.5), 0.1, 0.0)[:, None] * [0.0, 0.0, 1.0]
    original = replace(original, end=original.end + lifted, point=original.point + lifted)
    sunk = np.array([0.0, 0.0, -0.06])
    reduced = replace(original, end=original.end - lifted + sunk, point=original.point - lifted + sunk)
    contacts = [contact_at(original.point, 0, 20, 80), contact_at(original.point, 0, 160, 220)]
    goal = goal_of(original, contacts, TIMES)
    found = planted(reduced, goal)
    assert np.all(found.rows[20:221])
    assert (played_point(reduced, found)[:, 2] - goal.floor).min() > -1e-9


def test_a_straight_leg_that_a_pin_pulls_at_is_bent_a_little_the_way_it_bends():
    straight = leg()
    straight = replace(straight, middle=(straight.start + straight.end) / 2.0)
    goal = goal_of(straight, [contact_at(straight.point, 0, 100, 120)], TIMES)
    goal = replace(goal, floor=goal.floor - 1.0)
    found = planted(straight, goal.pinned)
    assert np.all(found.rows[goal.weight > 0.0])
    far = np.linalg.norm(found.end - straight.start, axis=1)
    pulled = goal.weight > 0.0
    np.testing.assert_allclose(far[pulled], LOCKED * straight.reach[pulled])
    knee = straight.start + np.einsum("fij,fj->fi", found.turns.upper, straight.middle - straight.start)
    aside = np.linalg.norm(np.where(found.rows[:, None], knee - straight.middle, 0.0), axis=1)
    assert aside.max() > 0.02
    assert np.abs(np.diff(aside)).max() < 0.007, "softly, before anything pulls"
    assert not found.rows[goal.near == 0.0].any()
    upper, lower = straight.middle - straight.start, straight.end - straight.middle
    across = np.cross(
        np.einsum("fij,fj->fi", found.turns.upper, upper), np.einsum("fij,fj->fi", found.turns.lower, lower)
    )
    assert np.all(np.sum(across * straight.bend, axis=1)[found.rows] > 0.0)
    free = planted(replace(straight, free=True), goal.pinned)
    assert not free.rows.any(), "it reaches for a control, and bends by itself"


def test_a_foot_on_its_way_to_a_pin_does_not_sink_wherever_its_bone_ends():
    """The end of the bone goes straight from one place to another, and what it carries does not."""
    stands, plays = (Rotation.from_euler("y", np.full((240, 1), turn)).as_matrix() for turn in (0.6, -0.6))
    original = leg()
    behind, ball = np.array([-0.3, 0.0, -0.05]), np.array([0.15, 0.0, -0.08])
    wanted = replace(original, foot=stands, point=original.end + stands @ ball)
    contacts = [contact_at(wanted.point, 0, 100, 120)]
    goal = goal_of(wanted, contacts, TIMES)
    end = (
        original.end + np.array([0.0, 0.0, 1.0]) * (goal.floor - (original.end + plays @ ball)[:, 2])[:, None]
    )
    now = replace(original, end=end, foot=plays, point=end + plays @ ball, tail=end + plays @ behind)

    def lowest(ankle):
        turned = rotations.between(plays, stands, goal.weight)
        share = goal.weight[:, None]
        pulled = (1.0 - share) * (ankle + plays @ behind) + share * (goal.end + stands @ behind)
        return (pulled + turned @ (ball - behind))[:, 2] - goal.floor

    assert lowest(now.end).min() < -0.008
    assert lowest(planted(now, goal.pinned).end).min() > -0.002


def test_between_rotations_is_slerp():
    first, second = (Rotation.random(20, random_state=seed) for seed in (1, 2))
    for share in (0.0, 0.3, 1.0):
        found = rotations.between(first.as_matrix(), second.as_matrix(), np.full(20, share))
        for row in range(20):
            pair = Rotation.concatenate([first[row], second[row]])
            np.testing.assert_allclose(found[row], Slerp([0, 1], pair)(share).as_matrix(), atol=1e-9)


def test_a_foot_that_drifts_stands_where_the_leg_reaches_all_along():
    """A knee is bent at first and stretched at the end: from there the middle of the way is out of reach."""
    drift = np.linspace(0.0, 0.3, 240)[:, None] * [1.0, 0.0, 0.0]
    height = np.where(np.arange(240) < 120, 0.72, 0.798)
    up = height[:, None] * [0.0, 0.0, 1.0]
    knee = drift + up / 2.0 + np.sqrt(0.16 - (height / 2.0) ** 2)[:, None] * [1.0, 0.0, 0.0]
    still = np.tile(np.eye(3), (240, 1, 1))
    limb = LimbPoses(drift + up, knee, drift, drift, np.zeros((240, 3)), still, still)

    def missing(place):
        return (np.linalg.norm(place - limb.start, axis=1) / 0.8).max() - 1.0

    contact = contact_at(limb.point, 0, 0, 239)
    [found] = within_reach(limb, [contact])
    assert missing(contact.place) > 2 * SHORT
    assert missing(found.place) <= SHORT
    way = contact.place + np.linspace(0.0, 1.0, 2001)[:, None] * (limb.point[-1] - contact.place)
    nearest = next(place for place in way if missing(place) <= SHORT)
    assert 0.0 <= np.linalg.norm(found.place - contact.place) - np.linalg.norm(nearest - contact.place) < 0.01
    reached = contact_at(leg().point, 0, 0, 10)
    [same] = within_reach(leg(), [reached])
    np.testing.assert_allclose(same.place, reached.place)


def test_what_stands_at_both_ends_of_a_round_stands_there_in_one_place():
    points = np.zeros((240, 3))
    points[200:, 0] = 1.3
    contacts = [contact_at(points, 0, *ends) for ends in ((0, 30), (80, 120), (200, 239))]
    covered = np.array([1.2, 0.0, 0.0])
    joined = joined_at_seam(contacts, 240, covered)
    assert [each.place[0] for each in joined] == [0.0, 0.0, 1.2]
    for apart in (contacts[1:], contacts[:-1], []):
        assert joined_at_seam(apart, 240, covered) == apart
    assert joined_at_seam(contacts, 240, None) == contacts


def test_between_frames_the_ankle_goes_about_the_point_with_the_foot():
    original = leg()
    goal = goal_of(original, [contact_at(original.point, 0, 60, 120)], TIMES)
    gaps = np.arange(70, 110)
    arms = [
        np.einsum("fji,fj->fi", each.foot, each.end - each.point) for each in (goal, goal.at_thirds(gaps))
    ]
    np.testing.assert_allclose(arms[1], np.tile(arms[0][70], (80, 1)), atol=1e-4)


def test_a_limb_without_a_foot_is_lifted_to_its_floor_as_well():
    """Its point goes along with its end as it is."""
    original = replace(leg(), foot=None, tail=None, toes=None)
    deep = np.array([0.0, 0.0, 0.07])
    contacts = [contact_at(original.point, 0, *ends) for ends in ((10, 60), (120, 200))]
    goal = replace(goal_of(original, contacts, TIMES), weight=np.zeros(240))
    sunk = replace(original, point=original.point - deep, end=original.end - deep)
    found = planted(sunk, goal)
    point = found.end + sunk.point - sunk.end
    assert (point[:, 2] >= goal.floor - 1e-9).all()
    assert (found.end - sunk.end)[:, 2].max() < 0.08
