# SPDX-License-Identifier: GPL-3.0-or-later
"""Distil against Blender's own Decimate (ratio mode), at the same number of keys on every curve.

    python -m benchmarks.against_decimate [clip, file or folder ...]        with a Python that has bpy

Clips come in through Blender's importers, of a file with several actions the longest; both results are
played by Blender, and the error is the mean distance of joints from the original, in millimetres of a
character 1.7 m tall. "Pose columns" is what the best frames could play at best: every joint by itself on
the best cubics between them, as if no skeleton held them together. Times are end to end, in seconds of
processor time so that other programs do not count, of what takes less than a second the fastest of some runs:
the operator alone for Decimate; sampling, solving for every number of keys and baking for Distil. All clips
and characters take some ten minutes.
Of a folder every clip is compared, also in folders below it; one that cannot be is named and passed over.
The claims about the captured clips are checked at the end, and the exit code says whether they hold.
"""

from __future__ import annotations

import contextlib
import io
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks import one_thread  # noqa: F401  # isort: skip
import numpy as np

from benchmarks.character_files import KINDS, character_folder
from benchmarks.clips import CLIPS, clip_path
from benchmarks.extension import bpy, part

actions, sampling, metrics = part("bridge.actions"), part("bridge.sampling"), part("core.metrics")
decimate, open_file = part("bridge.decimate").decimate, part("bridge.files").open_file
alone, reductions = part("bridge.files.takes").alone, part("bridge.distil.reductions")
restore, splicing = part("bridge.distil.endings").restore, part("bridge.splicing")
Fitter, InputError = part("core").Fitter, part("core").InputError

TITLES = (
    "clip",
    "frames",
    "keys",
    "Decimate, mm",
    "Distil, mm",
    "free handles, mm",
    "pose columns, mm",
    "of its error",
    "columns of it",
    "Decimate, s",
    "Distil, s",
    "times faster",
)
SHARES = (0.04, 0.10)
MOST_OF_ITS_ERROR, TIMES_FASTER = 0.25, 5.0
SHORT, REPEATS = 1.0, 4  # what takes less than so many seconds is run so often


@dataclass(frozen=True)
class Row:
    clip: str
    frames: int
    keys: int
    decimate_error: float
    decimate_seconds: float
    free_error: float
    smooth_error: float
    column_error: float
    seconds: float

    @property
    def share(self) -> float:
        """Of Decimate's error, with the default way of keying."""
        return self.smooth_error / self.decimate_error

    @property
    def faster(self) -> float:
        return self.decimate_seconds / self.seconds

    def __str__(self) -> str:
        errors = (
            f"{self.decimate_error:.2f} | {self.smooth_error:.2f} | {self.free_error:.2f} | "
            f"{self.column_error:.2f} | {self.share:.2f} | {self.column_error / self.decimate_error:.2f}"
        )
        times = f"{self.decimate_seconds:.1f} | {self.seconds:.2f} | {self.faster:.0f}"
        return f"| {self.clip} | {self.frames} | {self.keys} | {errors} | {times} |"


@contextmanager
def loaded(clip: str) -> Iterator[bpy.types.Object]:
    """An armature that plays a clip, without the T-pose in its first frame, or a file's longest action."""
    file = Path(clip)
    with contextlib.redirect_stdout(io.StringIO()):
        takes = open_file(file if file.suffix else clip_path(clip)).takes.found
    if not takes:
        raise InputError("nothing moves in it")
    take = max(takes, key=lambda each: np.ptp(each.action.frame_range))
    with alone(take) as armature:
        bpy.context.view_layer.objects.active = armature
        if not file.suffix:
            for curve in actions.curves_of(armature):
                curve.keyframe_points.remove(curve.keyframe_points[0])
        yield armature


class Original:
    """What an armature plays before anything is done to it."""

    def __init__(self, armature: bpy.types.Object):
        first, last = sampling.action_range(armature)
        self.frames = np.arange(np.ceil(first), last + 1e-3)
        self.positions = sampling.sample(armature, self.frames).positions
        self.scale = 1700.0 / sampling.height_of(armature)

    def off(self, positions: np.ndarray) -> float:
        return self.scale * metrics.mean_joint_distance(self.positions, positions)

    def error(self, armature: bpy.types.Object) -> float:
        return self.off(sampling.sample(armature, self.frames).positions)

    def column_error(self, keys: np.ndarray) -> float:
        """Of joints that need no skeleton, with these frames as keys."""
        joints = Fitter(self.positions.reshape(len(self.frames), -1), self.frames)
        played = joints.fit(np.searchsorted(self.frames, keys)).evaluate(self.frames)
        return self.off(played.reshape(self.positions.shape))


