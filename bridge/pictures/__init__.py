# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures in Blender: poses out of a scene, canvases into images, previews and files."""
