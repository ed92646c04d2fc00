# SPDX-License-Identifier: GPL-3.0-or-later
"""How long it takes to index clips and to find a pose among them, and how that grows with the frames.

    python dev.py bench find_pose

Every action of every clip and character beside the checkout (../shared) is indexed as the command line does
it, then copies that differ a little are added up to 100,000 frames. Searched for are poses of the clips.
"""

from __future__ import annotations

import contextlib
import io
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.character_files import all_files
from benchmarks.clips import CLIPS, clip_path
from benchmarks.extension import part
from benchmarks.timing import best

pose_index = part("core.pose_index")
indexing = part("bridge.pictures.file_postures")
IndexedClip, PoseIndex, Postures = pose_index.IndexedClip, pose_index.PoseIndex, pose_index.Postures

SIZES = (50_000, 100_000)
SPREAD = 0.02  # of joints from copy to copy, in lengths of a limb
SEARCHES = 40


def shared_files() -> list[Path]:
    return [clip_path(name) for name in CLIPS] + all_files()


def index_of(files: list[Path]) -> tuple[PoseIndex, float]:
    index, seconds = PoseIndex(), 0.0
    for file in files:
        start = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()):
            found = indexing.indexed(file, str(file))
        seconds += time.perf_counter() - start
        print(f"   {file.name}: {len(found.clips)} clips, {len(found)} frames")
        index.update(found)
    return index, seconds


def grown(index: PoseIndex, size: int, rng: np.random.Generator) -> None:
    """Add copies of all clips until there are so many frames."""
    originals = [(clip, index.postures(clip)) for clip in index.clips if "copy" not in clip.stamp]
    while len(index) < size:
        clip, postures = originals[rng.integers(len(originals))]
        rows = postures.rows + rng.normal(scale=SPREAD / 5.0, size=postures.rows.shape[1]).astype(np.float32)
        copy = IndexedClip(f"{clip.name} {len(index)}", clip.file, "copy")
        index.add(copy, Postures(rows, postures.frames, postures.fps))


def searched(index: PoseIndex, rng: np.random.Generator) -> tuple[float, int]:
    """Seconds for a search, and how many poses found themselves first."""
    originals = [clip for clip in index.clips if "copy" not in clip.stamp]
    seconds, right = [], 0
    for _ in range(SEARCHES):
        clip = originals[rng.integers(len(originals))]
        postures = index.postures(clip)
        row = int(rng.integers(len(postures)))
        wanted = Postures(postures.rows[[row]], postures.frames[[row]], postures.fps)
        seconds.append(best(lambda wanted=wanted: index.find(wanted), 1))
        right += index.find(wanted, count=1)[0].distance == 0.0
    return float(np.median(seconds)), right


def main() -> None:
    rng = np.random.default_rng(0)
    index, seconds = index_of(shared_files())
    print(f"{len(index.clips)} clips, {len(index)} frames indexed in {seconds:.1f} s, imports included")
    for size in (len(index), *SIZES):
        grown(index, size, rng)
        found, right = searched(index, rng)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "poses.npz"
            index.save(path)
            loaded = best(lambda path=path: PoseIndex.load(path), 1)
            megabytes = path.stat().st_size / 1e6
        print(
            f"{len(index):7} frames of {len(index.clips):4} clips: found in {1000 * found:.1f} ms, "
            f"{right} of {SEARCHES} with nothing between; {megabytes:.1f} MB on disk, read in "
            f"{1000 * loaded:.0f} ms"
        )


if __name__ == "__main__":
    main()
