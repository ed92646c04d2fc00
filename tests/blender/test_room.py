# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons stand beside each other where their names fit, in any language."""

import importlib
from types import SimpleNamespace

import pytest


@pytest.mark.parametrize(
    ("names", "units", "fit"),
    [
        (("Keys", "Ground", "Screen"), 13.2, True),  # a sidebar as Blender opens it
        (("Keys", "Ground", "Screen"), 8.0, False),
        (("Schlüsselbilder", "Boden", "Bildschirm"), 13.2, False),
        (("Schlüsselbilder", "Boden", "Bildschirm"), 18.0, True),
        (("キーフレーム", "地面", "スクリーン"), 13.2, False),
        (("关键帧", "地面", "屏幕"), 13.2, True),
    ],
)
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_names_are_not_cut_off(posewright, names, units, fit, scale):
    room = importlib.import_module(f"{posewright.__name__}.panels.room")
    context = SimpleNamespace(
        region=SimpleNamespace(width=20.0 * units * scale),
        preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=scale)),
    )
    assert room.fit_in_a_row(context, names) is fit
