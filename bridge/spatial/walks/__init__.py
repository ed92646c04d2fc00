# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters that travel.

`walking`         contacts hold on to the ground       `held_steps`  legs that bend so that feet stay
`doodle`          a path is drawn, and walked along    `curve_paths` curves as ways to go
"""
