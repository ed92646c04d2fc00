# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of motion in plain numpy: pose sheets, synopses and error plots."""

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
