# SPDX-License-Identifier: GPL-3.0-or-later
"""What the core raises. Every message is a sentence that can be shown to an animator as it is."""


class InputError(ValueError):
    """The input cannot be used; the message says what is wrong and what to do."""


class Cancelled(Exception):
    """The caller's progress callback asked to stop."""
