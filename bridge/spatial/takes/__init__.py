# SPDX-License-Identifier: GPL-3.0-or-later
"""What a performance leaves: recorded, baked, written as keys, kept, played again.

`recorder`        where cursors were, and when         `stroke_times` and of a stroke on the ground
`cursor_baking`   keys from an animated cursor         `cursor_paths` its way, kept to be changed
`take_writing`    from moments to keys                 `take_actions` which actions they go to
`tracks`          poses over time as channels          `distilling`  few of them, chosen at once
`kept_takes`      takes as tracks of the NLA           `overdub`     a part of the body at a time
`replaying`       cursors that go their way again      `playback`    performing to the scene's playback
"""
