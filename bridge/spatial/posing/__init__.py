# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of a character as numbers.

`poses`           read from bones and written to them  `pose_actions` kept as actions
`dials`           numbers beside the bones             `movable`     which bones an animator can move
`forward_kinematics` where joints are in a pose        `clip_poses`  poses of a clip, without its travelling
"""
