# SPDX-License-Identifier: GPL-3.0-or-later
"""The part that moves first is named, with the frames that it is ahead."""

from __future__ import annotations

import numpy as np
import pytest

from core import InputError, Motion, anatomy
from core.leading import Lead, Ways, parts_of

from .skeletons import PERSON, bones_of, both_sides


def leads(motion: Motion, parts: dict[str, tuple[int, ...]], keys: list[int]) -> list[Lead]:
    return Ways.of(motion, parts).leads(keys)


PARTS = {"hips": (0,), "left": (1,), "right": (2,)}


def eased(frames: np.ndarray, start: float, length: float = 20.0) -> np.ndarray:
    """From 0 to 1 in so many frames."""
    share = np.clip((frames - start) / length, 0.0, 1.0)
    return share**2 * (3.0 - 2.0 * share)


def moved(starts: tuple[float, float, float], sizes: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> Motion:
    """Hips, and two parts that hang from them, each moving once."""
    frames = np.arange(61.0)
    own = np.stack([size * eased(frames, start) for start, size in zip(starts, sizes, strict=True)], axis=1)
    places = np.stack([own, np.zeros_like(own), np.zeros_like(own)], axis=2)
    places[:, 1:] += places[:, :1]
    return Motion(places, frames=frames + 100.0, parents=[-1, 0, 0])


def best_shift(one: np.ndarray, other: np.ndarray) -> int:
    """By correlation: how many frames later the other does what one does."""
    return int(np.argmax([np.dot(one, np.roll(other, -shift)) for shift in range(30)]))


def test_the_first_leads_by_the_frames_to_the_others():
    motion = moved((12.0, 5.0, 18.0))
    found = leads(motion, PARTS, [0, 60])
    assert [(each.first, each.last, each.part) for each in found] == [(100.0, 160.0, "left")]
    ways = np.diff(motion.positions[:, :, 0] - motion.positions[:, :1, 0] * [[0.0, 1.0, 1.0]], axis=0)
    expected = np.mean([best_shift(ways[:, 1], ways[:, 0]), best_shift(ways[:, 1], ways[:, 2])])
    assert found[0].frames == pytest.approx(expected, abs=1e-6) == pytest.approx(10.0, abs=1e-6)


def test_backwards_the_last_leads():
    motion = moved((12.0, 5.0, 18.0))
    back = Motion(motion.positions[::-1], parents=motion.parents)
    assert leads(back, PARTS, [0, 60])[0].part == "right"


def test_size_and_what_hardly_moves_play_no_part():
    assert leads(moved((12.0, 5.0, 18.0), (30.0, 30.0, 30.0)), PARTS, [0, 60])[0].part == "left"
    assert leads(moved((12.0, 5.0, 18.0), (1.0, 0.1, 1.0)), PARTS, [0, 60]) == [
        Lead(100.0, 160.0, "hips", pytest.approx(6.0, abs=1e-6))
    ]
    assert leads(moved((12.0, 5.0, 18.0), (0.0, 0.0, 1.0)), PARTS, [0, 60]) == []


def test_every_transition_is_told_of_by_itself():
    one, two = moved((5.0, 9.0, 9.0)), moved((9.0, 9.0, 3.0))
    both = np.concatenate([one.positions, two.positions[1:] + one.positions[-1]])
    found = leads(Motion(both, parents=one.parents), PARTS, [0, 60, 120])
    assert [(each.part, round(each.frames, 3)) for each in found] == [("hips", 4.0), ("right", 6.0)]


def test_the_parts_of_a_character():
    bones = bones_of(both_sides(PERSON))
    names = [joint for bone in bones.names for joint in (f"{bone} head", bone)]
    above = [2 * row + 1 if row >= 0 else -1 for row in bones.parents.tolist()]
    parents = [joint for row, up in enumerate(above) for joint in (up, 2 * row)]
    motion = Motion(np.zeros((2, len(names), 3)), names=names, parents=parents, hips=0)
    parts = parts_of(motion, anatomy.describe(bones, np.eye(3)))
    assert set(parts) == {"hips", "head", "left leg", "right leg", "left arm", "right arm"}
    assert "hand.L" in {names[row] for row in parts["left arm"]}
    assert parts["hips"] == (0,)


@pytest.mark.parametrize("keys", [[3], [5, 2], [0, 99], [-1, 4]])
def test_bad_keys_are_told(keys):
    with pytest.raises(InputError, match="rows of the motion"):
        leads(moved((1.0, 2.0, 3.0)), PARTS, keys)
