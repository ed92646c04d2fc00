# SPDX-License-Identifier: GPL-3.0-or-later
"""Spatial sets made, changed, exchanged and kept in order.

`editing`         sets and keys, made and removed      `empties`     the cursors and markers in the scene
`set_making`      a whole set from numbers             `instrument`  a whole set from an action
`exchange`        sets as JSON                         `library`     poses from and for the Pose Library
`mirror`          poses seen in a mirror               `mirror_plane`  what is between left and right
`key_poses`       the poses that keys are given        `upkeep`      what was done behind a set's back
"""
