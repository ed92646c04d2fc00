# SPDX-License-Identifier: GPL-3.0-or-later
"""`Action.posewright`: what a reduced action knows about itself.

Where it came from, what was found for every number of keys, and how it is keyed now. It goes wherever the
action goes: it is saved, copied, undone and deleted with it. Nothing here does anything when it is written;
`Object.posewright` speaks for the action that plays.
"""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty, PointerProperty, StringProperty


class PosewrightAction(bpy.types.PropertyGroup):
    """The state of a reduced action, or of the layer of detail that belongs to one"""

    source: PointerProperty(
        name="Source",
        description="The action that was analyzed, which is never changed",
        type=bpy.types.Action,
    )
    source_slots: StringProperty(
        name="Slots",
        description="Handles of the source's slots that belong to the character, the armature's own first",
    )
    source_had_fake_user: BoolProperty(options={"HIDDEN"})
    source_print: StringProperty(options={"HIDDEN"})
    silenced: StringProperty(
        name="Silenced",
        description="Of a source that was baked from what played: what is muted as long as it plays",
        options={"HIDDEN"},
    )

    played_before: PointerProperty(type=bpy.types.Action, options={"HIDDEN"})

    stored: StringProperty(
        name="Solutions", description="The keys for every number of keys, packed", options={"HIDDEN"}
    )
    edits: StringProperty(
        name="Edits",
        description="What the animator changed and moved, packed; every number of keys carries it",
        options={"HIDDEN"},
    )
    token: StringProperty(options={"HIDDEN"})
    extremes: StringProperty(name="Extremes", description="The rows of the keys that are locked as extremes")
    stored_before: StringProperty(options={"HIDDEN"})

    rows_before_motion: IntProperty(
        name="Before the Motion",
        description="How many frames at its beginning hold a pose that is not part of the motion",
    )
    key_count: IntProperty(name="Keys", description="How many keys the action has")
    interpolation: StringProperty(name="Keyed As", description="How it gets from pose to pose")
    baked_print: StringProperty(options={"HIDDEN"})

    detail: FloatProperty(name="Detail", description="How much of what was lost is played on top")
    stagger: StringProperty(
        name="Stagger",
        description="How many frames after their poses the keys of bones are",
        options={"HIDDEN"},
    )
    hold: StringProperty(name="Hold Feet", description="How planted feet are kept where they stand")
    contacts: StringProperty(
        name="Contacts", description="Frames in which each foot or hand stands", options={"HIDDEN"}
    )
    contacts_by_hand: StringProperty(
        name="Contacts by Hand",
        description="Frames in which the animator said that a foot or hand stands, or does not",
        options={"HIDDEN"},
    )
    pins: StringProperty(name="Pins", description="What the pins were made for", options={"HIDDEN"})
    residual: PointerProperty(
        name="Detail Action",
        description="What the keys lost, played below them as strongly as Detail says",
        type=bpy.types.Action,
    )
    reset: PointerProperty(
        name="Reset Action",
        description="Keeps what other tracks of the NLA play from being added to the detail",
        type=bpy.types.Action,
    )

    # Of a layer's own action, and the first of its reduced action too: which gate lets it play.
    gate: StringProperty(options={"HIDDEN"})
    blends: StringProperty(options={"HIDDEN"})
    resets: BoolProperty(options={"HIDDEN"})
    influence: FloatProperty(default=1.0, options={"HIDDEN"})  # of the action that the layer was made for
    influence_before: FloatProperty(default=1.0, options={"HIDDEN"})  # to bring back when no layer is left
    blending_before: StringProperty(options={"HIDDEN"})  # likewise; what it blends with if that is left out

    measured_count: IntProperty(options={"HIDDEN"})
    measured_print: StringProperty(options={"HIDDEN"})
    measured_mean: FloatProperty(options={"HIDDEN"})
    measured_largest: FloatProperty(options={"HIDDEN"})
    measured_quality: StringProperty(options={"HIDDEN"})


CLASSES: tuple[type, ...] = (PosewrightAction,)
