# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts are found whatever the rate, the scale, the noise and what the feet stand on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from benchmarks.gaits import GAITS, Gait, body_over
from core import InputError
from core.feet.calming import calmed
from core.feet.contacts import Contact, contact_at, find_contacts, floor_under, planted, runs


def walk(
    fps: float = 60.0, climb: float = 0.0, beats: Sequence[float] = (0.0, 0.5)
) -> tuple[np.ndarray, np.ndarray]:
    """Feet (F, P, 3) that take turns, and whether each stands; `climb` is a step's height."""
    return Gait(climb=climb, beats=beats).feet(fps)


def agreement(feet: np.ndarray, stands: np.ndarray, fps: float, height: float = 1.7) -> float:
    found = find_contacts(feet, height=height, fps=fps, body=body_over(feet))
    return float(np.mean(planted(found, *stands.shape) == stands))


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0, 120.0])
@pytest.mark.parametrize("climb", [0.0, 0.17, -0.17, 0.05], ids=["level", "up", "down", "slope"])
def test_a_walk_at_any_rate_on_any_ground(fps: float, climb: float):
    feet, stands = walk(fps, climb)
    assert agreement(feet, stands, fps) > 0.9


def test_scale_turn_and_place_do_not_matter():
    feet, _ = walk()
    first = find_contacts(feet, height=1.7, fps=60.0, body=body_over(feet))
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    place = np.array([5000.0, -300.0, 80.0])
    moved, body = (100.0 * each @ turn.T + place for each in (feet, body_over(feet)))
    second = find_contacts(moved, height=170.0, fps=60.0, body=body)
    assert [(c.point, c.first, c.last) for c in first] == [(c.point, c.first, c.last) for c in second]
    np.testing.assert_allclose(second[2].place, 100.0 * turn @ first[2].place + place)


@pytest.mark.parametrize("name", ["gallop", "spider"])
@pytest.mark.parametrize("fps", [30.0, 50.0, 120.0])
def test_where_the_action_begins_does_not_matter(name: str, fps: float):
    """Three thirtieths of a second are a tenth, but for rounding."""
    feet, _ = GAITS[name].feet(fps)
    feet += np.random.default_rng(1).normal(0.0, 0.0005, feet.shape)

    def found(start: int) -> list[tuple[int, int, int]]:
        frames = start + np.arange(len(feet))
        contacts = find_contacts(feet, height=1.7, fps=fps, frames=frames, body=body_over(feet))
        return [(each.point, each.first, each.last) for each in contacts]

    for start in (-57, 1, 101, 1001, 86400):
        assert found(start) == found(0)


def test_noise_of_capture_changes_little():
    feet, stands = walk(120.0)
    noisy = feet + np.random.default_rng(1).normal(0.0, 0.0015, feet.shape)
    assert agreement(noisy, stands, 120.0) > 0.9
    assert len(find_contacts(noisy, height=1.7, fps=120.0)) == len(find_contacts(feet, height=1.7, fps=120.0))


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0])
@pytest.mark.parametrize("climb", [0.0, 0.17], ids=["level", "stairs"])
def test_noise_at_any_rate(fps: float, climb: float):
    feet, stands = walk(fps, climb)
    noisy = feet + np.random.default_rng(2).normal(0.0, 0.0015, feet.shape)
    assert agreement(noisy, stands, fps) > 0.88


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0])
@pytest.mark.parametrize("name", ["walk", "stairs", "slope, down", "jog", "trot", "spider"])
@pytest.mark.parametrize("size", [1.0, 100.0])
def test_a_centimetre_of_noise_does_not_tear_contacts(name: str, fps: float, size: float):
    feet, stands = GAITS[name].feet(fps)
    noisy = size * (feet + np.random.default_rng(3).normal(0.0, 0.01, feet.shape))
    contacts = find_contacts(noisy, height=1.7 * size, fps=fps, body=body_over(noisy))
    found = planted(contacts, *stands.shape)
    assert np.mean(stands[found]) > 0.85
    assert np.mean(found[stands]) > 0.7
    assert 0.85 < len(contacts) / sum(len(list(runs(each))) for each in stands.T) < 1.05


