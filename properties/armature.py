# SPDX-License-Identifier: GPL-3.0-or-later
"""`Object.posewright`: how an armature's actions are analysed.

`key_count`, `interpolation`, `detail`, `hold`, `stagger` and `show_original` are stored with the reduced
action that plays, and speak for it here. Writing one does at once what it says, from the panel and from the
console; what goes wrong is a sentence in `problem`, for the panel to show. Nothing here can be animated.
"""

from __future__ import annotations

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ..bridge.distil import reductions, ways
from . import choices, options, speaking
from .character_settings import CharacterSettings
from .declared import ERROR_IN_PERCENT, OVERRIDABLE_LIST, hidden, nested, setting
from .listed import PosewrightBoneWeight, PosewrightFixedFrame
from .spatial import SpatialSettings


class PosewrightObject(bpy.types.PropertyGroup):
    """How an armature's actions are analyzed and performed"""

    algorithm: setting(
        EnumProperty,
        "Algorithm",
        (
            "How keys are chosen. The default finds the best ones; the others are for very long "
            "clips, for keys that stay when more are added, and for telling poses"
        ),
        items=options.algorithm_items(),
    )
    objective: setting(
        EnumProperty,
        "Objective",
        (
            "Which distance from the original the best keys keep smallest. Automatic goes with Keyed As: "
            "frames are chosen for the way they are played"
        ),
        items=choices.OBJECTIVES,
        default=ways.AUTOMATIC,
    )
    options: nested(
        PointerProperty,
        "Options",
        "The algorithms' own settings, a group for each algorithm that has any",
        type=options.PosewrightOptions,
    )
    range_from: setting(
        EnumProperty,
        "Frames",
        "Which part of the action is reduced; what lies outside plays as before",
        items=choices.RANGES,
        default="ACTION",
    )
    range_start: setting(
        FloatProperty,
        "From",
        "First frame of the part that is reduced, where the choice above is From ... To",
        default=1.0,
    )
    range_end: setting(
        FloatProperty,
        "To",
        "Last frame of the part that is reduced, where the choice above is From ... To",
        default=250.0,
    )
    sub_frames: setting(
        BoolProperty,
        "Sub-Frames",
        (
            "Let keys be between frames where the source has keys there, as capture at another rate than the "
            "scene's does. Off, all keys are on whole frames, where they are easy to edit"
        ),
    )
    leave_out_first_pose: setting(
        BoolProperty,
        "Leave Out T-Pose",
        (
            "Where a clip begins with a T-pose, or another pose that the motion jumps away from, begin after "
            "it. The source keeps it"
        ),
    )
    loop: setting(
        EnumProperty,
        "Loop",
        (
            "Whether the action goes on at its beginning when it ends: the first and last key then have one "
            "slope. Only for whole actions"
        ),
        items=choices.LOOPS,
        default="AUTO",
    )
    bones_from: setting(
        EnumProperty,
        "Bones",
        "Whose movement decides which frames become keys; all animated bones are keyed there",
        items=choices.BONES,
        default="AUTO",
    )
    bone_weights: nested(
        CollectionProperty,
        "Bone Weights",
        "How much each bone counts when keys are chosen; bones that are not listed count once",
        type=PosewrightBoneWeight,
        override=OVERRIDABLE_LIST,
    )
    bone_weight_index: setting(
        IntProperty,
        "Active Bone",
        "Which bone of the list of weights is highlighted",
    )
    space: setting(
        EnumProperty,
        "Space",
        (
            "From where poses are compared. World keeps characters in their place; Root looks at "
            "the body alone, so that a walk is keyed by its steps"
        ),
        items=choices.SPACES,
        default="world",
    )
    fixed_frames: nested(
        CollectionProperty,
        "Fixed Frames",
        "Frames that are keys whatever the key count, such as contacts and accents",
        type=PosewrightFixedFrame,
        override=OVERRIDABLE_LIST,
    )
    fixed_frame_index: setting(
        IntProperty,
        "Active Frame",
        "Which of the fixed frames is highlighted in the list",
    )
    fix_markers: setting(
        BoolProperty,
        "Timeline Markers",
        "Frames with a timeline marker become keys whatever the key count",
    )
    fix_selected_keys: setting(
        BoolProperty,
        "Selected Keys",
        (
            "Frames with a selected key become keys whatever the key count: of the reduced action once "
            "there is one, else of the source"
        ),
    )
    fix_typed_keys: setting(
        BoolProperty,
        "Keys by Type",
        (
            "Frames of the source with an Extreme, Breakdown or Moving Hold are keys whatever the key count. "
            "Where it has Generated keys, so are all others"
        ),
    )
    max_keys: setting(
        IntProperty,
        "Most Keys",
        (
            "Up to how many keys the slider goes; a number typed beyond its end is solved for. Zero for half "
            "of the frames, in long actions fewer"
        ),
        min=0,
    )

    key_count: setting(
        IntProperty,
        "Keys",
        (
            "How many poses to keep: fewer are easier to edit, more are closer to the original. "
            "Every number has its own best frames"
        ),
        min=1,
        soft_max=100,
        get=speaking.speak("key_count", 2),
        set=speaking.write_key_count,
    )
    interpolation: setting(
        EnumProperty,
        "Keyed As",
        (
            "How the character gets from pose to pose. The default follows the original closely "
            "and has curves that are smooth to edit"
        ),
        items=choices.INTERPOLATIONS,
        get=speaking.read_interpolation,
        set=speaking.write_interpolation,
    )
    detail: setting(
        FloatProperty,
        "Detail",
        (
            "How much of what was lost is played on top: 0 for clean keys, 1 for the original. "
            "Little of it brings life back to clean poses"
        ),
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        get=speaking.speak("detail", 0.0),
        set=speaking.write_detail,
    )
    hold: setting(
        EnumProperty,
        "Hold Feet",
        "Keep feet that stand where they stood in the original, however few keys there are",
        items=choices.HOLDS,
        get=speaking.read_hold,
        set=speaking.write_hold,
    )
    stagger_part: setting(
        EnumProperty,
        "Part",
        "The part of the body whose keys are offset",
        items=speaking.part_items,
    )
    stagger: setting(
        IntProperty,
        "Stagger",
        (
            "How many frames after the poses the keys of this part are, for overlapping action; before them "
            "if negative. Poses, edits and the slider stay as they are"
        ),
        soft_min=-10,
        soft_max=10,
        get=speaking.read_stagger,
        set=speaking.write_stagger,
    )
    wanted_error: setting(
        FloatProperty,
        "Wanted Error",
        (
            "Mean distance of joints from the original, in percent of the character's height: for "
            "a person 0.5% is some 9 mm. The lower, the more keys"
        ),
        **ERROR_IN_PERCENT,
    )
    wanted_slide: setting(
        FloatProperty,
        "Wanted Slide",
        (
            "How much farther than in the original a foot may slide while it stands, in percent of the "
            "character's height: for a person 0.3% is some 5 mm. The lower, the more keys"
        ),
        **(ERROR_IN_PERCENT | {"default": 0.3}),
    )
    wanted_what: setting(
        EnumProperty,
        "Within",
        "What the fewest keys are to be within",
        items=choices.WANTED,
    )
    show_original: setting(
        BoolProperty,
        "Show Original",
        "Play the source action for comparing; turn off to go on with the keys",
        get=speaking.shows_original,
        set=speaking.show_original,
    )

    show_markers: setting(
        BoolProperty,
        "Markers at Keys",
        "Show the chosen frames as timeline markers too",
        update=speaking.sync_markers,
    )

    first_interpolation: hidden(StringProperty, default="SMOOTH")
    last_reduced: hidden(PointerProperty, type=bpy.types.Action)
    marker_name: hidden(StringProperty)
    unkeyed: hidden(StringProperty)
    problem: hidden(StringProperty, options={"SKIP_SAVE"})

    spatial: nested(
        PointerProperty,
        "Perform",
        "The character's spatial sets and how it is performed",
        type=SpatialSettings,
    )

    character: nested(
        PointerProperty,
        "Character",
        "What is shown of the character's description, and what is corrected of it",
        type=CharacterSettings,
    )

    @property
    def reduced(self) -> bpy.types.Action | None:
        """The reduced action that plays, or whose source is shown; its `posewright` is the state."""
        found = reductions.find(self.id_data)
        return None if found is None else found.action


CLASSES: tuple[type, ...] = (
    *options.CLASSES,
    PosewrightBoneWeight,
    PosewrightFixedFrame,
    PosewrightObject,
)
