# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures 5 and 6 of Li, Okuda and Takahashi 2005, and which weights their algorithm should have.

    python -m benchmarks.frame_decimation

As in the paper, keys are played by piecewise cubic Hermite curves through the joint angles, the angle error
is the mean length of a joint's difference in degrees, and the position error the distance of joints summed
over joints (in units of the file, about 5.6 cm). The paper's own motions are not to be had; ours are the
eight clips, at 3, 6 and 12 % of their frames.

The figures show the error of curve simplification minus that of decimation, both seeing all joint angles:
above zero decimation is better. The table counts cases: equal weights, weights by the hierarchy as in the
paper, and decimation of joint positions instead of angles.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations

import matplotlib.pyplot as plt
import numpy as np

from benchmarks import drawing
from benchmarks.clips import CLIPS, load_clip, replay
from benchmarks.fitting import in_degrees, radians_without_jumps
from core import Motion, Solutions, metrics, reconstruct, select

SHARES = (0.03, 0.06, 0.12)
SHOWN = ("02_01", "13_11", "85_02", "131_03")
MOST_FRAMES = 2500  # of the long clips, which would say the same again


@dataclass(frozen=True, eq=False)
class Clip:
    name: str
    motion: Motion  # channels in radians, so that lengths and angles can be told apart

    @staticmethod
    @cache
    def load(name: str) -> Clip:
        motion = load_clip(name)
        motion = motion.between(motion.frames[0], motion.frames[0] + MOST_FRAMES - 1)
        channels = radians_without_jumps(motion)
        return Clip(
            name,
            Motion(
                motion.positions,
                channels=channels,
                owners=motion.owners,
                kinds=["location"] * 3 + ["euler"] * (channels.shape[1] - 3),
                fps=motion.fps,
                names=motion.names,
                parents=motion.parents,
            ),
        )

    def counts(self) -> list[int]:
        return [max(3, round(share * len(self.motion))) for share in SHARES]

    def angles(self) -> np.ndarray:
        """(F, J, 3) in degrees."""
        return np.degrees(self.motion.channels[:, 3:]).reshape(len(self.motion), -1, 3)

    def errors(self, keys: np.ndarray) -> tuple[float, float]:
        """Angle and position error of the motion played from the keys."""
        played = in_degrees(reconstruct(self.motion.channels, keys, "hermite"))
        angles = metrics.angle_error(self.angles(), played[:, 3:].reshape(self.angles().shape))
        return angles, metrics.position_error(self.motion.positions, replay(self.name, played))

    def simplified(self, most: int) -> Solutions:
        """By Lim and Thalmann, all joint angles at once."""
        return select(Motion(self.angles(), fps=self.motion.fps), "greedy", max_keys=most)

    def decimated(self, most: int, **options) -> Solutions:
        return select(self.motion, "decimation", max_keys=most, **options)


def figures() -> None:
    for number, unit in ((5, "degrees"), (6, "units of the file, all joints")):
        figure, panels = plt.subplots(1, len(SHOWN), figsize=(12, 3.6), layout="constrained")
        for panel, name in zip(panels, SHOWN, strict=True):
            clip = Clip.load(name)
            counts = np.unique(np.geomspace(4, 0.25 * len(clip.motion), 12).round().astype(int)).tolist()
            theirs = clip.simplified(counts[-1])
            for line, (label, options) in enumerate(
                {"equal weights": {}, "hierarchical weights": {"hierarchy": True}}.items()
            ):
                ours = clip.decimated(counts[-1], **options)
                gained = [
                    clip.errors(theirs.keys(count))[number - 5] - clip.errors(ours.keys(count))[number - 5]
                    for count in counts
                ]
                panel.plot(counts, gained, label=label, ms=4, **drawing.style(line))
            panel.axhline(0.0, color="black", lw=0.8)
            panel.set_title(f"{name}, {len(clip.motion)} frames")
            panel.set_xlabel("keys")
        panels[0].set_ylabel(f"error gained, {unit}")
        kind = "Angle" if number == 5 else "Position"
        figure.suptitle(
            f"{kind} error of curve simplification minus that of decimation (above 0: decimation)"
        )
        drawing.legend_below(figure, panels[0], 2)
        drawing.save(figure, f"paper-003-figure-{number}")


def table() -> None:
    ways = ("equal", "hierarchical", "positions", "curve simplification")
    better = {pair: np.zeros(2, int) for pair in permutations(ways, 2)}
    cases = 0
    print(f"\n{'':14}{'keys':>6}" + "".join(f"{way:>26}" for way in ways))
    print(" " * 20 + len(ways) * f"{'angle':>14}{'position':>12}")
    for name in CLIPS:
        clip = Clip.load(name)
        counts = clip.counts()
        solved = {
            "equal": clip.decimated(counts[-1]),
            "hierarchical": clip.decimated(counts[-1], hierarchy=True),
            "positions": clip.decimated(counts[-1], curves="positions"),
            "curve simplification": clip.simplified(counts[-1]),
        }
        for count in counts:
            errors = {way: np.array(clip.errors(solutions.keys(count))) for way, solutions in solved.items()}
            print(f"{name:14}{count:6}" + "".join(f"{a:14.3f}{p:12.2f}" for a, p in errors.values()))
            for one, other in better:
                better[one, other] += errors[one] < errors[other]
            cases += 1
    print()
    for (one, other), (angle, position) in better.items():
        print(
            f"{one:>21} better than {other:21} angle {angle:2} of {cases}   position {position:2} of {cases}"
        )


def main() -> None:
    table()
    figures()


if __name__ == "__main__":
    main()
