# SPDX-License-Identifier: GPL-3.0-or-later
"""Spatial sets as JSON: readable, without anything of Blender's, for another file or another program."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np

from ....core import InputError
from ....core import rotations as rotation
from ....core.checks import LARGEST
from .. import sets
from ..posing.dials import Dial, Dials, dial_of_path, found_on
from ..posing.pose_actions import dials_of_action, is_whole_body, pose_of_action
from ..posing.poses import Pose
from . import empties
from .set_making import KeyData, make_set

KIND = "posewright spatial set"
VERSION = 1
DIGITS = 7  # single precision, as Blender keeps it
LONGEST_CHAIN = 10_000  # more bones than any armature has in a row


@dataclass(frozen=True)
class Reaching:
    """A bone that reaches for an object of some name, or for the cursor if there is none."""

    bone: str
    chain: int
    turn: bool
    target: str | None
    by_keys: bool
    moves: bool


@dataclass(frozen=True)
class Walking:
    """Bones that can stand on the ground, with the end that does, and how high the ground is."""

    contacts: tuple[tuple[str, str, float], ...]  # bone, end, and how high that is when it stands
    ground: float
    steady: bool
    solid: bool
    no_steps_back: bool
    on: bool


@dataclass(frozen=True)
class LeftOut:
    """Names of what a file speaks of and is not there: bones, objects to reach for, and dials."""

    bones: list[str]
    targets: list[str]
    dials: list[str]


def to_json(armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup) -> str:
    """A set as text: places in the space of the armature, rotations as quaternions (w, x, y, z)."""
    keys = [
        {
            "name": key.name,
            "place": _rounded(empties.place_of(armature, key.marker)),
            "pose": _pose_to_data(key),
            "whole_body": is_whole_body(key.pose),
            **_dials_to_data(key),
        }
        for key in sets.usable_keys(spatial_set)
    ]
    reach = [
        {
            "bone": each.bone,
            "chain": each.chain_length,
            "turn": each.use_rotation,
            "by_keys": each.use_keys,
            "moves": each.use_location,
            "target": None if each.target is None else each.target.name,
        }
        for each in spatial_set.effectors
    ]
    settings = sets.settings_of(armature)
    walk = {
        "on": settings.use_locomotion,
        "ground": settings.ground,
        "steady": settings.use_steady_contacts,
        "solid": settings.use_solid_ground,
        "no_steps_back": settings.use_no_steps_back,
        "contacts": [
            {"bone": each.bone, "end": each.end, "sole": round(each.offset, DIGITS)}
            for each in settings.contacts
        ],
    }
    data = {
        "kind": KIND,
        "version": VERSION,
        "name": spatial_set.name,
        "keys": keys,
        "reach": reach,
        "walk": walk,
    }
    return json.dumps(data, indent=1, ensure_ascii=False)


def from_json(armature: bpy.types.Object, text: str) -> tuple[bpy.types.PropertyGroup, LeftOut]:
    """A new set on the armature from such text, and what had to be left out.

    Everything is checked before anything is made. A bone whose target is not there does not reach: for the
    cursor, which an empty target means, it was never meant to.
    """
    name, keys, reach, walk = _checked(text)
    known = set(armature.pose.bones.keys())
    missing = sorted({bone for key in keys for bone in key.pose.bones if bone not in known})
    usable = [replace(key, pose=key.pose.only(filter(known.__contains__, key.pose.bones))) for key in keys]
    dials = {dial for key in keys for dial in key.dials.which}
    there = found_on(armature, dials)
    usable = [replace(key, dials=_on(there, key.dials)) for key in usable]
    if not any(key.pose.bones or key.dials.which for key in usable):
        raise InputError(
            "{armature} has none of the bones in this file: it belongs to another character.",
            armature=armature.name,
        )
    spatial_set = make_set(armature, name, usable)
    _add_contacts(armature, walk, known)
    reach = [each for each in reach if each.bone in known]
    lost = {each.target for each in reach if each.target and each.target not in bpy.data.objects}
    for each in reach:
        if each.target not in lost:
            effector = spatial_set.effectors.add()
            effector.bone, effector.chain_length, effector.use_rotation = each.bone, each.chain, each.turn
            effector.target = bpy.data.objects[each.target] if each.target else None
            effector.use_keys, effector.use_location = each.by_keys, each.moves
    return spatial_set, LeftOut(missing, sorted(lost), sorted(dial.name for dial in dials - there.keys()))


def _add_contacts(armature: bpy.types.Object, walk: Walking, known: set[str]) -> None:
    """Let a character that has no contacts of its own walk as in the file."""
    settings = sets.settings_of(armature)
    contacts = [each for each in walk.contacts if each[0] in known]
    if len(settings.contacts) or not (contacts or (walk.on and not walk.contacts)):
        return
    for bone, end, sole in contacts:
        contact = settings.contacts.add()
        contact.bone, contact.end, contact.offset = bone, end, sole
    settings.ground, settings.use_locomotion = walk.ground, walk.on
    settings.use_steady_contacts, settings.use_solid_ground = walk.steady, walk.solid
    settings.use_no_steps_back = walk.no_steps_back


def _pose_to_data(key: bpy.types.PropertyGroup) -> dict[str, dict[str, list[float]]]:
    pose = pose_of_action(key.pose)
    turned = rotation.matrix_to_quaternion(pose.rotations)
    return {
        bone: {
            "location": _rounded(pose.locations[row]),
            "rotation": _rounded(turned[row]),
            "scale": _rounded(pose.scales[row]),
        }
        for row, bone in enumerate(pose.bones)
    }


def _dials_to_data(key: bpy.types.PropertyGroup) -> dict[str, Any]:
    """Custom properties by their data path in the armature, and shape keys by mesh; neither where none."""
    held = dials_of_action(key.pose).as_dict()
    properties = {dial.path: round(value, DIGITS) for dial, value in held.items() if not dial.mesh}
    shapes: dict[str, dict[str, float]] = {}
    for dial, value in held.items():
        if dial.mesh:
            shapes.setdefault(dial.mesh, {})[dial.name] = round(value, DIGITS)
    return ({"properties": properties} if properties else {}) | ({"shape_keys": shapes} if shapes else {})


def _dials(entry: dict[str, Any]) -> Dials:
    held = {dial_of_path(_name(path)): value for path, value in entry.get("properties", {}).items()}
    if None in held:
        raise ValueError("a custom property without a data path")
    for mesh, shapes in entry.get("shape_keys", {}).items():
        held |= {Dial(_name(name), mesh=_name(mesh)): value for name, value in shapes.items()}
    values = _array([[value] for value in held.values()], 1)[:, 0]
    return Dials(tuple(held), values)


def _on(there: dict[Dial, Dial], dials: Dials) -> Dials:
    """The dials that are there."""
    return Dials.of({there[dial]: value for dial, value in dials.as_dict().items() if dial in there})


def _rounded(values: np.ndarray) -> list[float]:
    return [round(float(value), DIGITS) for value in values]


def _checked(text: str) -> tuple[str, list[KeyData], list[Reaching], Walking]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError("This is not a JSON file: {error}.", error=error) from error
    if not isinstance(data, dict) or data.get("kind") != KIND:
        raise InputError("This JSON file holds no spatial set: choose one that Posewright exported.")
    if data.get("version") != VERSION:
        raise InputError(
            "This spatial set has version {version}, and only version {known} can be read: "
            "update Posewright, or export it again.",
            version=data.get("version"),
            known=VERSION,
        )
    try:
        keys = [_key(entry) for entry in data["keys"]]
        reach = [
            Reaching(
                _name(entry["bone"]),
                min(max(0, int(entry["chain"])), LONGEST_CHAIN),
                bool(entry.get("turn", False)),
                None if entry.get("target") is None else _name(entry["target"]),
                bool(entry.get("by_keys", False)),
                bool(entry.get("moves", False)),
            )
            for entry in data.get("reach", ())
        ]
        walk = _walking(data.get("walk", {}))
        name = _name(data.get("name") or "Acting")
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError(
            "The spatial set in this file is damaged ({error}): export it again.", error=error
        ) from error
    if not keys:
        raise InputError("The spatial set in this file has no keys.")
    return name, keys, reach, walk


def _walking(entry: dict[str, Any]) -> Walking:
    contacts = [
        (str(each["bone"]), str(each["end"]), float(_array([[each.get("sole", 0.0)]], 1)[0, 0]))
        for each in entry.get("contacts", ())
    ]
    wrong = [end for _, end, _ in contacts if end not in ("TAIL", "HEAD")]
    if wrong:
        raise ValueError(f"a contact is at the TAIL or the HEAD, not at {wrong[0]}")
    ground = float(_array([[entry.get("ground", 0.0)]], 1)[0, 0])
    choices = {
        name: bool(entry.get(name, default))
        for name, default in (("steady", True), ("solid", True), ("no_steps_back", True), ("on", False))
    }
    return Walking(tuple(contacts), ground, **choices)


def _key(entry: dict[str, Any]) -> KeyData:
    bones = entry["pose"]
    turned = _array([bone["rotation"] for bone in bones.values()], 4)
    pose = Pose(
        tuple(_name(bone) for bone in bones),
        rotation.quaternion_to_matrix(turned),
        _array([bone["location"] for bone in bones.values()], 3),
        _array([bone["scale"] for bone in bones.values()], 3),
    )
    whole_body = bool(entry.get("whole_body", False))
    place = _array([entry["place"]], 3)[0]
    return KeyData(_name(entry["name"]), place, pose, whole_body, _dials(entry))


def _name(value: Any) -> str:
    """A name as Blender can keep it: halves of characters, which JSON allows, it cannot."""
    name = str(value)
    name.encode()
    if "\0" in name:
        raise ValueError("a name with a zero in it")
    return name


def _array(rows: list[Any], width: int) -> np.ndarray:
    if not rows:
        return np.empty((0, width))
    values = np.array(rows, dtype=np.float64).reshape(len(rows), -1)
    if values.shape[1] != width or not (np.abs(values) <= LARGEST).all():
        raise ValueError(f"{width} finite numbers are needed")
    return values.reshape(-1, width)
