# SPDX-License-Identifier: GPL-3.0-or-later
"""The names that scripts may rely on, and what they are called with."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import core

FRAMES, JOINTS = 40, 4
POSITIONS = np.cumsum(np.random.default_rng(7).normal(size=(FRAMES, JOINTS, 3)), axis=0)


def test_every_public_name_is_there():
    assert set(core.__all__) == {name for name in core.__all__ if hasattr(core, name)}
    promised = {"ALGORITHMS", "Motion", "Solutions", "SpatialKeyframes", "metrics", "reconstruct", "select"}
    assert promised <= set(core.__all__)


def test_select_takes_positions_alone_and_what_is_promised():
    parameters = inspect.signature(core.select).parameters
    assert list(parameters)[:2] == ["motion", "algorithm"]
    defaults = {name: parameters[name].default for name in ("algorithm", "max_keys", "objective", "fixed")}
    assert defaults == {"algorithm": "salient", "max_keys": None, "objective": "curve", "fixed": ()}
    assert parameters["progress"].default is None
    keyword_only = ("max_keys", "objective", "fixed", "progress")
    assert all(parameters[name].kind is inspect.Parameter.KEYWORD_ONLY for name in keyword_only)
    assert isinstance(core.select(POSITIONS), core.Solutions)


def test_a_motion_needs_positions_alone():
    motion = core.Motion(POSITIONS)
    assert len(motion) == FRAMES
    full = core.Motion(
        POSITIONS,
        frames=np.arange(FRAMES) + 10.5,
        fps=30.0,
        channels=np.zeros((FRAMES, 2)),
        names=["a", "b", "c", "d"],
        parents=[-1, 0, 1, 2],
        weights=[1.0, 2.0, 1.0, 0.0],
    )
    assert full.frames[0] == 10.5
    assert full.names == ("a", "b", "c", "d")
    with pytest.raises(TypeError):
        core.Motion(POSITIONS, np.arange(FRAMES))  # everything else goes by name


def test_the_registry_has_a_description_and_defaults_for_each_algorithm():
    assert set(core.ALGORITHMS) >= {"salient", "greedy", "decimation", "saliency", "keyposes"}
    for name, algorithm in core.ALGORITHMS.items():
        assert algorithm.description
        assert set(algorithm.defaults) == set(algorithm.options)
        by_default = core.select(POSITIONS, name)
        spelled_out = core.select(POSITIONS, name, **algorithm.defaults)
        np.testing.assert_array_equal(by_default.errors, spelled_out.errors)


@pytest.mark.parametrize("name", core.ALGORITHMS)
def test_solutions_are_browsed_by_the_number_of_keys(name):
    solutions = core.select(POSITIONS, name, max_keys=12)
    counts = list(solutions.counts)
    assert counts == sorted(set(counts))
    for k in counts:
        keys = solutions.keys(k)
        assert len(keys) == k
        assert (keys[0], keys[-1]) == (0, FRAMES - 1)
        assert np.issubdtype(keys.dtype, np.integer)
        assert np.all(np.diff(keys) > 0)
        assert isinstance(solutions.error(k), float)
        np.testing.assert_array_equal(solutions.keys(float(k)), keys)


@pytest.mark.parametrize("objective", ["curve", "chord", "minimax", "sum"])
def test_salient_has_four_objectives(objective):
    assert core.select(POSITIONS, objective=objective, max_keys=5).objective == objective


@pytest.mark.parametrize("interpolation", ["linear", "hermite", "bezier"])
def test_keys_are_played_in_three_ways(interpolation):
    values = POSITIONS.reshape(FRAMES, -1)
    keys = core.select(POSITIONS, max_keys=8).keys(8)
    played = core.reconstruct(values, keys, interpolation)
    assert played.shape == values.shape
    np.testing.assert_allclose(played[keys], values[keys])
    assert core.metrics.mean_squared_error(values, played) > 0.0


def test_the_error_of_the_curve_objective_is_what_fitted_keys_miss():
    solutions = core.select(POSITIONS, max_keys=8)
    values = POSITIONS.reshape(FRAMES, -1)
    for k in (2, 5, 8):
        played = core.reconstruct(values, solutions.keys(k), "bezier")
        assert np.sum((played - values) ** 2) == pytest.approx(solutions.error(k), rel=1e-9)


def test_metrics_measure_what_their_names_say():
    moved = POSITIONS + np.array([0.0, 3.0, 4.0])
    assert core.metrics.mean_joint_distance(POSITIONS, moved) == pytest.approx(5.0)
    assert core.metrics.mean_squared_error(POSITIONS, moved) == pytest.approx(25.0 / 3.0)
    assert core.metrics.psnr([[0.0]], [[36.0]]) == pytest.approx(20.0)


def test_spatial_keyframes_blend_poses():
    places = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    quarter = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    rotations = np.array([[np.eye(3)], [quarter]])
    without = core.SpatialKeyframes(places, rotations)
    assert without.pose([0.5, 0.0, 0.0])[1] is None
    keyed = core.SpatialKeyframes(places, rotations, [[[0.0, 0.0, 0.0]], [[2.0, 0.0, 0.0]]])
    half, moved = keyed.pose([0.5, 0.0, 0.0])
    assert half.shape == (1, 3, 3)
    np.testing.assert_allclose(half[0, :2, 0], np.sqrt(0.5))
    np.testing.assert_allclose(moved, [[1.0, 0.0, 0.0]], atol=1e-12)
    many, all_moved = keyed.poses([*places, [0.5, 0.0, 0.0]])
    assert many.shape == (3, 1, 3, 3)
    np.testing.assert_allclose(many[:2], rotations, atol=1e-12)
    np.testing.assert_allclose(many[2], half, atol=1e-12)
    np.testing.assert_allclose(all_moved[2], moved, atol=1e-12)
