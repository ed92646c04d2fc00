# SPDX-License-Identifier: GPL-3.0-or-later
"""Cliffs and plateaus that are put there are found, and only they."""

import numpy as np
import pytest

from core import InputError, smallest_count, sweet_spots

COUNTS = np.arange(2, 61)


def stairs(cliffs, counts=COUNTS, fall=3.0):
    """An error that falls gently and drops at the given counts."""
    return counts**-0.5 * np.prod([np.where(counts >= cliff, 1 / fall, 1.0) for cliff in cliffs], axis=0)


def test_the_foot_of_every_cliff_is_found():
    assert sweet_spots(COUNTS, stairs([6, 14, 30])).tolist() == [6, 14, 30]


@pytest.mark.parametrize("power", [0.5, 2.0, 5.0])
def test_an_even_fall_has_none(power):
    assert len(sweet_spots(COUNTS, COUNTS**-power)) == 0


def test_unit_and_squaring_play_no_part():
    errors = stairs([7, 20]) * np.random.default_rng(0).uniform(0.99, 1.01, len(COUNTS))
    expected = sweet_spots(COUNTS, errors).tolist()
    assert 7 in expected
    assert 20 in expected
    assert sweet_spots(COUNTS, errors * 1e-6).tolist() == expected
    assert sweet_spots(COUNTS, errors**2).tolist() == expected


@pytest.mark.parametrize(("flat_steps", "sweet"), [(1, False), (2, True)])
def test_a_plateau_lasts_for_two_keys_at_least(flat_steps, sweet):
    """A cliff, so many keys that change nothing, and a still steeper cliff."""
    errors = np.concatenate([[100.0, 90.0, 80.0], np.full(flat_steps + 1, 50.0), np.full(20, 50.0 / 6.0)])
    counts = np.arange(2, 2 + len(errors))
    foot = counts[3]
    assert (foot in sweet_spots(counts, errors)) is sweet
    assert foot + flat_steps + 1 in sweet_spots(counts, errors)


def test_steps_inside_one_cliff_are_not_told_one_by_one():
    """Of several ledges within reach of each other only the one with the strongest contrast is told."""
    counts = np.arange(2, 201)
    falls = np.where((counts >= 100) & (counts <= 104), 0.7, 1.0)
    spots = sweet_spots(counts, counts**-0.5 * np.cumprod(falls))
    assert len(spots) == 1
    assert 100 <= spots[0] <= 104


def test_with_many_keys_ripples_are_no_sweet_spots():
    """Half a percent of noise: steepness from one key to the next would be nothing else."""
    counts = np.arange(100, 201)
    noise = np.exp(0.004 * np.random.default_rng(1).normal(size=len(counts)))
    assert len(sweet_spots(counts, np.minimum.accumulate(noise / counts))) <= 5


def test_counts_that_are_worse_than_fewer_keys_are_never_sweet():
    errors = stairs([10])
    errors[COUNTS == 25] *= 50.0
    spots = sweet_spots(COUNTS, errors)
    assert 10 in spots
    assert 25 not in spots
    best = np.minimum.accumulate(errors)
    assert all(errors[spot == COUNTS] == best[spot == COUNTS] for spot in spots)


def test_a_fall_that_only_pauses_before_it_gets_steeper_has_none():
    """As on a dance that goes on and on: every key helps a little more than the one before."""
    steepness = np.linspace(1.0, 4.0, len(COUNTS) - 1)
    steepness[[0, 7, 20]] *= 1.3
    logs = np.concatenate([[0.0], -np.cumsum(steepness * np.diff(np.log(COUNTS)))])
    assert len(sweet_spots(COUNTS, np.exp(logs))) == 0


def test_reaching_zero_ends_the_last_cliff():
    errors = np.where(COUNTS >= 40, 0.0, COUNTS**-1.0)
    assert sweet_spots(COUNTS, errors).tolist() == [40]


@pytest.mark.parametrize("errors", [[], [1.0], [1.0, 0.5], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
def test_too_little_to_tell_gives_none(errors):
    assert len(sweet_spots(range(2, 2 + len(errors)), errors)) == 0


def test_the_fewest_keys_that_are_good_enough():
    errors = [5.0, 3.0, 4.0, 1.0, 2.0]
    counts = [2, 3, 4, 6, 9]
    assert smallest_count(counts, errors, 3.5) == 3
    assert smallest_count(counts, errors, 1.0) == 6
    assert smallest_count(counts, errors, 0.5) is None
    assert smallest_count(counts, errors, 100.0) == 2


def test_bad_input_is_told():
    with pytest.raises(InputError, match="one error for each count"):
        sweet_spots([2, 3], [1.0])
    with pytest.raises(InputError, match="ascend"):
        sweet_spots([3, 2, 4], [1.0, 0.5, 0.2])
    with pytest.raises(InputError, match="finite"):
        smallest_count([2, 3], [np.nan, 1.0], 0.5)
