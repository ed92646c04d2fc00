# SPDX-License-Identifier: GPL-3.0-or-later
"""Finding a pose in many clips: what is found, and what is not said twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core import InputError, Motion, anatomy
from core.anatomy import Character
from core.pose_index import APART, ROOT_WEIGHT, Find, IndexedClip, PoseIndex, Postures

from .skeletons import PERSON, SNAKE, Skeleton, bones_of, both_sides, renamed

BODY = both_sides(PERSON)
FPS = 24.0


def heads_of(seed: int, frames: int) -> np.ndarray:
    """(F, B, 3) a body whose bones wander."""
    moves = np.random.default_rng(seed).normal(scale=0.02, size=(frames, len(BODY), 3)).cumsum(axis=0)
    return bones_of(BODY).heads + moves


def motion_of(heads: np.ndarray, names: tuple[str, ...], parents: np.ndarray, fps: float = FPS) -> Motion:
    """Heads, and tails far off, as an armature with tails that tell nothing is sampled."""
    joints = [joint for bone in names for joint in (f"{bone} head", bone)]
    above = [
        joint for row, up in enumerate(parents.tolist()) for joint in (2 * up if up >= 0 else -1, 2 * row)
    ]
    positions = np.stack([heads, heads + 7.0], axis=2).reshape(len(heads), -1, 3)
    return Motion(positions, names=joints, parents=above, fps=fps, frames=np.arange(len(heads)) + 1)


def clip(
    seed: int, frames: int = 200, place: np.ndarray | None = None, skeleton: Skeleton = BODY
) -> Postures:
    """The poses of a clip, by a character that may be elsewhere and of another size and names."""
    matrix = np.eye(4) if place is None else place
    bones = bones_of(skeleton, matrix[:3, :3])
    character = anatomy.describe(bones, np.eye(3))
    heads = heads_of(seed, frames) @ matrix[:3, :3].T + matrix[:3, 3]
    return Postures.of(motion_of(heads, bones.names, bones.parents), character)


def limb_length(heads: np.ndarray, names: tuple[str, ...]) -> float:
    """Of arms and legs on average, in the middle one of some poses."""
    ways = [("thigh", "shin", "foot"), ("upper_arm", "forearm", "hand")]
    chains = [[names.index(f"{bone}.{side}") for bone in way] for way in ways for side in "LR"]
    steps = np.linalg.norm(np.diff(heads[:, chains], axis=2), axis=3)
    return float(np.median(steps.sum(axis=2).mean(axis=1)))


def one(postures: Postures, row: int) -> Postures:
    return Postures(postures.rows[row : row + 1], postures.frames[row : row + 1], postures.fps)


def named(seed: int) -> IndexedClip:
    return IndexedClip(f"clip {seed}", "clips.blend")


@pytest.fixture
def index() -> PoseIndex:
    made = PoseIndex()
    for seed in range(6):
        made.add(named(seed), clip(seed, frames=90 + 37 * seed))
    return made


def test_the_distance_is_that_of_key_poses_in_lengths_of_a_limb() -> None:
    """Eight joints from the hips, and how high the hips are, as if they were five joints."""
    heads = heads_of(1, 2)
    bones = bones_of(BODY)
    upright = np.broadcast_to(bones.heads, heads.shape).copy()
    moved = ("forearm.L", "hand.R", "shin.R", "foot.L")
    rows = [bones.names.index(name) for name in moved]
    upright[1, rows] += heads[1, rows] - bones.heads[rows]
    upright[1] += (3.0, -2.0, 0.0)
    character: Character = anatomy.describe(bones, np.eye(3))
    upright = upright[[0, 0, 1]]
    upright[2, :, 2] += 0.3  # a leap
    postures = Postures.of(motion_of(upright, bones.names, bones.parents), character)
    limbs = ((heads[1, rows] - bones.heads[rows]) ** 2).sum()
    expected = np.sqrt((limbs + ROOT_WEIGHT * 0.3**2) / 13.0) / limb_length(upright, bones.names)
    assert np.linalg.norm(postures.rows[2] - postures.rows[0]) == pytest.approx(expected, rel=1e-5)


def test_a_pose_finds_itself_and_what_is_near_in_time_is_said_once(index: PoseIndex) -> None:
    finds = index.find(one(clip(3, frames=201), 100), count=8)
    assert (finds[0].clip, finds[0].frame) == (named(3), 101.0)
    assert finds[0].distance == pytest.approx(0.0, abs=1e-6)
    assert [find.distance for find in finds] == sorted(find.distance for find in finds)
    for each in finds:
        near = [other for other in finds if other.clip == each.clip and other is not each]
        assert all(abs(other.frame - each.frame) >= APART * FPS for other in near)


def test_the_nearest_frames_are_found_each_apart_from_the_others(index: PoseIndex) -> None:
    wanted = one(clip(77, frames=3), 1)
    everything = []
    for seed in range(6):
        postures = clip(seed, frames=90 + 37 * seed)
        away = np.linalg.norm(postures.rows - wanted.rows, axis=1)
        everything += [(float(d), named(seed), float(f)) for d, f in zip(away, postures.frames, strict=True)]
    kept: list[tuple[float, IndexedClip, float]] = []
    for distance, name, frame in sorted(everything, key=lambda each: each[0]):
        if not any(name == other and abs(frame - at) < APART * FPS for _, other, at in kept):
            kept.append((distance, name, frame))
    found = [(find.clip, find.frame) for find in index.find(wanted, count=12)]
    assert found == [(name, frame) for _, name, frame in kept[:12]]


def test_size_place_direction_and_names_do_not_matter(index: PoseIndex) -> None:
    """As one importer makes metres and another centimetres."""
    place = np.array(
        [[0.0, -100.0, 0.0, 9.0], [100.0, 0.0, 0.0, -4.0], [0.0, 0.0, 100.0, 20.0], [0, 0, 0, 1]]
    )
    other = clip(2, frames=164, place=place, skeleton=renamed(BODY, lambda name: f"rig:{name}"))
    find = index.find(one(other, 50), count=1)[0]
    assert (find.clip, find.frame) == (named(2), 51.0)
    assert find.distance == pytest.approx(0.0, abs=1e-5)


def test_it_comes_back_from_disk_as_it_was(index: PoseIndex, tmp_path: Path) -> None:
    path = tmp_path / "poses.npz"
    index.add(IndexedClip("Gehen \u6b69\u304f", "fern/\u00fcber.blend", "12:34"), clip(8))
    index.save(path)
    again = PoseIndex.load(path)
    assert (len(again), again.clips) == (len(index), index.clips)
    wanted = one(clip(9), 5)
    assert again.find(wanted) == index.find(wanted)
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(InputError, match=r"poses.npz is no index of poses"):
        PoseIndex.load(path)
    with pytest.raises(InputError, match="The index is empty"):
        PoseIndex().save(path)


def test_a_clip_that_is_added_again_takes_its_own_place(index: PoseIndex) -> None:
    before = len(index)
    index.find(one(clip(0), 3))
    index.add(IndexedClip("clip 0", "clips.blend", "edited"), clip(0, frames=10))
    assert len(index) == before - 90 + 10
    assert index.find(one(clip(0, frames=10), 3), count=1) == [
        Find(IndexedClip("clip 0", "clips.blend", "edited"), 4.0, 0.0)
    ]
    other = PoseIndex()
    other.add(named(0), clip(0, frames=20))
    index.update(other)
    assert len(index) == before - 90 + 20
    index.remove(named(0))
    assert len(index) == before - 90


def test_what_cannot_be_done_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="The index is empty"):
        PoseIndex().find(clip(0))
    bones = bones_of(SNAKE)
    with pytest.raises(InputError, match="No legs were found"):
        Postures.of(
            motion_of(bones.heads[None], bones.names, bones.parents), anatomy.describe(bones, np.eye(3))
        )
    broken = tmp_path / "broken.npz"
    broken.write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"broken.npz is no index of poses"):
        PoseIndex.load(broken)
