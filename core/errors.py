# SPDX-License-Identifier: GPL-3.0-or-later
"""What the core raises. Every message is a sentence that can be shown to an animator as it is."""


class InputError(ValueError):
    """The input cannot be used; the message says what is wrong and what to do.

    Names and numbers are handed over beside the sentence, so that it can be said in another language.
    """

    def __init__(self, sentence: str, **values: object):
        super().__init__(sentence.format(**values) if values else sentence)
        self.sentence = sentence
        self.values = values


class Cancelled(Exception):
    """The caller's progress callback asked to stop."""
