# SPDX-License-Identifier: GPL-3.0-or-later
"""A Blender user folder of our own, in which the checkout is linked as an installed extension.

The settings of whoever runs this stay untouched.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

from .places import CHECKOUT, Stop

MODULE = "bl_ext.user_default.posewright"


def use_own_user_folder() -> None:
    """Call this before `import bpy`: Blender reads where its user folder is once, when it starts.

    Inside a real Blender that is too late; there whoever started it has to have set the variable.
    """
    given = os.environ.get("BLENDER_USER_RESOURCES")
    if "bpy" in sys.modules:
        if not given:
            raise Stop(
                "Start Blender with BLENDER_USER_RESOURCES set, so that your own settings stay as they are."
            )
        folder = Path(given)
    else:
        folder = Path(tempfile.mkdtemp(prefix="posewright-blender-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        os.environ["BLENDER_USER_RESOURCES"] = str(folder)
    link = folder / "extensions" / "user_default" / "posewright"
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.exists():
        link.symlink_to(CHECKOUT, target_is_directory=True)
