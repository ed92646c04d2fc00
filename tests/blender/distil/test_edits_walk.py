# SPDX-License-Identifier: GPL-3.0-or-later
"""Edit, retime, slide, undo, save and reload in any order: the target is always what its definition says.

`Oracle` is a plain second implementation with SciPy. It knows what was done because the walk does it, and
compares the curves before and after each edit itself.
"""

import copy
import random
from itertools import pairwise

import bpy
import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator
from scipy.spatial.transform import Rotation

WAYS = ("FREE", "SMOOTH", "EVERYWHERE", "AUTO", "LINEAR", "STEPPED")

# What a walk does, and how often.
KINDS = {
    "slide": 20,
    "keyed_as": 10,
    "detail": 6,
    "pose": 16,
    "insert": 8,
    "retime": 14,
    "undo": 8,
    "redo": 6,
    "reload": 2,
    "analyze": 3,
    "lock": 2,
    "duplicate": 2,
}


class Oracle:
    """target(t) = source(w(t)), changed as at the moment w(t) of the source."""

    def __init__(self, frames, values, groups, play):
        self.frames, self.values, self.groups, self.play = frames, values, groups, play
        self.pairs = []  # frames and the moments of the source that play there
        self.times = list(frames)
        self.changes = np.zeros_like(values)
        self.keyed = []

    def copy(self):
        twin = copy.copy(self)
        twin.pairs, twin.times, twin.keyed = list(self.pairs), list(self.times), list(self.keyed)
        return twin

    def to_source(self, frames):
        return through(self.pairs, frames)

    def from_source(self, times):
        times = np.array(times, float)
        if not self.pairs:
            return times
        frames, moments = np.array(self.pairs).T
        curve = PchipInterpolator(frames, moments)
        inside = np.clip(times, moments[0], moments[-1])
        found = [nearest_root(curve.solve(time, extrapolate=False), frames) for time in inside]
        return np.where(
            inside <= moments[0], frames[0], np.where(inside >= moments[-1], frames[-1], found)
        ) + (times - inside)

    def target(self, frames):
        times = self.to_source(frames)
        return self.changed(self.source(times), self.changes_at(times))

    def source(self, times):
        """What the source's curves play; the same rotation where its values jump."""
        straight = columns_at(self.frames, self.values, times)
        played = self.play(np.clip(times, self.frames[0], self.frames[-1]))
        for group in self.groups:
            unit = wxyz(rotation(played[:, group]))
            flips = np.sum(unit * straight[:, group], axis=1, keepdims=True) < 0.0
            played[:, group] = np.where(flips, -unit, unit)
        return played

    def changes_at(self, times):
        return columns_at(np.array(self.times), self.changes, times)

    def changed(self, values, changes):
        result = values + changes
        for group in self.groups:
            result[:, group] = wxyz(turn(changes[:, group]) * rotation(values[:, group]))
        return result

    def difference(self, before, after):
        result = after - before
        for group in self.groups:
            quaternion = wxyz(rotation(after[:, group]) * rotation(before[:, group]).inv())
            result[:, group] = quaternion * np.where(quaternion[:, :1] < 0.0, -1.0, 1.0) - [1, 0, 0, 0]
        return result

    def together(self, first, then):
        result = first + then
        for group in self.groups:
            result[:, group] = wxyz(turn(then[:, group]) * turn(first[:, group])) - [1, 0, 0, 0]
        return result

    def move(self, before, after):
        times = self.to_source(before)
        moved = list(zip(before, after, strict=True))
        kept = [(f, t) for f, t in self.pairs if np.abs(times - t).min() >= 0.5]
        shifted = [(through([(b, a) for b, a in moved], [f])[0], t) for f, t in kept]
        self.pairs = needed(sorted([*zip(after, times, strict=True), *shifted]))

    def edit(self, before, after, columns, pins, holds):
        """A change of curves, and what they must play at some columns: {frame: (channels, before, now)}."""
        self.know([self.to_source([frame])[0] for frame in pins])
        shape = np.zeros_like(self.changes) if holds else self.difference(before, after)
        at_columns = np.zeros((len(columns), self.values.shape[1]))
        for frame, (channels, seen, keyed) in pins.items():
            wanted = self.difference(self.target([frame]), (keyed if holds else seen)[None])
            at_columns[columns.index(frame), channels] = wanted[0, channels]
        frames = np.clip(self.from_source(self.times), columns[0], columns[-1])
        eased = PchipInterpolator(columns, at_columns)(frames)
        self.changes = self.together(self.changes, self.together(eased, shape))
        self.forget()

    def forget(self):
        """Where nothing is changed, only the frames of the source are looked at."""
        changed = np.flatnonzero(np.any(np.abs(self.changes) > 1e-6, axis=1))
        rows = np.arange(len(self.times))
        near = (rows >= changed[0] - 1) & (rows <= changed[-1] + 1) if len(changed) else rows < 0
        kept = np.flatnonzero(near | np.isin(self.times, self.frames))
        self.times, self.changes = [self.times[row] for row in kept], self.changes[kept]

    def know(self, times):
        """Changes are straight between the moments at which they are known."""
        for time in times:
            if np.abs(np.array(self.times) - time).min() > 1e-3:
                row = int(np.searchsorted(self.times, time))
                self.changes = np.insert(self.changes, row, self.changes_at(np.array([time]))[0], axis=0)
                self.times.insert(row, time)


