# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that is said can be translated: sentences are looked up before numbers and names are put in."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
# Blender's own names for looking up a translation, which its tool for translators collects messages by.
LOOKING_UP = {"iface_", "rpt_", "tip_", "n_"}
SAYING = {
    "InputError",
    "report",
    "label",
    "progress",
    "prop",
    "operator",
    "operator_menu_enum",
    "draw_sentence",
}
SAYING |= {"poll_message_set", "header_text_set", "show_status", "set_banner"}


def _calls(source: str, names: set[str]) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
            if name in names:
                yield node


def composed(source: str) -> list[int]:
    """Lines that hand over words which were put together by then, so that no translation can be found."""
    return [
        call.lineno
        for call in _calls(source, SAYING)
        for argument in (*call.args, *(keyword.value for keyword in call.keywords))
        if isinstance(argument, ast.JoinedStr) and _has_words(argument)
    ]


def _has_words(text: ast.JoinedStr) -> bool:
    written = [part.value for part in text.values if isinstance(part, ast.Constant)]
    return any(letter.isalpha() for part in written for letter in str(part))


def not_literal(source: str) -> list[int]:
    """Lines that look up something that no translator could have seen; variables hold what `n_` marked."""
    return [
        call.lineno
        for call in _calls(source, LOOKING_UP)
        if not isinstance(call.args[0], ast.Constant | ast.Name | ast.Attribute)
    ]


def messages(source: str) -> list[str]:
    first = [call.args[0] for call in _calls(source, LOOKING_UP)]
    return [str(argument.value) for argument in first if isinstance(argument, ast.Constant)]


SPEAKING = ("operators", "panels", "properties", "handlers", "drawing", "bridge", "core", "cli")
FILES = [file for part in SPEAKING for file in sorted((CHECKOUT / part).rglob("*.py"))]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(CHECKOUT).as_posix())
def test_sentences_are_translated_before_they_are_filled_in(file: Path):
    source = file.read_text(encoding="utf-8")
    assert composed(source) == []
    assert not_literal(source) == []


def test_places_to_fill_in_have_names():
    """A translator may need another order, and has to know what is put in."""
    found = [message for file in FILES for message in messages(file.read_text(encoding="utf-8"))]
    assert len(found) > 20
    for message in found:
        assert all(name is None or name.isidentifier() for _, name, _, _ in string.Formatter().parse(message))


def test_the_checks_can_fail():
    assert composed('layout.label(text=f"{count} keys")') == [1]
    assert composed('self.report({"INFO"}, f"{count} keys")') == [1]
    assert composed('layout.label(text=f"{count} {share:.0%}", translate=False)') == []
    assert not_literal('rpt_(f"{count} keys")') == [1]
    assert not_literal('rpt_("{} keys".format(count))') == [1]
    assert messages('rpt_("{count} keys").format(count=count)') == ["{count} keys"]
