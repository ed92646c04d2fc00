# SPDX-License-Identifier: GPL-3.0-or-later
"""Ready to perform: a bear with its sets, and sets for characters that have a head, arms and legs."""
