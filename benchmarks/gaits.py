# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that walk, run, climb and gallop, made in code: when each of them stands is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Gait:
    """How feet take turns, in metres and seconds.

    Attributes:
        round: from one step of a foot to its next. stands: the share of it in which the foot stands.
        stride: how far a step goes. lift: how high the foot swings. climb: how much higher it stands then.
        beats: when each foot begins, as shares of a round.
    """

    round: float = 1.2
    stands: float = 0.5
    stride: float = 1.2
    lift: float = 0.12
    climb: float = 0.0
    beats: Sequence[float] = (0.0, 0.5)

    def feet(self, fps: float, seconds: float = 6.0) -> tuple[np.ndarray, np.ndarray]:
        """Places (F, P, 3) of the feet, and (F, P) whether each stands."""
        times = np.arange(round(seconds * fps))[:, None] / fps
        phase = times / self.round + np.array(self.beats)
        swing = np.clip((phase % 1.0 - self.stands) / (1.0 - self.stands), 0.0, 1.0)
        way = np.floor(phase) + swing**3 * (10.0 - 15.0 * swing + 6.0 * swing**2)
        height = self.climb * way + self.lift * np.sin(np.pi * swing) ** 2
        beside = np.broadcast_to(0.2 * np.arange(len(self.beats)), way.shape)
        return np.stack([self.stride * way, beside, height], axis=2), swing == 0.0


def body_over(feet: np.ndarray) -> np.ndarray:
    """The feet, and hips in the middle above them."""
    hips = feet.mean(axis=1, keepdims=True) + np.array([0.0, 0.0, 0.9])
    return np.concatenate([feet, hips], axis=1)


GAITS = {
    "walk": Gait(),
    "stairs": Gait(climb=0.34, stride=0.6),
    "slope, down": Gait(climb=-0.4),
    "jog": Gait(round=0.72, stands=0.35, stride=2.0),
    "sprint": Gait(round=0.5, stands=0.22, stride=3.8, lift=0.4),
    "trot": Gait(round=0.6, stands=0.45, beats=(0.0, 0.5, 0.5, 0.0)),
    "gallop": Gait(round=0.45, stands=0.28, stride=1.2, lift=0.1, beats=(0.0, 0.1, 0.5, 0.6)),
    "spider": Gait(
        round=0.6, stands=0.65, stride=0.6, lift=0.08, beats=(0.0, 0.5, 0.1, 0.6, 0.2, 0.7, 0.3, 0.8)
    ),
}
