# SPDX-License-Identifier: GPL-3.0-or-later
"""The exact search: the cheapest paths from the first to the last frame, for every number of keys.

It knows nothing of joints or curves, only what segments cost (`core.costs.contract`). docs/solver.md
explains it.
"""
