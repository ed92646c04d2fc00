# SPDX-License-Identifier: GPL-3.0-or-later
"""Fitting: the handles with which a few keys play as close to a motion as they can.

`fit`             the fit itself                       `segments`    the stretches between keys
`bezier`          keys as Blender plays them           `influence`   how far a channel moves the joints
`aligned_handles` keys without a corner                `moved_keys`  keys whose values may move, too
`seam`            where a loop begins again              `at_once`     where a hold is left all at once
"""
