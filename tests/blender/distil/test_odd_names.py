# SPDX-License-Identifier: GPL-3.0-or-later
"""What bones are called makes no difference to what is done with them."""

import bpy
import numpy as np
import pytest

PLAIN = [f"part {n}" for n in range(9)]
ODD = [
    "base",
    "Neck",
    "Neck head",
    "Neck side",
    'say "hi"',
    "back\\slash",
    "list[0].location",
    "Гора.骨",
    "x" * 63,
]


@pytest.fixture
def named(make_rig):
    """A chain of bones with such names, each beside where the one above it ends; all of them sway."""

    def build(names):
        bones = {}
        for n, name in enumerate(names):
            aside = 0.3 * (n == 1)
            bones[name] = (aside, 0.0, float(n)), (0.0, 0.0, n + 1.0), names[n - 1] if n else None
        rig = make_rig(bones)
        for frame in range(1, 41):
            for n, bone in enumerate(rig.pose.bones):
                turn = 0.3 * np.sin(frame / 5.0 + n), 0.2 * np.cos(frame / 7.0), 0.0
                bone.rotation_quaternion = (1.0, *turn)
                bone.keyframe_insert("rotation_quaternion", frame=frame)
        return rig

    return build


def weigh(rig, weights):
    for bone, weight in zip(rig.data.bones, weights, strict=True):
        item = rig.posewright.bone_weights.add()
        item.name, item.weight = bone.name, weight


def test_keys_and_figures_are_the_same_whatever_bones_are_called(named, distil):
    plain, odd = named(PLAIN), named(ODD)
    found = []
    for rig in (plain, odd):
        weigh(rig, [1.0, 0.0, 3.0, 0.5, 1.0, 0.0, 2.0, 1.0, 0.1])
        distil.analyse.analyse(rig, bpy.context.scene)
        analysis = distil.reductions.get(rig).analysis()
        found.append((analysis, distil.measuring.measure(rig), distil.positions(rig, [3.0, 17.5])))
    one, other = (each[0].solutions for each in found)
    np.testing.assert_array_equal(one.counts, other.counts)
    np.testing.assert_allclose(one.errors, other.errors)
    for count in one.counts.tolist():
        np.testing.assert_array_equal(one.keys(count), other.keys(count))
    np.testing.assert_allclose(found[0][0].estimated_errors, found[1][0].estimated_errors)
    assert found[0][1].mean == pytest.approx(found[1][1].mean)
    np.testing.assert_allclose(found[0][2], found[1][2])


@pytest.mark.parametrize("preset", ["equal", "hierarchy"])
def test_ready_made_weights_are_the_same_whatever_bones_are_called(named, distil, preset):
    from bl_ext.user_default.posewright.bridge.distil.solving import weight_presets

    plain, odd = (weight_presets.preset_weights(named(names), preset) for names in (PLAIN, ODD))
    assert [plain[name] for name in PLAIN] == [odd[name] for name in ODD]


def test_algorithms_are_compared_whatever_bones_are_called(named):
    from bl_ext.user_default.posewright.bridge import steps
    from bl_ext.user_default.posewright.bridge.pictures import comparison

    plain, odd = (
        steps.run(
            comparison.compare_in_steps(named(names), bpy.context.scene, ["salient"], with_decimate=False)
        )
        for names in (PLAIN, ODD)
    )
    for one, other in zip(plain.results, odd.results, strict=True):
        assert one.likeness.mean_distance == pytest.approx(other.likeness.mean_distance)
