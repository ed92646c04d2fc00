# SPDX-License-Identifier: GPL-3.0-or-later
"""The search for `minimax` and `sum`, whose costs are too expensive to compute for all segments.

Short segments have exact costs. Long ones have lower bounds, which are evaluated only where a rough bound
does not rule them out, and exact costs only where the lower bound does not either. `curve`, `chord` and
`hold` need nothing of this. docs/solver.md explains it.
"""
