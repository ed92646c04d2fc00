# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables 1 and 2 of Halit and Capin 2010 on the paper's clips, printed beside the paper's figures.

    python -m benchmarks.paper_tables

Every method chooses as many keys as the paper had. In Euler angle space the methods see the joint angles,
the motion between keys is played by quaternion slerp, and the error is the mean squared difference of body
coordinates (Table 1) and the peak signal-to-noise ratio of the angles (Table 2). In body coordinate space the
methods see joint positions as seen from the root, which are also what is interpolated and compared.

The paper's errors are in a unit it does not name and so is the size of its skeleton: what can be compared
is the order of the methods and how many times larger one error is than another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.clips import load_clip, replay
from core import ALGORITHMS, Motion, metrics, reconstruct, reconstruct_quaternions, rotations, select

FloatArray = np.ndarray


@dataclass(frozen=True)
class Printed:
    """What the paper printed for one clip: (error, error ...) in the order of METHODS."""

    clip: str
    title: str
    sigma: float
    k: int
    euler_keys: int
    euler_errors: tuple[float, float, float]
    euler_psnr: tuple[float, float, float]
    body_keys: int
    body_errors: tuple[float, float, float]


# The walk of the paper's tables is of 800 frames and not named closely enough to be found again.
PAPER = (
    Printed(
        "13_29", "Stretching", 10, 7, 131, (0.02, 0.06, 0.15), (46.42, 42.90, 40.20), 117,
        (0.0269, 0.0527, 0.0847),
    ),
    Printed(
        "06_13", "Basketball", 3, 10, 616, (0.020, 0.024, 0.045), (43.98, 39.28, 38.50), 559,
        (0.0017, 0.0033, 0.0067),
    ),
    Printed(
        "13_18", "Boxing", 3, 10, 311, (0.0027, 0.0088, 0.0105), (50.04, 46.94, 45.92), 305,
        (0.0024, 0.0057, 0.0087),
    ),
)  # fmt: skip

Keys = np.ndarray
Method = Callable[[Motion, int, Printed], Keys]


def _select(algorithm: str, **options) -> Method:
    def keys(motion: Motion, count: int, printed: Printed) -> Keys:
        chosen = {
            name: getattr(printed, name) for name in ("sigma", "k") if name in ALGORITHMS[algorithm].options
        }
        return select(motion, algorithm, max_keys=count, **chosen, **options).keys(count)

    return keys


def methods() -> dict[str, Method]:
    """The paper's three, then what Posewright adds."""
    table = {
        "decimation": _select("decimation"),
        "saliency": _select("saliency"),
        "curve simplification": _select("greedy"),
    }
    if "salient" in ALGORITHMS:
        table |= {
            f"salient {objective}": _select("salient", objective=objective)
            for objective in ("chord", "curve")
        }
    table["uniform"] = lambda motion, count, _: np.rint(np.linspace(0, len(motion) - 1, count)).astype(int)
    return table


class Clip:
    """One clip as the two spaces see it, and its motion played from keys alone."""

    def __init__(self, name: str):
        self.name = name
        self.motion = load_clip(name)
        self.body_positions = self.motion.in_space("root").positions
        self.angles = np.unwrap(self.motion.channels[:, 3:], axis=0, period=360.0)
        radians = np.radians(self._joints(self.angles))
        self.quaternions = rotations.euler_to_quaternion(radians)

    @staticmethod
    def _joints(angles: FloatArray) -> FloatArray:
        """(F, J, 3) angles about X, Y and Z from the file's Z, Y, X."""
        return angles.reshape(len(angles), -1, 3)[..., ::-1]

    def in_angles(self) -> Motion:
        """A motion whose joints are triples of angles: what every algorithm then compares."""
        return Motion(self.angles.reshape(len(self.angles), -1, 3), fps=self.motion.fps)

    def in_body(self) -> Motion:
        return Motion(self.body_positions, fps=self.motion.fps, parents=self.motion.parents)

    def played_angles(self, keys: Keys) -> FloatArray:
        """(F, C) the angles that slerp between the keys gives, written as close to the original as can be."""
        played = np.degrees(rotations.quaternion_to_euler(reconstruct_quaternions(self.quaternions, keys)))
        original = self._joints(self.angles)
        other = played * [1.0, -1.0, 1.0] + 180.0  # the same rotation, written the other way
        near, far = (
            candidate + 360.0 * np.rint((original - candidate) / 360.0) for candidate in (played, other)
        )
        farther = np.sum((near - original) ** 2, axis=2) > np.sum((far - original) ** 2, axis=2)
        closest = np.where(farther[..., None], far, near)
        return closest[..., ::-1].reshape(len(self.angles), -1)

    def played_body(self, angles: FloatArray) -> FloatArray:
        """(F, J, 3) joints as seen from the root."""
        still_root = np.zeros((len(angles), 3))
        positions = replay(self.name, np.concatenate([still_root, angles], axis=1))
        return positions - positions[:, :1]


@dataclass(frozen=True)
class Row:
    """One method on one clip, beside the paper's figure where it has one."""

    table: str
    clip: str
    keys: int
    method: str
    value: float
    printed: float | None


def rows() -> Iterator[Row]:
    for printed in PAPER:
        clip = Clip(printed.clip)
        for place, (name, method) in enumerate(methods().items()):
            in_paper = place < 3
            keys = method(clip.in_angles(), printed.euler_keys, printed)
            angles = clip.played_angles(keys)
            error = metrics.mean_squared_error(clip.body_positions, clip.played_body(angles))
            head = printed.title, printed.euler_keys, name
            yield Row("1 Euler", *head, error, printed.euler_errors[place] if in_paper else None)
            psnr = metrics.psnr(clip.angles, angles)
            yield Row("2 PSNR", *head, psnr, printed.euler_psnr[place] if in_paper else None)
            keys = method(clip.in_body(), printed.body_keys, printed)
            flat = clip.body_positions.reshape(len(clip.motion), -1)
            error = metrics.mean_squared_error(flat, reconstruct(flat, keys, "linear"))
            head = printed.title, printed.body_keys, name
            yield Row("1 body", *head, error, printed.body_errors[place] if in_paper else None)


def main() -> None:
    results = list(rows())
    for table in ("1 Euler", "1 body", "2 PSNR"):
        for printed in PAPER:
            here = [row for row in results if row.table == table and row.clip == printed.title]
            base = next(row for row in here if row.method == "saliency")
            print(f"\nTable {table}: {printed.title} ({printed.clip}), {here[0].keys} keys")
            print(f"{'':22}{'ours':>10}{'paper':>10}   ratio to saliency: ours, paper")
            for row in here:
                paper = "" if row.printed is None else f"{row.printed:10.4g}"
                line = f"{row.method:22}{row.value:10.4g}{paper:>10}"
                if table != "2 PSNR":
                    line += f"   {row.value / base.value:6.2f}"
                    line += "" if row.printed is None else f" {row.printed / base.printed:6.2f}"
                print(line)


if __name__ == "__main__":
    main()
