# SPDX-License-Identifier: GPL-3.0-or-later
"""What a layer has to play is worked out for every kind of channel, and nothing where that cannot be."""

import numpy as np
import pytest

BONE, HANDLE = 'pose.bones["bone 0"].', 7
KINDS = {
    "location": (0.0, 0.0, 0.0),
    "rotation_euler": (0.0, 0.0, 0.0),
    "rotation_quaternion": (1.0, 0.0, 0.0, 0.0),
    "rotation_axis_angle": (0.0, 0.0, 0.0, 0.0),
    "scale": (1.0, 1.0, 1.0),
}
PATHS = tuple((HANDLE, BONE + name, index) for name, rest in KINDS.items() for index in range(len(rest)))


@pytest.fixture
def residuals(posewright):
    from bl_ext.user_default.posewright.bridge.distil.detail_layer import residuals

    return residuals


@pytest.fixture
def rig(make_rig):
    rig = make_rig(1)
    rig["mood"], rig["colour"], rig["number"], rig["plain"] = 0.5, [0.1, 0.2, 0.3], 3, [1.0, 2.0]
    rig.id_properties_ui("mood").update(default=0.7)
    rig.id_properties_ui("colour").update(default=[0.4, 0.5, 0.6])
    return rig


def motions(paths):
    """(2, 9, C) two that are neither at rest nor through zero."""
    time = np.linspace(0.0, 1.5, 9)[:, None] + 0.3 * np.arange(len(paths))
    return 1.4 + 0.5 * np.sin(time), 1.6 + 0.3 * np.cos(1.3 * time)


@pytest.mark.parametrize("order", [1, -1])
def test_all_that_was_lost_gives_the_original_and_none_what_plays(residuals, rig, order):
    paths = (*PATHS, (HANDLE, '["mood"]', 0), *((HANDLE, '["colour"]', index) for index in range(3)))[::order]
    owners, (original, played) = {HANDLE: rig}, motions(paths)
    kept, lost = residuals.residuals(owners, paths, original, played)
    assert sorted(kept) == list(range(len(paths)))

    def found(share):
        return residuals.combined(owners, paths, played, kept, lost, share)

    turns = [column for column, (_, path, _) in enumerate(paths) if path.endswith("quaternion")]
    others = np.setdiff1d(np.arange(len(paths)), turns)
    for share, expected in ((1.0, original), (0.0, played)):
        np.testing.assert_allclose(found(share)[:, others], expected[:, others], atol=1e-9)
        unit = expected[:, turns] / np.linalg.norm(expected[:, turns], axis=1, keepdims=True)
        np.testing.assert_allclose(np.abs(np.sum(found(share)[:, turns] * unit, axis=1)), 1.0, atol=1e-6)
    sums = [column for column in others if "scale" not in paths[column][1]]
    np.testing.assert_allclose(found(0.25)[:, sums], (0.25 * original + 0.75 * played)[:, sums], atol=1e-9)


def test_a_residual_of_nothing_is_what_combine_counts_from(residuals, rig):
    paths = (*PATHS, (HANDLE, '["mood"]', 0), (HANDLE, '["colour"]', 2), (HANDLE, '["plain"]', 1))
    played = motions(paths)[0]
    kept, lost = residuals.residuals({HANDLE: rig}, paths, played, played)
    rest = dict(zip(PATHS, (value for values in KINDS.values() for value in values), strict=True))
    rest |= {paths[-3]: 0.7, paths[-2]: 0.6, paths[-1]: 0.0}
    np.testing.assert_allclose(lost[4], [rest[paths[column]] for column in kept], atol=1e-6)


def test_what_cannot_be_combined_is_left_as_it_plays(residuals, rig):
    paths = (
        *((HANDLE, BONE + "rotation_quaternion", index) for index in (0, 1, 3)),
        (HANDLE, 'pose.bones["gone"].location', 0),
        (HANDLE, '["number"]', 0),
        (HANDLE, BONE + "lock_location", 0),
        (HANDLE + 1, BONE + "location", 0),
        (HANDLE, BONE + "scale", 0),
    )
    original, played = motions(paths)
    kept, lost = residuals.residuals({HANDLE: rig}, paths, original, played)
    assert kept == [len(paths) - 1]
    found = residuals.combined({HANDLE: rig}, paths, played, kept, lost, 1.0)
    np.testing.assert_array_equal(found[:, :-1], played[:, :-1])
    kept, lost = residuals.residuals({HANDLE: rig}, paths[:3], original[:, :3], played[:, :3])
    assert (kept, lost.shape) == ([], (9, 0))


