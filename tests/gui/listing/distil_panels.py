# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels of Distil, opened, for the page on Distil."""

import numpy as np
from panel_pictures import pages, prepare
from screenshots import write_png

COLUMNS = 3  # after these come the panels of pictures and of the character


def scenario(ui):
    yield from prepare(ui, 1.0)
    picture = yield from pages(ui)
    shown = picture[:, : COLUMNS * ui.region("UI").width]
    write_png(ui.screenshots / "listing-distil-panels.png", np.ascontiguousarray(shown))
