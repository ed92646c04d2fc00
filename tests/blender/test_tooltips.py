# SPDX-License-Identifier: GPL-3.0-or-later
"""Every operator, setting and choice has a name, and a tooltip that says more than the name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import bpy
import pytest

NEW_WORDS = 3  # that a description has and its name has not


class Said(NamedTuple):
    """What Blender shows of something."""

    path: str
    name: str
    description: str


@pytest.fixture(autouse=True)
def _loaded(clean_blender: Any) -> None:
    pass


def _operators() -> Iterator[Said]:
    for verb in dir(bpy.ops.posewright):
        operator = getattr(bpy.ops.posewright, verb).get_rna_type()
        yield Said(verb, operator.name, operator.description)
        yield from _properties(operator, verb)


def _properties(group: Any, path: str) -> Iterator[Said]:
    """All that can be seen of a group, and what is inside its groups and lists."""
    inherited = bpy.types.PropertyGroup.bl_rna.properties
    for each in group.properties:
        here = f"{path}.{each.identifier}"
        if each.identifier in inherited and each.description == inherited[each.identifier].description:
            continue
        if not each.is_hidden:
            yield Said(here, each.name, each.description)
        if each.type == "ENUM" and ".options." not in path:  # an algorithm's option tells about its choices
            yield from (Said(f"{here}={it.identifier}", it.name, it.description) for it in each.enum_items)
        if each.type in {"POINTER", "COLLECTION"} and _is_ours(each.fixed_type):
            yield from _properties(each.fixed_type, here)


def _is_ours(group: Any) -> bool:
    found = bpy.types.PropertyGroup.bl_rna_get_subclass_py(group.identifier)
    return found is not None and "posewright" in found.__module__


def _settings() -> Iterator[Said]:
    for owner in (bpy.types.Object, bpy.types.Scene):
        yield from _properties(owner.bl_rna.properties["posewright"].fixed_type, owner.__name__)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def _wrong(said: Said) -> str:
    if not said.name[:1].isupper() or "_" in said.name:
        return "has no name for people"
    if not said.description:
        return "has no tooltip"
    if not said.description[0].isupper():
        return "starts without a capital"
    if said.description.endswith("."):
        return "ends with a full stop, which Blender adds itself"
    choice = "=" in said.path
    if len(_words(said.description) - _words(said.name)) < (1 if choice else NEW_WORDS):
        return "says no more than its name"
    return ""


def _complaints(all_said: Iterator[Said]) -> list[str]:
    return [f"{said.path} {_wrong(said)}: {said.description!r}" for said in all_said if _wrong(said)]


def test_operators_have_tooltips_that_teach():
    assert _complaints(_operators()) == []


def test_settings_have_tooltips_that_teach():
    assert _complaints(_settings()) == []


def test_nothing_is_overlooked():
    paths = {said.path for said in (*_operators(), *_settings())}
    assert len(paths) > 150
    assert {
        "analyze",
        "pose_sheet.view=BEST",
        "Object.key_count",
        "Object.bone_weights.weight",
        "Object.options.keyposes.smooth",
        "Object.spatial.sets.effectors.chain_length",
        "Object.spatial.contacts.end=HEAD",
        "Scene.ghosts.opacity",
    } <= paths


@pytest.mark.parametrize(
    "said",
    [
        Said("x", "key_count", "How many poses are kept"),
        Said("x", "Keys", ""),
        Said("x", "Keys", "how many poses are kept"),
        Said("x", "Keys", "How many poses are kept."),
        Said("x", "Wanted Error", "The wanted error"),
    ],
    ids=lambda said: said.description,
)
def test_the_check_can_fail(said: Said):
    assert _wrong(said)


def test_pages_of_help_have_tooltips_of_their_own():
    registered: Any = bpy.types
    operator = registered.POSEWRIGHT_OT_help
    pages = bpy.ops.posewright.help.get_rna_type().properties["page"].enum_items
    assert len({operator.description(bpy.context, Page(page.identifier)) for page in pages}) == len(pages)


class Page(NamedTuple):
    page: str


def test_settings_are_not_given_blenders_words_for_something_else() -> None:
    """As for Screen, which in Blender is a way of blending colours: our own are looked up apart."""
    from bl_ext.user_default.posewright import languages

    groups = (bpy.types.Object.bl_rna.properties["posewright"].fixed_type,)
    groups += (groups[0].properties["spatial"].fixed_type,)
    seen = [
        each for group in groups for each in group.properties if each.type == "ENUM" and not each.is_hidden
    ]
    assert {each.translation_context for each in seen} == {languages.OURS}
    assert languages.OURS in languages.CONTEXTS
