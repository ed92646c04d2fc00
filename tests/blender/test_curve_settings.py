# SPDX-License-Identifier: GPL-3.0-or-later
"""What a curve is besides its keys can be given to another one."""

import importlib
import struct

import bpy
import pytest

CYCLES = struct.unpack("f", struct.pack("i", 4))[0]  # a number whose bits are what Blender calls Cycles


@pytest.fixture
def curve_settings(posewright):
    return importlib.import_module(f"{posewright.__name__}.bridge.curve_settings")


@pytest.fixture
def curves(posewright, make_rig):
    """Two curves without keys."""
    actions = importlib.import_module(f"{posewright.__name__}.bridge.actions")
    action, slot = actions.new_action("Curves", make_rig(1))
    bag = actions.bag_of(action, slot, create=True)
    return [bag.fcurves.new("location", index=index) for index in (0, 1)]


def test_points_of_an_envelope_are_not_taken_for_modifiers(curve_settings, curves):
    """Blender crashes where a limit of one point is set that is followed by such numbers."""
    given, taking = curves
    points = given.modifiers.new("ENVELOPE").control_points
    limits = [-1.0] * 6 + [CYCLES] * 6
    for frame in range(len(limits)):
        points.add(frame)
    points.foreach_set("min", limits)
    settings = curve_settings.read_settings(given)
    looks, kind, values = settings.looks, *settings.modifiers[0][:2]
    backwards = curve_settings.CurveSettings(looks, [(kind, values, settings.modifiers[0][2][::-1])])
    curve_settings.write_settings(taking, backwards)
    bpy.context.view_layer.update()
    copied = taking.modifiers[0].control_points
    assert sorted((point.frame, point.min, point.max) for point in copied) == settings.modifiers[0][2]


def test_points_of_an_envelope_may_be_on_one_frame(curve_settings, curves):
    """As where somebody has typed the frame of a point: a new one is refused where one is already."""
    given, taking = curves
    points = given.modifiers.new("ENVELOPE").control_points
    for frame in range(3):
        points.add(frame)
    points.foreach_set("frame", [5.0, 5.0, 9.0])
    points.foreach_set("min", [-1.0, -2.0, -3.0])
    settings = curve_settings.read_settings(given)
    curve_settings.write_settings(taking, settings)
    assert curve_settings.read_settings(taking) == settings