def nearest_root(roots, frames):
    """There is one; rounding may hide it at an end, or show it twice where two cubics meet."""
    return roots[0] if len(roots) else frames[0]


def through(pairs, wanted):
    wanted = np.asarray(wanted, float)
    if not pairs:
        return wanted
    at, values = np.array(sorted(pairs)).T
    inside = np.clip(wanted, at[0], at[-1])
    curve = PchipInterpolator(at, values) if len(at) > 1 else lambda _: values[0]
    return curve(inside) + wanted - inside


def needed(pairs):
    """Where time runs evenly around a pair and around both of its neighbours, the pair is forgotten."""
    paces = [(t1 - t0) / (f1 - f0) for (f0, t0), (f1, t1) in pairwise(pairs)]
    even = [True] * len(pairs)
    for n in range(len(pairs)):
        around = paces[n - 2 : n + 2]
        even[n] = n >= 2 and len(around) == 4 and np.ptp(around) < 2e-6
    return [pair for pair, drop in zip(pairs, even, strict=True) if not drop]


def columns_at(at, values, wanted):
    return np.stack([np.interp(wanted, at, column) for column in values.T], axis=1)


def rotation(values):
    return Rotation.from_quat(np.asarray(values)[:, [1, 2, 3, 0]])


def turn(changes):
    return rotation(changes + np.array([1.0, 0.0, 0.0, 0.0]))


def wxyz(rotations):
    return rotations.as_quat()[:, [3, 0, 1, 2]]


