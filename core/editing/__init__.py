# SPDX-License-Identifier: GPL-3.0-or-later
"""What an animator does to a few keys, as something that any number of keys can carry.

`pose_changes`    changes of poses                     `time_warp`   poses at other times
`moved_columns`   which columns were moved             `staggered_time` limbs after their columns
`echoes`          where something happens again
"""
