# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the panels are."""


class SidebarPanel:
    """For panels under Posewright's tab in the sidebar of the 3D viewport."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Posewright"
