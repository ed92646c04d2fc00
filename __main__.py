# SPDX-License-Identifier: GPL-3.0-or-later
"""`python path/to/checkout ...`: the command line for machines with the bpy package but no Blender."""

import importlib
import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    package = runpy.run_path(str(Path(__file__).resolve().parent / "tools" / "package.py"))["load_package"]()
    sys.exit(importlib.import_module(".cli", package.__name__).main(sys.argv[1:]))
