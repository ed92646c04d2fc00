# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters that nobody has sent yet: other bodies, scales, axes, names, parents, from Analyze to a set."""

from __future__ import annotations

from math import pi
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from tests.core.skeletons import BIRD, DOG, PERSON, SNAKE, SPIDER, below, both_sides, numbered, renamed

FRAMES = 40
GERMAN = {"hips": "Hüfte", "spine": "Wirbel", "chest": "Brust", "head": "Kopf", "thigh": "Oberschenkel"}


def german(name: str) -> str:
    for word, own in GERMAN.items():
        name = name.replace(word, own)
    return name.replace(".L", " links").replace(".R", " rechts")


BODIES = {
    "person": both_sides(PERSON),
    "german": renamed(both_sides(PERSON), german),
    "numbered": renamed(both_sides(PERSON), numbered(both_sides(PERSON))),
    "far root": below(both_sides(PERSON), root=(0.0, 7.0, 0.0)),
    "dog": both_sides(DOG),
    "bird": both_sides(BIRD),
    "spider": SPIDER,
    "snake": SNAKE,
}


def build(make_rig: Any, skeleton: Any) -> Any:
    """Bones end where the first of those below them begins."""
    ends: dict[str, Any] = {}
    for parent, place in skeleton.values():
        if parent is not None:
            ends.setdefault(parent, place)
    size = np.ptp([place for name, (_, place) in skeleton.items() if name != "root"], axis=0).max()

    def tail(name: str, place: Any) -> Any:
        end = Vector(ends.get(name, Vector(place) + Vector((0.0, 0.0, 0.05 * size))))
        return end if (end - Vector(place)).length > 1e-4 else Vector(place) + Vector((0.0, 0.0, 0.05 * size))

    return make_rig({name: (place, tail(name, place), parent) for name, (parent, place) in skeleton.items()})


def animate(rig: Any) -> Any:
    """Every bone sways, and the first that moves the body goes up and down."""
    from bl_ext.user_default.posewright.bridge import actions, baking

    if rig.animation_data is None:
        actions.assign(rig, *actions.new_action("Sway", rig))
    action, slot = rig.animation_data.action, actions.slot_of(rig)
    time = np.arange(float(FRAMES))[:, None]
    names = rig.pose.bones.keys()
    channels = [
        actions.Channel(f'pose.bones["{name}"].rotation_quaternion', index)
        for name in names
        for index in range(4)
    ]
    turns = 0.15 * np.sin(2.0 * pi * time / 17.0 + np.arange(len(channels)))
    turns[:, ::4] = 1.0
    curves = actions.ensure_curves(actions.bag_of(action, slot, create=True), channels)
    baking.write_keys(curves, baking.Keys(time[:, 0] + 1.0, turns, interpolation="LINEAR"))
    return action


def plain(rig: Any) -> float:
    return 1.0


def centimetres(rig: Any) -> float:
    rig.scale = (0.01,) * 3
    return 0.01


def huge(rig: Any) -> float:
    rig.scale = (100.0,) * 3
    return 100.0


def y_up(rig: Any) -> float:
    """As files of programs with Y up are when bones are turned and the object is turned back."""
    rig.data.transform(Matrix.Rotation(-pi / 2.0, 4, "X"))
    rig.rotation_euler.x = pi / 2.0
    return 1.0


def uneven(rig: Any) -> float:
    rig.scale = (1.0, 1.3, 1.0)
    return 1.0


def mirrored(rig: Any) -> float:
    rig.scale = (-1.0, 1.0, 1.0)
    return 1.0


def carried(rig: Any) -> float:
    """By an empty that moves."""
    empty = bpy.data.objects.new("Carrier", None)
    bpy.context.scene.collection.objects.link(empty)
    for frame, x in ((1, 0.0), (FRAMES, 3.0)):
        empty.location.x = x
        empty.keyframe_insert("location", frame=frame)
    rig.parent = empty
    return 1.0


def below_another_scale(rig: Any) -> float:
    """As importers put an armature in centimetres below an empty that makes metres of them."""
    empty = bpy.data.objects.new("Scale", None)
    empty.scale, empty.location, empty.rotation_euler.z = (0.01,) * 3, (5.0, -3.0, 2.0), 0.7
    bpy.context.scene.collection.objects.link(empty)
    rig.parent = empty
    return 0.01


