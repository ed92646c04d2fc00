# SPDX-License-Identifier: GPL-3.0-or-later
"""Every panel at two widths, in every language: all draw, and people look at them."""

from panel_pictures import look_in_all_languages


def scenario(ui):
    yield from look_in_all_languages(ui)
