# SPDX-License-Identifier: GPL-3.0-or-later
"""A take becomes an instrument: a spatial set from an action, and a take done again from its path."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_n as n_
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import BoolProperty, EnumProperty

from ..bridge import actions
from ..bridge.character import describe
from ..bridge.spatial import sets
from ..bridge.spatial.making.instrument import make_instrument
from ..bridge.spatial.takes import cursor_paths
from .spatial_common import CharacterOperator, SetOperator, character_in
from .stepped import SteppedOperator, Steps


class POSEWRIGHT_OT_spatial_set_from_action(CharacterOperator, bpy.types.Operator):
    """Place the key poses of the action in space, those that are alike near each other, to be performed"""

    bl_idname = "posewright.spatial_set_from_action"
    bl_label = "Make Set from Action"

    keys: EnumProperty(
        name="Keys",
        description="Which keys of the action become keys of the set",
        items=(
            ("ALL", "All Keys", "The pose at every key of the action"),
            ("SELECTED", "Selected Keys", "The poses at the keys that are selected, such as of one movement"),
        ),
    )
    in_place: BoolProperty(
        name="On the Spot",
        description="Take out how the character travels; if left out, where it goes far",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def why_not(cls, armature: bpy.types.Object, /) -> str:
        return super().why_not(armature) or ("" if actions.curves_of(armature) else "Give it an action first")

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        given = self.in_place if self.properties.is_property_set("in_place") else None
        made = make_instrument(armature, only_selected=self.keys == "SELECTED", in_place=given)
        self.in_place = made.on_the_spot
        height = describe(armature).height
        said = rpt_(
            "{keys} keys placed; the motion plays through them within {mean:.1f} % of the height on average, "
            "{worst:.1f} % at worst"
        ).format(
            keys=len(made.spatial_set.keys), mean=100 * made.error / height, worst=100 * made.worst / height
        )
        if made.is_faithful:
            self.report({"INFO"}, said)
        else:
            told = rpt_("{said}: too much for one set. Select the keys of one movement, or add keys")
            self.report({"WARNING"}, told.format(said=said))


class POSEWRIGHT_OT_spatial_take_again(SteppedOperator, SetOperator, bpy.types.Operator):
    """Write the last take of this set again, from the path of its cursor and with the keys as they are now"""

    bl_idname = "posewright.spatial_take_again"
    bl_label = "Redo Take from Path"
    keeps_sets = True
    doing = n_("Writing the take again")

    @classmethod
    def why_not(cls, armature: bpy.types.Object, /) -> str:
        reason = super().why_not(armature)
        if not reason and sets.path_in_use(sets.active_set(armature)) is None:
            return "This set has no path yet: record a take first"
        return reason

    def steps(self, context: bpy.types.Context) -> Steps:
        armature = character_in(context)
        assert armature is not None  # poll saw to it
        context.view_layer.update()  # a script may just have moved a marker
        settings = sets.settings_of(armature)
        error = settings.record_error if settings.record_keys == "DISTIL" else None
        return cursor_paths.redo_in_steps(armature, error=error)

    def finished(self, _context: bpy.types.Context, result: int) -> None:
        self.report({"INFO"}, rpt_("The take was written again as {count} keys").format(count=result))


CLASSES = (POSEWRIGHT_OT_spatial_set_from_action, POSEWRIGHT_OT_spatial_take_again)
