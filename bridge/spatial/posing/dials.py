# SPDX-License-Identifier: GPL-3.0-or-later
"""Dials: numbers that a pose holds beside its bones: shape keys of the meshes, and custom properties."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import bpy
import numpy as np

from ... import actions
from ...character import is_deformed_by, skins_of

SHAPE = re.compile(r'key_blocks\["((?:[^"\\]|\\.)*)"\]\.value$')
PROPERTY = re.compile(r'(?:pose\.bones\["((?:[^"\\]|\\.)*)"\])?\["((?:[^"\\]|\\.)*)"\]$')
IK_FK = re.compile(r"ik.{0,3}fk|fk.{0,3}ik", re.IGNORECASE)
PATHS = 10_000  # that are known in parts: many keys hold the same, and asking takes longer than reading
SAME = 1e-6  # values nearer to each other than this are the same


@dataclass(frozen=True)
class Dial:
    """A custom property of a bone or of the armature object, or a shape key of a mesh.

    Attributes:
        bone: whose custom property it is; the object's if empty.
        mesh: the object whose shape key it is.
        is_switch: it is never in between two values.
    """

    name: str
    bone: str = ""
    mesh: str = ""
    is_switch: bool = field(default=False, compare=False)
    rest: float = field(default=0.0, compare=False)
    low: float = field(default=-np.inf, compare=False)
    high: float = field(default=np.inf, compare=False)

    @property
    def path(self) -> str:
        """Where it is in the data of its owner, for an F-curve."""
        name = bpy.utils.escape_identifier(self.name)
        if self.mesh:
            return f'key_blocks["{name}"].value'
        bone = f'pose.bones["{bpy.utils.escape_identifier(self.bone)}"]' if self.bone else ""
        return f'{bone}["{name}"]'


@dataclass(frozen=True, eq=False)
class Dials:
    """Some dials and how they are set, (D,); or (F, D) in as many frames."""

    which: tuple[Dial, ...] = ()
    values: np.ndarray = field(default_factory=lambda: np.empty(0))

    @classmethod
    def of(cls, settings: dict[Dial, float]) -> Dials:
        return cls(tuple(settings), np.array(list(settings.values()), dtype=np.float64))

    def as_dict(self) -> dict[Dial, float]:
        return dict(zip(self.which, self.values.tolist(), strict=True))

    def at(self, row: int) -> Dials:
        """As they are set in one of some frames."""
        return Dials(self.which, self.values[row])

    def only(self, wanted: Collection[Dial]) -> Dials:
        rows = [row for row, dial in enumerate(self.which) if dial in wanted]
        return Dials(tuple(self.which[row] for row in rows), self.values[..., rows])

    def without(self, unwanted: Collection[Any]) -> Dials:
        return self.only([dial for dial in self.which if dial not in unwanted]) if unwanted else self


def changing(said: Iterable[Dials]) -> set[Dial]:
    """The dials that are not set alike wherever anything is said about them."""
    values: dict[Dial, list[float]] = {}
    for each in said:
        for dial, value in each.as_dict().items():
            values.setdefault(dial, []).append(value)
    return {dial for dial, some in values.items() if max(some) - min(some) > SAME}


@lru_cache(maxsize=PATHS)
def dial_of_path(path: str) -> Dial | None:
    """The custom property of a bone or of the object that an F-curve of an armature moves, if any."""
    found = PROPERTY.match(path)
    if found is None:
        return None
    bone, name = (bpy.utils.unescape_identifier(part or "") for part in found.groups())
    return Dial(name, bone)


def shape_of_path(mesh: str, path: str) -> Dial | None:
    """The shape key that an F-curve of a mesh's shape keys moves, if any."""
    found = SHAPE.match(path)
    return None if found is None else Dial(bpy.utils.unescape_identifier(found[1]), mesh=mesh)


def dials_of(armature: bpy.types.Object) -> list[Dial]:
    """All that a character has, without those that drivers set."""
    return [*_properties(armature), *_shapes(armature)]


def found_on(armature: bpy.types.Object, dials: Iterable[Dial]) -> dict[Dial, Dial]:
    """For each dial the one that a character has: a mesh that was renamed is known by its shape keys."""
    dials = list(dials)
    known = {dial: dial for dial in dials_of(armature)}
    # A mesh that dials call by its name is hardly another one of them under a new name.
    named = {dial.mesh for dial in dials}
    shapes = sorted((dial for dial in known if dial.mesh), key=lambda dial: dial.mesh in named)
    by_name = {dial.name: dial for dial in reversed(shapes)}
    found = {}
    for dial in dials:
        own = known.get(dial) or (by_name.get(dial.name) if dial.mesh else None)
        if own is not None:
            found[dial] = own
    return found


def are_there(armature: bpy.types.Object, dials: Iterable[Dial]) -> bool:
    """Whether a character still has all of some dials, by the same names."""
    return all(_value(armature, dial) is not None for dial in dials)


def current_dials(armature: bpy.types.Object, dials: Iterable[Dial]) -> Dials:
    """How dials are set now; those that are not there any more are left out."""
    values = {dial: _value(armature, dial) for dial in dials}
    return Dials.of({dial: value for dial, value in values.items() if value is not None})


