# SPDX-License-Identifier: GPL-3.0-or-later
"""What properties that name a file to write have in common."""

from ..bridge.versions import RELATIVE_PATH

FILE_OPTIONS: set[str] = {"SKIP_SAVE"} | RELATIVE_PATH
