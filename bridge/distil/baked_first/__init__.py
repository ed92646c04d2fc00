# SPDX-License-Identifier: GPL-3.0-or-later
"""What plays without an action of its own, baked into one before it is analysed.

`what_plays`      which of the two it is, and back again
`strips`          several strips of the NLA            `constrained` constraints and drivers
`movers`          what these look at, and from when to when it moves
`by_value`        properties that are baked as they are
"""