class Walk:
    """Objects are found anew at every step: undo and loading replace them."""

    def __init__(self, distil, path, seed):
        self.distil, self.path, self.chance = distil, str(path), random.Random(seed)
        bpy.ops.posewright.analyze()
        self.rig.posewright.key_count = 9
        reduction = distil.reductions.get(self.rig)
        analysis = reduction.analysis()
        self.paths = analysis.paths
        self.oracle = Oracle(
            analysis.frames, analysis.values.copy(), quaternions(analysis.paths), self.play_source
        )
        self.steps, self.at = [], -1
        self.remember()

    def play_source(self, times):
        reduction = self.distil.reductions.get(self.rig)
        found = {
            (each.data_path, each.array_index): each
            for each in self.distil.analysis.channels.curves_in(reduction.source, reduction.handles)
        }
        curves = [found[path, index] for _, path, index in self.paths]
        return self.distil.actions.read_values(curves, times)

    @property
    def rig(self):
        return bpy.context.view_layer.objects.active

    def remember(self):
        bpy.ops.ed.undo_push(message="step")
        self.at += 1
        self.steps[self.at :] = [self.oracle.copy()]

    def curves(self):
        found = {(each.data_path, each.array_index): each for each in self.distil.playing(self.rig)}
        return [found[path, index] for _, path, index in self.paths]

    def played(self, frames):
        return self.distil.actions.read_values(self.curves(), np.asarray(frames, float))

    def columns(self):
        keyed = [self.distil.actions.key_points(each)[:, 0] for each in self.curves()]
        return np.unique(np.concatenate(keyed).round(3)).tolist()

    @property
    def holds(self):
        return self.rig.posewright.interpolation == "STEPPED"

    def slide(self):
        frames = len(self.distil.reductions.get(self.rig).analysis().frames)
        self.rig.posewright.key_count = self.chance.randint(3, min(frames, 40))

    def keyed_as(self):
        self.rig.posewright.interpolation = self.chance.choice(WAYS)

    def detail(self):
        self.rig.posewright.detail = self.chance.choice((0.0, 0.5, 1.0))

    def pose(self):
        """Change a few channels at one column, and take it in."""
        columns = self.columns()
        frame = self.chance.choice(columns)
        channels = [n for n, each in enumerate(self.curves()) if has_key(each, frame)]
        start = self.chance.choice(channels)
        some = [n for n in channels if self.paths[n][1] == self.paths[start][1]]
        offsets = {n: self.chance.uniform(-0.3, 0.3) for n in some}
        self.edit(frame, offsets, columns)

    def insert(self):
        """Key all channels between two columns, some of them changed."""
        columns = self.columns()
        left = self.chance.randrange(len(columns) - 1)
        frame = round((columns[left] + columns[left + 1]) / 2.0)
        if columns[left] + 1 < frame < columns[left + 1] - 1:
            self.edit(frame, {n: self.chance.choice((0.0, 0.2)) for n in range(len(self.paths))}, columns)

    def edit(self, frame, offsets, columns):
        moments = self.oracle_frames(frame)
        before, seen = self.played(moments), self.played([frame])[0]
        for n, offset in offsets.items():
            set_key(self.curves()[n], frame, seen[n] + offset)
        after, keyed = self.played(moments), self.played([frame])[0]
        columns = sorted({*columns, frame})
        pins = {frame: (whole(list(offsets), self.oracle.groups), seen, keyed)}
        self.oracle.edit(before, after, columns, pins, self.holds)
        self.oracle.keyed.append(self.oracle.to_source([frame])[0])
        self.rig.posewright.key_count = self.rig.posewright.key_count

    def oracle_frames(self, frame):
        """Where the curves are compared: at the moments at which the oracle knows changes."""
        first, last = self.oracle.from_source(self.oracle.frames[[0, -1]])
        shown = np.arange(np.ceil(first), last + 1e-6)
        self.oracle.know(self.oracle.to_source([frame, *shown]))
        return self.oracle.from_source(self.oracle.times).round(5)

    def retime(self):
        columns = np.array(self.columns())
        chosen = self.chance.randrange(1, len(columns))
        gaps = np.diff(np.append(columns, columns[-1] + 40.0))
        by = self.chance.choice((-1, 1)) * round(min(6.0, 0.4 * min(gaps[chosen - 1], gaps[chosen])))
        after = columns.copy()
        after[chosen] += by
        for curve in self.curves():
            shift_keys(curve, columns[chosen], by)
        if by:
            self.oracle.move(columns, after)
        self.rig.posewright.key_count = self.rig.posewright.key_count

    def analyze(self):
        bpy.ops.posewright.analyze()

    def lock(self):
        bpy.ops.posewright.lock_extremes()

    def duplicate(self):
        """From now on it is the duplicate that is walked with; what it was made of stays as it is."""
        original = self.rig
        before = self.distil.actions.fingerprint(self.distil.playing(original))
        bpy.ops.object.select_all(action="DESELECT")
        original.select_set(True)
        bpy.ops.object.duplicate()
        assert self.rig != original
        self.slide()
        assert self.distil.actions.fingerprint(self.distil.playing(original)) == before

    def undo(self):
        if self.at > 0:
            bpy.ops.ed.undo()
            self.at -= 1
            self.oracle = self.steps[self.at].copy()

    def redo(self):
        if self.at + 1 < len(self.steps):
            bpy.ops.ed.redo()
            self.at += 1
            self.oracle = self.steps[self.at].copy()

    def reload(self):
        bpy.ops.wm.save_as_mainfile(filepath=self.path)
        bpy.ops.wm.open_mainfile(filepath=self.path)
        self.distil.reductions._CACHE.clear()
        self.steps, self.at = [], -1
        self.remember()

    def step(self):
        kind = self.chance.choices([*KINDS], [*KINDS.values()])[0]
        getattr(self, kind)()
        assert self.rig.posewright.problem == ""
        if kind not in ("undo", "redo", "reload"):
            self.remember()
        return kind

    def check(self):
        """What is wanted, by definition; and what is keyed of it."""
        analysis = self.distil.reductions.get(self.rig).analysis()
        expected = self.oracle.target(analysis.frames)
        np.testing.assert_allclose(
            same_sign(analysis.values, expected, self.oracle.groups), expected, atol=2e-4
        )
        columns = np.array(self.columns())
        for frame in self.oracle.from_source(self.oracle.keyed):
            assert np.abs(columns - frame).min() < 1e-3, "an edited key is a key"

    def check_detail(self):
        """All of the detail plays the target, as Blender evaluates it."""
        self.rig.posewright.detail = 1.0
        frames = self.distil.reductions.get(self.rig).analysis().frames
        wanted = self.positions_of(frames, self.oracle.target(frames))
        height = self.distil.sampling.height_of(self.rig)
        assert np.abs(self.distil.positions(self.rig, frames) - wanted).max() < 3e-4 * height

    def positions_of(self, frames, values):
        rig, actions = self.rig, self.distil.actions
        shown, slot = rig.animation_data.action, actions.slot_of(rig)
        dense = shown.copy()
        for name in list(dense.keys()):
            del dense[name]
        handle = actions.slot_handle(slot)
        bag = actions.bag_of(dense, actions.slot_with_handle(dense, handle))
        found = {(each.data_path, each.array_index): each for each in bag.fcurves}
        self.distil.write([found[path, index] for _, path, index in self.paths], frames, values)
        actions.assign(rig, dense, actions.slot_with_handle(dense, handle))
        result = self.distil.positions(rig, frames)
        actions.assign(rig, shown, slot)
        bpy.data.actions.remove(dense)
        return result


