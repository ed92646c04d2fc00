# SPDX-License-Identifier: GPL-3.0-or-later
"""Finding a pose in many clips: what is found, and what is not said twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core import InputError, Motion
from core.pose_index import APART, PoseIndex, described

NAMES = (
    "Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot",
    "LeftArm", "LeftForeArm", "LeftHand", "RightArm", "RightForeArm", "RightHand",
)  # fmt: skip
PARENTS = (-1, 0, 1, 2, 0, 4, 5, 0, 7, 8, 0, 10, 11)
REST = np.random.default_rng(0).normal(size=(1, len(NAMES), 3))


def clip(seed: int, frames: int = 200, fps: float = 24.0) -> Motion:
    moves = np.random.default_rng(seed).normal(scale=0.15, size=(frames, len(NAMES), 3)).cumsum(axis=0)
    return Motion(REST + moves, names=NAMES, parents=PARENTS, fps=fps, frames=np.arange(frames) + 1)


@pytest.fixture
def index() -> PoseIndex:
    made = PoseIndex()
    for seed in range(6):
        made.add(f"clip {seed}", clip(seed, frames=90 + 37 * seed))
    return made


def test_a_pose_finds_itself_and_what_is_near_in_time_is_said_once(index: PoseIndex) -> None:
    finds = index.find(clip(3, frames=201), row=100, count=8)
    assert (finds[0].clip, finds[0].frame) == ("clip 3", 101.0)
    assert finds[0].distance == pytest.approx(0.0, abs=1e-3)
    assert [find.distance for find in finds] == sorted(find.distance for find in finds)
    for one in finds:
        near = [other for other in finds if other.clip == one.clip and other is not one]
        assert all(abs(other.frame - one.frame) >= APART * 24.0 for other in near)


def test_the_nearest_frames_are_found_each_apart_from_the_others(index: PoseIndex) -> None:
    pose = clip(77, frames=3)
    wanted = described(pose)[1].astype(np.float32)
    everything = []
    for seed in range(6):
        motion = clip(seed, frames=90 + 37 * seed)
        away = np.linalg.norm(described(motion).astype(np.float32) - wanted, axis=1)
        everything += [(float(d), f"clip {seed}", float(f)) for d, f in zip(away, motion.frames, strict=True)]
    kept: list[tuple[float, str, float]] = []
    for distance, name, frame in sorted(everything):
        if not any(name == other and abs(frame - at) < APART * 24.0 for _, other, at in kept):
            kept.append((distance, name, frame))
    finds = index.find(pose, row=1, count=12)
    assert [(find.clip, find.frame) for find in finds] == [(name, frame) for _, name, frame in kept[:12]]


def test_size_place_and_direction_do_not_matter_unless_the_direction_is_to(index: PoseIndex) -> None:
    motion = clip(2, frames=164)
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    other = Motion(
        (motion.positions @ turn.T + [9.0, -4.0, 2.0]) * 100.0,
        names=NAMES,
        parents=PARENTS,
        frames=motion.frames,
    )
    assert index.find(other, row=50, count=1)[0].frame == 51.0
    assert index.find(other, row=50, count=1)[0].distance == pytest.approx(0.0, abs=1e-3)
    strict = PoseIndex(direction_counts=True)
    strict.add("clip 2", motion)
    assert strict.find(other, row=50, count=1)[0].distance > 0.1
    assert strict.find(motion, row=50, count=1)[0].distance == pytest.approx(0.0, abs=1e-3)


def test_it_comes_back_from_disk_as_it_was(index: PoseIndex, tmp_path: Path) -> None:
    path = tmp_path / "poses.npz"
    index.save(path)
    again = PoseIndex.load(path)
    assert len(again) == len(index)
    assert again.find(clip(9), row=5) == index.find(clip(9), row=5)
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(InputError, match=r"poses.npz is no index of poses"):
        PoseIndex.load(path)
    with pytest.raises(InputError, match="The index is empty"):
        PoseIndex().save(path)


def test_a_clip_that_is_added_again_takes_its_own_place(index: PoseIndex) -> None:
    before = len(index)
    index.add("clip 0", clip(0, frames=10))
    assert len(index) == before - 90 + 10
    index.remove("clip 0")
    assert len(index) == before - 90


def test_what_cannot_be_done_is_said(index: PoseIndex, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="The index is empty"):
        PoseIndex().find(clip(0))
    with pytest.raises(InputError, match="no clip called 'x'"):
        index.remove("x")
    with pytest.raises(InputError, match="No bone looks like"):
        index.add("x", Motion(np.zeros((3, 2, 3))))
    broken = tmp_path / "broken.npz"
    broken.write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"broken.npz is no index of poses"):
        PoseIndex.load(broken)
