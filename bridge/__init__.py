# SPDX-License-Identifier: GPL-3.0-or-later
"""The only translation between Blender's data and numpy arrays."""
