# SPDX-License-Identifier: GPL-3.0-or-later
"""A character and a motion made in code, or a user's own, distilled through the operators a user presses."""
