# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the feet go: a walk that turns, a stop and a jump, planned as footprints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .kinematics import Array, apply, keyed, minimum_jerk, smooth, turn

ANKLE = np.array([0.0, 0.0, 0.09])  # over a footprint
BALL = np.array([0.0, -0.13, 0.0])
HEEL = np.array([0.0, 0.05, 0.0])
HALF_STANCE = 0.09

STEP_SECONDS = 0.54
SWING_SECONDS = 0.42  # the rest of two steps a foot is on the ground
FIRST_STEP = 0.7
STEPS = 11
TURN = (0.0, 0.0, 0.0, 8.0, 20.0, 24.0, 24.0, 20.0, 8.0, 0.0, 0.0)  # degrees of heading, step by step
STRIDE = (0.36, *(0.66,) * 2, 0.62, *(0.54,) * 4, 0.60, 0.42, 0.0)  # metres, step by step

TAKE_OFF, LANDING = 7.75, 8.19
JUMP = 0.55


class Swing(NamedTuple):
    start: float
    stop: float
    place: Array  # (2,) of the footprint it ends on
    yaw: float
    jump: bool


@dataclass(frozen=True)
class Foot:
    """One foot over all frames."""

    ground: Array  # (F, 2) the footprint it stands on or swings over
    yaw: Array  # (F,) degrees
    pitch: Array  # (F,) degrees, heel up positive
    ankle: Array  # (F, 3)
    contact: Array  # (F,) 1 on the ground, 0 in the air


def walk_and_jump(times: Array) -> tuple[Foot, Foot]:
    """The left and the right foot."""
    place, heading = np.zeros(2), 0.0
    swings: dict[int, list[Swing]] = {1: [], -1: []}
    for number in range(STEPS):
        heading += TURN[number]
        place = place + STRIDE[number] * _forward(heading)
        side = 1 if number % 2 == 0 else -1
        start = FIRST_STEP + number * STEP_SECONDS
        footprint = place + side * HALF_STANCE * _left(heading)
        swings[side].append(Swing(start, start + SWING_SECONDS, footprint, heading, False))
    place = place + JUMP * _forward(heading)
    for side in (1, -1):
        footprint = place + side * (HALF_STANCE + 0.03) * _left(heading)
        swings[side].append(Swing(TAKE_OFF, LANDING, footprint, heading + 6.0 * side, True))
    return _foot(times, swings[1], 1), _foot(times, swings[-1], -1)


def _forward(heading: float) -> Array:
    return np.array([np.sin(np.radians(heading)), -np.cos(np.radians(heading))])


def _left(heading: float) -> Array:
    return np.array([np.cos(np.radians(heading)), np.sin(np.radians(heading))])


def _foot(times: Array, swings: list[Swing], side: int) -> Foot:
    ground = np.tile(side * HALF_STANCE * _left(0.0), (len(times), 1))
    yaw = np.full(len(times), 5.0 * side)
    lift = np.zeros(len(times))
    contact = np.ones(len(times))
    pitch: list[tuple[float, float]] = [(0.0, 0.0)]
    for swing in swings:
        share = (times - swing.start) / (swing.stop - swing.start)
        moved = minimum_jerk(share)[:, None]
        ground = ground + moved * (swing.place - ground)
        yaw = yaw + moved[:, 0] * (swing.yaw + 5.0 * side - yaw)
        inside = (share > 0.0) & (share < 1.0)
        arc = np.where(inside, np.sin(np.pi * np.clip(share, 0.0, 1.0)), 0.0)
        # A jump's arc is a parabola: the sine's peak and a little fuller shoulders.
        lift += 0.30 * np.where(inside, 4.0 * share * (1.0 - share), 0.0) if swing.jump else 0.035 * arc
        contact[inside] = 0.0
        pitch += _rolling(swing)
    lift = smooth(lift, 0.012 / (times[1] - times[0]))
    degrees = keyed(times, pitch, 0.02)
    return Foot(ground, yaw, degrees, _ankle(ground, yaw, degrees, lift), contact)


def _rolling(swing: Swing) -> list[tuple[float, float]]:
    """The foot rolls off over its ball, and lands on its heel (after a jump: on its ball)."""
    if swing.jump:
        return [
            (swing.start - 0.16, 0.0),
            (swing.start, 52.0),
            (swing.start + 0.12, 46.0),
            (swing.stop - 0.02, 16.0),
            (swing.stop + 0.07, 0.0),
        ]
    return [
        (swing.start - 0.20, 0.0),
        (swing.start, 38.0),
        (swing.start + 0.14, 22.0),
        (swing.stop - 0.08, -16.0),
        (swing.stop, -16.0),
        (swing.stop + 0.10, 0.0),
    ]


def _ankle(ground: Array, yaw: Array, pitch: Array, lift: Array) -> Array:
    pivot = np.where(pitch[:, None] > 0.0, BALL, HEEL)
    rolled = pivot + apply(turn("x", pitch), ANKLE - pivot)
    place = np.concatenate([ground, lift[:, None]], axis=1)
    return place + apply(turn("z", yaw), rolled)
