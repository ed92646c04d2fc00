# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong, said in the language of Blender's interface."""

from __future__ import annotations

from bpy.app.translations import pgettext_rpt as rpt_

from ..core import InputError


def spoken(problem: InputError) -> str:
    """The sentence in the user's language; a problem that is told about inside of it as well."""
    if not problem.values:
        return rpt_(problem.sentence)
    return rpt_(problem.sentence).format(**{name: _said(value) for name, value in problem.values.items()})


def _said(value: object) -> object:
    return spoken(value) if isinstance(value, InputError) else value
