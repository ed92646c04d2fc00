# SPDX-License-Identifier: GPL-3.0-or-later
"""How feet that stand fare: in the source, with Blender's Decimate, with Distil, and held.

    python -m benchmarks.feet [--kept FILE] [--most FRAMES] [clip or character file ...]

with a Python that has bpy. Everything is played by Blender and told in millimetres of a character 1.7 m tall.
Slide is how far apart the farthest two places of a contact are, level, as mean and worst over all contacts;
sinking how far a foot gets at most below what it stands on; the mean error is that of all bones but the legs,
which are what is corrected. Contacts are those of the source. What was measured is added to the kept file,
and measured once: a run that was stopped goes on, and several may share the clips. The claims at the end are
checked, and the exit code says whether they hold.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import one_thread  # noqa: F401  # isort: skip
import numpy as np

from benchmarks import character_files
from benchmarks.against_decimate import loaded
from benchmarks.clips import CLIPS
from benchmarks.extension import bpy, part

actions, sampling, metrics = part("bridge.actions"), part("bridge.sampling"), part("core.metrics")
stances, reductions = part("bridge.distil.feet.stances"), part("bridge.distil.reductions")
reduced_action, character = part("bridge.distil.reduced_action"), part("bridge.character")
channels, decimate = part("bridge.distil.channels"), part("bridge.decimate").decimate

InputError, FORMS = part("core").InputError, part("properties.speaking").FORMS

ROUNDS = 4
SHARES = (0.01, 0.02, 0.04, 0.10)
MOST_SLIDE, MOST_ADDED, MOST_ERROR = 5.0, 2.0, 1.05
HELD = {form: name for form, name in (("BAKED", "baked"), ("PINS", "pinned")) if form in FORMS}
WAYS = ("Decimate", "Distil", *HELD.values())
Row = dict[str, Any]


class Clip:
    """A character with an action that was analysed, and what its source does."""

    def __init__(self, armature: Any) -> None:
        self.armature = armature
        start = time.process_time()
        with contextlib.redirect_stdout(io.StringIO()):
            bpy.ops.posewright.analyze()
        self.analysis_seconds = time.process_time() - start
        self.reduction = reductions.get(armature)
        self.analysis = self.reduction.analysis()
        self.source = stances.reference(self.reduction)
        start = time.process_time()
        contacts = stances.contacts_of(self.reduction)
        self.contact_seconds = time.process_time() - start
        self.feet = list(contacts)
        self.contacts = [each for some in contacts.values() for each in some]
        self.scale = 1700.0 / sampling.height_of(armature)
        legs = {bone for leg in character.describe(armature).legs for bone in leg.bones}
        self.rest = [row for row, bone in enumerate(self.source.bones) if bone not in legs]

    def source_slides(self) -> np.ndarray:
        places = stances.points_of(self.armature, self.source, self.feet)
        return self.scale * metrics.slides(places, self.contacts)

    def figures(self) -> Row:
        """Of what plays now."""
        now = stances.posed_now(self.armature, self.analysis.frames, self.source.bones)
        here, there = (stances.points_of(self.armature, each, self.feet) for each in (self.source, now))
        heads = (each.matrices[:, self.rest, :3, 3].astype(np.float64) for each in (self.source, now))
        slides = self.scale * metrics.slides(there, self.contacts)
        return {
            "slide": slides.mean(),
            "worst": slides.max(),
            "added": np.max(slides - self.source_slides()),
            "sinking": self.scale * metrics.sinking(here, there, self.contacts),
            "error": self.scale * metrics.mean_joint_distance(*heads),
        }

    def decimated(self, share: float) -> Row:
        """What Blender's Decimate leaves of the source with so many keys."""
        reduced_action.show_original(self.armature, True)
        source = self.reduction.source
        copy = actions.copy_slots(source, self.reduction.handles, "decimated")
        slot = actions.slot_with_handle(copy, self.reduction.handles[0])
        actions.assign(self.armature, copy, slot)
        decimate(actions.curves_of(self.armature), bpy.context.scene, 1.0 - share)
        found = self.figures()
        reduced_action.back_to_keys(self.armature)
        bpy.data.actions.remove(copy)
        return found

    def extra(self) -> str:
        """What holding adds to the file: channels of the layer, and constraints with their targets."""
        residual, bones = self.reduction.state.residual, self.armature.pose.bones
        curves = 0 if residual is None else len(channels.curves_in(residual, self.reduction.handles))
        constraints = sum(len(bone.constraints) for bone in bones)
        targets = {each.target for bone in bones for each in bone.constraints if hasattr(each, "target")}
        return (
            f"{constraints} constraints, {len(targets - {None, self.armature})} pins"
            if constraints
            else f"{curves} channels"
        )

    def playback_seconds(self) -> float:
        """Of the processor, for the frames as the window plays them."""
        scene, frames = bpy.context.scene, self.analysis.frames[:300].astype(int).tolist()
        start = time.process_time()
        for frame in frames:
            scene.frame_set(frame)
        return time.process_time() - start


