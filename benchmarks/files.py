# SPDX-License-Identifier: GPL-3.0-or-later
"""What comes out of the command line, file by file and format by format, judged by readers of our own.

python -m benchmarks.files [--formats own,glb,...] [--share 5] [FILE ...]        with a Python that has bpy
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.clips import clip_folder
from benchmarks.extension import bpy, part
from tests.readers import bvh
from tests.readers.gltf import Gltf

CHARACTERS = Path(__file__).resolve().parents[2] / "shared" / "characters"
HEAD = (
    f"{'file':24} {'to':6} {'actions':>9} {'frames':>7} {'keys':>5} {'Blender %':>9} {'file %':>7} "
    f"{'own %':>7} {'off %':>8} {'kB in':>6} {'kB out':>6} {'s':>6}"
)


def inputs() -> list[Path]:
    folders = [Path(os.environ.get("POSEWRIGHT_CHARACTERS") or CHARACTERS), clip_folder()]
    endings = (".bvh", ".fbx", ".glb", ".gltf", ".blend")
    return [
        file
        for folder in folders
        if folder is not None and folder.is_dir()
        for file in sorted(folder.iterdir())
        if file.suffix.lower() in endings
    ]


def reduced(file: Path, suffix: str, share: float, folder: Path) -> dict[str, Any]:
    report = folder / "report.json"
    words = [
        "reduce",
        str(file),
        "-o",
        str(folder),
        "--share",
        str(share),
        "--jobs",
        "1",
        "--json",
        str(report),
    ]
    with contextlib.redirect_stdout(io.StringIO()):
        part("cli").main([*words, "--format", suffix])
    return json.loads(report.read_text())["files"][0]


def actions_in(path: Path) -> int:
    """How many animations a file holds."""
    suffix = path.suffix.lower()
    if suffix == ".bvh":
        return 1
    if suffix == ".glb":
        return len(Gltf(path).animations)
    if suffix == ".fbx":
        return len(set(re.findall(rb"[^\x00]*\x00\x01AnimStack", path.read_bytes())))
    with bpy.data.libraries.load(str(path)) as (there, _):
        return sum(name.endswith(" reduced") for name in there.actions)


def own_error(file: Path, result: dict[str, Any]) -> float | None:
    """Mean joint distance in scene units by our own readers; None where there is none for a format."""
    made, before = Path(result["output"]), file.suffix.lower()
    if before != made.suffix.lower() or before not in (".bvh", ".glb"):
        return None
    if before == ".bvh":
        old, new = bvh.read(file), bvh.read(made)
        return float(np.linalg.norm(old.positions() - new.positions(), axis=-1).mean())
    old, new = Gltf(file), Gltf(made)
    names = {clip["action"] for clip in result["clips"]}
    apart = []
    for number, name in enumerate(old.animations):
        if name in names:
            times = old.times(number)
            away = old.positions(number, times) - new.positions(number, times)
            apart.append(np.linalg.norm(away[:, old.joints], axis=-1))
    return float(np.concatenate(apart).mean())


def row(file: Path, suffix: str, share: float) -> str:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result = reduced(file, suffix, share, folder)
        start = f"{file.name:24} {suffix:6} "
        if result["status"] != "done":
            return f"{start} {result['reason']}"
        clips = result["clips"]
        files = [Path(clip.get("file", result["output"])) for clip in clips]
        files = list(dict.fromkeys(files))
        frames = np.array([clip["frames"] for clip in clips])
        height = clips[0]["mean_error"] / clips[0]["mean_error_percent"]

        def mean(figure: str) -> float:
            return float(np.average([clip[figure] for clip in clips], weights=frames))

        own = own_error(file, result)
        before = actions_in(file) if file.suffix.lower() != ".blend" else len(clips)
        return start + (
            f"{before:>4}{sum(map(actions_in, files)):>5} {frames.sum():>7} "
            f"{sum(clip['keys'] for clip in clips):>5} {mean('joints_mean_error_percent'):>9.3f} "
            f"{mean('file_mean_error_percent'):>7.3f} {'-' if own is None else f'{own / height:.3f}':>7} "
            f"{max(clip['file_off_percent'] for clip in clips):>8.5f} {file.stat().st_size // 1000:>6} "
            f"{sum(path.stat().st_size for path in files) // 1000:>6} {result['seconds']:>6.1f}"
        )


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("files", nargs="*", type=Path)
    words.add_argument("--formats", default="own", help="own, bvh, fbx, glb, blend; several with commas")
    words.add_argument("--share", type=float, default=5.0)
    asked = words.parse_args()
    print(
        f"Blender {bpy.app.version_string}, {asked.share:g} % of the frames. Mean distance of joints in % "
        "of the height,\nas Blender plays the keys, as it plays the file, and as our own readers do; the "
        "largest distance\nbetween what Blender played and what the file plays; sizes and seconds.\n\n" + HEAD
    )
    for file in asked.files or inputs():
        own = file.suffix.lower().lstrip(".").replace("gltf", "glb")
        for suffix in dict.fromkeys(asked.formats.replace("own", own).split(",")):
            print(row(file, suffix, asked.share), flush=True)


if __name__ == "__main__":
    main()
