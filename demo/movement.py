# SPDX-License-Identifier: GPL-3.0-or-later
"""A mocap-like motion made in code: walking, turning, jumping, reaching, with capture noise.

The feet follow planned footprints and the hands follow targets; hips, spine and head move as bodies do
around them, and legs and arms are solved to fit. All frames are computed at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from . import skeleton
from .kinematics import Array, apply, keyed, limb, minimum_jerk, smooth, turn
from .steps import LANDING, TAKE_OFF, Foot, walk_and_jump

FPS = 120.0
SECONDS = 15.0
GRAVITY = 9.81
STANDING = 0.935  # height of the hips, knees a little bent

# Where a hand goes when it does not hang: seconds of coming and of leaving, and metres to the side, forward
# and up from the ground under the hips.
REACH_UP = ((9.6, 10.3), (10.8, 11.5), (0.16, 0.36, 1.88))  # right hand
PICK_UP = ((11.9, 12.8), (13.2, 14.1), (0.10, 0.50, 0.22))  # left hand


@dataclass(frozen=True)
class Movement:
    """Rotations of every bone from its rest pose, relative to its parent, in the armature's axes."""

    rotations: dict[str, Array]  # name -> (F, 3, 3)
    root: Array  # (F, 3) where the head of the hips is
    fps: float = FPS

    def __len__(self) -> int:
        return len(self.root)


def make_movement(seconds: float = SECONDS, seed: int = 7, noise: float = 1.0) -> Movement:
    """The whole motion; `noise` 0 gives it without the jitter of a capture."""
    times = np.arange(round(seconds * FPS) + 1) / FPS
    left, right = walk_and_jump(times)
    body = _Body(times, left, right)
    whole = body.solve()
    random = np.random.default_rng(seed)
    local = {
        bone.name: (whole[bone.parent].swapaxes(-1, -2) if bone.parent else np.eye(3)) @ whole[bone.name]
        for bone in skeleton.BONES
    }
    jittered = {name: rotations @ _jitter(random, len(times), noise) for name, rotations in local.items()}
    shake = smooth(random.normal(0.0, 0.0015 * noise, (len(times), 3)), 0.8)
    return Movement(jittered, body.hips + shake)


def _jitter(random: np.random.Generator, frames: int, noise: float) -> Array:
    """What a capture adds: fine trembling on every frame, and markers that slide slowly on the skin."""
    trembling = smooth(random.normal(0.0, 0.25 * noise, (frames, 3)), 0.7)
    sliding = smooth(random.normal(0.0, 4.0 * noise, (frames, 3)), 25.0)
    angles = trembling + sliding
    return turn("x", angles[:, 0]) @ turn("y", angles[:, 1]) @ turn("z", angles[:, 2])


