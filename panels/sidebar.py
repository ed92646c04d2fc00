# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the panels are."""

from ..languages import OURS


class SidebarPanel:
    """For panels under Posewright's tab in the sidebar of the 3D viewport."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Posewright"
    bl_translation_context = OURS


class PerformPanel(SidebarPanel):
    """For panels under the tab for performing, which stay where they are however large the others become."""

    bl_category = "Perform"
