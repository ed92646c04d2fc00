# SPDX-License-Identifier: GPL-3.0-or-later
"""A thousand random steps over everything a user can do: the source never changes, Restore always works."""

import random

import bpy
import pytest

from tests.blender.panel_recorder import draw

STEPS = 1000
RIGS = ("First", "Second")


@pytest.fixture(params=(3, 7))
def walk(request, distil, make_rig, tmp_path):
    for number, name in enumerate(RIGS):
        rig = distil.swing(make_rig(3, name=name, rotation_mode="XYZ"), 40 + 8 * number, -5, f"{name} source")
        rig.animation_data.action.use_fake_user = True
    return Walk(distil, tmp_path / "walk.blend", random.Random(request.param))


class Walk:
    """Objects are found by name at every step: undo and loading replace them."""

    def __init__(self, distil, path, chance):
        self.distil, self.path, self.random = distil, str(path), chance
        self.sources = {name: self.source_print(name) for name in RIGS}
        classes = (*distil.panels.CLASSES, *distil.settings_panels.CLASSES)
        self.panels = [each for each in classes if issubclass(each, bpy.types.Panel)]
        bpy.ops.ed.undo_push(message="start")

    def source_print(self, name):
        action = bpy.data.actions[f"{name} source"]
        slot = self.distil.actions.versions.slots_in(action)[0]
        return self.distil.actions.fingerprint(self.distil.actions.bag_of(action, slot).fcurves)

    @property
    def rig(self):
        return bpy.context.view_layer.objects.active

    def press(self, verb, **options):
        """Press a button if it is not grey; a sentence is a fine answer, a traceback is not."""
        operator = getattr(bpy.ops.posewright, verb)
        if operator.poll():
            try:
                operator(**options)
            except RuntimeError as problem:
                if "Traceback" in str(problem):
                    raise

    def step(self):
        kind = self.random.choices(
            (
                "slide",
                "undo",
                "redo",
                "set",
                "press_any",
                "analyze",
                "restore",
                "apply",
                "switch",
                "edit",
                "delete_curve",
                "compare",
                "stop_half_way",
                "reduce_many",
                "save",
            ),
            (30, 12, 8, 15, 12, 5, 3, 2, 6, 5, 4, 1, 3, 1, 1),
        )[0]
        getattr(self, kind)()
        if kind not in ("undo", "redo", "save"):
            bpy.ops.ed.undo_push(message=kind)
        return kind

    def slide(self):
        self.rig.posewright.key_count = self.random.randint(1, 30)

    def edit(self):
        """What users do to the reduced action is theirs; it must not reach the source."""
        if self.rig.animation_data.action == self.rig.posewright.reduced:
            keyed = [curve for curve in self.distil.playing(self.rig) if len(curve.keyframe_points)]
            if not keyed:
                return
            curve = self.random.choice(keyed)
            key = self.random.choice(list(curve.keyframe_points))
            key.co[1] += self.random.uniform(-1.0, 1.0)
            if self.random.random() < 0.2:
                curve.keyframe_points.remove(key)
            curve.update()

    def delete_curve(self):
        """A channel that the animator does not want; the slider may make it again, but nothing may fail."""
        if self.rig.animation_data.action != self.rig.posewright.reduced:
            return
        actions = self.distil.actions
        bag = actions.bag_of(self.rig.animation_data.action, actions.slot_of(self.rig))
        if len(bag.fcurves) > 1:
            bag.fcurves.remove(self.random.choice(list(bag.fcurves)))

    def compare(self):
        some = self.random.sample(("salient", "greedy", "decimation", "saliency", "keyposes"), 2)
        self.press("compare", algorithms=set(some), decimate=self.random.random() < 0.3)

    def undo(self):
        if bpy.ops.ed.undo.poll():
            bpy.ops.ed.undo()

    def redo(self):
        if bpy.ops.ed.redo.poll():
            bpy.ops.ed.redo()

    def set(self):
        name, value = self.random.choice(
            (
                ("interpolation", self.random.choice(("FREE", "SMOOTH", "AUTO", "LINEAR", "STEPPED"))),
                ("detail", self.random.choice((0.0, 0.3, 1.0))),
                ("show_original", self.random.random() < 0.5),
                ("show_markers", self.random.random() < 0.5),
                ("bones_from", self.random.choice(("AUTO", "ALL", "DEFORM"))),
                ("space", self.random.choice(("world", "armature", "root"))),
                ("range_from", self.random.choice(("ACTION", "NUMBERS"))),
                ("range_start", self.random.uniform(-10, 20)),
                ("range_end", self.random.uniform(10, 60)),
                ("algorithm", self.random.choice(("salient", "greedy", "decimation", "keyposes"))),
                ("wanted_error", self.random.uniform(0.1, 5.0)),
            )
        )
        setattr(self.rig.posewright, name, value)

    def press_any(self):
        verb, options = self.random.choice(
            (
                ("measure", {}),
                ("keys_below", {}),
                ("lock_extremes", {}),
                ("unlock_extremes", {}),
                ("sweet_spot", {"direction": "NEXT"}),
                ("sweet_spot", {"direction": "PREVIOUS"}),
                ("bone_weights", {"preset": self.random.choice(("equal", "hand", "hierarchy"))}),
                ("fixed_frame_add", {"frames": str(self.random.randint(-10, 50))}),
                ("fixed_frame_remove", {}),
            )
        )
        self.press(verb, **options)

    def stop_half_way(self):
        """What Esc does to work under way: nothing has changed then."""
        before = self.everything()
        work = self.random.choice((self.distil.analyse.analyse_in_steps, self.distil.extremes.lock_in_steps))
        steps = work(self.rig, bpy.context.scene)
        try:
            for _ in range(self.random.randint(1, 6)):
                next(steps)
        except (self.distil.core.InputError, StopIteration):
            return
        steps.close()
        assert self.everything() == before

    def everything(self):
        asked, reduced = self.rig.posewright, self.rig.posewright.reduced
        known = () if reduced is None else (reduced.posewright.stored, reduced.posewright.extremes)
        return (
            [asked.key_count, asked.show_original, *known],
            self.distil.actions.fingerprint(self.distil.playing(self.rig)),
            [(track.name, track.mute) for track in self.rig.animation_data.nla_tracks],
            sorted(bpy.data.actions.keys()),
            sorted(bpy.data.scenes.keys()),
        )

    def reduce_many(self):
        before = set(bpy.data.actions.keys())
        self.rig.select_set(True)
        self.press(self.random.choice(("reduce_actions", "reduce_selected")))
        used = {rig.animation_data.action for rig in bpy.data.objects}
        for action in [each for each in bpy.data.actions if each.name not in before and each not in used]:
            bpy.data.actions.remove(action)  # or there would be more of them to reduce every time

    def analyze(self):
        self.press("analyze")

    def restore(self):
        analysed = self.distil.reductions.find(self.rig) is not None
        self.press("restore")
        if analysed:
            self.check_restored(self.rig)

    def check_restored(self, rig):
        assert rig.animation_data.action.name == f"{rig.name} source"
        assert self.distil.reductions.find(rig) is None
        assert [track.name for track in rig.animation_data.nla_tracks] == []
        assert rig.animation_data.action_blend_type == "REPLACE"

    def apply(self):
        self.press("apply")
        # Go on from the source, without what was applied.
        rig, action = self.rig, bpy.data.actions[f"{self.rig.name} source"]
        self.distil.actions.assign(
            rig, action, action.slots[0] if self.distil.actions.versions.HAS_SLOTS else None
        )
        rig.animation_data.action_blend_type = "REPLACE"
        for track in list(rig.animation_data.nla_tracks):
            rig.animation_data.nla_tracks.remove(track)

    def switch(self):
        bpy.context.view_layer.objects.active = bpy.data.objects[self.random.choice(RIGS)]

    def save(self):
        bpy.ops.wm.save_as_mainfile(filepath=self.path)
        if self.random.random() < 0.5:
            self.distil.reductions._CACHE.clear()
        bpy.ops.wm.open_mainfile(filepath=self.path)
        bpy.ops.ed.undo_push(message="open")

    def check(self):
        for panel in self.panels:
            draw(panel)
        for name, expected in self.sources.items():
            assert self.source_print(name) == expected
        for name in RIGS:
            playing = bpy.data.objects[name].animation_data.action
            reduced = bpy.data.objects[name].posewright.reduced
            assert playing.name == f"{name} source" or playing == reduced
            assert reduced is None or reduced.posewright.source is not None


def test_random_walk(walk, capfd):
    steps = []
    slid = 0
    for _ in range(STEPS):
        try:
            steps.append(walk.step())
            walk.check()
            slid += steps[-1] == "slide" and walk.distil.reductions.find(walk.rig) is not None
        except Exception as problem:
            raise AssertionError(f"after {len(steps)} steps, the last {steps[-8:]}") from problem
    for name in RIGS:
        rig = bpy.data.objects[name]
        bpy.context.view_layer.objects.active = rig
        if walk.distil.reductions.find(rig) is not None:
            assert bpy.ops.posewright.restore() == {"FINISHED"}
            walk.check_restored(rig)
    walk.check()
    assert slid > STEPS / 20, "the walk hardly moved a slider that did something"
    # What is raised while a property changes is only printed.
    assert "Traceback" not in "".join(capfd.readouterr())
