# SPDX-License-Identifier: GPL-3.0-or-later
"""Distil: from a dense action to a few keys, and everything that may be done with them.

`settings`  what the user asked for            `analysis`  the motion, its channels and all solutions
`channels`  what of an action is keyed         `keying`    from chosen rows to keys
`state`     where an armature stands now       `reduced`   baking, comparing, restoring, applying
"""
