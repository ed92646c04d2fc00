# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of motion in plain numpy: pose sheets, synopses and error plots.

`canvas`        a surface to draw on                   `png`                ... as a file
`font`          letters                                `colours`            that can be told apart
`drawn_poses`   what is drawn of a body                `figure`             one pose
`views`         from where                             `solids`             as triangles
`sheet`         poses side by side                     `synopsis`           poses in one picture
`strip`         the cells of a filmstrip               `crowding`           poses in each other's way
`plot`          error over compression                 `error_plot`         a small one for panels
`contact_plot`  what stands when                       `saliency_plot`      what stands out
"""

from . import font, solids
from .canvas import Canvas
from .colours import THEMES, time_colours
from .drawn_poses import Poses
from .figure import Figures, Paint, draw_figure
from .plot import Curve, draw_plot
from .png import png
from .saliency_plot import draw_saliency
from .sheet import SPACINGS, SheetStyle, draw_figures, draw_sheet
from .synopsis import FADES, SynopsisStyle, draw_overlapping, draw_synopsis
from .views import VIEWS, View

__all__ = [
    "FADES",
    "SPACINGS",
    "THEMES",
    "VIEWS",
    "Canvas",
    "Curve",
    "Figures",
    "Paint",
    "Poses",
    "SheetStyle",
    "SynopsisStyle",
    "View",
    "draw_figure",
    "draw_figures",
    "draw_overlapping",
    "draw_plot",
    "draw_saliency",
    "draw_sheet",
    "draw_synopsis",
    "font",
    "png",
    "solids",
    "time_colours",
]
