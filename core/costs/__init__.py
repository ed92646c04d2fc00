# SPDX-License-Identifier: GPL-3.0-or-later
"""What a segment between two keys costs: one file a family of costs, all behind `contract.SegmentCosts`."""