def test_little_noise_stays():
    """Averages would make contacts of a tenth of a second shorter."""
    feet, _ = GAITS["sprint"].feet(60.0)
    noisy = feet + np.random.default_rng(3).normal(0.0, 0.003, feet.shape)
    np.testing.assert_array_equal(calmed(noisy, np.arange(len(noisy)) / 60.0, 1.7, 0.1), noisy)


def test_much_noise_of_one_point_leaves_the_others_alone():
    feet, _ = walk(60.0)
    noisy = feet.copy()
    noisy[:, 1] += np.random.default_rng(3).normal(0.0, 0.01, feet[:, 1].shape)
    quiet, mixed = (find_contacts(each, height=1.7, fps=60.0, body=body_over(feet)) for each in (feet, noisy))
    ends = [[(each.first, each.last) for each in found if each.point == 0] for found in (quiet, mixed)]
    assert ends[0] == ends[1]


@pytest.mark.parametrize("fps", [12.0, 24.0])
def test_stepped_or_sparse_poses_are_not_taken_for_noise(fps: float):
    """One who turns as he goes, posed on twos of 24 frames a second: no direction is quiet in between."""
    feet, _ = GAITS["jog"].feet(12.0)
    angle = 1.5 * np.arange(len(feet)) / 12.0
    turn = np.zeros((len(feet), 3, 3))
    turn[:, 0, 0] = turn[:, 1, 1] = np.cos(angle)
    turn[:, 1, 0], turn[:, 0, 1], turn[:, 2, 2] = np.sin(angle), -np.sin(angle), 1.0
    points = np.repeat(np.einsum("fij,fpj->fpi", turn, feet), round(fps / 12.0), axis=0)
    times = np.arange(len(points)) / fps
    np.testing.assert_array_equal(calmed(points, times, 1.7, 0.1), points)


@pytest.mark.parametrize("size", [0.3, 1.7, 12.0], ids=["a fox", "a horse", "a dinosaur"])
@pytest.mark.parametrize("beats", [(0.0, 0.5, 0.25, 0.75), (0.0, 0.5, 0.5, 0.0)], ids=["walk", "trot"])
def test_four_paws(size: float, beats: tuple[float, ...]):
    feet, stands = walk(beats=beats)
    assert agreement(size / 1.7 * feet, stands, 60.0, size) > 0.9


def test_who_crawls_stands_on_hands_and_knees_that_are_asked_for():
    """Hands are points like any others; the body lies hardly above them."""
    points, stands = walk(beats=(0.0, 0.5, 0.5, 0.0))
    body = np.concatenate([points, points.mean(axis=1, keepdims=True) + np.array([0.0, 0.0, 0.4])], axis=1)
    found = find_contacts(points, height=1.7, fps=60.0, body=body)
    assert np.mean(planted(found, *stands.shape) == stands) > 0.9


@pytest.mark.parametrize("fps", [24.0, 120.0])
def test_a_foot_that_glides_along_the_ground_does_not_stand(fps: float):
    """A moonwalk: feet take turns to glide back, flat, as low as the one that stands."""
    feet, stands = Gait(round=1.0, stride=-0.8, lift=0.0).feet(fps)
    found = find_contacts(feet, height=1.7, fps=fps, body=body_over(feet))
    assert np.mean(stands[planted(found, *stands.shape)]) > 0.85
    assert np.mean(planted(found, *stands.shape)[stands]) > 0.95
    assert max(each.spread for each in found) < 0.01


@pytest.mark.parametrize("pitch", [-15.0, 10.0, 20.0])
def test_a_slope_that_the_whole_walk_is_turned_on(pitch: float):
    feet, stands = walk()
    angle = np.radians(pitch)
    turn = np.array([[np.cos(angle), 0, -np.sin(angle)], [0, 1, 0], [np.sin(angle), 0, np.cos(angle)]])
    assert agreement(feet @ turn.T, stands, 60.0) > 0.9


def test_who_sits_and_taps_a_foot():
    """The hips are as low as a chair; one foot stands, the other is lifted again and again."""
    times = np.arange(240) / 60.0
    body = np.zeros((240, 3, 3))
    body[:, 2, 2] = 0.5
    body[:, 1, 2] = 0.15 * np.clip(np.sin(2.0 * np.pi * times), 0.0, 1.0)
    found = planted(find_contacts(body[:, :2], height=1.7, fps=60.0, body=body), 240, 2)
    assert found[:, 0].all()
    assert not found[body[:, 1, 2] > 0.05, 1].any()
    assert found[body[:, 1, 2] == 0.0, 1].mean() > 0.8


