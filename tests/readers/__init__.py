# SPDX-License-Identifier: GPL-3.0-or-later
"""Players of file formats that share nothing with the extension or with Blender: they judge results."""