def apply_dials(armature: bpy.types.Object, dials: Dials) -> None:
    """Set dials as far as they go; those that are not there any more are left out."""
    for dial, value in zip(dials.which, clipped(dials).tolist(), strict=True):
        owner = owner_of(armature, dial.mesh)
        if owner is None or _value(armature, dial) is None:
            continue
        if dial.mesh:
            owner.key_blocks[dial.name].value = value
        else:
            thing: Any = _holder(armature, dial)
            kind = type(thing[dial.name])  # a number of another kind would change the property
            thing[dial.name] = value if kind is float else kind(round(value))
    if any(not dial.mesh for dial in dials.which):
        armature.update_tag()  # of anything: custom properties tell nobody that they were set


def clipped(dials: Dials) -> np.ndarray:
    """The values, no farther than dials go."""
    return np.clip(dials.values, [dial.low for dial in dials.which], [dial.high for dial in dials.which])


def owner_of(armature: bpy.types.Object, mesh: str) -> Any | None:
    """What has the F-curves of dials: the armature, or the shape keys of the mesh that is named."""
    if not mesh:
        return armature
    thing = bpy.data.objects.get(mesh)
    if thing is None or not is_deformed_by(thing, armature):  # its name may be that of another's by now
        return None
    return getattr(thing.data, "shape_keys", None)


def reaches(armature: bpy.types.Object, dials: Sequence[Dial]) -> np.ndarray:
    """(D,) how far a dial moves anything when it is turned by one: a shape key the farthest of its points.

    What a custom property does is not known: its whole range counts as one unit of length.
    """
    return np.array([_shape_reach(armature, dial) if dial.mesh else 1.0 / _span(dial) for dial in dials])


def _shape_reach(armature: bpy.types.Object, dial: Dial) -> float:
    shapes = owner_of(armature, dial.mesh)
    if shapes is None or dial.name not in shapes.key_blocks:
        return 0.0
    block = shapes.key_blocks[dial.name]
    away = _points(block) - _points(block.relative_key)
    size = max(map(abs, bpy.data.objects[dial.mesh].matrix_world.to_scale()))
    return float(np.linalg.norm(away, axis=1).max(initial=0.0)) * size


def _points(block: bpy.types.ShapeKey) -> np.ndarray:
    flat = np.empty(3 * len(block.data), np.float32)
    block.data.foreach_get("co", flat)
    return flat.reshape(-1, 3)


def _span(dial: Dial) -> float:
    span = dial.high - dial.low
    return span if 0.0 < span < 1e6 else 1.0


def _properties(armature: bpy.types.Object) -> Iterator[Dial]:
    driven = _driven(armature)
    for bone, thing in (("", armature), *armature.pose.bones.items()):
        for name, value in thing.items():
            if isinstance(value, bool | int | float):
                dial = _described(thing, name, bone, isinstance(value, float))
                if dial.path not in driven:
                    yield dial


def _described(thing: Any, name: str, bone: str, is_float: bool) -> Dial:
    try:
        said = thing.id_properties_ui(name).as_dict()
    except TypeError:  # a property that an extension registered
        said = {}
    is_switch = not is_float or IK_FK.search(name) is not None
    limits = [float(said.get(key, default)) for key, default in (("min", -np.inf), ("max", np.inf))]
    return Dial(name, bone, "", is_switch, float(said.get("default", 0.0)), *limits)


def _shapes(armature: bpy.types.Object) -> Iterator[Dial]:
    for mesh in skins_of(armature):
        shapes = mesh.data.shape_keys
        if shapes is None or not shapes.use_relative or shapes.library is not None:
            continue
        driven = _driven(shapes)
        for block in shapes.key_blocks:
            if block != shapes.reference_key:
                dial = Dial(block.name, "", mesh.name, False, 0.0, block.slider_min, block.slider_max)
                if dial.path not in driven:
                    yield dial


def _driven(owner: Any) -> set[str]:
    data = owner.animation_data
    return set() if data is None else {curve.data_path for curve in data.drivers}


def _holder(armature: bpy.types.Object, dial: Dial) -> Any | None:
    return armature.pose.bones.get(dial.bone) if dial.bone else armature


def _value(armature: bpy.types.Object, dial: Dial) -> float | None:
    owner = owner_of(armature, dial.mesh)
    if dial.mesh:
        block = None if owner is None else owner.key_blocks.get(dial.name)
        return None if block is None else block.value
    thing = _holder(armature, dial)
    value = None if thing is None else thing.get(dial.name)
    return float(value) if isinstance(value, bool | int | float) else None


def animated_dials(armature: bpy.types.Object, dials: Iterable[Dial]) -> set[Dial]:
    """Those of some dials that have earlier animation."""
    dials = list(dials)
    paths: dict[str, set[str]] = {}
    for mesh in {dial.mesh for dial in dials}:
        owner = owner_of(armature, mesh)
        paths[mesh] = set() if owner is None else actions.animated_paths(owner)
    return {dial for dial in dials if dial.path in paths[dial.mesh]}
