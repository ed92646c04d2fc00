# SPDX-License-Identifier: GPL-3.0-or-later
"""What a worker does with its file, by the same services that the operators call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy

from ..bridge.distil import measuring, reduced_action, reductions
from ..bridge.distil.analyse import analyse
from ..bridge.files import open_clip
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


def _analyse(armature: bpy.types.Object, settings: dict[str, Any]) -> None:
    """Analyse with the settings that every verb that chooses keys has."""
    bpy.context.view_layer.objects.active = armature
    ask(armature, settings)
    analyse(armature, bpy.context.scene)


def _sheet(job: Job, replace: bool) -> Made:
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


def _compare(job: Job, replace: bool) -> Made:
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
) -> Made:
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
    return {"clips": clips}


_VERBS = {"reduce": reduce, "sheet": _sheet, "compare": _compare}
