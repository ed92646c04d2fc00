# SPDX-License-Identifier: GPL-3.0-or-later
"""From the place of a cursor to the pose there.

`mapping`         a set that is ready to be asked      `mapping_cache` and kept ready
`moments`         all that decides a pose at one time  `layers`      several sets at once
`switching`       from one set to another              `reaching`    bones that reach for a target
`key_figures`     small figures of the poses of keys
"""