def growing(rig: Any) -> float:
    """The armature itself, beside what its bones do."""
    for frame, scale in ((1, 1.0), (FRAMES // 2, 1.6), (FRAMES, 0.8)):
        rig.scale = (scale,) * 3
        rig.keyframe_insert("scale", frame=frame)
    bpy.context.scene.frame_set(1)
    return 1.0


def two_of_them(rig: Any) -> float:
    other = rig.copy()
    other.location.x = 3.0
    bpy.context.scene.collection.objects.link(other)
    return 1.0


PLACED = (
    *(plain, centimetres, huge, y_up, uneven, mirrored, carried),
    *(below_another_scale, growing, two_of_them),
)
CASES = [("person", place) for place in PLACED] + [(body, plain) for body in BODIES if body != "person"]
CASES += [("dog", mirrored), ("snake", huge), ("bird", centimetres), ("far root", y_up)]


def expected_height(skeleton: Any) -> float:
    """From the lowest to the highest, without what is far from the body; of what only lies, its length."""
    places = np.array([place for name, (_, place) in skeleton.items() if name != "root"])
    extents = np.ptp(places, axis=0)
    return float(extents[2] or extents.max())


@pytest.mark.parametrize(("body", "place"), CASES, ids=lambda each: getattr(each, "__name__", each))
def test_from_analyze_to_a_set(make_rig, body, place):
    from bl_ext.user_default.posewright.bridge import actions, character, sampling
    from bl_ext.user_default.posewright.bridge.distil import measuring

    rig = build(make_rig, BODIES[body])
    scale = place(rig)
    source = animate(rig)
    bpy.context.view_layer.update()
    height = sampling.height_of(rig)
    assert height == pytest.approx(scale * expected_height(BODIES[body]), rel=0.2)
    printed = actions.fingerprint(actions.curves_of(rig))

    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    errors = []
    for count in (3, 8, FRAMES // 2):
        rig.posewright.key_count = count
        errors.append(measuring.measure(rig).mean_share)
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.01
    assert bpy.ops.posewright.restore() == {"FINISHED"}
    assert rig.animation_data.action == source
    assert actions.fingerprint(actions.curves_of(rig)) == printed

    assert bpy.ops.posewright.spatial_set_add(name="Set") == {"FINISHED"}
    cursor = next(each for each in bpy.data.objects if each.type == "EMPTY" and "ursor" in each.name)
    shown = character.shown(rig)
    away = np.linalg.norm(np.array(cursor.matrix_world.translation) - np.array(shown.middle))
    assert 0.01 * height < away < 2.0 * height
    assert bpy.ops.posewright.spatial_key_add(bones="ALL") == {"FINISHED"}


def test_a_cursor_is_before_the_chest_and_not_before_what_hands_hold(make_rig):
    lance = {"lance": ("hand.R", (-0.75, 0.0, 1.45)), "lance_tip": ("lance", (-0.75, -3.0, 1.45))}
    cursors = []
    for skeleton in (BODIES["person"], {**BODIES["person"], **lance}):
        build(make_rig, skeleton)
        assert bpy.ops.posewright.spatial_set_add(name="Set") == {"FINISHED"}
        cursor = next(each for each in bpy.data.objects if each.type == "EMPTY" and "ursor" in each.name)
        cursors.append(tuple(cursor.matrix_world.translation))
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert cursors[1] == pytest.approx(cursors[0], abs=0.05)


def fast(rig: Any) -> None:
    """Keys of 29.97 frames a second in a scene of 24."""
    stretched(rig, lambda frames: 1.0 + (frames - 1.0) * 24.0 * 1.001 / 30.0)


def before_zero(rig: Any) -> None:
    stretched(rig, lambda frames: frames - 21.0)


def on_the_object(rig: Any) -> None:
    """The armature itself walks and turns."""
    for frame, place, turn in ((1, 0.0, 0.0), (20, 1.0, 0.4), (FRAMES, 2.5, -0.3)):
        rig.location.y, rig.rotation_euler.z = place, turn
        rig.keyframe_insert("location", frame=frame)
        rig.keyframe_insert("rotation_euler", frame=frame)


def fast_on_the_object(rig: Any) -> None:
    """As glTF has root motion: what Blender alone knows has keys between the frames."""
    on_the_object(rig)
    fast(rig)


def in_mixed_orders(rig: Any) -> None:
    from bl_ext.user_default.posewright.bridge import actions

    for number, bone in enumerate(rig.pose.bones):
        bone.rotation_mode = ("XYZ", "ZXY", "YZX", "QUATERNION")[number % 4]
    bag: Any = next(bag for _, bag in actions.bags_in(rig.animation_data.action))
    for curve in list(bag.fcurves):
        bone = rig.pose.bones[curve.data_path.split('"')[1]]
        if bone.rotation_mode == "QUATERNION":
            continue
        if curve.array_index == 0:
            bag.fcurves.remove(curve)
        else:
            path, index = curve.data_path.replace("quaternion", "euler"), curve.array_index - 1
            curve.data_path, curve.array_index = path, index


def stretched(rig: Any, moved: Any) -> None:
    from bl_ext.user_default.posewright.bridge import actions, baking

    for curve in actions.curves_of(rig):
        points = actions.key_points(curve)
        keys = baking.Keys(moved(points[:, 0]), points[:, 1:], interpolation="LINEAR")
        baking.write_keys([curve], keys)


@pytest.mark.parametrize("change", [fast, before_zero, on_the_object, fast_on_the_object, in_mixed_orders])
def test_whatever_its_keys_are_like(make_rig, change):
    from bl_ext.user_default.posewright.bridge import actions, sampling
    from bl_ext.user_default.posewright.bridge.distil import measuring, reductions

    rig = build(make_rig, BODIES["person"])
    animate(rig)
    change(rig)
    first, last = np.array(rig.animation_data.action.frame_range).round()
    frames = np.arange(first, last + 1.0)
    original = sampling.sample(rig, frames).positions
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    keyed = actions.key_frames(actions.curves_of(rig))
    np.testing.assert_array_equal(keyed, keyed.round())
    estimate = measuring.estimated(reductions.get(rig))
    assert estimate.mean == pytest.approx(measuring.measure(rig).mean, rel=0.02)
    assert measuring.measure(rig).mean_share <= 0.005
    rig.posewright.detail = 1.0
    np.testing.assert_allclose(sampling.sample(rig, frames).positions, original, atol=1e-5)
    rig.posewright.detail = 0.0
    bpy.ops.posewright.restore()
    np.testing.assert_allclose(sampling.sample(rig, frames).positions, original, atol=1e-6)
