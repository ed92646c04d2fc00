# SPDX-License-Identifier: GPL-3.0-or-later
"""How long it takes to find a pose in many clips, and how that grows with the number of frames.

    python -m benchmarks.find_pose

The eight clips are added again and again, each copy a little different, up to 100,000 frames. Searched for
are poses of the clips themselves.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.clips import CLIPS, load_clip
from benchmarks.timing import best
from core import Motion
from core.pose_index import PoseIndex

SIZES = (20_000, 50_000, 100_000)
LOOKED_FOR = (("13_11", 200), ("02_01", 100), ("85_02", 500))


def varied(motion: Motion, seed: int) -> Motion:
    """The same clip with joints a little elsewhere."""
    rng = np.random.default_rng(seed)
    moved = motion.positions * rng.normal(1.0, 0.05, size=(1, motion.positions.shape[1], 1))
    return Motion(moved, names=motion.names, parents=motion.parents, frames=motion.frames, fps=motion.fps)


def main() -> None:
    clips = {name: load_clip(name) for name in CLIPS}
    index, copies = PoseIndex(), 0
    for size in SIZES:
        while len(index) < size:
            name = CLIPS[copies % len(CLIPS)]
            index.add(
                f"{name} {copies // len(CLIPS)}", varied(clips[name], copies) if copies >= 8 else clips[name]
            )
            copies += 1
        seconds = [best(lambda n=n, r=r: index.find(clips[n], r), 3) for n, r in LOOKED_FOR]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "poses.npz"
            index.save(path)
            loaded = best(lambda path=path: PoseIndex.load(path), 1)
            megabytes = path.stat().st_size / 1e6
        print(
            f"{len(index):7} frames of {len(index.clips):3} clips: found in {1000 * np.mean(seconds):.1f} "
            f"ms; {megabytes:.1f} MB on disk, read in {loaded:.2f} s"
        )
    for name, row in LOOKED_FOR:
        finds = index.find(clips[name], row, count=3)
        print(
            f"   {name} {row + 1}: " + ", ".join(f"{f.clip} at {f.frame:g} ({f.distance:.2f})" for f in finds)
        )


if __name__ == "__main__":
    main()
