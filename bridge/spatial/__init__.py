# SPDX-License-Identifier: GPL-3.0-or-later
"""Spatial keyframing in Blender: sets of markers and poses, live blending, recording, exchange."""
