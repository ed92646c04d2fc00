# SPDX-License-Identifier: GPL-3.0-or-later
"""Spatial keys: exact at the keys, SciPy's interpolant elsewhere, the reduced spaces, and section 4.3."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.interpolate import RBFInterpolator
from scipy.spatial.transform import Rotation

from core import InputError, SpatialKeyframes, workers
from core.spatial import Part, Pose, blend_sets, keyframes, orthonormalise

# Many poses at once are turned in single precision.
SINGLE = 1e-6


def random_rotations(rng, *shape, spread=np.pi):
    vectors = rng.normal(size=(*shape, 3))
    vectors *= spread * rng.random((*shape, 1)) / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return Rotation.from_rotvec(vectors.reshape(-1, 3)).as_matrix().reshape(*shape, 3, 3)


def about_z(degrees):
    return Rotation.from_euler("z", np.reshape(degrees, (-1, 1)), degrees=True).as_matrix()


def heading(rotation):
    """Where a bone that looks along +y at rest looks, in degrees about z."""
    return float(np.degrees(np.arctan2(-rotation[0, 1], rotation[1, 1])))


def make(rng, keys, bones=4, spread=np.pi):
    return (
        rng.normal(size=(keys, 3)),
        random_rotations(rng, keys, bones, spread=spread),
        rng.normal(size=(keys, bones, 3)),
    )


LAYOUTS = {
    "one": [[3, -2, 5]],
    "two": [[0, 0, 0], [1, 2, 3]],
    "line": [[0, 0, 0], [1, 1, 0], [3, 3, 0], [-2, -2, 0]],
    "triangle": [[0, 0, 0], [1, 0, 2], [0, 1, 4]],
    "plane": [[0, 0, 1], [1, 0, 1], [0, 1, 1], [2, 3, 1], [-1, 0.5, 1]],
    "tetrahedron": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "cloud": np.random.default_rng(5).normal(size=(12, 3)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_key_is_met_exactly(layout):
    places = np.asarray(LAYOUTS[layout], float)
    rng = np.random.default_rng(1)
    rotations = random_rotations(rng, len(places), 5)
    translations = rng.normal(size=(len(places), 5, 3))
    scales = rng.random((len(places), 5, 3)) + 0.5
    keys = SpatialKeyframes(places, rotations, translations, scales)
    for i, place in enumerate(places):
        turned, moved = keys.pose(place)
        np.testing.assert_allclose(turned, rotations[i], atol=1e-10)
        np.testing.assert_allclose(moved, translations[i], atol=1e-10)
        np.testing.assert_allclose(keys.scale(place), scales[i], atol=1e-10)
        np.testing.assert_allclose(keys.weights(place), np.eye(len(places))[i], atol=1e-10)


@pytest.mark.parametrize("count", [4, 5, 12, 40])
def test_agrees_with_scipy(count):
    rng = np.random.default_rng(count)
    places, rotations, translations = make(rng, count)
    keys = SpatialKeyframes(places, rotations, translations)
    reference = RBFInterpolator(places, translations.reshape(count, -1), kernel="linear", degree=1)
    matrices = RBFInterpolator(places, rotations.reshape(count, -1), kernel="linear", degree=1)
    points = rng.normal(scale=2.0, size=(50, 3))
    turned, moved = keys.poses(points)
    np.testing.assert_allclose(moved.reshape(50, -1), reference(points), atol=1e-9)
    blended = np.stack([keys.weights(p) for p in points]) @ rotations.reshape(count, -1)
    np.testing.assert_allclose(blended, matrices(points), atol=1e-9)
    # The rotation shown for a well-behaved blend is close to the blend's nearest rotation.
    left, sizes, right = np.linalg.svd(blended.reshape(50, -1, 3, 3))
    good = (sizes[..., 2] > 0.8 * sizes[..., 0]) & (np.linalg.det(left @ right) > 0)
    if good.any():
        np.testing.assert_allclose(turned[good], (left @ right)[good], atol=0.1)


@pytest.mark.parametrize(("layout", "axes"), [("line", 1), ("plane", 2)])
def test_flat_layouts_equal_scipy_in_their_own_space(layout, axes):
    places = np.asarray(LAYOUTS[layout], float)
    rng = np.random.default_rng(2)
    translations = rng.normal(size=(len(places), 1, 3))
    turn = Rotation.random(random_state=3).as_matrix()
    _, _, directions = np.linalg.svd(places - places.mean(axis=0))
    reduced = (places - places.mean(axis=0)) @ directions[:axes].T
    reference = RBFInterpolator(reduced, translations[:, 0], kernel="linear", degree=1)
    keys = SpatialKeyframes(places @ turn.T, np.tile(np.eye(3), (len(places), 1, 1, 1)), translations)
    assert keys.dimensions == axes
    points = rng.normal(scale=3.0, size=(20, 3))
    _, moved = keys.poses(points @ turn.T)
    wanted = reference((points - places.mean(axis=0)) @ directions[:axes].T)
    np.testing.assert_allclose(moved[:, 0], wanted, atol=1e-9)


def test_leaving_the_line_or_plane_changes_nothing():
    rng = np.random.default_rng(7)
    for layout, across in (
        ("line", [1, -1, 4]),
        ("plane", [0, 0, 9]),
        ("triangle", [-2, -4, 1]),
        ("one", [5, 5, 5]),
    ):
        places = np.asarray(LAYOUTS[layout], float)
        keys = SpatialKeyframes(places, random_rotations(rng, len(places), 3))
        point = places[-1] + 0.3 * (places[0] - places[-1])
        near, _ = keys.pose(point)
        far, _ = keys.pose(point + np.asarray(across, float))
        np.testing.assert_allclose(far, near, atol=1e-9)


def test_one_key_is_a_constant_everywhere():
    rng = np.random.default_rng(3)
    rotations = random_rotations(rng, 1, 6)
    keys = SpatialKeyframes([[1, 2, 3]], rotations, np.ones((1, 6, 3)))
    for point in ([1, 2, 3], [0, 0, 0], [1e6, -5, 3]):
        turned, moved = keys.pose(point)
        np.testing.assert_allclose(turned, rotations[0], atol=1e-12)
        np.testing.assert_allclose(moved, 1.0, atol=1e-12)


def test_two_keys_at_one_place_are_named():
    rotations = np.tile(np.eye(3), (4, 1, 1, 1))
    places = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [1, 0, 1e-9]]
    with pytest.raises(InputError, match="Spatial keys 1 and 3 are at the same place"):
        SpatialKeyframes(places, rotations)
    with pytest.raises(InputError, match="Spatial keys nod and bow are at the same place"):
        SpatialKeyframes(places, rotations, names=["rest", "nod", "jump", "bow"])
    with pytest.raises(InputError, match="same place"):
        SpatialKeyframes([[5, 5, 5], [5, 5, 5]], rotations[:2])


@pytest.mark.parametrize("lift", [0.0, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 5e-3, 0.01, 0.1])
def test_nearly_flat_keys_stay_bounded_and_exact(lift):
    rng = np.random.default_rng(11)
    places = np.asarray(LAYOUTS["plane"], float)
    places[:, 2] += lift * np.array([1, -1, 0.5, 0, -0.5])
    translations = rng.uniform(-1, 1, size=(5, 2, 3))
    keys = SpatialKeyframes(places, random_rotations(rng, 5, 2), translations)
    for i, place in enumerate(places):
        # Below single precision the lift is noise, and a key is met to that precision.
        np.testing.assert_allclose(keys.pose(place)[1], translations[i], atol=1e-6)
    sideways = places.mean(axis=0) + [[0, 0, h] for h in np.linspace(-3, 3, 61)]
    far_off = np.abs(keys.poses(sideways)[1]).max()
    if lift <= 0.01:
        # Here the paper's linear term would be in the hundreds or worse.
        assert far_off < 1.5
    else:
        assert np.isfinite(far_off)


def test_three_keys_that_a_hand_put_beside_each_other_count_as_on_a_line():
    """A key in the middle and one on either side, as well as a hand can: a little out of line."""
    places = np.array([[0.0, 0.0, 0.0], [1.3, 0.0, -0.03], [-1.3, 0.0, -0.03]])
    keys = SpatialKeyframes(places, np.tile(np.eye(3), (3, 1, 1, 1)))
    np.testing.assert_allclose(keys.weights((-0.8, 0.0, 0.04)), [0.42, 0.0, 0.58], atol=0.05)
    np.testing.assert_allclose(keys.weights((0.0, 0.0, 0.2)), [1.0, 0.0, 0.0], atol=0.05)


def test_dragging_a_marker_through_the_plane_of_the_others_makes_nothing_jump():
    rng = np.random.default_rng(12)
    flat = np.asarray(LAYOUTS["plane"], float)
    translations = rng.uniform(-1, 1, size=(5, 1, 3))
    keys = SpatialKeyframes(flat, random_rotations(rng, 5, 1), translations)
    heights = np.concatenate((np.linspace(-0.3, 0.3, 1201), np.geomspace(1e-9, 1e-2, 200)))
    heights.sort()
    points = rng.uniform(-1, 2, size=(10, 3)) * [1, 1, 0] + [0, 0, 1]
    seen = []
    for height in heights:
        places = flat.copy()
        places[3, 2] += height
        seen.append(keys.with_places(places).poses(points)[1])
    steps = np.abs(np.diff(seen, axis=0)).max(axis=(1, 2, 3))
    assert steps.max() < 0.05


def test_scale_shift_and_turn_of_space_change_nothing():
    rng = np.random.default_rng(13)
    places, rotations, translations = make(rng, 7)
    points = rng.normal(size=(9, 3))
    turn = Rotation.random(random_state=1).as_matrix()
    plain = SpatialKeyframes(places, rotations, translations).poses(points)
    moved = SpatialKeyframes(5 * places @ turn + 40, rotations, translations).poses(5 * points @ turn + 40)
    np.testing.assert_allclose(moved[0], plain[0], atol=SINGLE)
    np.testing.assert_allclose(moved[1], plain[1], atol=1e-8)


def test_many_points_equal_one_by_one():
    rng = np.random.default_rng(14)
    places, rotations, translations = make(rng, 9, bones=30)
    keys = SpatialKeyframes(places, rotations, translations, 1 + rng.random((9, 30, 3)))
    points = rng.normal(scale=2, size=(400, 3))
    turned, moved = keys.poses(points)
    sizes = keys.scales(points)
    assert turned.dtype == np.float32
    for i in range(0, 400, 7):
        one = keys.pose(points[i])
        np.testing.assert_allclose(turned[i], one[0], atol=SINGLE)
        np.testing.assert_allclose(moved[i], one[1], atol=1e-12)
        np.testing.assert_allclose(sizes[i], keys.scale(points[i]), atol=1e-12)
    assert keys.poses(np.empty((0, 3)))[0].shape == (0, 30, 3, 3)


@pytest.mark.parametrize("spread", [0.3, 1.0, np.pi])
@pytest.mark.parametrize("bones", [1, 37, 9000])
def test_no_point_depends_on_its_neighbours_also_at_the_ends_of_portions(monkeypatch, spread, bones):
    """With poses as far apart as can be many bones are mirrored or flat on the way, and each point is met."""
    rng = np.random.default_rng(bones)
    keys = SpatialKeyframes(*make(rng, 6, bones=bones, spread=spread))
    at_a_time = max(1, keyframes.MATRICES_AT_A_TIME // max(bones, 6))
    if at_a_time > 500:
        monkeypatch.setattr(keyframes, "MATRICES_AT_A_TIME", 600)
        at_a_time = 100
    for count in {1, at_a_time - 1, at_a_time, at_a_time + 1, 2 * at_a_time} - {0}:
        points = rng.normal(scale=1.5, size=(count, 3))
        turned, moved = keys.poses(points)
        for i in {0, at_a_time - 1, at_a_time, count // 2, count - 1} & set(range(count)):
            one = keys.pose(points[i])
            np.testing.assert_allclose(turned[i], one[0], atol=SINGLE)
            np.testing.assert_allclose(moved[i], one[1], atol=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("spread", [0.25, 0.6, np.pi])
@pytest.mark.parametrize("reach", [1.0, 10.0, 100.0, 1e4, 1e12])
def test_many_points_equal_one_by_one_however_far_out(spread, reach):
    """Far out, the poses of the keys cancel each other, and what is left may be too large to be single."""
    rng = np.random.default_rng(20)
    keys = SpatialKeyframes(*make(rng, 12, bones=20, spread=spread))
    points = rng.normal(scale=reach, size=(150, 3))
    turned, _ = keys.poses(points)
    np.testing.assert_allclose(turned, [keys.pose(point)[0] for point in points], atol=SINGLE)


def test_threads_change_nothing(monkeypatch):
    """Many portions, some of them near the keys and some far out, with bones in doubt in all of them."""
    monkeypatch.setattr(keyframes, "MATRICES_AT_A_TIME", 600)
    rng = np.random.default_rng(22)
    keys = SpatialKeyframes(*make(rng, 12, bones=20))
    points = np.repeat([1.0, 30.0], 300)[:, None] * rng.normal(size=(600, 3))
    found = []
    for threads in (1, 4):
        monkeypatch.setattr(workers, "THREADS", threads)
        found.append((*keys.poses(points), *keys.path(points)))
    for alone, together in zip(*found, strict=True):
        np.testing.assert_array_equal(alone, together)


@pytest.mark.parametrize(("reach", "precision"), [(0.5, np.float32), (30.0, np.float64)])
def test_influences_that_cancel_each_other_are_blended_in_double_precision(monkeypatch, reach, precision):
    rng = np.random.default_rng(24)
    keys = SpatialKeyframes(*make(rng, 12, bones=20, spread=0.25))
    used = set()
    room = keyframes.Orthonormaliser

    def noted(count, kind):
        if count > 0:
            used.add(np.dtype(kind))
        return room(count, kind)

    monkeypatch.setattr(keyframes, "Orthonormaliser", noted)
    keys.poses(rng.normal(scale=reach, size=(50, 3)))
    assert used == {np.dtype(precision)}


def test_doubtful_bones_are_turned_in_double_precision_among_many_too():
    """Where little direction is left of a bone, rounding to single precision would turn it visibly."""
    rng = np.random.default_rng(23)
    places, rotations, _ = make(rng, 6, bones=10)
    keys = SpatialKeyframes(places, rotations)
    points = rng.normal(size=(500, 3))
    turned, _ = keys.poses(points)
    blended = np.einsum("mn,nbij->mbij", [keys.weights(point) for point in points], rotations)
    lengths = np.linalg.norm(blended, axis=-2)
    trust = np.minimum(lengths.min(axis=-1), np.linalg.det(blended) / lengths.prod(axis=-1))
    doubtful = (trust < 0.19) & (trust > 1e-3)
    assert doubtful.sum() > 300
    np.testing.assert_allclose(turned[doubtful], orthonormalise(blended[doubtful]), atol=1e-10)


def test_moving_places_or_poses_equals_building_anew():
    rng = np.random.default_rng(15)
    places, rotations, translations = make(rng, 6)
    others = make(rng, 6)
    keys = SpatialKeyframes(places, rotations, translations)
    point = [0.1, 0.2, 0.3]
    moved = keys.with_places(others[0]).pose(point)
    np.testing.assert_array_equal(
        moved[0], SpatialKeyframes(others[0], rotations, translations).pose(point)[0]
    )
    posed = keys.with_poses(*others[1:]).pose(point)
    np.testing.assert_array_equal(posed[1], SpatialKeyframes(places, *others[1:]).pose(point)[1])
    np.testing.assert_array_equal(keys.pose(point)[0], SpatialKeyframes(places, rotations).pose(point)[0])
    with pytest.raises(InputError, match="give one for each"):
        keys.with_places(places[:4])


@pytest.mark.parametrize("bones", [1, 3])
def test_keys_stay_as_given_when_the_arrays_are_used_for_something_else(bones):
    rng = np.random.default_rng(19)
    for count in (1, 4):
        given = make(rng, count, bones=bones)
        scales = 1 + rng.random((count, bones, 3))
        keys = SpatialKeyframes(*given, scales)
        before = (*keys.pose([1, 2, 3]), keys.scale([1, 2, 3]))
        for array in (*given, scales):
            array[...] = 7.0
        assert not (keys.places == 7.0).any()
        for now, then in zip((*keys.pose([1, 2, 3]), keys.scale([1, 2, 3])), before, strict=True):
            np.testing.assert_array_equal(now, then)


def test_weights_sum_to_one_and_reproduce_the_cursor():
    rng = np.random.default_rng(16)
    places, rotations, _ = make(rng, 8)
    keys = SpatialKeyframes(places, rotations)
    for point in rng.normal(scale=3, size=(20, 3)):
        weights = keys.weights(point)
        assert weights.sum() == pytest.approx(1.0, abs=1e-10)
        np.testing.assert_allclose(weights @ places, point, atol=1e-9)


def test_extrapolation_keeps_facing_the_cursor():
    """Figure 5: heads that look at their markers keep looking at a cursor that moves on."""
    angles = np.array([-30.0, 30.0])
    places = np.column_stack((-np.sin(np.radians(angles)), np.cos(np.radians(angles)), [0, 0]))
    keys = SpatialKeyframes(places, about_z(angles)[:, None])
    before = 0.0
    for x in np.linspace(0.0, -50.0, 200):
        faces = heading(keys.pose([x, places[0, 1], 0.0])[0][0])
        towards = np.degrees(np.arctan2(-x, places[0, 1]))
        assert faces == pytest.approx(towards, abs=1e-6)
        assert before - 1e-9 <= faces < 90.0
        before = faces


def test_a_full_turn_has_no_seam():
    """Figure 6: keys at 0, 30, 180 and 270 degrees on a ring; between 270 and 0 the pose is between too."""
    angles = np.array([0.0, 30.0, 180.0, 270.0])
    ring = np.column_stack((-np.sin(np.radians(angles)), np.cos(np.radians(angles)), np.zeros(4)))
    keys = SpatialKeyframes(ring, about_z(angles)[:, None])
    between = heading(keys.pose((ring[0] + ring[3]) / 2)[0][0])
    assert between == pytest.approx(-45.0, abs=5.0)
    # Around the ring the heading follows the cursor all the way and never runs backwards.
    around = np.radians(np.linspace(0, 360, 721))
    points = np.column_stack((-np.sin(around), np.cos(around), np.zeros(721)))
    turned = np.unwrap([heading(r[0]) for r in keys.poses(points)[0]], period=360)
    assert np.diff(turned).min() > 0.0
    assert np.abs(turned - np.degrees(around)).max() < 15.0


BAD = {
    "no keys": (np.empty((0, 3)), np.empty((0, 2, 3, 3)), "no spatial keys"),
    "flat places": ([[0, 0], [1, 1]], np.tile(np.eye(3), (2, 1, 1, 1)), "shape"),
    "nan": ([[0, 0, np.nan]], np.eye(3)[None, None], "finite"),
    "huge": ([[0, 0, 1e300]], np.eye(3)[None, None], "finite"),
    "words": ([["a", "b", "c"]], np.eye(3)[None, None], "array of numbers"),
    "too few poses": ([[0, 0, 0], [1, 0, 0]], np.eye(3)[None, None], "shape"),
    "scaled": ([[0, 0, 0]], 2 * np.eye(3)[None, None], "not a pure rotation"),
    "mirrored": ([[0, 0, 0]], np.diag([1.0, 1.0, -1.0])[None, None], "not a pure rotation"),
    "one scaled": ([[0, 0, 0], [1, 0, 0]], np.stack([np.eye(3), 2 * np.eye(3)])[:, None], r"at \(1, 0\)"),
    "no bones": ([[0, 0, 0]], np.empty((1, 0, 3, 3)), "no bones"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_a_sentence(case):
    places, rotations, words = BAD[case]
    with pytest.raises(InputError, match=words):
        SpatialKeyframes(places, rotations)


PREVIOUS = {
    "too few": (np.eye(3)[None], "shape"),
    "too many": (np.tile(np.eye(3), (3, 1, 1)), "shape"),
    "one for all": (np.eye(3), "shape"),
    "one scaled": (np.stack([np.eye(3), 2 * np.eye(3)]), r"at \(1,\) is not a pure rotation"),
    "one mirrored": (np.stack([np.eye(3), np.diag([1.0, 1.0, -1.0])]), r"at \(1,\) is not a pure rotation"),
    "one nan": (np.stack([np.eye(3), np.full((3, 3), np.nan)]), "nan"),
    "words": ("the frame before", "array of numbers"),
}


@pytest.mark.parametrize("case", PREVIOUS)
def test_a_frame_before_that_makes_no_sense_is_told_wherever_it_is_taken(case):
    """Even where the keys agree and it plays no part: a mistake must not wait for the place that needs it."""
    previous, words = PREVIOUS[case]
    keys = SpatialKeyframes([[0, 0, 0], [1, 0, 0]], np.tile(np.eye(3), (2, 2, 1, 1)))
    two = np.tile(np.eye(3), (2, 1, 1))
    for call in (
        lambda: keys.pose([0.5, 0, 0], previous),
        lambda: keys.path([[0.5, 0, 0]], previous),
        lambda: orthonormalise(two, previous),
        lambda: blend_sets(Pose(two), [Part(Pose(two), [0, 1])], previous),
    ):
        with pytest.raises(InputError, match=words):
            call()


@settings(max_examples=150, deadline=None)
@given(
    places=hnp.arrays(
        float, st.tuples(st.integers(1, 7), st.just(3)), elements=st.floats(-1e8, 1e8, width=32)
    ),
    point=hnp.arrays(float, 3, elements=st.floats(-1e8, 1e8)),
    seed=st.integers(0, 99),
)
def test_any_places_give_a_rotation_or_a_sentence(places, point, seed):
    rotations = random_rotations(np.random.default_rng(seed), len(places), 2)
    try:
        keys = SpatialKeyframes(places, rotations)
    except InputError as error:
        assert str(error).endswith(".")  # noqa: PT017 - the sentence itself is the point
        return
    turned, _ = keys.pose(point)
    np.testing.assert_allclose(np.swapaxes(turned, -1, -2) @ turned, np.tile(np.eye(3), (2, 1, 1)), atol=1e-9)
    np.testing.assert_allclose(np.linalg.det(turned), 1.0, atol=1e-9)
    for i, place in enumerate(places):
        np.testing.assert_allclose(keys.weights(place), np.eye(len(places))[i], atol=1e-5)


def test_a_path_equals_pose_after_pose():
    """Between opposite poses the frame before counts; a path gives what live dragging would have shown."""
    keys = SpatialKeyframes([[0, 0, 0], [1, 0, 0]], about_z([0.0, 180.0])[:, None], np.zeros((2, 1, 3)))
    points = np.column_stack((np.linspace(0.1, 0.9, 161), np.zeros(161), np.zeros(161)))
    turned, moved = keys.path(points)
    assert moved.shape == (161, 1, 3)
    shown = None
    for point, rotation in zip(points, turned, strict=True):
        shown = keys.pose(point, shown)[0]
        np.testing.assert_allclose(rotation, shown, atol=SINGLE)
    steps = Rotation.from_matrix(turned[1:, 0] @ turned[:-1, 0].swapaxes(-1, -2)).magnitude()
    assert np.degrees(steps.max()) < 60.0
    assert np.abs(turned - keys.poses(points)[0]).max() > 0.1


def test_a_path_equals_pose_after_pose_in_any_company(monkeypatch):
    """Bones far apart, some in doubt and some not, and portions that begin and end anywhere."""
    monkeypatch.setattr(keyframes, "MATRICES_AT_A_TIME", 60)
    rng = np.random.default_rng(18)
    keys = SpatialKeyframes(*make(rng, 5, bones=7))
    points = np.cumsum(rng.normal(scale=0.1, size=(120, 3)), axis=0)
    before = random_rotations(rng, 7)
    path, shown = keys.path(points, before)[0], before
    for point, rotations in zip(points, path, strict=True):
        shown = keys.pose(point, shown)[0]
        np.testing.assert_allclose(rotations, shown, atol=SINGLE)
    assert np.abs(path - keys.poses(points)[0]).max() > 0.1


@pytest.mark.parametrize(("count", "bones"), [(8, 40), (200, 1)])
def test_memory_does_not_grow_with_the_points_beyond_the_result(count, bones):
    rng = np.random.default_rng(17)
    keys = SpatialKeyframes(*make(rng, count, bones=bones, spread=0.3))
    points = rng.normal(size=(20_000, 3))
    tracemalloc.start()
    turned, moved = keys.poses(points)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak - turned.nbytes - moved.nbytes < 1e7 * workers.THREADS
