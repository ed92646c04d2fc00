# SPDX-License-Identifier: GPL-3.0-or-later
"""Solving: what an action is, and which frames to key for every number of keys.

`settings`        what the user asked for              `weight_presets` ready-made weights
`analysis`        the motion and all its solutions     `calibration` estimates set right
`first_pose`      a T-pose before the motion           `cyclic`      whether it goes round
`played_joints`   where joints are, without Blender    `near_poses`  how far poses may move
`solve_again`     other solutions for the same
`best_frames`     the frames for another way of keying, or more keys than were offered
`extremes`        lock the current keys and add breakdowns between them
"""
