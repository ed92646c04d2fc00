# SPDX-License-Identifier: GPL-3.0-or-later
"""What is under way in the window: long work, or a performance. Nothing else may begin meanwhile."""

from __future__ import annotations

from typing import Any

from bpy.app.translations import pgettext_n as n_

from ..handlers import work

performance: Any | None = None  # the operator, kept by perform.py


def why_busy() -> str:
    """Why nothing else may begin, or nothing."""
    if performance is not None:
        return n_("Finish performing first: Enter keeps it, Esc undoes it")
    if work.under_way is not None:
        return n_("Wait until the work is done, or press Esc")
    return ""
