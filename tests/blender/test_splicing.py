# SPDX-License-Identifier: GPL-3.0-or-later
"""A stretch of time gets other keys, and what lies outside it stays as it was in every respect."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import pytest

OUTSIDE = (1.0, 4.5, 30.0)


@pytest.fixture
def bridge(clean_blender: ModuleType) -> Any:
    return import_module(f"{clean_blender.__name__}.bridge")


def module(bridge: Any, name: str) -> Any:
    return import_module(f"{bridge.__name__}.{name}")


@pytest.fixture
def curve(bridge: Any, make_rig: Any, set_keys: Any) -> Any:
    """One curve whose keys all differ from what Blender gives a new key."""
    rig = make_rig(1)
    frames = (*OUTSIDE, 10.0, 20.0)
    set_keys(rig.pose.bones[0], "location", {frame: (frame / 10.0, 0.0, 0.0) for frame in frames})
    found = module(bridge, "actions").curves_of(rig)[0]
    for number, key in enumerate(found.keyframe_points):
        key.handle_left_type = key.handle_right_type = "FREE"
        key.interpolation, key.easing, key.type = "ELASTIC", "EASE_IN_OUT", "BREAKDOWN"
        key.back, key.amplitude, key.period = 2.0 + number, 0.3 + number, 5.0 + number
        key.handle_left = (key.co[0] - 0.7, key.co[1] + 3.0)
    return found


def described(curve: Any) -> dict[float, dict[str, Any]]:
    names = ("handle_left_type", "handle_right_type", "interpolation", "easing", "type")
    numbers = ("co", "handle_left", "handle_right", "back", "amplitude", "period")
    return {
        round(key.co[0], 3): {name: getattr(key, name) for name in names}
        | {name: np.round(getattr(key, name), 4).tolist() for name in numbers}
        for key in curve.keyframe_points
    }


def spliced(bridge: Any, curve: Any, frames: tuple[float, ...]) -> None:
    values = np.arange(len(frames), dtype=float)[:, None]
    keys = module(bridge, "baking").Keys(np.array(frames), values, interpolation="LINEAR")
    module(bridge, "splicing").replace_between([curve], keys)


def test_keys_outside_keep_all_they_are_and_new_ones_inherit_nothing(bridge: Any, curve: Any) -> None:
    before = described(curve)
    spliced(bridge, curve, (8.0, 12.0, 22.0))
    after = described(curve)
    assert sorted(after) == [1.0, 4.5, 8.0, 12.0, 22.0, 30.0]
    assert {frame: after[frame] for frame in OUTSIDE} == {frame: before[frame] for frame in OUTSIDE}
    fresh = {"easing": "AUTO", "type": "KEYFRAME", "interpolation": "LINEAR"}
    assert all({name: after[frame][name] for name in fresh} == fresh for frame in (8.0, 12.0, 22.0))


def test_keys_at_the_ends_of_the_stretch_are_replaced(bridge: Any, curve: Any) -> None:
    spliced(bridge, curve, (10.0, 20.0))
    after = described(curve)
    assert sorted(after) == [1.0, 4.5, 10.0, 20.0, 30.0]
    assert after[10.0]["co"][1] == 0.0
    assert after[20.0]["co"][1] == 1.0


def test_a_stretch_over_all_keys_leaves_none_of_them(bridge: Any, curve: Any) -> None:
    spliced(bridge, curve, (0.0, 40.0))
    assert sorted(described(curve)) == [0.0, 40.0]


def test_only_what_moves_counts_as_moving(bridge: Any) -> None:
    """Measured by the size of the values, of small ones by a thousandth: noise is no movement."""
    moving = module(bridge, "distil.channels").moving
    rising = np.linspace(0.0, 1.0, 5)
    columns = {
        "still": (np.full(5, 7.0), False),
        "still at zero": (np.zeros(5), False),
        "moving": (rising, True),
        "large with noise": (1000.0 + 1e-4 * rising, False),
        "large and moving": (1000.0 + 0.01 * rising, True),
        "negative with noise": (-1000.0 - 1e-4 * rising, False),
        "noise around zero": (1e-10 * rising, False),
        "small and moving": (1e-8 * rising, True),
        "one frame off": (np.array([0.0, 0.0, 0.1, 0.0, 0.0]), True),
    }
    values = np.stack([column for column, _ in columns.values()], axis=1)
    assert dict(zip(columns, moving(values).tolist(), strict=True)) == {
        name: moves for name, (_, moves) in columns.items()
    }
