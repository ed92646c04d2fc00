# SPDX-License-Identifier: GPL-3.0-or-later
"""What a command line asks for, as a list of jobs: one input, one output, one Blender."""

from __future__ import annotations

import argparse
import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..core import ALGORITHMS, InputError
from .arguments import option_word

READABLE = (".bvh", ".fbx", ".glb", ".gltf", ".blend")

# How keys are chosen.
_SELECTION = (
    "algorithm", "objective", "options", "range", "sub_frames", "leave_out_first_pose", "loop", "bones",
    "weights", "space",
)  # fmt: skip
# What a verb leaves, and the words that say how it does so (the rest of them say where and how often).
_SETTINGS = {
    "reduce": (
        "keys", "share", "error", "slide", "suggested", *_SELECTION, "interpolation", "fixed", "detail",
        "hold_feet", "action", "read_back",
    ),
    "sheet": ("keys", *_SELECTION, "action"),
    "compare": ("algorithms", "action"),
    "index": ("action",),
    "library": ("action",),
}  # fmt: skip
_NAMES = {
    "reduce": "{stem}_reduced",
    "sheet": "{stem}_sheet",
    "compare": "{stem}_compare",
    "index": "{name}_poses",
    "library": "{name}_motions",
}


_SUFFIXES = {"sheet": ".png", "compare": ".png", "index": ".npz", "library": ".blend"}


@dataclass(frozen=True)
class Job:
    """One file to work on. Everything in it is plain, so that it can be handed to another process."""

    verb: str
    input: str
    output: str
    settings: dict[str, Any]
    sheet: str = ""  # where to draw a pose sheet for the page of the run; nowhere if empty

    def digest(self) -> str:
        """Tells this job from any other: changes with the input's content, the settings and the output."""
        state = Path(self.input).stat()
        asked = asdict(self) | {"sheet": ""}  # only a picture of the result
        told = json.dumps([asked, state.st_size, state.st_mtime_ns], sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()[:16]


def already_there(path: str | Path) -> str:
    return f"{path} is already there: add --overwrite to replace it."


def plan(words: argparse.Namespace) -> list[Job]:
    """The jobs of a parsed command line, in a fixed order, the wanted shard only."""
    settings = {name: getattr(words, name, None) for name in _SETTINGS[words.verb]}
    if "options" in settings:
        settings["options"] = _options(words)
    if words.verb == "reduce" and not any(
        (words.keys, words.share, words.error, words.slide, words.suggested)
    ):
        settings["share"] = 5.0
    jobs = [_job(words, path, base, settings) for path, base in _find(words.inputs)]
    _check_outputs(jobs)
    part, parts = words.shard
    return jobs[part - 1 :: parts]


def is_corpus(words: argparse.Namespace) -> bool:
    """Whether a folder was named, whose clips are then also told of together."""
    return any(path.is_dir() for path in words.inputs)


def _job(words: argparse.Namespace, path: Path, base: Path, settings: dict[str, Any]) -> Job:
    output = _output(words, path, base)
    pictured = words.verb == "reduce" and is_corpus(words)
    sheet = output.parent / "posewright-sheets" / f"{output.name}.png" if pictured else ""
    return Job(words.verb, str(path), str(output), settings, str(sheet))


def _options(words: argparse.Namespace) -> dict[str, Any]:
    """The algorithm's own options that were given."""
    given = {
        name.removeprefix("option_"): value
        for name, value in vars(words).items()
        if name.startswith("option_") and value is not None
    }
    for name in given:
        if name not in ALGORITHMS[words.algorithm].options:
            owners = " or ".join(each.name for each in ALGORITHMS.values() if name in each.options)
            raise InputError(
                "{option} is for --algorithm {owners}, not for {algorithm}: leave one out.",
                option=option_word(name),
                owners=owners,
                algorithm=words.algorithm,
            )
    return given


def _find(inputs: list[Path]) -> list[tuple[Path, Path]]:
    """Every clip, with the folder that its result's sub-folder is counted from."""
    found: dict[Path, Path] = {}
    for given in inputs:
        path = given.resolve()
        if path.is_dir():
            inside = [file for file in path.rglob("*") if file.suffix.lower() in READABLE and file.is_file()]
            for file in sorted(inside):
                if not _is_ours(file):
                    found.setdefault(file, path)
        else:
            # A wrong name is reported with the other results, not here: the rest must go on.
            found.setdefault(path, path.parent)
    if not found:
        where = ", ".join(str(path) for path in inputs) or "no place"
        raise InputError(
            "No clip was found in {where}: name files that end in {choices}.",
            where=where,
            choices=", ".join(READABLE),
        )
    return sorted(found.items())


def _is_ours(file: Path) -> bool:
    """A result of an earlier run in the same folder, or a half-written one, is not an input."""
    return file.name.startswith(".") or file.stem.endswith(("_reduced", "_motions"))


def _output(words: argparse.Namespace, path: Path, base: Path) -> Path:
    name = _NAMES[words.verb].format(stem=path.stem, name=path.name)
    suffix = _SUFFIXES.get(words.verb) or _reduced_suffix(words.format, path)
    if words.output is None:
        return path.with_name(name + suffix)
    return words.output.resolve() / path.parent.relative_to(base) / (name + suffix)


def _reduced_suffix(wanted: str | None, path: Path) -> str:
    if wanted is not None:
        return f".{wanted}"
    return ".glb" if path.suffix.lower() == ".gltf" else path.suffix.lower()


def _check_outputs(jobs: list[Job]) -> None:
    taken: dict[str, str] = {}
    for job in jobs:
        other = taken.setdefault(job.output, job.input)
        if other != job.input:
            raise InputError(
                "{other} and {input} would both be written to {output}: "
                "give them in two runs with different folders (-o).",
                other=Path(other).name,
                input=Path(job.input).name,
                output=job.output,
            )
