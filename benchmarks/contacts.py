# SPDX-License-Identifier: GPL-3.0-or-later
"""How well contacts are found: motions whose truth is known, made in code, and stretches marked by hand.

    python -m benchmarks.contacts

A point is planted or not in every frame: precision is the share of frames found that are true, recall the
share of true ones found. Frames within a fortieth of a second of an end of a true stretch are left out, since
nobody can tell them. The marks are rows of the clips without their T-pose, read off height and speed curves.
The limits of contacts were set with the first of them at hand. Those that are held out were marked
afterwards, before anything was found in them, and nothing was changed for them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.clips import clip_folder, load_clip
from benchmarks.gaits import GAITS, body_over
from core import metrics
from core.feet.contacts import find_contacts, planted, runs
from demo import skeleton
from demo.kinematics import apply
from demo.movement import FPS, Movement, make_movement
from demo.steps import walk_and_jump

BALLS = ("LeftFoot", "RightFoot")  # in these clips a foot ends at its ball
UNCERTAIN = 1.0 / 40.0  # seconds
QUICK = ("sprint", "gallop")  # stand so shortly that noise of a centimetre hides it
Stretches = tuple[tuple[int, int], ...]
Marks = tuple[str, tuple[int, int], Stretches, Stretches]
# Clip, the rows looked at, and when the ball of the left and of the right foot is planted.
MARKED: tuple[Marks, ...] = (
    ("02_01", (0, 340), ((13, 77), (147, 209), (279, 339)), ((0, 9), (80, 147), (213, 278))),
    (
        "49_02",
        (985, 1530),
        (
            (997, 1025),
            (1058, 1090),
            (1125, 1152),
            (1184, 1212),
            (1244, 1277),
            (1310, 1340),
            (1370, 1403),
            (1432, 1470),
        ),
        ((1500, 1529),),
    ),
    (
        "131_03",
        (0, 560),
        ((0, 76), (107, 168), (184, 201), (215, 248), (263, 354), (420, 559)),
        ((0, 118), (215, 262), (361, 424), (512, 540)),
    ),
    ("13_11", (150, 414), ((150, 229), (296, 414)), ((150, 229), (296, 414))),
)


HELD_OUT: tuple[Marks, ...] = (
    (
        "85_02",
        (200, 700),
        ((200, 243), (329, 346), (467, 496), (628, 661)),
        ((200, 213), (275, 298), (424, 441), (642, 664)),
    ),
    ("06_13", (2280, 2400), ((2337, 2400),), ((2284, 2330),)),
    ("13_29", (300, 520), ((328, 345), (399, 413), (464, 520)), ((329, 346), (402, 413), (462, 520))),
)


class Case(NamedTuple):
    name: str
    points: np.ndarray
    body: np.ndarray
    truth: np.ndarray
    fps: float
    height: float


def heads_of(movement: Movement) -> dict[str, np.ndarray]:
    """Where the bones of the demo's character begin, (F, 3) each."""
    whole: dict[str, np.ndarray] = {}
    heads: dict[str, np.ndarray] = {}
    for bone in skeleton.BONES:
        turned = movement.rotations[bone.name]
        if bone.parent is None:
            whole[bone.name], heads[bone.name] = turned, movement.root
            continue
        whole[bone.name] = whole[bone.parent] @ turned
        offset = skeleton.head(bone.name) - skeleton.head(bone.parent)
        heads[bone.name] = heads[bone.parent] + apply(whole[bone.parent], offset)
    return heads


def demo_cases() -> Iterator[Case]:
    """With and without the noise of a capture, at 120, 30 and 24 frames a second, also in centimetres."""
    for noise, every, scale in ((0.0, 1, 1.0), (1.0, 1, 1.0), (1.0, 4, 1.0), (1.0, 5, 100.0)):
        movement = make_movement(noise=noise)
        heads = heads_of(movement)
        feet = walk_and_jump(np.arange(len(movement)) / FPS)
        truth = np.stack([(foot.contact == 1.0) & (foot.pitch > -1.0) for foot in feet], axis=1)[::every]
        balls = scale * np.stack([heads["toe.L"], heads["toe.R"]], axis=1)[::every]
        body = scale * np.stack(list(heads.values()), axis=1)[::every]
        name = f"demo, noise {noise:g}, {FPS / every:g} fps" + (", cm" if scale > 1.0 else "")
        yield Case(name, balls, body, truth, FPS / every, 1.8 * scale)


def made_cases() -> Iterator[Case]:
    """Gaits at the rates of film and of capture, with a millimetre of noise and, but for quick ones, ten."""
    for noise, but in ((0.001, ()), (0.01, QUICK)):
        for name, gait in GAITS.items():
            for fps in (24.0, 120.0) if name not in but else ():
                feet, truth = gait.feet(fps)
                noisy = feet + np.random.default_rng(1).normal(0.0, noise, feet.shape)
                said = f"{name}, {1000 * noise:g} mm, {fps:g} fps"
                yield Case(said, noisy, body_over(noisy), truth, fps, 1.7)


def marked_cases(marked: Sequence[Marks], said: str = "") -> Iterator[Case]:
    for name, (first, last), left, right in marked:
        motion = load_clip(name)
        truth = np.zeros((len(motion), 2), bool)
        for side, stretches in enumerate((left, right)):
            for start, stop in stretches:
                truth[start : stop + 1, side] = True
        truth = truth[first : last + 1]
        balls = motion.positions[first : last + 1, [motion.names.index(ball) for ball in BALLS]]
        height = metrics.standing_height(motion.positions)
        body = motion.positions[first : last + 1]
        yield Case(f"{name}, rows {first} to {last}{said}", balls, body, truth, motion.fps, height)


def certain(truth: np.ndarray, fps: float) -> np.ndarray:
    """(F, P) the frames that are not at an end of a true stretch."""
    found = np.ones_like(truth)
    width = max(round(UNCERTAIN * fps), 1)
    for point in range(truth.shape[1]):
        for first, last in runs(truth[:, point]):
            for end in (first, last + 1):
                found[max(end - width, 0) : end + width, point] = False
    return found


def main() -> int:
    print("| motion | true stretches | found | precision | recall | ms |\n|---|---|---|---|---|---|")
    worst = 1.0
    marked = [*marked_cases(MARKED), *marked_cases(HELD_OUT, ", held out")] if clip_folder() else []
    for case in (*demo_cases(), *made_cases(), *marked):
        start = time.perf_counter()
        contacts = find_contacts(case.points, height=case.height, fps=case.fps, body=case.body)
        took = 1000.0 * (time.perf_counter() - start)
        counts = certain(case.truth, case.fps)
        found = planted(contacts, *case.truth.shape)[counts]
        true = case.truth[counts]
        precision, recall = np.sum(found & true) / np.sum(found), np.sum(found & true) / np.sum(true)
        stretches = sum(len(list(runs(case.truth[:, point]))) for point in range(case.truth.shape[1]))
        worst = min(worst, precision, recall)
        print(
            f"| {case.name} | {stretches} | {len(contacts)} | {precision:.3f} | {recall:.3f} | {took:.1f} |"
        )
    holds = worst >= 0.9
    print(f"\nPrecision and recall at least 0.9: {'holds' if holds else 'FAILS'} ({worst:.3f}).")
    return 0 if holds else 1


if __name__ == "__main__":
    raise SystemExit(main())
