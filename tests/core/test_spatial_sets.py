# SPDX-License-Identifier: GPL-3.0-or-later
"""Several sets: smooth changes, parts of the body, layers."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from core import InputError
from core.spatial import Part, Pose, blend_sets


def pose(seed, bones, spread=0.5):
    rng = np.random.default_rng(seed)
    turned = Rotation.from_rotvec(rng.normal(scale=spread, size=(bones, 3))).as_matrix()
    return Pose(turned, rng.normal(size=(bones, 3)), 1 + rng.random((bones, 3)))


def rest(bones):
    return Pose(np.tile(np.eye(3), (bones, 1, 1)))


def same(one, other, atol=1e-10):
    for name in ("rotations", "translations", "scales"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=atol)


def test_one_set_alone_is_shown_as_it_is():
    only = pose(1, 4)
    same(blend_sets(rest(4), [Part(only, range(4))]), only)


def test_the_order_of_sets_does_not_matter():
    parts = [Part(pose(s, 4), range(4), share) for s, share in ((1, 0.2), (2, 0.5), (3, 0.3))]
    same(blend_sets(rest(4), parts), blend_sets(rest(4), parts[::-1]))


def test_half_way_between_two_sets_is_half_the_turn():
    start, end = np.radians(10), np.radians(50)
    one, other = (Pose(Rotation.from_rotvec([[0, 0, a]]).as_matrix()) for a in (start, end))
    middle = blend_sets(rest(1), [Part(one, [0], 0.5), Part(other, [0], 0.5)])
    turned = Rotation.from_matrix(middle.rotations[0]).as_rotvec()
    np.testing.assert_allclose(turned, [0, 0, (start + end) / 2], atol=1e-9)


def test_sets_act_on_their_own_bones():
    arms, legs, below = pose(1, 2), pose(2, 3), pose(3, 6)
    mixed = blend_sets(below, [Part(arms, [1, 4]), Part(legs, [5, 0, 2])])
    np.testing.assert_allclose(mixed.rotations[[1, 4]], arms.rotations, atol=1e-10)
    np.testing.assert_allclose(mixed.translations[[5, 0, 2]], legs.translations, atol=1e-10)
    np.testing.assert_allclose(mixed.rotations[3], below.rotations[3], atol=1e-10)


def test_missing_shares_come_from_underneath_and_more_than_one_is_scaled():
    below, above = pose(1, 2), pose(2, 2)
    quarter = blend_sets(below, [Part(above, [0, 1], 0.25)])
    np.testing.assert_allclose(quarter.translations, 0.75 * below.translations + 0.25 * above.translations)
    twice = blend_sets(below, [Part(above, [0, 1], 1.0), Part(above, [0, 1], 3.0)])
    same(twice, above)


def test_layers_are_blends_on_top_of_each_other():
    body, wave = pose(1, 3), pose(2, 1)
    first = blend_sets(rest(3), [Part(body, range(3))])
    second = blend_sets(first, [Part(wave, [2])])
    np.testing.assert_allclose(second.rotations[:2], body.rotations[:2], atol=1e-10)
    np.testing.assert_allclose(second.rotations[2], wave.rotations[0], atol=1e-10)


def test_the_pose_underneath_is_left_alone():
    below = pose(1, 2)
    kept = below.rotations.copy()
    blend_sets(below, [Part(pose(2, 2), [0, 1], 0.5)])
    np.testing.assert_array_equal(below.rotations, kept)


def test_opposite_sets_are_crossed_without_a_jump_when_the_previous_frame_is_known():
    one, other = (Pose(Rotation.from_rotvec([[0, 0, a]]).as_matrix()) for a in (0.0, np.pi))
    shown = [one.rotations]
    for share in np.linspace(0, 1, 240):
        parts = [Part(one, [0], 1 - share), Part(other, [0], share)]
        shown.append(blend_sets(rest(1), parts, previous=shown[-1]).rotations)
    steps = Rotation.from_matrix(
        np.array(shown)[1:, 0] @ np.array(shown)[:-1, 0].swapaxes(-1, -2)
    ).magnitude()
    assert np.degrees(steps.max()) < 60
    np.testing.assert_allclose(shown[-1], other.rotations, atol=1e-9)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: blend_sets(rest(2), [Part(pose(1, 2), [0, 1.5])]), "instead of 1.5"),
        (lambda: blend_sets(rest(2), [Part(pose(1, 1), [7])]), "bone 7"),
        (lambda: blend_sets(rest(2), [Part(pose(1, 2), [1, 1])]), "twice"),
        (lambda: blend_sets(rest(2), [Part(pose(1, 2), [1])]), "shape"),
        (lambda: blend_sets(rest(2), [Part(pose(1, 1), [1], -0.5)]), "share"),
    ],
)
def test_bad_input_gets_a_sentence(call, words):
    with pytest.raises(InputError, match=words):
        call()