def test_who_lies_down_stands_until_then():
    """From standing to lying with the feet in the air, in a second."""
    share = np.clip((np.arange(360) / 60.0 - 2.0) / 1.0, 0.0, 1.0)
    body = np.zeros((360, 3, 3))
    body[:, :2, 2] = 0.5 * share[:, None]
    body[:, 2, 2] = 0.9 * (1.0 - share)
    found = planted(find_contacts(body[:, :2], height=1.7, fps=60.0, body=body), 360, 2)
    assert found[:115].all()
    assert not found[150:].any()


def test_uneven_frames_are_times():
    feet, _ = walk(60.0)
    chosen = np.unique(np.random.default_rng(2).integers(0, len(feet), 280))
    even = planted(find_contacts(feet, height=1.7, fps=60.0), len(feet), 2)[chosen]
    found = find_contacts(feet[chosen], height=1.7, fps=60.0, frames=chosen.astype(float))
    assert np.mean(planted(found, len(chosen), 2) == even) > 0.93


def test_a_foot_held_in_the_air_is_not_planted():
    feet = np.zeros((200, 2, 3))
    feet[:, 1, 2] = 0.4
    assert {each.point for each in find_contacts(feet, height=1.7, fps=60.0)} == {0}


def test_who_is_scaled_to_nothing_stands_nowhere():
    """As who is made to appear: all joints are in one place, on the ground, and do not move."""
    feet, _ = walk()
    size = np.ones((len(feet), 1, 1))
    size[:70] = 0.0
    found = find_contacts(size * feet, height=1.7, fps=60.0, body=size * body_over(feet))
    whole = find_contacts(feet, height=1.7, fps=60.0, body=body_over(feet))
    assert [(each.point, each.last) for each in found] == [
        (each.point, each.last) for each in whole if each.first >= 70
    ]
    assert min(each.first for each in found) >= 70


def test_legs_raised_by_one_who_lies():
    body = np.zeros((200, 3, 3))
    body[:, :2, 2] = 0.6
    assert find_contacts(body[:, :2], height=1.7, fps=60.0, body=body) == []


def test_heels_of_one_who_lies_on_the_back_stand():
    """The balls of the feet are far above what the heels lie on."""
    body = np.zeros((200, 3, 3))
    body[:, :2, 2] = 0.2
    heels = np.zeros((200, 2, 3))
    heels[50:100, 0, 2] = 0.3
    balls = body[:, :2] + heels
    found = planted(find_contacts(balls, height=1.7, fps=60.0, body=body, heels=heels), 200, 2)
    assert found[:48, 0].all()
    assert found[102:, 0].all()
    assert found[:, 1].all()
    assert not found[55:95, 0].any()


def test_seated_feet_stand():
    body = np.zeros((200, 3, 3))
    body[:, 2, 2] = 0.5
    found = find_contacts(body[:, :2], height=1.7, fps=60.0, body=body)
    assert [(each.first, each.last) for each in found] == [(0, 199), (0, 199)]


def test_the_top_of_a_hop_is_no_contact():
    times = np.arange(0.0, 3.0, 1.0 / 120.0)
    phase = times % 0.75
    level = np.where(phase < 0.5, 4.9 * phase * (0.5 - phase), 0.0)
    feet = np.repeat(np.stack([0 * times, 0 * times, level], axis=1)[:, None], 2, axis=1)
    found = planted(find_contacts(feet, height=1.7, fps=120.0), len(feet), 2)
    assert not found[level > 0.1].any()
    assert found[level == 0.0].mean() > 0.7


def test_a_slow_shuffle_is_cut_into_places():
    along = np.linspace(0.0, 0.5, 600)
    feet = np.stack([along, 0 * along, 0 * along], axis=1)[:, None]
    found = find_contacts(feet, height=1.7, fps=60.0)
    assert len(found) > 2
    assert max(each.spread for each in found) < 0.06


def creeping(*stretches: tuple[float, float]) -> np.ndarray:
    """(F, 1, 3) a foot at 100 frames a second: for how long and how fast it goes, stretch by stretch."""
    speeds = np.concatenate([np.full(round(100.0 * seconds), speed) for seconds, speed in stretches])
    along = np.concatenate([[0.0], np.cumsum(speeds) / 100.0])
    return np.stack([along, 0 * along, 0 * along], axis=1)[:, None]


