# SPDX-License-Identifier: GPL-3.0-or-later
"""What a worker does with its file, by the same services that the operators call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy

from ..bridge import sampling
from ..bridge.distil import endings, measuring, reduced_action, reductions
from ..bridge.distil.analyse import analyse
from ..bridge.files import open_clip, save_clip
from ..core import InputError
from .plan import Job, already_there
from .sheets import draw_sheet, sheet_of

Clip = dict[str, Any]


def carry_out(order: dict[str, Any]) -> dict[str, Any]:
    """Do one job; whatever goes wrong becomes a result that says so."""
    job = Job(**order["job"])
    told = {"input": job.input, "output": job.output}
    try:
        clips = _VERBS[job.verb](job, order["replace"])
    except (InputError, RuntimeError) as problem:  # operators raise their reports as RuntimeError
        return told | {"status": "failed", "reason": _sentence(problem)}
    except FileExistsError:
        return told | {"status": "failed", "reason": already_there(job.output)}
    except Exception as problem:
        # A fault of ours must not stop the batch either, but it should not look like one of the file.
        return told | {
            "status": "failed",
            "reason": f"Posewright failed: {type(problem).__name__}: {problem}",
        }
    return told | {"status": "done", "clips": clips}


def _sentence(problem: Exception) -> str:
    return str(problem).strip().removeprefix("Error: ")


def _reduce(job: Job, replace: bool) -> list[Clip]:
    armatures = open_clip(Path(job.input))
    clips = [
        _reduce_armature(armature, job.settings, sheet_of(job, number))
        for number, armature in enumerate(armatures)
    ]
    save_clip(Path(job.output), armatures, replace=replace)
    return clips


def _reduce_armature(armature: bpy.types.Object, settings: dict[str, Any], sheet: Path | None) -> Clip:
    asked = armature.posewright
    asked.interpolation = settings["interpolation"].upper()
    for frame in settings["fixed"]:
        asked.fixed_frames.add().frame = frame
    if settings["gap"]:
        asked.options.salient.largest_gap = settings["gap"]
    _analyse(armature, settings)
    _choose_count(armature, settings)
    figures = measuring.measure(armature)
    name = reductions.get(armature).source.name
    pictured = {} if sheet is None else draw_sheet(armature, sheet)
    endings.apply(armature)
    return pictured | {
        "armature": armature.name,
        "action": name,
        "frames": figures.frames,
        "keys": figures.keys,
        "compression_percent": round(100 * figures.compression, 2),
        "mean_error": figures.mean,
        "largest_error": figures.largest,
        "mean_error_percent": 100 * figures.mean_share,
        "largest_error_percent": 100 * figures.largest_share,
        "within_error": settings["error"] is None or 100 * figures.mean_share <= settings["error"],
    }


def _analyse(armature: bpy.types.Object, settings: dict[str, Any]) -> None:
    """Analyse with the settings that every verb that chooses keys has."""
    bpy.context.view_layer.objects.active = armature
    asked = armature.posewright
    asked.algorithm = settings["algorithm"]
    asked.objective = settings["objective"]
    if settings["range"] is not None:
        asked.range_from = "NUMBERS"
        asked.range_start, asked.range_end = settings["range"]
    if settings["keys"]:
        asked.max_keys = settings["keys"]
    analyse(armature, bpy.context.scene)


def _choose_count(armature: bpy.types.Object, settings: dict[str, Any]) -> None:
    if settings["error"]:
        measuring.count_within(armature, settings["error"] / 100 * sampling.height_of(armature))
    elif settings["suggested"]:
        reduced_action.bake_suggested(armature)
    elif settings["keys"]:
        reduced_action.bake(armature, settings["keys"])
    else:
        _choose_share(armature, settings["share"])


def _choose_share(armature: bpy.types.Object, percent: float) -> None:
    frames = len(reductions.get(armature).analysis().frames)
    wanted = max(2, round(frames * percent / 100))
    if reduced_action.bake(armature, wanted) < wanted:  # more than an analysis offers by itself
        armature.posewright.max_keys = wanted
        analyse(armature, bpy.context.scene)
        reduced_action.bake(armature, wanted)


def _sheet(job: Job, replace: bool) -> list[Clip]:
    settings = job.settings

    def draw(armature: bpy.types.Object, path: Path) -> Clip:
        _analyse(armature, settings)
        reduced_action.bake(armature, settings["keys"])
        figures = measuring.estimated(reductions.get(armature))
        bpy.ops.posewright.pose_sheet(algorithm="CURRENT", filepath=str(path))
        return {
            "armature": armature.name,
            "frames": figures.frames,
            "keys": figures.keys,
            "picture": str(path),
        }

    return _pictures(job, replace, (".png",), draw)


def _compare(job: Job, replace: bool) -> list[Clip]:
    settings = job.settings

    def draw(armature: bpy.types.Object, path: Path) -> Clip:
        bpy.ops.posewright.compare(algorithms=set(settings["algorithms"]), filepath=str(path))
        return {
            "armature": armature.name,
            "picture": str(path),
            "table": str(path.with_suffix(".csv")),
        }

    return _pictures(job, replace, (".png", ".csv"), draw)


def _pictures(
    job: Job, replace: bool, endings: tuple[str, ...], draw: Callable[[bpy.types.Object, Path], Clip]
) -> list[Clip]:
    """One picture for the first armature under the promised name, the others numbered after it."""
    armatures = open_clip(Path(job.input))
    first = Path(job.output)
    others = [first.with_stem(f"{first.stem}_{number}") for number in range(2, len(armatures) + 1)]
    paths = [first, *others]
    taken = [file for path in paths for ending in endings if (file := path.with_suffix(ending)).exists()]
    if taken and not replace:
        raise InputError(already_there(taken[0]))
    first.parent.mkdir(parents=True, exist_ok=True)
    clips = []
    for armature, path in zip(armatures, paths, strict=True):
        bpy.context.view_layer.objects.active = armature
        clips.append(draw(armature, path))
    return clips


_VERBS = {"reduce": _reduce, "sheet": _sheet, "compare": _compare}