def processor_seconds(work: Callable[[], object], undo: Callable[[], object]) -> float:
    """Of something that is done then: a busy spell counts for much in what takes a tenth of a second."""
    times: list[float] = []
    while not times or (min(times) < SHORT and len(times) < REPEATS):
        if times:
            undo()
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def decimated(clip: str, share: float) -> tuple[int, float, float]:
    """How many keys Blender's operator leaves on a curve, the error, and its seconds."""
    with loaded(clip) as armature:
        original = Original(armature)
        dense = [splicing.read_keys(curve) for curve in actions.curves_of(armature)]

        def undo() -> None:
            for curve, keys in zip(actions.curves_of(armature), dense, strict=True):
                splicing.write_arrays(curve, keys)

        seconds = processor_seconds(
            lambda: decimate(actions.curves_of(armature), bpy.context.scene, 1.0 - share), undo
        )
        counts = [len(curve.keyframe_points) for curve in actions.curves_of(armature)]
        longest = max(counts)
        return (
            round(np.mean([each for each in counts if each > longest / 2])),
            original.error(armature),
            seconds,
        )


def compare(clip: str, share: float) -> Row:
    keys, decimate_error, decimate_seconds = decimated(clip, share)
    with loaded(clip) as armature:
        original = Original(armature)

        def distil() -> None:
            with contextlib.redirect_stdout(io.StringIO()):
                bpy.ops.posewright.analyze()
            armature.posewright.key_count = keys

        seconds = processor_seconds(distil, lambda: restore(armature))
        if armature.posewright.key_count != keys:
            raise InputError(f"there is no solution with {keys} keys")
        smooth_error = original.error(armature)
        armature.posewright.interpolation = "FREE"
        free_error = original.error(armature)
        analysis = reductions.get(armature).analysis()
        column_error = original.column_error(analysis.frames[analysis.keys(keys)])
    return Row(
        Path(clip).stem,
        len(original.frames),
        keys,
        decimate_error,
        decimate_seconds,
        free_error,
        smooth_error,
        column_error,
        seconds,
    )


def main(clips: list[str]) -> int:
    print(f"Blender {bpy.app.version_string}\n")
    print(f"| {' | '.join(TITLES)} |\n|{'---|' * len(TITLES)}")
    rows: dict[float, list[Row]] = {share: [] for share in SHARES}
    for clip in clips:
        for share in SHARES:
            try:
                rows[share].append(compare(clip, share))
            except InputError as problem:
                print(f"{clip}: {problem}", file=sys.stderr)
                break
            print(rows[share][-1], flush=True)
    print()
    for share, found in rows.items():
        print(summary(share, found))
    named = {*clips} & {*CLIPS}  # not files that happen to be called like them
    captured = {share: [row for row in found if row.clip in named] for share, found in rows.items()}
    holds = [judge(share, found) for share, found in captured.items() if found]
    return 0 if all(holds) else 1


def summary(share: float, rows: list[Row]) -> str:
    if not rows:
        return f"{share:.0%} keys: nothing could be compared"
    shares = [row.share for row in rows]
    return (
        f"{share:.0%} keys, {len(rows)} clips: {np.mean(shares):.0%} of Decimate's error in the mean, "
        f"{max(shares):.0%} on the worst clip, lower on {sum(each < 1.0 for each in shares)}; "
        f"{np.median([row.faster for row in rows]):.0f} times faster in the median"
    )


def judge(share: float, rows: list[Row]) -> bool:
    """Whether the claim holds for the mean over captured clips."""
    within = sum(row.share <= MOST_OF_ITS_ERROR for row in rows)
    slowest = min(row.faster for row in rows)
    holds = np.mean([row.share for row in rows]) <= MOST_OF_ITS_ERROR and slowest >= TIMES_FASTER
    claim = f"at most {MOST_OF_ITS_ERROR:.0%} in the mean and at least {TIMES_FASTER:.0f} times faster"
    print(
        f"captured {summary(share, rows)}, at least {slowest:.0f}; {within} within {MOST_OF_ITS_ERROR:.0%}. "
        f"{'Holds' if holds else 'FAILS'}: {claim}."
    )
    return bool(holds)


def clips_of(name: str) -> list[str]:
    """A clip or a file itself; of a folder all clips, however deep."""
    folder = Path(name)
    files = (file for file in folder.rglob("*") if file.suffix.lower() in KINDS)
    return [str(file) for file in sorted(files)] if folder.is_dir() else [name]


if __name__ == "__main__":
    asked = sys.argv[1:]
    if not asked:
        folder = character_folder()
        asked = [*CLIPS, *([] if folder is None else [str(folder)])]
    sys.exit(main([clip for name in asked for clip in clips_of(name)]))