class _Body:
    """Hips, spine and head from the feet and the time; then limbs to fit."""

    def __init__(self, times: Array, left: Foot, right: Foot) -> None:
        self.times = times
        self.feet = {"L": left, "R": right}
        self.yaw = smooth((left.yaw + right.yaw) / 2.0, 0.16 * FPS)
        self.facing = turn("z", self.yaw)
        # How far the left foot is ahead of the right one: the phase of the walk.
        apart = apply(self.facing.swapaxes(-1, -2), _flat(left.ground - right.ground))
        self.ahead = smooth(-apart[:, 1], 0.03 * FPS)
        self.weight = smooth(left.contact - right.contact, 0.07 * FPS)  # 1: all on the left foot
        self.bend = self._bend()
        self.hips = self._hips()
        self.whole: dict[str, Array] = {}

    def _bend(self) -> Array:
        """How far the upper body leans forward, in degrees."""
        jump = [(6.9, 0.0), (7.45, 42.0), (TAKE_OFF, 6.0), (LANDING, 14.0), (LANDING + 0.22, 38.0)]
        pick = [(11.9, 0.0), (12.8, 84.0), (13.2, 86.0), (14.1, 0.0)]
        walk = [(0.0, 1.0), (0.7, 4.0), (6.4, 3.0)]
        return keyed(self.times, [*walk, *jump, (9.1, 2.0), (9.6, -2.0), *pick], 0.09)

    def _hips(self) -> Array:
        left, right = self.feet["L"], self.feet["R"]
        middle = smooth((left.ground + right.ground) / 2.0, 0.17 * FPS)
        apart = np.linalg.norm(left.ground - right.ground, axis=1)
        # Like an inverted pendulum the hips are lowest when the feet are furthest apart.
        dip = smooth(0.16 * np.maximum(apart - 0.2, 0.0) ** 2, 0.03 * FPS)
        breath = 0.003 * np.sin(2.0 * np.pi * self.times / 3.7)
        hips = np.column_stack([middle, STANDING - dip + breath])
        idle = 0.008 * np.sin(2.0 * np.pi * self.times / 2.9)
        aside = 0.024 * self.weight + idle
        back = 0.0022 * np.maximum(self.bend, 0.0)
        hips += apply(self.facing, np.column_stack([aside, back, np.zeros_like(back)]))
        hips[:, 2] += self._jump_height()
        return hips

    def _jump_height(self) -> Array:
        """Down, up, a parabola while in the air, down again to catch the landing; and a knee bend later."""
        flight = LANDING - TAKE_OFF
        rise = np.linspace(0.0, flight, 12)
        parabola = [(TAKE_OFF + s, 0.02 + 0.5 * GRAVITY * s * (flight - s)) for s in rise]
        before = [(7.0, 0.0), (7.42, -0.27), (7.52, -0.28), (TAKE_OFF - 0.02, 0.0)]
        after = [(LANDING + 0.10, -0.17), (LANDING + 0.26, -0.25), (LANDING + 0.36, -0.23), (9.1, 0.0)]
        pick = [(11.9, 0.0), (12.8, -0.40), (13.2, -0.41), (14.0, 0.0)]
        return keyed(self.times, [*before, *parabola, *after, *pick], 0.03)

    def solve(self) -> dict[str, Array]:
        """Rotations (F, 3, 3) of every bone from its rest pose, in the armature's axes."""
        self._spine()
        for side, sign in (("L", 1.0), ("R", -1.0)):
            self._leg(side)
            self._arm(side, sign)
        return self.whole

    def _spine(self) -> None:
        swing = 9.0 * self.ahead
        reach = self._share(REACH_UP)
        pick = self._share(PICK_UP)
        tilt = turn("x", 0.35 * self.bend) @ turn("y", -3.0 * self.weight)
        self.whole["hips"] = self.facing @ turn("z", -swing - 8.0 * pick) @ tilt
        # The chest turns against the hips, leans with the reaching arm and carries most of the bend.
        part = (
            turn("z", (2.2 * swing - 14.0 * reach - 14.0 * pick) / 3.0)
            @ turn("y", (2.0 * self.weight - 9.0 * reach) / 3.0)
            @ turn("x", (0.65 * self.bend - 6.0 * reach) / 3.0)
        )
        for name, parent in (("waist", "hips"), ("spine", "waist"), ("chest", "spine")):
            self.whole[name] = self.whole[parent] @ part
        look_up = -34.0 * reach - 0.45 * self.bend + 22.0 * pick
        turning = [(4.0, 0.0), (4.4, 12.0), (5.5, 8.0), (6.4, 0.0)]
        glance = keyed(self.times, [*turning, (14.2, 0.0), (14.5, -25.0)], 0.15)
        aside = -0.9 * swing + glance - 10.0 * reach + 8.0 * pick
        for name, parent in (("neck", "chest"), ("nape", "neck"), ("head", "nape")):
            self.whole[name] = self.whole[parent] @ turn("z", aside / 3.0) @ turn("x", look_up / 3.0)

    def _leg(self, side: str) -> None:
        foot = self.feet[side]
        thigh, shin = f"thigh.{side}", f"shin.{side}"
        hip = self._joint(thigh, "hips")
        planted = turn("z", foot.yaw)
        pole = apply(self.facing, [0.0, -1.0, 0.0]) + apply(planted, [0.0, -1.0, 0.0])
        bones = (skeleton.along(thigh), skeleton.along(shin))
        upper, lower = limb(hip, foot.ankle, pole, bones, np.array([0.0, -1.0, 0.0]))
        self.whole[f"hip.{side}"] = self.whole["hips"]
        self.whole[thigh], self.whole[shin] = upper, lower
        self.whole[f"foot.{side}"] = planted @ turn("x", foot.pitch)
        # On the ground the toes stay flat while the heel rises.
        flat = np.maximum(foot.pitch, 0.0) * smooth(foot.contact, 0.02 * FPS)
        self.whole[f"toe.{side}"] = planted @ turn("x", foot.pitch - flat)

    def _arm(self, side: str, sign: float) -> None:
        target, raised = self._hand(side, sign)
        shoulder, upper, lower = (f"{name}.{side}" for name in ("shoulder", "upper_arm", "forearm"))
        self.whole[shoulder] = self.whole["chest"] @ turn("y", -sign * 22.0 * raised)
        root = self._joint(shoulder, "chest") + apply(self.whole[shoulder], skeleton.along(shoulder))
        pole = apply(self.whole["chest"], [0.55 * sign, 1.0, -0.35])
        bones = (skeleton.along(upper), skeleton.along(lower))
        self.whole[upper], self.whole[lower] = limb(root, target, pole, bones, np.array([0.0, 1.0, 0.0]))
        grip = keyed(self.times, [(0.0, 18.0), *self._grip(side)], 0.08)
        relaxed = turn("z", sign * 6.0) @ turn("y", sign * 0.3 * grip)
        self.whole[f"hand.{side}"] = self.whole[lower] @ relaxed
        self.whole[f"fingers.{side}"] = self.whole[f"hand.{side}"] @ turn("y", sign * grip)
        self.whole[f"fingertips.{side}"] = self.whole[f"fingers.{side}"] @ turn("y", sign * 1.2 * grip)
        self.whole[f"thumb.{side}"] = self.whole[f"hand.{side}"] @ turn("z", sign * 0.5 * grip)

    def _grip(self, side: str) -> list[tuple[float, float]]:
        if side == "R":
            return [(9.6, 18.0), (10.1, 2.0), (10.4, 55.0), (11.4, 18.0)]
        return [(12.2, 18.0), (12.7, 4.0), (13.0, 60.0), (14.3, 60.0), (14.6, 20.0)]

    def _hand(self, side: str, sign: float) -> tuple[Array, Array]:
        """Where the wrist goes, and how much the shoulder is raised for it."""
        swing = -sign * 0.42 * self.ahead
        wind_up = [(6.9, 0.0), (7.42, -0.40), (TAKE_OFF, 0.46)]
        throw = keyed(self.times, [*wind_up, (LANDING, 0.36), (LANDING + 0.35, 0.12), (9.0, 0.0)], 0.05)
        ahead = 0.03 + swing + throw
        drop = 0.515 - 0.55 * ahead**2 - 0.10 * np.abs(throw)
        hang = np.column_stack([np.full_like(ahead, 0.06 * sign), -ahead, -drop])
        # The arms hang from the shoulders straight down, however the body bends.
        root = self._joint(f"shoulder.{side}", "chest")
        root = root + apply(self.whole["chest"], skeleton.along(f"shoulder.{side}"))
        target = root + apply(self.facing, hang)
        gesture = REACH_UP if side == "R" else PICK_UP
        share = self._share(gesture)
        aside, forward, up = gesture[2]
        goal = _flat(self.hips[:, :2]) + apply(self.facing, [sign * aside, -forward, up])
        raised = share if side == "R" else np.zeros_like(share)
        return target + share[:, None] * (goal - target), raised

    def _share(self, gesture: tuple[tuple[float, float], tuple[float, float], object]) -> Array:
        """How far a gesture has got: 0 before, 1 while it lasts, 0 after."""
        (start, there), (leave, back), _ = gesture
        come = minimum_jerk((self.times - start) / (there - start))
        return come - minimum_jerk((self.times - leave) / (back - leave))

    def _joint(self, bone: str, parent: str) -> Array:
        """Where the head of a bone is, its ancestors' rotations being known."""
        chain = [skeleton.BY_NAME[bone]]
        while chain[-1].parent is not None:
            chain.append(skeleton.BY_NAME[chain[-1].parent])
        chain.reverse()
        place = self.hips
        for above, below in pairwise(chain):
            rotation = self.whole.get(above.name, self.whole[parent])
            place = place + apply(rotation, skeleton.head(below.name) - skeleton.head(above.name))
        return place


def _flat(points: Array) -> Array:
    return np.column_stack([points, np.zeros(len(points))])