def named(names: list[str]) -> Iterator[tuple[str, Any]]:
    """Every clip in turn, alone in a new file: the walks, of characters with several actions."""
    files = character_files.all_files()
    for name in names or [*CLIPS, *(file.stem for file in files)]:
        if name in CLIPS:
            bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=False)
            with loaded(name) as armature:
                yield name, armature
            continue
        armature = character_files.import_character(
            next(file for file in files if file.stem == Path(name).stem)
        )
        bpy.context.view_layer.objects.active = armature
        fitting = [each for each in bpy.data.actions if channels.slots_for(armature, each)]
        walks = [each for each in fitting if "walk" in each.name.lower()] or fitting[:1]
        for track in armature.animation_data.nla_tracks:
            track.mute = True
        for action in walks:
            slot = channels.slots_for(armature, action)[0]
            actions.assign(armature, action, slot)
            yield f"{name} {action.name}", armature


def shortened(armature: Any, most: int) -> None:
    """Leave out what comes after so many frames."""
    for curve in actions.curves_of(armature):
        for key in reversed(list(curve.keyframe_points)[most:]):
            curve.keyframe_points.remove(key, fast=True)
        curve.update()


def figures_of(clip: Clip, share: float, way: str) -> Row:
    """What becomes of the feet at one share of keys, in one way; nothing where that way refuses."""
    keys = reduced_action.bake(clip.armature, max(2, round(share * len(clip.analysis.frames))))
    source = clip.source_slides()
    told = {"frames": len(clip.analysis.frames), "keys": keys, "of": (source.mean(), source.max())}
    if way == "Decimate":
        return told | clip.decimated(share)
    form = next((form for form, name in HELD.items() if name == way), None)
    if form is None:
        return told | clip.figures()
    try:
        reduced_action.set_hold(clip.armature, form)
    except InputError as problem:
        return told | {"refused": str(problem)}
    found = clip.figures() | {"extra": clip.extra()}
    reduced_action.set_hold(clip.armature, "OFF")
    return told | found


def costs_of(clip: Clip) -> Row:
    """In turns, because others use the machine."""
    reduced_action.bake(clip.armature, max(2, round(0.04 * len(clip.analysis.frames))))
    seconds: dict[str, list[float]] = {form: [] for form in ("OFF", *HELD)}
    holding = 0.0
    for _ in range(ROUNDS):
        for form, times in seconds.items():
            start = time.process_time()
            try:
                reduced_action.set_hold(clip.armature, form)
            except InputError:
                continue
            holding = time.process_time() - start if form == "BAKED" else holding
            times.append(clip.playback_seconds())
    plain = min(seconds.pop("OFF"))
    slower = {HELD[form]: min(times) / plain - 1.0 for form, times in seconds.items() if times}
    return {"analysis": clip.analysis_seconds, "contacts": clip.contact_seconds, "holding": holding} | slower


