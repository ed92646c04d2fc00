# SPDX-License-Identifier: GPL-3.0-or-later
"""How feet that stand fare: in the source, with Blender's Decimate, with Distil, and held.

    python -m benchmarks.feet [clip or character file ...]        with a Python that has bpy

Everything is played by Blender and given in millimetres of a character 1.7 m tall. Slide is how far apart the
farthest two places of a contact are, level, as mean and worst over all contacts; sinking how far a foot gets
at most below what it stands on; the mean error is that of all bones but the legs, which are what is
corrected. Contacts are those of the source. The claims at the end are checked, and the exit code says whether
they hold. All clips take half an hour, most of it for Decimate.
"""

from __future__ import annotations

import contextlib
import io
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import one_thread  # noqa: F401  # isort: skip
import numpy as np

from benchmarks import character_files
from benchmarks.against_decimate import loaded
from benchmarks.clips import CLIPS
from benchmarks.extension import bpy, part

actions, sampling, metrics = part("bridge.actions"), part("bridge.sampling"), part("core.metrics")
stances, reductions = part("bridge.distil.stances"), part("bridge.distil.reductions")
reduced_action, character = part("bridge.distil.reduced_action"), part("bridge.character")
channels, decimate = part("bridge.distil.channels"), part("bridge.decimate").decimate

SHARES = (0.01, 0.02, 0.04, 0.10)
MOST_SLIDE, MOST_ADDED, MOST_ERROR = 5.0, 2.0, 1.05
TITLES = (
    "clip",
    "keys",
    "slide: source",
    "Decimate",
    "today",
    "held",
    "sinking: Decimate",
    "today",
    "held",
    "error of the rest: Decimate",
    "today",
    "held",
    "channels in the layer",
)


@dataclass(frozen=True)
class Figures:
    """Of one way to play a clip."""

    slides: np.ndarray
    sinking: float
    error: float

    @property
    def slide(self) -> str:
        return f"{self.slides.mean():.1f}, {self.slides.max():.1f}"


class Clip:
    """A character with an action that was analysed, and what its source does."""

    def __init__(self, armature: Any) -> None:
        self.armature = armature
        start = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()):
            bpy.ops.posewright.analyze()
        self.analysis_seconds = time.perf_counter() - start
        self.reduction = reductions.get(armature)
        self.analysis = self.reduction.analysis()
        self.source = stances.reference(self.reduction)
        start = time.perf_counter()
        contacts = stances.contacts_of(self.reduction)
        self.contact_seconds = time.perf_counter() - start
        self.feet = list(contacts)
        self.contacts = [each for some in contacts.values() for each in some]
        self.scale = 1700.0 / sampling.height_of(armature)
        legs = {bone for leg in character.describe(armature).legs for bone in leg.bones}
        self.rest = [row for row, bone in enumerate(self.source.bones) if bone not in legs]

    def figures(self) -> Figures:
        """Of what plays now."""
        now = stances.posed_now(self.armature, self.analysis.frames, self.source.bones)
        here, there = (stances.points_of(self.armature, each, self.feet) for each in (self.source, now))
        heads = (each.matrices[:, self.rest, :3, 3].astype(np.float64) for each in (self.source, now))
        return Figures(
            self.scale * metrics.slides(there, self.contacts),
            self.scale * metrics.sinking(here, there, self.contacts),
            self.scale * metrics.mean_joint_distance(*heads),
        )

    def decimated(self, share: float) -> Figures:
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

    def layer(self) -> int:
        """How many channels have keys in the layer."""
        residual = self.reduction.state.residual
        curves = channels.curves_in(residual, self.reduction.handles)
        return len(curves)

    def playback_seconds(self) -> float:
        """The least of some rounds over the frames, as the window plays them."""
        scene, frames = bpy.context.scene, self.analysis.frames[:300].astype(int).tolist()
        rounds = []
        for _ in range(5):
            start = time.perf_counter()
            for frame in frames:
                scene.frame_set(frame)
            rounds.append(time.perf_counter() - start)
        return min(rounds)


def named(names: list[str]) -> Iterator[tuple[str, Any]]:
    """Every clip in turn, alone in a new file: the walks, of characters with several actions."""
    folder = character_files.character_folder()
    files = character_files.character_files(folder) if folder else []
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


def rows_of(name: str, clip: Clip) -> Iterator[tuple[str, list[str]]]:
    """A line for every share of keys, and which claims it breaks."""
    source = clip.scale * metrics.slides(
        stances.points_of(clip.armature, clip.source, clip.feet), clip.contacts
    )
    for share in SHARES:
        keys = reduced_action.bake(clip.armature, max(2, round(share * len(clip.analysis.frames))))
        today, theirs = clip.figures(), clip.decimated(share)
        reduced_action.set_hold(clip.armature, "BAKED")
        held, layer = clip.figures(), clip.layer()
        reduced_action.set_hold(clip.armature, "OFF")
        broken = []
        if held.slides.max() > MOST_SLIDE:
            broken.append(f"{name}, {keys} keys: a held foot slides {held.slides.max():.1f} mm")
        if np.max(held.slides - source) > MOST_ADDED:
            broken.append(f"{name}, {keys} keys: {np.max(held.slides - source):.1f} mm more than the source")
        if held.error > MOST_ERROR * today.error:
            broken.append(f"{name}, {keys} keys: error {held.error:.2f} instead of {today.error:.2f} mm")
        cells = [
            name,
            str(keys),
            f"{source.mean():.1f}, {source.max():.1f}",
            *(each.slide for each in (theirs, today, held)),
            *(f"{each.sinking:.1f}" for each in (theirs, today, held)),
            *(f"{each.error:.2f}" for each in (theirs, today, held)),
            str(layer),
        ]
        yield f"| {' | '.join(cells)} |", broken


def costs_of(name: str, clip: Clip) -> str:
    reduced_action.bake(clip.armature, max(2, round(0.04 * len(clip.analysis.frames))))
    without = clip.playback_seconds()
    start = time.perf_counter()
    reduced_action.set_hold(clip.armature, "BAKED")
    holding = time.perf_counter() - start
    share = clip.contact_seconds / clip.analysis_seconds
    slower = clip.playback_seconds() / without - 1.0
    seconds = f"{clip.analysis_seconds:.2f} | {clip.contact_seconds:.3f} | {share:.1%} | {holding:.2f}"
    return f"| {name} | {seconds} | {slower:+.0%} |"


def main(names: list[str]) -> int:
    print(f"Blender {bpy.app.version_string}\n")
    print(f"| {' | '.join(TITLES)} |\n|{'---|' * len(TITLES)}")
    broken: list[str] = []
    costs: list[str] = []
    for name, armature in named(names):
        clip = Clip(armature)
        if not clip.contacts:
            print(f"| {name} | nothing stands |" + " |" * (len(TITLES) - 2), flush=True)
            continue
        for line, failed in rows_of(name, clip):
            print(line, flush=True)
            broken += failed
        costs.append(costs_of(name, clip))
    print("\n| clip | analysis, s | contacts, s | share | to hold, s | a frame takes longer by |")
    print("|---|---|---|---|---|---|")
    print("\n".join(costs))
    print(f"\nClaims that do not hold: {len(broken)}")
    print("\n".join(broken))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
