# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters as they are imported, distilled with one press: what was found, the keys, how far they are off.

python -m benchmarks.characters_distilled [FILE ...]        with a Python that has bpy; or in a real Blender:
BLENDER_USER_RESOURCES=FOLDER PYTHONPATH=. blender -b --python-use-system-env --python FILE -- [FILE ...]

Where an armature has several actions, a walk is taken. What plays is looked at frame by frame in the scene,
bone heads alone, and not by the extension's own sampling. Errors and slides are percents of the height.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import character_files
from benchmarks.characters import characters, drawn_extent
from benchmarks.extension import bpy, part

character, actions, channels = (
    part("bridge.character"),
    part("bridge.actions"),
    part("bridge.distil.channels"),
)
measuring, reductions = part("bridge.distil.measuring"), part("bridge.distil.reductions")
contacts, metrics, loops = part("core.feet.contacts"), part("core.metrics"), part("core.loops")


def play_a_walk(armature: Any) -> None:
    """Of several actions, one that is called so; else what plays already."""
    fitting = [each for each in bpy.data.actions if channels.slots_for(armature, each)]
    walks = sorted((each for each in fitting if "walk" in each.name.lower()), key=lambda each: each.name)
    if walks and len(fitting) > 1:
        actions.assign(armature, walks[0], channels.slots_for(armature, walks[0])[0])


def heads_over_time(armature: Any, frames: np.ndarray, bones: tuple[str, ...]) -> np.ndarray:
    """(F, B, 3) in the world, as the scene shows them."""
    scene, found = bpy.context.scene, []
    for frame in frames.tolist():
        scene.frame_set(int(frame))
        shown = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append([shown.matrix_world @ shown.pose.bones[bone].head for bone in bones])
    return np.array(found)


@dataclass(frozen=True, eq=False)
class Played:
    """What a character does: the heads of bones that matter, and of its feet."""

    body: np.ndarray
    feet: np.ndarray

    def hitch(self) -> float:
        """How much the speed changes from the end of a loop to its beginning, a frame, on average."""
        before, after = self.body[-1] - self.body[-2], self.body[1] - self.body[0]
        return float(np.linalg.norm(after - before, axis=1).mean())


def played(armature: Any, frames: np.ndarray, bones: tuple[str, ...], feet: tuple[str, ...]) -> Played:
    heads = heads_over_time(armature, frames, (*bones, *feet))
    return Played(heads[:, : len(bones)], heads[:, len(bones) :])


def worst_slide(found: list[Any], feet: np.ndarray, height: float) -> str:
    return f"{100.0 * metrics.slides(feet, found).max() / height:.2f}" if found else "-"


def row(name: str, armature: Any) -> tuple[str, ...] | None:
    if name == "Rigify":
        character_files.animate_rigify(armature)
    play_a_walk(armature)
    if not list(actions.curves_of(armature)):
        return None
    description = character.describe(armature)
    height, bones = description.height, character.bones_that_matter(armature)
    keyed = actions.key_frames(actions.curves_of(armature))
    frames = np.arange(np.floor(keyed[0] + 0.01), np.ceil(keyed[-1] - 0.01) + 1.0)
    before = played(armature, frames, bones, description.feet)
    bpy.context.view_layer.objects.active = armature
    start = time.process_time()
    bpy.ops.posewright.analyze()
    seconds = time.process_time() - start
    reduction = reductions.get(armature)
    after = played(armature, frames, bones, description.feet)
    estimate, measured = measuring.estimated(reduction), measuring.measure(armature)
    far = np.linalg.norm(after.body - before.body, axis=2) * 100.0 / height
    on = actions.key_frames(actions.curves_of(armature))
    fps = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    standing = contacts.find_contacts(before.feet, height=height, fps=fps, frames=frames, body=before.body)
    is_loop = loops.is_loop(before.body, height)
    return (
        name,
        str(len(frames)),
        f"{height:.4g}",
        f"{drawn_extent(armature):.4g}",
        description.hips or "-",
        " ".join(description.feet) or "-",
        str(len(description.pairs)),
        f"{estimate.keys}",
        f"{np.mean(np.abs(on - np.round(on)) < 1e-4):.0%}",
        f"{seconds:.2f}",
        f"{far.mean():.3f} / {far.max():.2f}",
        f"{estimate.mean / measured.mean - 1.0:+.0%} / {estimate.largest / measured.largest - 1.0:+.0%}",
        f"{100.0 * before.hitch() / height:.3f} > {100.0 * after.hitch() / height:.3f}" if is_loop else "-",
        f"{worst_slide(standing, before.feet, height)} > {worst_slide(standing, after.feet, height)}",
    )


TITLES = (
    "character",
    "frames",
    "height",
    "mesh",
    "hips",
    "feet",
    "pairs",
    "keys",
    "on whole frames",
    "s",
    "mean / largest, %",
    "estimate off",
    "hitch of loops, %",
    "slide, %",
)


def main() -> None:
    named = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]
    print(f"Blender {bpy.app.version_string}; processor seconds of Analyze")
    rows = [TITLES]
    for name, armature in characters(named):
        rows += [found for found in [row(name, armature)] if found is not None]
    for number, each in enumerate(rows):
        print("| " + " | ".join(each) + " |")
        if not number:
            print("|" + "---|" * len(TITLES))


if __name__ == "__main__":
    main()