class Kept:
    """Rows that were measured, in a file with one on each line if there is one."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        lines = file.read_text().splitlines() if file and file.exists() else []
        self.rows: list[Row] = [json.loads(line) for line in lines]

    def has(self, clip: str, what: str) -> bool:
        return any((row["clip"], row["part"]) == (clip, what) for row in self.rows)

    def add(self, clip: str, what: str, row: Row) -> None:
        self.rows.append({"clip": clip, "part": what} | row)
        if self._file:
            with self._file.open("a") as file:
                file.write(json.dumps(self.rows[-1], default=float) + "\n")


def measure(names: list[str], kept: Kept, most: int, ways: list[str]) -> None:
    wanted = {f"{share:.0%} {way}": (share, way) for share in SHARES for way in ways}
    for name, armature in named(names):
        if all(kept.has(name, each) for each in (*wanted, "costs")) or kept.has(name, "nothing stands"):
            continue
        shortened(armature, most)
        clip = Clip(armature)
        if not clip.contacts:
            kept.add(name, "nothing stands", {})
            continue
        for text, (share, way) in wanted.items():
            if not kept.has(name, text):
                kept.add(name, text, figures_of(clip, share, way))
        if not kept.has(name, "costs"):
            kept.add(name, "costs", costs_of(clip))


def lines_of(rows: list[Row]) -> Iterator[tuple[str, Row, dict[str, Row]]]:
    """Every clip at every share of keys: a row of it, and those of the ways that were measured."""
    for clip in dict.fromkeys(row["clip"] for row in rows):
        for share in SHARES:
            found = {
                way: row
                for way in WAYS
                for row in rows
                if (row["clip"], row["part"]) == (clip, f"{share:.0%} {way}") and "refused" not in row
            }
            if found:
                yield clip, next(iter(found.values())), found


def table(rows: list[Row]) -> Iterator[str]:
    titles = ["clip", "keys of frames", "slide: source", *WAYS]
    for figure in ("sinking", "error"):
        titles += [f"{figure}: {WAYS[0]}", *WAYS[1:]]
    titles += [f"in the file: {way}" for way in HELD.values()]
    yield f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}"
    for clip, row, ways in lines_of(rows):
        cells = [clip, f"{row['keys']} of {row['frames']}", "{:.1f}, {:.1f}".format(*row["of"])]
        cells += [_told(ways, way, "{slide:.1f}, {worst:.1f}") for way in WAYS]
        cells += [_told(ways, way, "{sinking:.1f}") for way in WAYS]
        cells += [_told(ways, way, "{error:.2f}") for way in WAYS]
        cells += [_told(ways, way, "{extra}") for way in HELD.values()]
        yield f"| {' | '.join(cells)} |"
    still = [row["clip"] for row in rows if row["part"] == "nothing stands"]
    yield f"\nNothing stands in: {', '.join(still) or 'none'}."
    refused = {row["clip"]: row["refused"] for row in rows if "refused" in row}
    yield from (f"{clip}: {why}" for clip, why in refused.items())
    slower = " | ".join(f"{way}: a frame takes longer by" for way in HELD.values())
    yield f"\n| clip | analysis, s | contacts, s | share | to bake, s | {slower} |"
    yield f"|---|---|---|---|---|{'---|' * len(HELD)}"
    for row in rows:
        if row["part"] == "costs":
            seconds = (
                f"{row['analysis']:.2f} | {row['contacts']:.3f} | {row['contacts'] / row['analysis']:.1%}"
            )
            slower = " | ".join(f"{row[way]:+.0%}" if way in row else "" for way in HELD.values())
            yield f"| {row['clip']} | {seconds} | {row['holding']:.2f} | {slower} |"


def _told(ways: dict[str, Row], way: str, text: str) -> str:
    return text.format(**ways[way]) if way in ways else ""


def broken_claims(rows: list[Row]) -> Iterator[str]:
    for row in rows:
        if row["part"] == "costs" and row["contacts"] > 0.1 * row["analysis"]:
            yield f"{row['clip']}: contacts take {row['contacts'] / row['analysis']:.0%} of the analysis"
    for clip, row, ways in lines_of(rows):
        for way in HELD.values():
            held, about = ways.get(way), f"{clip}, {row['keys']} keys, {way}"
            if held is None:
                continue
            if held["worst"] > MOST_SLIDE:
                yield f"{about}: a held foot slides {held['worst']:.1f} mm"
            if held["added"] > MOST_ADDED:
                yield f"{about}: {held['added']:.1f} mm more than the source"
            if "Distil" in ways and held["error"] > MOST_ERROR * ways["Distil"]["error"]:
                yield f"{about}: error {held['error']:.2f} instead of {ways['Distil']['error']:.2f} mm"


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.feet")
    parser.add_argument("names", nargs="*", help="clips or character files; all if left out")
    parser.add_argument("--kept", type=Path, help="file to add to, and to go on from")
    parser.add_argument("--most", type=int, default=10_000, help="frames of a clip")
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=WAYS)
    asked = parser.parse_args(words)
    kept = Kept(asked.kept)
    measure(asked.names, kept, asked.most, asked.ways)
    print(f"Blender {bpy.app.version_string}\n")
    print("\n".join(table(kept.rows)))
    broken = list(broken_claims(kept.rows))
    print(f"\nClaims that do not hold: {len(broken)}", *broken, sep="\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
