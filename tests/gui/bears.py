# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension's own bear for scenarios: plain, or with its sets."""

from installed import part

acting = part("bridge.ready.bear_acting")
add_bear, posed, KEYS, MIRRORED = acting.add_bear, acting.posed, acting.KEYS, acting.MIRRORED
build_bear = part("bridge.ready.bear").build_bear
apply_pose = part("bridge.spatial.posing.poses").apply_pose
