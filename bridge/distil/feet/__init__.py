# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that hold: what stands when, and what keeps it there at every number of keys.

`stances`         what stands when, and where          `held_feet`   channels that keep it there
`controls`        what rigs with IK move feet by       `flat_holds`  their keys, level while a foot stands
`pins`            empties that hold feet by IK         `pin_rig`     what they are made of
`pin_gate`        what lets them hold with their own action
`rotation_channels` what turns a bone, as rotations
"""
