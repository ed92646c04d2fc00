# SPDX-License-Identifier: GPL-3.0-or-later
"""Measurements: each file prints figures, none is part of the extension."""
