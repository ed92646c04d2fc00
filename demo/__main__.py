# SPDX-License-Identifier: GPL-3.0-or-later
"""`python3 dev.py demo [FILE]`: distil a motion into demo-output/, and leave a bear to perform there."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools.places import CHECKOUT, Stop
from tools.user_folder import use_own_user_folder

NEXT = """
These files play in Blender 5.0 or newer. To move the sliders, install Posewright there
(README.md, Install) and press N in the 3D view: its tab is in the sidebar."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="dev.py demo", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="a .bvh, .fbx, .glb or .blend that moves")
    parser.add_argument("--output", type=Path, default=CHECKOUT / "demo-output", help="where results go")
    arguments = parser.parse_args()
    use_own_user_folder()
    from . import run  # not before: it imports Blender, which reads where its user folder is

    try:
        run.distil(arguments.file, arguments.output)
        if arguments.file is None:
            run.perform(arguments.output)
        print(NEXT)
    except Stop as reason:
        print(f"demo: {reason}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
