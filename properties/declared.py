# SPDX-License-Identifier: GPL-3.0-or-later
"""How properties are declared, so that overrides of linked characters keep them."""

from __future__ import annotations

from typing import Any

from ..languages import OURS

# With this an override of a linked character keeps what was done to it.
OVERRIDABLE: Any = {"LIBRARY_OVERRIDABLE"}
# Of a list that the linked file has, an override may have more.
OVERRIDABLE_LIST: Any = OVERRIDABLE | {"USE_INSERTION"}

# Of errors that people ask for, in percent of the character's height.
ERROR_IN_PERCENT: Any = {
    "default": 0.5,
    "min": 0.0,
    "soft_max": 5.0,
    "max": 100.0,
    "subtype": "PERCENTAGE",
    "precision": 2,
}


def setting(kind: Any, name: str, description: str, *, animatable: bool = False, **more: Any) -> Any:
    """A property that people see."""
    options: Any = {"ANIMATABLE"} if animatable else set()
    more |= {"options": options, "override": OVERRIDABLE, "translation_context": OURS}
    return kind(name=name, description=description, **more)


def nested(kind: Any, name: str, description: str, **more: Any) -> Any:
    """A pointer or a list of other properties, which Blender gives no options."""
    return kind(name=name, description=description, override=more.pop("override", OVERRIDABLE), **more)


def hidden(kind: Any, **more: Any) -> Any:
    """A property that only the code looks at."""
    return kind(options={"HIDDEN"} | more.pop("options", set()), override=OVERRIDABLE, **more)
