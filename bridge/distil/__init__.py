# SPDX-License-Identifier: GPL-3.0-or-later
"""Distil: from a dense action to a few keys, and everything that may be done with them.

The verbs, each a function that does what it says or raises `InputError`:

`analyse`         from the action that plays to a reduced action that knows all solutions
`reduced_action`  bake a number of keys, key in another way, detail, show the original
`measuring`       how far what plays is from the original; the fewest keys within an error
`endings`         restore the source, or apply the keys
`many`            all actions of an armature, or many armatures

The rooms, each with a page of its own in its `__init__.py`:

`solving`         what an action is, and which frames to key for every number of keys
`editing`         what the animator did to the keys, carried by every number of them
`feet`            what stands when, and what keeps it there
`detail_layer`    what the keys lost, played on top of them
`baked_first`     what plays without an action of its own, made one first

What all of them work with:

`channels`        what of an action is keyed           `reductions`  a reduced action, its source, an armature
`ways`            the ways of keying                   `keying`      from chosen rows to keys
`part_of_action`  and where the rest stays             `storage`     solutions as text
`playing`         which of the two actions plays       `actors`      who plays what is only looked at
`snapshot`        back to before if work is stopped    `scene_range` whether the scene plays all of it
`markers`         keys as timeline markers             `lone_strip`  for who plays nothing
"""
