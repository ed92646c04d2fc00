# SPDX-License-Identifier: GPL-3.0-or-later
"""One thread, also in matrix products, whose idle threads would count as processor time.

To be imported before numpy, which reads this when it is loaded.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")