def test_a_scale_is_neither_turned_round_nor_brought_back_from_nothing(residuals, rig):
    paths = ((HANDLE, BONE + "scale", 0),)
    original, played = np.array([[2, 2, 0, -2, 0.4]]).T, np.array([[-1, 0, 3, -4, 0.8]]).T
    _, lost = residuals.residuals({HANDLE: rig}, paths, original, played)
    np.testing.assert_array_equal(lost[:, 0], [1.0, 1.0, 1.0, 0.5, 0.5])


@pytest.mark.parametrize("influence", [0.3, 0.75])
def test_what_is_below_is_changed_by_what_is_missing_in_the_end(residuals, rig, influence):
    """By the rules of each way of blending, for an action on a layer on something of the user."""
    paths = (
        (HANDLE, BONE + "location", 0),
        (HANDLE, 'pose.bones["gone"].location', 0),
        (HANDLE, '["mood"]', 0),
    )
    original, played = motions(paths)
    ways = {
        "REPLACE": (lambda below, value: (1 - influence) * below + influence * value, np.add),
        "ADD": (lambda below, value: below + influence * value, np.add),
        "SUBTRACT": (lambda below, value: below - influence * value, np.subtract),
        "MULTIPLY": (lambda below, value: below * (1 - influence + influence * value), np.multiply),
    }
    below = np.linspace(-1.0, 2.0, len(played))[:, None]
    for blending, (on_top, layer) in ways.items():
        kept, change = residuals.changes_below({HANDLE: rig}, paths, original, played, influence, blending)
        assert kept == [0, 2]
        found = on_top(layer(below, change), played[:, kept])
        np.testing.assert_allclose(found, on_top(below, original[:, kept]), atol=1e-9)


def test_nothing_multiplied_brings_something_back_from_nothing(residuals, rig):
    paths = ((HANDLE, BONE + "location", 0),)
    original, played = np.array([[5.0], [5.0]]), np.array([[-1.0], [1.0]])
    _, change = residuals.changes_below({HANDLE: rig}, paths, original, played, 0.5, "MULTIPLY")
    np.testing.assert_array_equal(change[:, 0], [1.0, 3.0])


def test_with_an_influence_what_was_lost_is_less(residuals, rig):
    """As NLA combines: sums are that much less, scales are to that power, turns by that much smaller."""
    paths, influence = (*PATHS, (HANDLE, '["mood"]', 0)), 0.4
    original, played = motions(paths)
    kept, lost = residuals.residuals({HANDLE: rig}, paths, original, played, influence)
    for place, column in enumerate(kept):
        wanted, now, name = original[:, column], played[:, column], paths[column][1].rpartition(".")[2]
        default = 0.7 if name == '["mood"]' else 0.0
        if name == "scale":
            np.testing.assert_allclose(lost[:, place], (wanted / now) ** influence)
        elif name != "rotation_quaternion":
            np.testing.assert_allclose(lost[:, place], influence * (wanted - now) + default, atol=1e-6)
    turned = [place for place, column in enumerate(kept) if paths[column][1].endswith("quaternion")]
    turns = [column for column, path in enumerate(paths) if path[1].endswith("quaternion")]
    rotations = residuals.rotations
    powers = [
        rotations.quaternion_power(rotations.normalized_quaternion(each[:, turns]), influence)
        for each in (original, played)
    ]
    found = rotations.quaternion_multiply(lost[:, turned], powers[1])
    np.testing.assert_allclose(np.abs(np.sum(found * powers[0], axis=1)), 1.0, atol=1e-6)


def test_half_of_a_turn_that_was_lost_goes_the_short_way(residuals, rig):
    paths = tuple(path for path in PATHS if path[1].endswith("quaternion"))
    angles = np.linspace(0.4, 0.8, 9)
    original = -np.column_stack([np.cos(angles), np.sin(angles), 0.0 * angles, 0.0 * angles])
    played = np.tile([1.0, 0.0, 0.0, 0.0], (9, 1))
    kept, lost = residuals.residuals({HANDLE: rig}, paths, original, played)
    assert np.all(lost[:, 0] > 0.0)
    half = residuals.combined({HANDLE: rig}, paths, played, kept, lost, 0.5)
    np.testing.assert_allclose(half[:, 1], np.sin(angles / 2.0), atol=1e-4)


def test_turns_of_nothing_are_combined_to_numbers(residuals):
    assert np.isfinite(residuals.combined_turn(np.zeros((2, 4)))).all()


def test_all_components_of_a_property_go_together(residuals):
    chosen = np.zeros(len(PATHS), bool)
    chosen[[1, 8]] = True
    found = residuals.whole_properties(PATHS, chosen)
    assert {path for (_, path, _), is_there in zip(PATHS, found, strict=True) if is_there} == {
        BONE + "location",
        BONE + "rotation_quaternion",
    }
    assert np.count_nonzero(found) == 7
