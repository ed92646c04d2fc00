# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that Posewright says in Blender, for translators: what is registered, and what the code speaks.

`python3 dev.py messages` lists what the files in languages/ lack, and what they hold in vain.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from .places import CHECKOUT

# Blender's names for looking a translation up, and what takes a sentence first.
LOOKING_UP = {"iface_", "rpt_", "tip_", "n_", "InputError"}
# Arguments that Blender shows.
SHOWN = {"text", "heading", "name", "description", "title", "message", "default_closed_text"}
SPOKEN_IN = ("bridge", "drawing", "handlers", "operators", "panels", "properties")
# Sentences of the core that only scripts can get to see: they hand over arrays.
NOT_FOR_ANIMATORS = ("core/checks.py", "core/motion.py")


def messages(package: str) -> set[str]:
    """All of them; `package` is the name under which the extension is registered in Blender."""
    found = set(_registered(package))
    for part in (*SPOKEN_IN, "core"):
        for file in sorted((CHECKOUT / part).rglob("*.py")):
            if file.relative_to(CHECKOUT).as_posix() not in NOT_FOR_ANIMATORS:
                found.update(
                    spoken_in(ast.parse(file.read_text(encoding="utf-8")), everything=part != "core")
                )
    return {message for message in found if sum(letter.isalpha() for letter in message) > 1} - {"Posewright"}


def spoken_in(tree: ast.Module, everything: bool = True) -> Iterator[str]:
    """What a file looks up or hands to Blender; with `everything`, whatever else reads like words.

    A single word could be the name of anything, so it is marked by `n_` where it is handed on.
    """
    silent = _silent(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node) in LOOKING_UP and node.args:
            yield from _constants(node.args[:1])
        if not everything:
            continue
        if isinstance(node, ast.keyword) and node.arg in SHOWN:
            yield from (text for text in _constants([node.value]) if text[:1].isupper())
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield from (text for text in [node.value] if reads_like_words(text))


def reads_like_words(text: str) -> bool:
    """Whether it is meant for people: it begins with a capital or a name, and has several words."""
    begins = text[:1].isupper() or text.startswith(("{", '"'))
    return begins and " " in text.strip() and sum(letter.isalpha() for letter in text) > 6


def _silent(tree: ast.Module) -> set[int]:
    """Constants that are no messages: descriptions for developers, and parts of what is put together."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            found.update(id(part) for part in node.values)
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and _name(node.exc) != "InputError":
            found.update(id(part) for part in ast.walk(node.exc))
    return found


def _name(call: ast.Call) -> str | None:
    return getattr(call.func, "id", None) or getattr(call.func, "attr", None)


def _constants(nodes: Iterable[ast.expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.IfExp):
            yield from _constants([node.body, node.orelse])
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _registered(package: str) -> Iterator[str]:
    import bpy

    for kind in _subclasses(bpy.types.bpy_struct):
        if kind.__module__.split(".")[: package.count(".") + 1] == package.split("."):
            yield from _shown_of(kind, package)


def _subclasses(kind: type) -> Iterator[Any]:
    for below in kind.__subclasses__():
        yield below
        yield from _subclasses(below)


def _shown_of(kind: Any, package: str) -> Iterator[str]:
    own = [base for base in kind.__mro__ if base.__module__.startswith(package)]
    for attribute in ("bl_label", "bl_description", "bl_category"):
        yield from (vars(base)[attribute] for base in own if isinstance(vars(base).get(attribute), str))
    if not getattr(kind, "is_registered", False):
        return
    shown = _rna_type(kind)
    yield shown.description
    inherited = {*kind.bl_rna.base.properties.keys()}.union(  # and of Blender's helpers, which it translates
        *(inspect.get_annotations(base) for base in kind.__mro__ if base not in own)
    )
    for name, prop in shown.properties.items():
        if name not in inherited:
            yield prop.name if prop.name != name else ""  # without a name, nobody sees it
            yield prop.description
            for item in prop.enum_items if prop.type == "ENUM" else ():
                yield from (item.name, item.description)


def _rna_type(kind: Any) -> Any:
    """What Blender shows of a class; that of an operator is known to `bpy.ops` alone."""
    import bpy

    if not issubclass(kind, bpy.types.Operator):
        return kind.bl_rna
    module, verb = kind.bl_idname.split(".")
    return getattr(getattr(bpy.ops, module), verb).get_rna_type()


def main() -> int:
    """Tell what the languages lack; as JSON, so that it can be filled in."""
    from .package import NAME, load_package

    load_package().register()
    languages = importlib.import_module(f"{NAME}.languages")
    wanted, lacking = messages(NAME), 0
    for language in languages.spoken_languages():
        there = set(languages.translations(language))
        missing = dict.fromkeys(sorted(wanted - there), "")
        print(f"{language}: {len(there & wanted)} of {len(wanted)}; no more said: {sorted(there - wanted)}")
        print(json.dumps(missing, ensure_ascii=False, indent=2))
        lacking += len(missing)
    return min(lacking, 1)


if __name__ == "__main__":
    sys.exit(main())
