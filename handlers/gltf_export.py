# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender's glTF exporter is told: key poses are no animations, markers and pins no nodes of characters.

The exporter looks for `glTF2ExportUserExtension` in every extension that is enabled and calls its hooks.
"""

from __future__ import annotations

from typing import Any

from ..bridge.distil.feet import pin_rig
from ..bridge.everything import armatures
from ..bridge.spatial import sets
from ..bridge.versions import leave_out_of_gltf


class GltfExport:
    """Leaves out pins, and what belongs to spatial sets of characters that do not want it exported."""

    def __init__(self) -> None:
        owners = [thing for thing in armatures() if sets.is_character(thing)]
        unwanted = [owner for owner in owners if not sets.settings_of(owner).use_gltf]
        self._things = {thing for owner in unwanted for thing in sets.objects_of(owner)}
        self._things |= set(pin_rig.all_things())
        self._poses = {
            key.pose
            for owner in unwanted
            for spatial_set in sets.settings_of(owner).sets
            for key in spatial_set.keys
            if key.pose is not None
        }

    def vtree_before_filter_hook(self, tree: Any, _export_settings: dict[str, Any]) -> None:
        """Take cursors, markers, paths and pins out of what is exported, unless something hangs from them."""
        for number, node in reversed(list(tree.nodes.items())):  # what hangs from others comes after them
            if node.blender_object in self._things and not node.children:
                if node.parent_uuid is not None:
                    tree.nodes[node.parent_uuid].children.remove(number)
                if number in tree.roots:
                    tree.roots.remove(number)
                del tree.nodes[number]

    def gather_actions_hook(self, _owner: Any, found: Any, _export_settings: dict[str, Any]) -> None:
        """Take key poses out of the actions that become animations."""
        leave_out_of_gltf(found, self._poses)
