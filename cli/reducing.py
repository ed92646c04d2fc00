# SPDX-License-Identifier: GPL-3.0-or-later
"""The verb reduce: every take of a file gets few keys, and what is written is read back before it is kept."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from dataclasses import replace as replace_field
from pathlib import Path
from typing import Any

import bpy

from ..bridge import sampling
from ..bridge.distil import endings, measuring, reduced_action, reductions
from ..bridge.distil.analyse import analyse
from ..bridge.distil.solving import best_frames
from ..bridge.files import Clip, Take, open_file, paths_for, write_takes
from ..bridge.files.reading_back import Performance, check, difference, perform, read_back
from ..bridge.files.takes import adopt, alone, audible_tracks, scene_of
from ..bridge.whole_files import written_whole
from ..core import InputError
from ..core.quality import PERCENTILES, Quality
from .asking import asked_for_a_while
from .plan import Job, already_there
from .sheets import draw_sheet, sheet_of

Figures = dict[str, Any]
Settings = dict[str, Any]

POSE_A_FRAME = (".bvh", ".fbx")
CUBIC = (
    "Blender's own glTF importer leaves out the tangents of smooth keys, so opened there the result looks "
    "stiffer between keys than it plays in engines and viewers: use .blend to go on in Blender."
)


@dataclass
class _Reduction:
    """What became of one take."""

    take: Take
    figures: Figures
    original: Performance | None = None
    played: Performance | None = None


def reduce(job: Job, replace: bool) -> dict[str, Any]:
    """Reduce the takes of a file; what the result tells of it."""
    clip = open_file(Path(job.input))
    notes = list(clip.takes.left_out)
    chosen = clip.takes.chosen(job.settings["action"])
    done: list[_Reduction] = []
    for take in chosen:
        try:
            done.append(_reduce_take(take, job.settings, sheet_of(job, len(done))))
        except InputError as problem:
            notes.append(f"{take.name} is left as it was: {problem}")
    if not done:
        raise InputError(notes[0] if notes else "There is nothing to reduce.")
    for each in done:
        adopt(each.take)
    notes += _write(Path(job.output), clip, chosen, done, replace, read=job.settings["read_back"])
    return {"clips": [each.figures for each in done]} | ({"notes": notes} if notes else {})


def _reduce_take(take: Take, settings: Settings, sheet: Path | None) -> _Reduction:
    original = perform(take, take.action) if settings["read_back"] else None
    with alone(take, take.action) as armature, asked_for_a_while(armature, settings):
        analyse(armature, scene_of(armature))
        if reductions.way_of(armature) != armature.posewright.first_interpolation:  # it was reduced before
            best_frames.rekey(armature, armature.posewright.first_interpolation)
        _choose_count(armature, settings)
        if settings["detail"]:
            reduced_action.set_detail(armature, settings["detail"] / 100)
        if settings["hold_feet"]:
            reduced_action.set_hold(armature, "BAKED")
        figures = measuring.measure(armature)
        loop = reductions.get(armature).analysis().loop is not None
        pictured = {} if sheet is None else draw_sheet(armature, sheet)
        take.reduced = endings.apply(armature)
        take.layers = audible_tracks(armature)
    told = pictured | {
        "armature": take.armature.name,
        "action": take.name,
        "frames": figures.frames,
        "keys": figures.keys,
        "loop": loop,
        "compression_percent": round(100 * figures.compression, 2),
        "mean_error": figures.mean,
        "largest_error": figures.largest,
        "mean_error_percent": 100 * figures.mean_share,
        "largest_error_percent": 100 * figures.largest_share,
        **_quality(figures.quality, figures.height),
        "within_error": _is_within(settings, figures),
    }
    played = None if original is None else perform(take, take.played, original.seconds)
    return _Reduction(take, told, original, played)


def _is_within(settings: Settings, figures: measuring.Figures) -> bool:
    """Whether it is what was asked for: with detail and held feet, as it is written."""
    share = 100 / figures.height
    asked = {"error": share * figures.mean, "slide": share * figures.quality.added_slide}
    return all(settings[name] is None or found <= settings[name] for name, found in asked.items())


def _quality(quality: Quality, height: float) -> Figures:
    """What people see besides the error, in percent of the height."""
    percent = 100 / height
    beside = zip(PERCENTILES, quality.beside, strict=True)
    return {
        "slide_percent": percent * quality.slide,
        "worst_slide_percent": percent * quality.worst_slide,
        "added_slide_percent": percent * quality.added_slide,
        "sinking_percent": percent * quality.sinking,
        "flight_error_percent_a_second": percent * quality.flight_error,
        "added_jerk_percent_a_second_cubed": percent * quality.added_jerk,
        **{f"beside_bones_{share:g}th_percent": percent * value for share, value in beside},
    }


def _choose_count(armature: bpy.types.Object, settings: Settings) -> None:
    if settings["error"]:
        measuring.count_within(armature, settings["error"] / 100 * sampling.height_of(armature))
    elif settings["slide"]:
        wanted = settings["slide"] / 100 * sampling.height_of(armature)
        measuring.count_within(armature, wanted, "SLIDE")
    elif settings["suggested"]:
        reduced_action.bake_suggested(armature)
    elif settings["keys"]:
        best_frames.bake(armature, settings["keys"])
    else:
        _choose_share(armature, settings["share"])


def _choose_share(armature: bpy.types.Object, percent: float) -> None:
    frames = len(reductions.get(armature).analysis().frames)
    best_frames.bake(armature, max(2, round(frames * percent / 100)))


def _write(
    output: Path, clip: Clip, chosen: list[Take], done: list[_Reduction], replace: bool, *, read: bool
) -> list[str]:
    """Write the result, whole or not at all; what there is to know about it."""
    files = dict(paths_for(output, chosen))
    if len(files) == 1:
        files = {output: _all_takes(output, clip, chosen)}
    taken = [path for path in files if path != output and path.exists()]
    if taken and not replace:
        raise InputError(already_there(taken[0]))
    output.parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        written: list[tuple[Path, list[_Reduction]]] = []
        for path, takes in files.items():
            partial = stack.enter_context(written_whole(path, replace=replace))
            write_takes(partial, takes, clip)
            written.append((partial, [each for each in done if each.take in takes]))
            if len(files) > 1:
                for each in written[-1][1]:
                    each.figures["file"] = str(path)
        if read:
            _check_all(written)
        return [CUBIC] if _is_smooth(written[0][0]) else []


def _is_smooth(path: Path) -> bool:
    return path.suffix.lower() == ".glb" and b'"CUBICSPLINE"' in path.read_bytes()


def _all_takes(output: Path, clip: Clip, chosen: list[Take]) -> list[Take]:
    """A format of one clip gets what was chosen, others also what was left as it was."""
    return chosen if output.suffix.lower() == ".bvh" else clip.takes.found


def _check_all(written: list[tuple[Path, list[_Reduction]]]) -> None:
    """Open every file that was written, and add to the figures what it plays."""
    expected = [[_expected(each, path.suffix.lower()) for each in inside] for path, inside in written]
    # From here on nothing of what was loaded is there any more.
    for (path, inside), pairs in zip(written, expected, strict=True):
        found = read_back(path, [played for _, played in pairs])
        for each, (original, played), there in zip(inside, pairs, found, strict=True):
            check(played, there)
            each.figures |= _figures(original, played, there)


def _expected(reduction: _Reduction, suffix: str) -> tuple[Performance, Performance]:
    """What the original and the reduced take play where the file can say it, under its name there."""
    assert reduction.original is not None
    assert reduction.played is not None
    name = reduction.take.played.name if suffix == ".blend" else reduction.take.name
    pair = (replace_field(each, name=name) for each in (reduction.original, reduction.played))
    original, played = (each.on_whole_frames() if suffix in POSE_A_FRAME else each for each in pair)
    return original, played


def _figures(original: Performance, played: Performance, found: Performance) -> Figures:
    """How far the file's joints are from the input's, beside the same as Blender played it."""
    share = 100 / original.height
    blender, file = difference(original, played), difference(original, found)
    return {
        "joints_mean_error_percent": blender.mean * share,
        "file_mean_error_percent": file.mean * share,
        "file_largest_error_percent": file.largest * share,
        "file_off_percent": difference(played, found).largest * share,
    }
