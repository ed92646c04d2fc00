# SPDX-License-Identifier: GPL-3.0-or-later
"""`Session`: one performance, from the first drag to the take or back to what was there before."""

from __future__ import annotations

from collections.abc import Collection

import bpy
import numpy as np
from mathutils import Vector

from ...core import InputError
from ..character import height_of
from ..editable import check_editable
from ..stages import frames_per_second
from ..steps import Steps, run, shares
from . import live, sets
from .blending.moments import Moment, moment_of
from .blending.reaching import reaches_of
from .blending.switching import Transition
from .drag_planes import DragPlane, drag_plane
from .making import empties
from .performance_snapshot import Snapshot
from .posing.dials import Dial
from .posing.poses import current_pose
from .references import Gone, Reference
from .takes import cursor_paths, kept_takes, replaying
from .takes.overdub import left_alone
from .takes.recorder import Recorder, Sample
from .takes.replaying import Replayed
from .takes.take_writing import Recording, TakeWriter
from .walks.walking import Walker, walks

__all__ = ["Gone", "Session"]


class Session:
    """Performs one character. Live poses it; this moves the cursor, records, and keeps or takes back.

    Blender's data is looked up each time, because users go on working while a performance lasts.
    """

    def __init__(self, armature: bpy.types.Object, scene: bpy.types.Scene):
        _refuse(armature)
        self._armature, self._scene = Reference("objects", armature), Reference("scenes", scene)
        self._before = Snapshot.of(armature, scene)
        self._aside: Snapshot | None = None  # the performance, while it has stepped aside
        self._ready = [each.name for each in sets.ready_sets(armature)]
        self._recorder = Recorder(frames_per_second(scene))
        self._writers: list[TakeWriter] = []  # for each round, as soon as they are written
        self._rounds: list[Recorder] = []  # of a loop, before the one that is recorded
        self._rate = frames_per_second(scene)
        self._punch: tuple[int, int] | None = None  # the only frames that are recorded
        self._is_out = False  # of these
        self._replayed: list[Replayed] = []
        # The cursor is dragged in the space where the character stood at first, wherever it travels.
        self._space = armature.matrix_world.copy()
        self._transition = Transition()
        self._chosen: list[str] | None = None  # the bones that are recorded; all of them if None
        self._moments: list[Moment] = []  # of the recording, as soon as it is written
        self._is_kept = False  # as a take of its own
        self._now = 0.0
        settings = self.settings
        if not self.active_set_is_ready:
            settings.set_index = settings.sets.find(sets.ready_sets(armature)[0].name)
        if sets.active_set(armature).influence == 0.0:  # dragging its cursor would move nothing
            self._transition.jump(armature, settings.set_index)
        self._walker = Walker(armature) if walks(armature) else None
        self._performed = {sets.active_set(armature).name}
        self._leave_others_alone()
        settings.live = True

    @property
    def armature(self) -> bpy.types.Object:
        return self._armature.get()

    @property
    def scene(self) -> bpy.types.Scene:
        return self._scene.get()

    @property
    def settings(self) -> bpy.types.PropertyGroup:
        return sets.settings_of(self.armature)

    @property
    def active_set_is_ready(self) -> bool:
        active = sets.active_set(self.armature)
        return active is not None and sets.is_ready(active)

    @property
    def recorded_places(self) -> np.ndarray:
        """(n, 3) where the active cursor went while recording, in world space; of very many only some."""
        world = np.array(self.armature.matrix_world)
        return self._recorder.trail(sets.active_row(self.armature)) @ world[:3, :3].T + world[:3, 3]

    @property
    def travelled(self) -> Vector:
        """How far the character has walked since the performance began, in world space."""
        return Vector() if self._walker is None else self._walker.travelled.copy()

    @property
    def standing(self) -> Vector | None:
        """Where the character holds on to the ground, in world space; None in the air and where it stays."""
        return None if self._walker is None else self._walker.standing

    @property
    def length(self) -> int:
        """How many whole frames were recorded."""
        return len(self._recorder.frames)

    @property
    def last_frame(self) -> int:
        """The last whole frame that was recorded."""
        return int(self._recorder.frames[-1])

    @property
    def height(self) -> float:
        """How tall the character is, in the world."""
        return height_of(self.armature)

    def cursor_place(self) -> Vector:
        """Where the active cursor is, seen from where the character stood at first."""
        return self._space @ Vector(self._points()[sets.active_row(self.armature)])

    def move_cursor(self, place: Vector) -> None:
        """Put the active cursor at such a place; the pose follows because live is on."""
        local = self._space.inverted_safe() @ place
        empties.move_to(self.armature, sets.active_set(self.armature).cursor, local)

    def drag_plane(self) -> DragPlane | None:
        """The plane to drag the cursor in, seen from where the character stood at first."""
        return drag_plane(self.armature, self._space)

    def switch_to(self, index: int, now: float) -> bool:
        """Begin the transition to another set at `now`, in seconds; False if there is none to perform."""
        ready = [each.name for each in sets.ready_sets(self.armature)]
        if index >= len(self.settings.sets) or self.settings.sets[index].name not in ready:
            return False
        self._transition.begin(self.armature, index, now)
        self._performed.add(self.settings.sets[index].name)
        self._replayed = [way for way in self._replayed if way.name not in self._performed]
        self._leave_others_alone()
        self.pass_time(now)
        return True

    def pass_time(self, now: float) -> None:
        """Let the character travel on its contacts, and a transition between sets go on."""
        if self._walker is not None:
            self._walker.step(self.armature, now - (self._now or now))
        self._now = now
        self._transition.step(self.armature, now, frames_per_second(self.scene))

    def show_time(self, frame: int) -> None:
        """Go to a frame of the scene, where only the character stays with the performance."""
        self.scene.frame_set(frame)
        self._transition.hold(self.armature)
        if self._walker is not None:
            self._walker.place(self.armature)

    def require_unchanged(self) -> None:
        """Refuse to go on where a cursor or all keys of a set were deleted meanwhile."""
        if [each.name for each in sets.ready_sets(self.armature)] != self._ready:
            raise InputError(
                "A cursor or the keys of a set were deleted: everything else is as it was before."
            )

    def choose_bones(self, bones: list[str] | None) -> None:
        """Perform and record just some bones, or all; refuses bones that no set moves."""
        if bones is not None:
            self._require_moved(bones)
        self._chosen = bones
        self._leave_others_alone()

    def _leave_others_alone(self) -> None:
        """Let everything go on with what it did that is not performed, or not recorded now."""
        live.leave_alone(self.armature, self._left_alone(() if self._is_out else self._acting))

    def _punch_in_or_out(self, time: float) -> None:
        is_out = self._punch is not None and not self._punch[0] <= time <= self._punch[1]
        if is_out != self._is_out:
            self._is_out = is_out
            self._leave_others_alone()

    @property
    def _acting(self) -> set[str]:
        """The names of the sets that are performed or replayed."""
        return self._performed | {way.name for way in self._replayed}

    def _left_alone(self, acting: Collection[str]) -> frozenset[str | Dial]:
        return left_alone(self.armature, acting, self._chosen)

    def _require_moved(self, bones: list[str]) -> None:
        if not bones:
            raise InputError(
                "No bone is selected: select the bones to record in Pose Mode, or record all bones."
            )
        moved = {bone for each in moment_of(self.armature).mappings for bone in each.bones}
        if not moved.intersection(bones):
            raise InputError(
                "None of the selected bones is moved by the spatial set: select others, or record all bones."
            )

    def start_recording(self, rate: float) -> None:
        """Begin a recording whose time goes on by `rate` frames a second."""
        settings = self.settings
        self._punch = (settings.punch_first, settings.punch_last) if settings.record_punch else None
        if self._punch is not None and self._punch[1] < self._punch[0]:
            raise InputError(
                "Recording is wanted from frame {first} to {last}, which is before it: choose other frames.",
                first=self._punch[0],
                last=self._punch[1],
            )
        self._rate, self._recorder = rate, Recorder(rate, self._punch)
        self._replayed = replaying.replayed(self.armature, self._performed)
        self._leave_others_alone()

    def next_round(self, last: float, first: float) -> None:
        """A loop has come to its last frame: what is performed from the first one on is another take."""
        self.end_recording(last)
        self._rounds.append(self._recorder)
        self._recorder = Recorder(self._rate, self._punch)
        if self._walker is not None:
            self.armature.location = self._before.location
            self._walker = Walker(self.armature)
        self.record(first)

    @property
    def rounds(self) -> int:
        """How many rounds of a loop were recorded before this one."""
        return len(self._rounds)

    def record(self, time: float) -> None:
        """Note where everything is at a time, given as a frame with a fraction."""
        self._at_time(time)
        self._recorder.add(time, self._sample())
        self._record_body(time)

    def record_move(self, time: float, turn: int) -> None:
        """Note that the hand has moved the cursor; all events between two redraws are one turn."""
        self._recorder.move(time, self._sample(), turn)

    def record_tick(self, time: float, turn: int) -> None:
        """Note that time has gone on."""
        self._at_time(time)
        self._recorder.tick(time, self._sample(), turn)
        self._record_body(time)

    def end_recording(self, time: float) -> None:
        """Note where everything is at last."""
        self._at_time(time)
        self._recorder.end(time, self._sample())
        self._record_body(time)

    def _at_time(self, time: float) -> None:
        """Let everything that is not in the performer's hand be as it is at a time."""
        self._transition.hold(self.armature)
        replaying.show(self.armature, self._replayed, time)
        self._punch_in_or_out(time)

    def recorded_moments(self) -> list[Moment]:
        """The recording at whole frames."""
        return self._moments_of(self._recorder)

    def _moments_of(self, recorder: Recorder) -> list[Moment]:
        moments = recorder.moments(moment_of(self.armature), self.settings.record_smoothing)
        return replaying.along(self.armature, self._replayed, moments, recorder.frames)

    def write(self, *, error: float | None) -> int:
        """Write what was recorded as keys; the number of keys."""
        return run(self.write_in_steps(error=error))

    def write_in_steps(self, *, error: float | None) -> Steps[int]:
        """`write` in steps: yields the share done. See `TakeWriter` for what happens if it is closed.

        The rounds of a loop are written one after the other, each kept as a take; the last one plays.
        """
        self._drop_empty_rounds()
        recorders = [*self._rounds, self._recorder]
        # Not with the first step: who saves before it may be in a hurry.
        self._writers = [TakeWriter() for _ in recorders]
        return self._writing(recorders, error)

    def _writing(self, recorders: list[Recorder], error: float | None) -> Steps[int]:
        self._moments = self.recorded_moments()
        keys, count = 0, len(recorders)
        for number, (recorder, writer) in enumerate(zip(recorders, self._writers, strict=True)):
            if number > 0:
                kept_takes.keep(self.armature)
            work = writer.steps(self._armature, self._recording(recorder), error=error)
            keys = yield from shares(work, number / count, (number + 1) / count)
        return keys

    def _drop_empty_rounds(self) -> None:
        """A round may have missed the only frames that are recorded.

        And a last one that is not half as long as the one before was hardly meant.
        """
        self._rounds = [each for each in self._rounds if each.length]
        if self._rounds and 2 * self._recorder.length < self._rounds[-1].length:
            self._recorder = self._rounds.pop()

    def _recording(self, recorder: Recorder) -> Recording:
        return Recording(
            recorder.frames,
            self._moments_of(recorder),
            self._before.location,
            frames_per_second(self.scene),
            self._chosen,
            self._left_alone(self._acting),
            punched=self._punch is not None,
        )

    def hurry(self) -> None:
        """Be content with a key on every frame."""
        for writer in self._writers:
            writer.hurry()

    @property
    def written(self) -> bool:
        """Whether what was recorded is there as keys."""
        return bool(self._writers) and all(writer.written for writer in self._writers)

    def end(self) -> None:
        """Leave the pose and the cursor as performed; a recording is there to be played."""
        if self.settings.live:  # else somebody has edited the pose: live must not take that away
            self.settings.live = self._before.live
            self.settings.message = self._before.message
        live.leave_alone(self.armature, frozenset())
        if self.written:
            live.give_way(self.armature)
            self._keep_paths()
            self._keep_take()
        if self.written or not self._before.shows_frame(self.scene):
            self._before.show_frame(self.scene)

    def _keep_take(self) -> None:
        if (self.settings.record_takes or self._rounds) and not self._is_kept:
            kept_takes.keep(self.armature)
            self._is_kept = True

    def _keep_paths(self) -> None:
        """Where the cursors went that were performed, to do the take again after a change."""
        armature = self.armature
        if armature.override_library is not None:
            return  # its sets are changed in the file that they come from
        points = np.array([moment.points for moment in self._moments])
        for row, spatial_set in enumerate(sets.ready_sets(armature)):
            if spatial_set.name in self._performed:
                cursor_paths.keep(armature, spatial_set, self._recorder.frames, points[:, row])

    def restore(self) -> None:
        """Leave everything as it was before."""
        live.leave_alone(self.armature, frozenset())
        self._before.restore(self.armature, self.scene)

    def step_aside(self) -> None:
        """Let everything be as it was before, for a moment."""
        self._aside = Snapshot.of(self.armature, self.scene)
        self.restore()

    def step_in(self) -> None:
        """Go on as it was when the performance stepped aside."""
        if self._aside is not None:
            self._aside.restore(self.armature, self.scene)
            self._aside = None
            self._leave_others_alone()

    def _record_body(self, time: float) -> None:
        if any(len(each.effectors) for each in sets.ready_sets(self.armature)):
            self._recorder.add_body(time, current_pose(self.armature, self.armature.pose.bones.keys()))

    def _sample(self) -> Sample:
        ready = sets.ready_sets(self.armature)
        shares = np.array([each.influence for each in ready])
        return Sample(self._points(), shares, reaches_of(self.armature, ready)[1])

    def _points(self) -> np.ndarray:
        """Where the cursors are meant to be, also before Blender has evaluated them."""
        return np.array(
            [
                each.cursor.matrix_parent_inverse @ each.cursor.matrix_basis.translation
                for each in sets.ready_sets(self.armature)
            ]
        )


def _refuse(armature: bpy.types.Object) -> None:
    """Refuse a character that cannot be performed or recorded, before anything is changed."""
    check_editable(armature)
    sets.refuse_unready(armature)
    if sets.in_rest_position(armature):
        raise InputError(sets.rest_position_sentence(armature))
    for each in sets.ready_sets(armature):
        empties.refuse_driven(armature, each.cursor)
    moment_of(armature)  # refuses keys that cannot be solved
