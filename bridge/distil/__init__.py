# SPDX-License-Identifier: GPL-3.0-or-later
"""Distil: from a dense action to a few keys, and everything that may be done with them.

The verbs, each a function that does what it says or raises `InputError`:

`analyse`         from the action that plays to a reduced action that knows all solutions
`reduced_action`  bake a number of keys, key in another way, detail, show the original
`measuring`       how far what plays is from the original; the fewest keys within an error
`best_frames`     the frames for another way of keying, or more keys than were offered
`extremes`        lock the current keys and add breakdowns between them
`shown_original`  the original for comparing, and what is done to it meanwhile
`endings`         restore the source, or apply the keys
`many`            all actions of an armature, or many armatures

What they work with, from the bottom up:

`channels`        what of an action is keyed           `settings`    what the user asked for
`analysis`        the motion and all its solutions     `calibration` estimates set right
`storage`         solutions as text                    `reductions`  a reduced action, its source, an armature
`ways`            the ways of keying
`keying`          from chosen rows to keys             `part_of_action`  and where the rest stays
`actors`          who plays what is only looked at     `played_joints`  and where nobody has to
`playing`         which of the two actions plays       `changes`     whether something was changed since
`capture`         what was done to the keys            `edits`       how that is kept
`target`          the motion that keys are fitted to   `solve_again` other solutions for it
`detail`          the lost detail as a layer           `detail_gate` what lets it play with its own action
`stagger`         limbs some frames late               `offsets`     by how many
`stances`         what stands when, and where          `held_feet`   channels that keep it there
`pins`            empties that hold feet by IK         `pin_rig`     what they are made of
`pin_gate`        what lets them hold with their own action
`rotation_channels` what turns a bone, as rotations
`residuals`       what a layer has to play             `snapshot`    back to before if work is stopped
`markers`         keys as timeline markers             `weight_presets` ready-made weights
`what_plays`      baked where there is no action: `strips` of the NLA, or what is `constrained`
"""
