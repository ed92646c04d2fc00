# SPDX-License-Identifier: GPL-3.0-or-later
"""Every panel at three widths and in two themes, twice as large: all draw, and people look at them."""

from panel_pictures import look_at_all


def scenario(ui):
    yield from look_at_all(ui, 2.0)
