# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender's glTF exporter is told: key poses are no animations, markers and pins no nodes of characters.

A reduced action is exported with its layer, in which feet are held and detail is: the exporter plays actions
one after another with the NLA turned off, and would write that layer as an animation of its own.

The exporter looks for `glTF2ExportUserExtension` in every extension that is enabled and calls its hooks.
"""

from __future__ import annotations

from typing import Any

import bpy

from ..bridge.distil import reductions
from ..bridge.distil.detail_layer import detail_gate
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
        self._no_animations = {
            key.pose
            for owner in unwanted
            for spatial_set in sets.settings_of(owner).sets
            for key in spatial_set.keys
            if key.pose is not None
        }
        self._no_animations |= {
            action
            for action in bpy.data.actions
            if action.posewright.gate and not reductions.is_reduced(action)
        }
        self._layered = {
            thing
            for thing in armatures()
            if any(detail_gate.strips_of(thing)) and thing.animation_data.use_nla
        }
        self._silenced: list[Any] = []

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
        """Take key poses and layers out of the actions that become animations."""
        leave_out_of_gltf(found, self._no_animations)

    def animation_switch_loop_hook(self, owner: Any, is_over: bool, _settings: dict[str, Any]) -> None:
        """While it plays action after action, let each have its layer; the exporter brings the NLA back."""
        if is_over:
            for strip in self._silenced:
                strip.mute = False
            self._silenced = []
        elif owner in self._layered:
            self._silenced = detail_gate.play_alone(owner)

    def post_animation_switch_hook(self, owner: Any, *_told: Any) -> None:
        """Drivers follow an update late, and the first frame would be without its layer."""
        if owner in self._layered:
            detail_gate.settle(owner)
