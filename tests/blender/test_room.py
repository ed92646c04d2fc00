# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons stand beside each other where their names fit, in any language."""

import importlib
from types import SimpleNamespace

import pytest


@pytest.mark.parametrize(
    ("names", "icons", "units", "fit"),
    [
        (("Keys", "Ground", "Screen"), True, 13.2, True),  # a sidebar as Blender opens it
        (("Keys", "Ground", "Screen"), True, 9.7, False),
        (("Schlüsselbilder", "Boden", "Bildschirm"), True, 13.2, False),
        (("Schlüsselbilder", "Boden", "Bildschirm"), True, 22.0, True),
        (("Überblendung", "Darüber", "Obenauf"), False, 13.2, False),
        (("Mélange", "Dessus", "Par-dessus"), False, 13.2, True),
        (("キーフレーム", "地面", "スクリーン"), True, 13.2, False),
    ],
)
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_names_are_not_cut_off(posewright, names, icons, units, fit, scale):
    room = importlib.import_module(f"{posewright.__name__}.panels.room")
    context = SimpleNamespace(
        region=SimpleNamespace(width=20.0 * units * scale),
        preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=scale)),
    )
    assert room.fit_in_a_row(context, names, icons=icons) is fit
