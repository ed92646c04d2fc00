# SPDX-License-Identifier: GPL-3.0-or-later
"""What `dev.py` is made of: plain Python from 3.8 on, because it runs before anything is installed."""