def rows_of(feet: np.ndarray) -> list[tuple[int, int]]:
    return [(each.first, each.last) for each in find_contacts(feet, height=1.0, fps=100.0)]


@pytest.mark.parametrize(("speed", "contacts"), [(0.17, 1), (0.25, 2)])
def test_what_stands_goes_on_to_stand_until_it_is_clearly_on_its_way(speed: float, contacts: int):
    """Halfway it creeps on by a fortieth of the height: faster than what begins to stand may be."""
    assert len(rows_of(creeping((0.5, 0.0), (0.025 / speed, speed), (0.5, 0.0)))) == contacts


def test_a_contact_ends_where_the_foot_is_neither_slow_nor_at_its_place():
    [(_, last)] = rows_of(creeping((0.5, 0.0), (0.2, 0.1), (0.3, 2.0)))
    assert last == pytest.approx(57, abs=1), "slow enough to stand until it is 0.008 heights away"
    [(_, last)] = rows_of(creeping((0.6, 0.0), (0.4, 0.05), (0.3, 2.0)))
    assert last == pytest.approx(98, abs=3), "so slow that it stands there, too"


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0, 120.0])
@pytest.mark.parametrize("name", ["sprint", "gallop"])
def test_a_runner_stands_for_a_tenth_of_a_second(name: str, fps: float):
    """Speeds that look farther than that never are slow for so long."""
    feet, stands = GAITS[name].feet(fps)
    found = find_contacts(feet, height=1.7, fps=fps, body=body_over(feet))
    true = sum(len(list(runs(each))) for each in stands.T)
    cut_off = np.sum(stands[0]) + np.sum(stands[-1])
    assert true - cut_off <= len(found) <= true
    assert np.mean(stands[planted(found, *stands.shape)]) > 0.7
    assert np.mean(planted(found, *stands.shape)[stands]) > 0.9


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0, 120.0])
def test_markers_that_fly_off_for_a_frame_change_nothing(fps: float):
    feet, stands = walk(fps)
    torn, rows = feet.copy(), np.arange(10, len(feet) - 10, 24)
    torn[rows] += np.random.default_rng(4).normal(0.0, 0.1, (len(rows), *feet.shape[1:]))
    whole, found = (planted(find_contacts(each, height=1.7, fps=fps), *stands.shape) for each in (feet, torn))
    assert np.mean(found[stands]) > 0.97 * np.mean(whole[stands])


def test_a_foot_that_is_lifted_for_three_frames_is_lifted():
    feet = np.zeros((26, 1, 3))
    feet[13:16, 0, 2] = 0.025, 0.045, 0.016
    found = find_contacts(feet, height=1.7, fps=24.0)
    assert [(each.first, each.last) for each in found] == [(0, 12), (16, 25)]


def test_a_short_jolt_does_not_end_a_contact():
    feet = creeping((1.0, 0.0))
    feet[50, 0, 0] = 0.025
    assert rows_of(feet) == [(0, 100)]


def test_place_and_spread():
    feet = np.zeros((100, 1, 3))
    feet[50, 0, 0] = 0.01
    [found] = find_contacts(feet, height=1.7, fps=30.0)
    np.testing.assert_allclose(found.place, 0.0)
    assert found.spread == pytest.approx(0.01)


def test_runs():
    assert list(runs(np.array([1, 1, 0, 0, 1, 0, 1], bool))) == [(0, 1), (4, 4), (6, 6)]


def test_bad_input_is_told():
    with pytest.raises(InputError, match="shape"):
        find_contacts(np.zeros((5, 3)), height=1.0, fps=24.0)
    with pytest.raises(InputError, match="height"):
        find_contacts(np.zeros((5, 1, 3)), height=0.0, fps=24.0)
    assert find_contacts(np.zeros((1, 1, 3)), height=1.0, fps=24.0) == []


def stretches(path: np.ndarray, fps: float) -> list[tuple[int, int]]:
    """First and last rows in which a point that is all there is of a body stands."""
    return [(each.first, each.last) for each in find_contacts(path[:, None], height=1.7, fps=fps)]


