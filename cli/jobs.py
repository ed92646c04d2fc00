# SPDX-License-Identifier: GPL-3.0-or-later
"""What a worker does with its file, by the same services that the operators call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy

from ..bridge.distil import endings, measuring, reductions
from ..bridge.distil.analyse import analyse
from ..bridge.distil.solving import best_frames
from ..bridge.files import open_file, path_each
from ..bridge.files.takes import alone, scene_of
from ..bridge.index_files import save_index
from ..bridge.pictures.clip_library import write_library
from ..bridge.pictures.file_postures import indexed
from ..core import InputError
from .asking import ask
from .plan import Job, already_there
from .reducing import reduce

Clip = dict[str, Any]
Made = dict[str, Any]


def carry_out(order: dict[str, Any]) -> dict[str, Any]:
    """Do one job; whatever goes wrong becomes a result that says so."""
    job = Job(**order["job"])
    told = {"input": job.input, "output": job.output}
    try:
        made = _VERBS[job.verb](job, order["replace"])
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
    return told | {"status": "done"} | made


def _sentence(problem: Exception) -> str:
    return str(problem).strip().removeprefix("Error: ")


def _sheet(job: Job, replace: bool) -> Made:
    settings = job.settings

    def draw(armature: bpy.types.Object, path: Path) -> Clip:
        ask(armature, settings)
        analyse(armature, scene_of(armature))
        best_frames.bake(armature, settings["keys"])
        figures = measuring.estimated(reductions.get(armature))
        bpy.ops.posewright.pose_sheet(algorithm="CURRENT", filepath=str(path))
        endings.restore(armature)
        return {"frames": figures.frames, "keys": figures.keys}

    return _pictures(job, replace, (".png",), draw)


def _compare(job: Job, replace: bool) -> Made:
    settings = job.settings

    def draw(_armature: bpy.types.Object, path: Path) -> Clip:
        bpy.ops.posewright.compare(algorithms=set(settings["algorithms"]), filepath=str(path))
        return {"table": str(path.with_suffix(".csv"))}

    return _pictures(job, replace, (".png", ".csv"), draw)


def _pictures(
    job: Job, replace: bool, suffixes: tuple[str, ...], draw: Callable[[bpy.types.Object, Path], Clip]
) -> Made:
    """A picture of each take that was chosen: under the promised name, or where there are several its own."""
    takes = open_file(Path(job.input)).takes
    files = path_each(Path(job.output), takes.chosen(job.settings["action"]))
    taken = [file for path, _ in files for suffix in suffixes if (file := path.with_suffix(suffix)).exists()]
    if taken and not replace:
        raise InputError(already_there(taken[0]))
    Path(job.output).parent.mkdir(parents=True, exist_ok=True)
    clips: list[Clip] = []
    notes = list(takes.left_out)
    for path, take in files:
        try:
            with alone(take) as armature:
                _activate(armature)
                drawn = draw(armature, path)
        except (InputError, RuntimeError) as problem:
            notes.append(f"{take.name} is left out: {_sentence(problem)}")
            continue
        told = {"armature": armature.name, "action": take.name, "picture": str(path)}
        clips.append(told | drawn | ({"file": str(path)} if len(files) > 1 else {}))
    if not clips:
        raise InputError(notes[0] if notes else "There is nothing to draw.")
    return {"clips": clips} | ({"notes": notes} if notes else {})


def _activate(armature: bpy.types.Object) -> None:
    """Go where operators find the armature as the active one."""
    bpy.context.window.scene = scene_of(armature)
    bpy.context.view_layer.objects.active = armature


def _index(job: Job, _replace: bool) -> Made:
    index = indexed(Path(job.input), job.settings["name"], job.settings["action"])
    save_index(index, Path(job.output))
    clips = [{"action": each.name, "frames": len(index.postures(each))} for each in index.clips]
    return {"clips": clips, "output": job.settings["index"]}


def _library(job: Job, _replace: bool) -> Made:
    settings, output = job.settings, Path(job.output)
    output.parent.mkdir(parents=True, exist_ok=True)
    catalogue, names = write_library(
        Path(job.input), output, Path(settings["catalogues"]), tuple(settings["action"])
    )
    return {"clips": [{"action": name, "armature": name} for name in names], "catalogue": catalogue}


_VERBS = {"reduce": reduce, "sheet": _sheet, "compare": _compare, "index": _index, "library": _library}
