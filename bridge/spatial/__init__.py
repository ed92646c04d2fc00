# SPDX-License-Identifier: GPL-3.0-or-later
"""Spatial keyframing in Blender: sets of markers and poses, live blending, recording, exchange.

`session`         one performance, from the first drag to the take, or back by Esc
`live`            the pose follows the cursor however it is moved
`sets`            which sets a character has, and which is active
`performance_snapshot` all that performing changes     `references`  what outlives undo
`cursor_source`   a hand from outside                  `drag_planes` the plane in which a cursor is dragged

The rooms, each with a page of its own in its `__init__.py`:

`posing`          poses of a character as numbers
`making`          sets made, changed, exchanged and kept in order
`blending`        from the place of a cursor to the pose there
`takes`           what a performance leaves
`walks`           characters that travel
"""