def test_who_stands_on_a_block_for_half_a_second_stands():
    """A foot that turns round in the air is as high above what comes before and after, but not for long."""
    path = np.zeros((90, 3))
    path[:, 0] = np.linspace(0.0, 3.0, 90)
    path[30:60] = (1.5, 0.0, 0.3)
    [(first, last)] = stretches(path, 60.0)
    assert abs(first - 30) <= 2
    assert abs(last - 59) <= 2


@pytest.mark.parametrize(("rows", "stands"), [(5, False), (9, True)])
def test_a_stop_of_a_few_hundredths_of_a_second_is_no_contact(rows: int, stands: bool):
    """Though nothing moves in it at all."""
    steps = np.full(60, 1.0 / 60.0)
    steps[30 : 30 + rows - 1] = 0.0
    path = np.cumsum(steps)[:, None] * (1.0, 0.0, 0.0)
    assert bool(stretches(path, 60.0)) == stands


def test_two_places_that_a_foot_is_at_one_after_the_other_are_two_contacts():
    """As long at one as at the other, at so low a rate that nothing is seen of the way."""
    path = np.repeat([0.0, 0.11], 4)[:, None] * (1.0, 0.0, 0.0)
    assert stretches(path, 5.0) == [(0, 3), (4, 7)]


def test_a_foot_may_be_below_what_it_stands_on():
    contacts = [
        Contact(0, first, first + 2, np.array([0.0, 0.0, level]), 0.0)
        for first, level in ((0, 1.0), (7, 0.0))
    ]
    points = np.zeros((10, 3))
    points[:, 2] = [1.0, 1.0, 1.0, 0.4, 2.0, 2.0, 0.1, 0.0, 0.0, -0.1]
    expected = [1.0, 1.0, 1.0, 0.4, 0.6, 0.4, 0.1, 0.0, 0.0, -0.1]
    np.testing.assert_allclose(floor_under(contacts, points), expected)
    assert np.all(floor_under([], points) == -np.inf)


def test_a_contact_that_is_known_of_is_where_the_point_is_in_all_its_frames():
    path = np.zeros((9, 3))
    path[4, 0] = path[7, 0] = 5.0
    path[6, 0] = 0.3
    found = contact_at(path, 2, 5, 6)
    assert (found.point, found.first, found.last) == (2, 5, 6)
    np.testing.assert_allclose(found.place, [0.15, 0.0, 0.0])
    assert found.spread == pytest.approx(0.15)


@pytest.mark.parametrize(("level", "stands"), [(0.04, True), (0.06, False)])
def test_what_is_planted_is_about_as_low_as_the_body(level: float, stands: bool):
    points = np.zeros((60, 2, 3))
    points[:, 1, 2] = 2.0 * level
    found = find_contacts(points, height=2.0, fps=60.0)
    assert [each.point for each in found] == ([0, 1] if stands else [0])


def test_points_that_importers_put_below_the_ground_are_compared_as_if_on_it():
    points = np.zeros((60, 2, 3))
    points[:, 0, 2] = -0.2
    found = find_contacts(points, height=1.7, fps=60.0, sunk=[0.2, 0.0])
    assert sorted(each.point for each in found) == [0, 1]


@pytest.mark.parametrize(
    ("before", "top", "after", "height", "found"),
    [
        (0.0, 0.3, 0.0, 1.0, [0, 2]),  # it turns round in the air
        (0.0, 0.3, 0.3, 1.0, [0, 1]),  # up a stair
        (0.3, 0.3, 0.0, 1.0, [0, 1, 2]),  # down a stair
        (0.0, 0.3, 0.0, 20.0, [0, 1, 2]),  # hardly higher, for one so tall
    ],
)
def test_a_short_stop_above_where_it_comes_from_and_goes_is_no_contact(before, top, after, height, found):
    """For a fifth of a second, between two that are longer; each a height away from the last."""
    path = np.zeros((160, 3))
    path[:, 2] = np.repeat([before, top, after], [60, 20, 80])
    path[:, 0] = height * np.repeat([0.0, 1.0, 1.0 if top == after else 2.0], [60, 20, 80])
    path = np.concatenate([path[:60], np.linspace(path[59], path[60], 6), path[60:]])
    starts = [0, 66, 86][: 2 if top == after else 3]
    near = [
        n
        for n, row in enumerate(starts)
        for each in find_contacts(path[:, None], height=height, fps=100.0)
        if abs(each.first - row) < 8
    ]
    assert near == found
