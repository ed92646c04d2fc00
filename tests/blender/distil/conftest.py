# SPDX-License-Identifier: GPL-3.0-or-later
"""A small character with dense animation, and short ways to look at what it plays."""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.blender.standing_feet import Feet, with_few_keys


@pytest.fixture
def distil(clean_blender):
    """The modules under test, and the helpers below."""
    from bl_ext.user_default.posewright.bridge import actions, editable, lengths, sampling
    from bl_ext.user_default.posewright.bridge.distil import (
        analyse,
        endings,
        measuring,
        reduced_action,
        reductions,
    )
    from bl_ext.user_default.posewright.bridge.distil.editing import capture, changes
    from bl_ext.user_default.posewright.bridge.distil.solving import analysis, extremes
    from bl_ext.user_default.posewright.panels import distil as panels
    from bl_ext.user_default.posewright.panels import distil_settings as settings_panels

    return SimpleNamespace(
        core=clean_blender.core,
        actions=actions,
        lengths=lengths,
        sampling=sampling,
        editable=editable,
        analyse=analyse,
        analysis=analysis,
        capture=capture,
        changes=changes,
        endings=endings,
        extremes=extremes,
        measuring=measuring,
        reduced_action=reduced_action,
        reductions=reductions,
        panels=panels,
        settings_panels=settings_panels,
        swing=swing,
        write=write,
        playing=actions.curves_of,
        error=error,
        positions=positions,
        delete_while_measuring=delete_while_measuring,
    )


@pytest.fixture
def following(distil):
    from bl_ext.user_default.posewright.handlers import following_edits

    return following_edits


@pytest.fixture
def swinging(make_rig, distil):
    """120 frames of a swinging chain, every frame keyed; one channel stands still, one is a property."""
    return swing(make_rig(3, rotation_mode="XYZ"))


@pytest.fixture
def smiling(swinging, distil):
    """A face whose shape keys are in the swinging armature's action; the shape keys and their slot."""
    import bpy

    if not distil.actions.versions.HAS_SLOTS:
        pytest.skip("one action animates armature and shape keys from Blender 4.4 on")
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    cube.parent = swinging
    cube.shape_key_add(name="Basis")
    cube.shape_key_add(name="Smile")
    keys = cube.data.shape_keys
    source = swinging.animation_data.action
    keys.animation_data_create()
    slot = source.slots.new(id_type="KEY", name="Face")
    distil.actions.assign(keys, source, slot)
    channel = distil.actions.Channel('key_blocks["Smile"].value', 0)
    bag = distil.actions.bag_of(source, slot, create=True)
    time = np.arange(1.0, 121.0)
    distil.write(distil.actions.ensure_curves(bag, [channel]), time, np.sin(time / 9)[:, None] * 0.5 + 0.5)
    bpy.context.view_layer.objects.active = swinging
    return keys, slot


@pytest.fixture
def feet(distil):
    """Ways to look at feet that stand."""
    return Feet(distil)


@pytest.fixture
def walking(humanoid, distil):
    """Two seconds of a walk with so few keys that its feet slide."""
    return with_few_keys(humanoid())


def swing(rig, frames=120, start=1, name="Swing"):
    from bl_ext.user_default.posewright.bridge import actions

    action, slot = actions.new_action(name, rig)
    actions.assign(rig, action, slot)
    rig["mood"] = 0.0
    channels = [
        actions.Channel(f'pose.bones["bone {bone}"].rotation_euler', index, f"bone {bone}")
        for bone in range(3)
        for index in range(3)
    ]
    channels += [actions.Channel('pose.bones["bone 0"].location', index, "bone 0") for index in range(2)]
    channels.append(actions.Channel('pose.bones["bone 2"].scale', 0, "bone 2"))
    channels.append(actions.Channel('["mood"]', 0))
    time = np.arange(frames, dtype=float)
    phase = np.arange(13) * 0.7
    values = np.sin(time[:, None] * 0.11 + phase) + 0.4 * np.sin(time[:, None] * 0.31 + 2 * phase)
    values[:, 11] = 1.0  # stands still
    write(actions.ensure_curves(actions.bag_of(action, slot, create=True), channels), time + start, values)
    return rig


def write(curves, frames, values):
    from bl_ext.user_default.posewright.bridge import baking

    baking.write_keys(curves, baking.Keys(frames, values, interpolation="LINEAR"))


def positions(rig, frames):
    from bl_ext.user_default.posewright.bridge import sampling

    return sampling.sample(rig, frames, sides=True).positions


def error(rig, frames, reference):
    return np.linalg.norm(positions(rig, frames) - reference, axis=2).mean()


def delete_while_measuring(rig):
    """Delete an armature while its estimates are set right."""
    import bpy
    from bl_ext.user_default.posewright.bridge.distil import analyse

    rig.pose.bones[0].constraints.new("LIMIT_SCALE")  # so that Blender has to play other keys
    work = analyse.analyse_in_steps(rig, bpy.context.scene)
    there = len(bpy.data.actions)
    while len(bpy.data.actions) == there:
        next(work)
    bpy.data.objects.remove(rig)
    with pytest.raises(ReferenceError):
        for _ in work:
            pass
