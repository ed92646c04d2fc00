# SPDX-License-Identifier: GPL-3.0-or-later
"""`Session`: a performance in progress, what it has recorded, and how to bring back what was there before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import floor
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from ...core import InputError
from ..baking import Keys
from ..sampling import frames_per_second
from ..steps import Steps, run, shares
from . import baking, character, empties, live, sets, switching
from .character import Moment
from .poses import Pose, all_channels, bring_back, current_pose
from .reaching import Body, reaches_of
from .recording import keys_in_steps, take_in_steps, tracks_to_write, write_in_steps
from .walking import Walker, walks

# Places of the cursor's trail that are shown at the most: it is drawn anew all the time.
TRAIL = 400


class Gone(Exception):
    """What was performed is not in the file any more."""


class _Finder:
    """Something in the file that must not be held on to, because undo and deleting take it away.

    A name finds it quickly, and the number that Blender gives it in a session tells whether it is still the
    same, or else finds it under its new name.
    """

    def __init__(self, kind: str, thing: bpy.types.ID):
        self._kind, self._name, self._uid = kind, thing.name, thing.session_uid

    def found(self) -> Any:
        collection = getattr(bpy.data, self._kind)
        thing = collection.get(self._name)
        if thing is None or thing.session_uid != self._uid:
            thing = next((other for other in collection if other.session_uid == self._uid), None)
        if thing is None:
            raise Gone
        self._name = thing.name
        return thing


@dataclass(frozen=True, eq=False)
class _State:
    """How a character is, or was: all that a performance changes."""

    bones: tuple[str, ...]
    channels: np.ndarray
    location: Vector
    cursors: dict[str, Vector]  # by the names of the sets
    shares: dict[str, float]
    set_index: int
    live: bool
    message: str
    frame: tuple[int, float]


@dataclass(frozen=True, eq=False)
class _Sample:
    """Where everything was at a time, given as a frame with a fraction."""

    time: float
    points: np.ndarray
    shares: np.ndarray
    targets: np.ndarray


class Session:
    """Performs one character. Live poses it; this moves the cursor, watches, and writes or undoes.

    Blender's data is looked up each time, because a performance lasts while the user does things.
    """

    def __init__(self, armature: bpy.types.Object, scene: bpy.types.Scene):
        baking.require_keys(armature)
        self._armature, self._scene = _Finder("objects", armature), _Finder("scenes", scene)
        if character.rests(armature):
            raise InputError(character.resting(armature))
        self._require_free_cursors()
        character.moment_of(armature)  # refuses keys that cannot be solved before anything is changed
        settings = sets.settings_of(armature)
        self._before = self._state()
        self._meanwhile: _State | None = None  # how it was performed, while it has stepped aside
        self._ready = [each.name for each in character.ready_sets(armature)]
        self._samples: list[_Sample] = []
        self._stood: dict[int, Pose] = {}  # the whole body by frame, where anything reaches
        self._shares: dict[int, float] = {}  # of the sets that were changed over here, by their numbers
        self._written = self._hurried = False
        # The cursor is dragged in the space where the character stood at first, wherever it travels.
        self._space = armature.matrix_world.copy()
        self._walker = Walker(armature) if walks(armature) else None
        self._now = 0.0
        self._change: tuple[float, dict[int, float], dict[int, float]] | None = None
        if not self.active_set_is_ready:
            settings.set_index = settings.sets.find(character.ready_sets(armature)[0].name)
        if not any(each.influence > 0.0 for each in character.ready_sets(armature)):
            switching.switch(armature, settings.set_index)
        settings.live = True

    @property
    def armature(self) -> bpy.types.Object:
        return self._armature.found()

    @property
    def scene(self) -> bpy.types.Scene:
        return self._scene.found()

    @property
    def settings(self) -> bpy.types.PropertyGroup:
        return sets.settings_of(self.armature)

    @property
    def active_set_is_ready(self) -> bool:
        active = sets.active_set(self.armature)
        return active is not None and character.is_ready(active)

    @property
    def recorded_places(self) -> np.ndarray:
        """(n, 3) where the active cursor went while recording, in world space; of very many only some."""
        armature = self.armature
        row = baking.active_row(armature)
        some = self._samples[:: len(self._samples) // TRAIL + 1]
        points = np.array([sample.points[row] for sample in (*some, *self._samples[-1:])]).reshape(-1, 3)
        world = np.array(armature.matrix_world)
        return points @ world[:3, :3].T + world[:3, 3]

    @property
    def travelled(self) -> Vector:
        """How far the character has walked since the performance began, in world space."""
        return Vector() if self._walker is None else self._walker.travelled.copy()

    @property
    def length(self) -> int:
        """How many whole frames were recorded."""
        return len(self._moments()[1])

    @property
    def last_frame(self) -> int:
        """The last whole frame that was recorded."""
        return int(self._moments()[1][-1])

    def cursor_place(self) -> Vector:
        """Where the active cursor is, seen from where the character stood at first."""
        return self._space @ Vector(self._points()[baking.active_row(self.armature)])

    def move_cursor(self, place: Vector) -> None:
        """Put the active cursor at such a place; live does the rest."""
        local = self._space.inverted_safe() @ place
        empties.move_to(self.armature, sets.active_set(self.armature).cursor, local)

    def switch_to(self, index: int, now: float) -> bool:
        """Begin to change over to another set at `now`, in seconds; False if it is not there."""
        ready = [each.name for each in character.ready_sets(self.armature)]
        if index >= len(self.settings.sets) or self.settings.sets[index].name not in ready:
            return False
        after = switching.shares_after(self.armature, index)
        before = {n: self.settings.sets[n].influence for n in after}
        self._change = (now, before, after)
        self.settings.set_index = index
        self.pass_time(now)
        return True

    def pass_time(self, now: float) -> None:
        """Let the character travel on its contacts, and a change between sets go on."""
        if self._walker is not None:
            self._walker.step(self.armature, now - (self._now or now))
        self._now = now
        if self._change is not None:
            begun, before, after = self._change
            share = switching.eased((now - begun) * frames_per_second(self.scene), self.settings.transition)
            self._shares |= {n: before[n] + share * (target - before[n]) for n, target in after.items()}
            if share >= 1.0:
                self._change = None
        self._hold_shares()

    def _hold_shares(self) -> None:
        """Sets that were changed over stay so, whatever their keyed shares say at the frame that is shown."""
        for n, share in self._shares.items():
            if abs(self.settings.sets[n].influence - share) > 1e-6:  # setting it updates the scene
                self.settings.sets[n].influence = share

    def show_time(self, frame: int) -> None:
        """Go to a frame of the scene, where only the character stays with the performance."""
        self.scene.frame_set(frame)
        self._hold_shares()
        if self._walker is not None:
            self._walker.place(self.armature)

    def require_unchanged(self) -> None:
        """Refuse to go on where a cursor or all keys of a set were deleted meanwhile."""
        if [each.name for each in character.ready_sets(self.armature)] != self._ready:
            raise InputError(
                "A cursor or the keys of a set were deleted: everything else is as it was before."
            )

    def require_bones(self, bones: list[str]) -> None:
        """Refuse to record only bones that no set moves."""
        if not bones:
            raise InputError(
                "No bone is selected: select the bones to record in Pose Mode, or record all bones."
            )
        moved = {bone for each in character.moment_of(self.armature).mappings for bone in each.bones}
        if not moved.intersection(bones):
            raise InputError(
                "None of the selected bones is moved by the spatial set: select others, or record all bones."
            )

    def record(self, time: float) -> None:
        """Note where everything is at a time, given as a frame with a fraction."""
        if self._samples and time <= self._samples[-1].time:
            return
        self._hold_shares()
        ready = character.ready_sets(self.armature)
        shares = np.array([each.influence for each in ready])
        targets = reaches_of(self.armature, ready)[1]
        if any(len(each.effectors) for each in ready):
            self._stood[floor(time)] = current_pose(self.armature, self.armature.pose.bones.keys())
        self._samples.append(_Sample(time, self._points(), shares, targets))

    def write(self, *, error: float | None, bones: list[str] | None) -> int:
        """Write what was recorded as keys; the number of keys."""
        return run(self.write_in_steps(error=error, bones=bones))

    def write_in_steps(self, *, error: float | None, bones: list[str] | None) -> Steps[int]:
        """`write` in steps: yields the share done.

        With an error a key is written on every frame first, so that from then on the take is safe whatever
        happens, and `hurry` and closing this mean that it stays so.
        """
        moments, frames = self._moments()
        rate, start = frames_per_second(self.scene), self._before.location
        safe = 1.0 if error is None else 0.5  # the share of the work after which the take is safe
        work = take_in_steps(self.armature, frames, moments, start, rate)
        take = yield from shares(work, 0.0, 0.8 * safe)
        with live.paused(self.armature):
            self.armature.location = start
            tracks = tracks_to_write(self.armature, take, bones=bones)
            yield 0.8 * safe
            try:
                work = write_in_steps(self.armature, tracks, Keys(frames, tracks.values))
                yield from shares(work, 0.8 * safe, safe)
            finally:
                self._written = True
        if error is None or self._hurried:
            return len(frames)
        work = keys_in_steps(self.armature, frames, tracks, error)
        keys = yield from shares(work, safe, 1.0)
        with live.paused(self.armature):
            run(write_in_steps(self.armature, tracks, keys))
        return len(keys.frames)

    def hurry(self) -> None:
        """Be content with a key on every frame."""
        self._hurried = True

    @property
    def written(self) -> bool:
        """Whether what was recorded is there as keys."""
        return self._written

    def end(self) -> None:
        """Leave the pose and the cursor as performed; a recording is there to be played."""
        if self.settings.live:  # else somebody has edited the pose: live must not take that away
            self.settings.live = self._before.live
            self.settings.message = self._before.message
        if self._written:
            live.rest(self.armature)
        if self._written or self._frame() != self._before.frame:
            self._show_frame(self._before)

    def restore(self) -> None:
        """Leave everything as it was before."""
        self._bring_back(self._before)

    def step_aside(self) -> None:
        """Let everything be as it was before, for a moment."""
        self._meanwhile = self._state()
        self._bring_back(self._before)

    def step_in(self) -> None:
        """Go on as it was when the performance stepped aside."""
        if self._meanwhile is not None:
            self._bring_back(self._meanwhile)
            self._meanwhile = None

    def _state(self) -> _State:
        armature, settings = self.armature, self.settings
        return _State(
            tuple(armature.pose.bones.keys()),
            all_channels(armature),
            armature.location.copy(),
            {each.name: each.cursor.location.copy() for each in character.ready_sets(armature)},
            {each.name: each.influence for each in settings.sets},
            settings.set_index,
            settings.live,
            settings.message,
            self._frame(),
        )

    def _bring_back(self, state: _State) -> None:
        armature, settings = self.armature, self.settings
        with live.paused(armature):
            settings.live, settings.message = state.live, state.message
            if self._frame() != state.frame:
                self._show_frame(state)
            for each in character.ready_sets(armature):
                each.cursor.location = state.cursors.get(each.name, each.cursor.location)
            for each in settings.sets:
                each.influence = state.shares.get(each.name, each.influence)
            settings.set_index = state.set_index
            armature.location = state.location
            bring_back(armature, state.bones, state.channels)
            bpy.context.view_layer.update()

    def _frame(self) -> tuple[int, float]:
        return self.scene.frame_current, self.scene.frame_subframe

    def _show_frame(self, state: _State) -> None:
        """Go to the frame that was shown, with the animation that is there."""
        frame, subframe = state.frame
        self.scene.frame_set(frame, subframe=subframe)

    def _points(self) -> np.ndarray:
        """Where the cursors are meant to be, also before Blender has evaluated them."""
        return np.array(
            [
                each.cursor.matrix_parent_inverse @ each.cursor.matrix_basis.translation
                for each in character.ready_sets(self.armature)
            ]
        )

    def _moments(self) -> tuple[list[Moment], np.ndarray]:
        """The recording at whole frames."""
        if not self._samples:
            raise InputError("Nothing was recorded: hold the button and move the cursor.")
        times = np.array([sample.time for sample in self._samples])
        frames = np.arange(np.ceil(times[0]), max(np.floor(times[-1]), np.ceil(times[0])) + 1.0)
        noted = [
            _at(frames, times, np.array([getattr(sample, name) for sample in self._samples]))
            for name in ("points", "shares", "targets")
        ]
        now = character.moment_of(self.armature)
        moments = [
            replace(now, points=points, shares=shares, targets=targets, body=body)
            for points, shares, targets, body in zip(*noted, self._bodies(now.body, frames), strict=True)
        ]
        return moments, frames

    def _bodies(self, body: Body | None, frames: np.ndarray) -> list[Body | None]:
        """The body as it stood at frames: earlier animation may move bones that no set holds."""
        bodies = []
        for frame in frames.astype(int).tolist():
            if body is not None and frame in self._stood:
                body = replace(body, pose=self._stood[frame])
            bodies.append(body)
        return bodies

    def _require_free_cursors(self) -> None:
        for each in character.ready_sets(self.armature):
            empties.refuse_driven(self.armature, each.cursor)


def _at(frames: np.ndarray, times: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Values between the times at which they were noted."""
    columns = values.reshape(len(times), -1).T
    between = [np.interp(frames, times, column) for column in columns]
    return np.array(between).T.reshape(len(frames), *values.shape[1:])
