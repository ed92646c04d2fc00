# SPDX-License-Identifier: GPL-3.0-or-later
"""Every language says everything, with the same things put in, and Blender shows it."""

from __future__ import annotations

import ast
import re
import string
from types import SimpleNamespace

import bpy
import pytest

from tools.messages import messages, spoken_in
from tools.places import CHECKOUT

PACKAGE = "bl_ext.user_default.posewright"
LANGUAGES = ("de_DE", "es", "fr_FR", "ja_JP", "zh_HANS")


@pytest.fixture(scope="module")
def languages(posewright):
    import bl_ext.user_default.posewright.languages as languages

    return languages


@pytest.fixture(scope="module")
def wanted(languages) -> set[str]:
    return messages(PACKAGE)


def placeholders(sentence: str) -> list[tuple]:
    return sorted(
        {field[1:] for field in string.Formatter().parse(sentence) if field[1] is not None}, key=str
    )


def test_all_languages_are_there(languages):
    assert tuple(languages.spoken_languages()) == LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_is_translated_and_nothing_in_vain(languages, wanted, language):
    there = languages.translations(language)
    assert sorted(wanted - set(there)) == []
    assert sorted(set(there) - wanted) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_same_is_put_in(languages, language):
    for english, said in languages.translations(language).items():
        assert said.strip() == said if english.strip() == english else said, english
        assert placeholders(said) == placeholders(english), english


def test_what_is_said_is_found():
    assert set(spoken_in(ast.parse('label(text="Keys")'))) == {"Keys"}
    assert set(spoken_in(ast.parse('return "Select a bone first"'))) == {"Select a bone first"}
    assert set(spoken_in(ast.parse('raise InputError("{name} is empty.", name=name)'))) == {
        "{name} is empty."
    }
    assert set(spoken_in(ast.parse('raise TypeError("Not an array")'))) == set()
    assert set(spoken_in(ast.parse('"""A module."""'))) == set()


def test_no_word_of_a_panel_is_overlooked(wanted):
    """A single word is marked by `n_` where it is handed on."""
    words = {
        str(each.value)
        for file in (CHECKOUT / "panels").glob("*.py")
        for each in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(each, ast.Constant)
        and isinstance(each.value, str)
        and re.fullmatch("[A-Z][a-z]+", each.value)
    }
    assert len(words) > 20
    assert sorted(words - wanted - {"Posewright"}) == []


def test_every_tooltip_of_an_operator_is_to_be_translated(wanted):
    """Blender keeps it where `bpy.ops` finds it, not with the class; in one line, as it is shown."""
    tooltips = {
        verb: getattr(bpy.ops.posewright, verb).get_rna_type().description for verb in dir(bpy.ops.posewright)
    }
    assert len(tooltips) > 60
    assert {verb: said for verb, said in tooltips.items() if said not in wanted or "\n" in said} == {}


@pytest.fixture
def speak():
    """Have Blender speak a language for the length of a test."""
    if not bpy.app.build_options.international:
        pytest.skip("this Blender speaks English only")
    view = bpy.context.preferences.view
    before = view.language, view.use_translate_interface, view.use_translate_reports

    def speak(language):
        view.language = language
        view.use_translate_interface = view.use_translate_reports = True

    yield speak
    view.language, view.use_translate_interface, view.use_translate_reports = before


@pytest.mark.parametrize("language", LANGUAGES)
def test_blender_says_it(languages, speak, language):
    from bl_ext.user_default.posewright.bridge.spoken import spoken
    from bl_ext.user_default.posewright.core import InputError

    speak(language)
    said = languages.translations(language)
    look_up = bpy.app.translations.pgettext_iface
    assert look_up("Mean Error") == said["Mean Error"] != "Mean Error"
    assert look_up("Lock Extremes", "Operator") == said["Lock Extremes"]
    sentence = "{armature} is not analysed yet: press Analyze first."
    assert spoken(InputError(sentence, armature="Rig")) == said[sentence].format(armature="Rig")


def test_the_viewport_says_it_as_the_panel_does(languages, speak, monkeypatch):
    from bl_ext.user_default.posewright.drawing import spatial_overlay

    drawn = []
    monkeypatch.setattr(spatial_overlay, "draw_labels", drawn.extend)
    sentence = "Live is off, so that the recording plays."
    speak("de_DE")
    context = SimpleNamespace(preferences=bpy.context.preferences, region=SimpleNamespace(width=800))
    spatial_overlay._draw_message(context, sentence)
    assert drawn[0][1] == languages.translations("de_DE")[sentence] != sentence


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Drag in the viewport.", ["Drag ", "in ", "the ", "viewport."]),
        ("キーを「Esc」で消す。", ["キー", "を", "「Esc」", "で", "消", "す。"]),
        ("可随意 Ctrl Z、结束。", ["可", "随", "意 ", "Ctrl ", "Z、", "结", "束。"]),
    ],
)
def test_lines_end_where_the_language_allows_it(posewright, text, pieces):
    from bl_ext.user_default.posewright.panels import sentence

    assert sentence.pieces(text) == pieces
    assert "".join(sentence.pieces(text)) == text