def quaternions(paths):
    place = {path: column for column, path in enumerate(paths)}
    owners = sorted({(slot, path) for slot, path, _ in paths if path.endswith("rotation_quaternion")})
    return [[place[slot, path, index] for index in range(4)] for slot, path in owners]


def whole(channels, groups):
    more = {column for group in groups if set(group) & set(channels) for column in group}
    return sorted({*channels, *more})


def same_sign(values, expected, groups):
    result = values.copy()
    for group in groups:
        flips = np.sum(values[:, group] * expected[:, group], axis=1, keepdims=True) < 0.0
        result[:, group] = np.where(flips, -values[:, group], values[:, group])
    return result


def has_key(curve, frame):
    return any(abs(point.co.x - frame) < 1e-3 for point in curve.keyframe_points)


def set_key(curve, frame, value):
    """As the Dope Sheet and the Graph Editor do: handles go along."""
    point = next((each for each in curve.keyframe_points if abs(each.co.x - frame) < 1e-3), None)
    if point is None:
        curve.keyframe_points.insert(frame, value)
    else:
        by = value - point.co.y
        point.co.y, point.handle_left.y, point.handle_right.y = (
            point.co.y + by,
            point.handle_left.y + by,
            point.handle_right.y + by,
        )
    curve.update()


def shift_keys(curve, frame, by):
    for point in curve.keyframe_points:
        if abs(point.co.x - frame) < 1e-3:
            point.co.x, point.handle_left.x, point.handle_right.x = (
                point.co.x + by,
                point.handle_left.x + by,
                point.handle_right.x + by,
            )
    curve.update()


def wander(walk, steps):
    done = []
    for _ in range(steps):
        done.append(walk.step())
        try:
            walk.check()
        except AssertionError as error:
            raise AssertionError(f"after {done}") from error
    walk.check_detail()


@pytest.mark.parametrize("seed", range(4))
def test_walk_of_a_chain(distil, swinging, tmp_path, seed):
    wander(Walk(distil, tmp_path / "walk.blend", seed), 40)


def test_walk_before_frame_zero(distil, make_rig, tmp_path):
    distil.swing(make_rig(3, rotation_mode="XYZ"), start=-70)
    wander(Walk(distil, tmp_path / "walk.blend", 300), 30)


@pytest.mark.parametrize("seed", range(2))
def test_walk_of_a_body(distil, humanoid, tmp_path, seed):
    humanoid()
    wander(Walk(distil, tmp_path / "walk.blend", 100 + seed), 25)


@pytest.mark.parametrize("name", ["Samba_Dancing.fbx", "Knight.glb"])
def test_walk_of_a_character(distil, import_character, tmp_path, name):
    armature = import_character(name)
    bpy.context.view_layer.objects.active = armature
    wander(Walk(distil, tmp_path / "walk.blend", 200), 15)
