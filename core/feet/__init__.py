# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet: what stands when, and how a leg keeps it there.

`contacts`        when which point stands, and where   `calming`     points without noise
`planting`        legs that keep it in its place       `two_bone`    a leg that reaches for a place
`pin_keys`        few keys for what pins a foot        `between_frames` what holds it between whole frames
"""
