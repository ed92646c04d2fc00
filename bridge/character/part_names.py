# SPDX-License-Identifier: GPL-3.0-or-later
"""What parts of a body are called in the language of the interface, in full and for small labels."""

from __future__ import annotations

from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_n as n_

from ...languages import OURS

NAMES = {
    "left leg": (n_("Left Leg"), n_("L leg")),
    "right leg": (n_("Right Leg"), n_("R leg")),
    "left arm": (n_("Left Arm"), n_("L arm")),
    "right arm": (n_("Right Arm"), n_("R arm")),
    "head": (n_("Head"), n_("head")),
    "hips": (n_("Hips"), n_("hips")),
}


def called(part: str, in_short: bool = False) -> str:
    """Of `Character.limbs_by_name`, head or hips: those of a second pair of limbs have a number behind."""
    name = part.rstrip(" 0123456789")
    english = NAMES[name][in_short]
    return iface_(english, OURS) + part[len(name) :]
