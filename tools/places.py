# SPDX-License-Identifier: GPL-3.0-or-later
"""Where things are, and how a command that cannot go on says so."""

from __future__ import annotations

import os
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
REQUIREMENTS = CHECKOUT / "requirements"
ARTEFACTS = CHECKOUT / "test-artefacts"
WINDOWS = os.name == "nt"


class Stop(Exception):
    """The command cannot go on; the message says why and what to do."""


def environments_folder() -> Path:
    return Path(os.environ.get("POSEWRIGHT_ENVS") or CHECKOUT / ".envs").resolve()


def say(text: str) -> None:
    print(f"dev.py: {text}", flush=True)
