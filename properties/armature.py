# SPDX-License-Identifier: GPL-3.0-or-later
"""`Object.posewright`: how an armature's actions are analysed.

`key_count`, `interpolation`, `detail`, `hold` and `show_original` are stored with the reduced action that
plays, and speak for it here. Writing one does at once what it says, from the panel and from the console; what
goes wrong is a sentence in `problem`, for the panel to show. Nothing here can be animated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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

from .. import core
from ..bridge.distil import best_frames, reduced_action, reductions, ways
from ..core import InputError
from ..handlers import reading, wishes
from . import options
from .character_settings import CharacterSettings
from .declared import ERROR_IN_PERCENT, OVERRIDABLE_LIST, hidden, nested, setting
from .spatial import SpatialSettings

OBJECTIVES = (
    (
        ways.AUTOMATIC,
        "Automatic",
        "The one that measures what is played: Curve for fitted keys, Chord for linear keys and automatic "
        "handles, Hold for stepped keys",
        -1,
    ),
    *(
        (name, entry.label, entry.description, number)
        for number, (name, entry) in enumerate(core.OBJECTIVES.items())
    ),
)
INTERPOLATIONS = (
    ("FREE", "Fitted", "Bezier handles fitted to the motion: the lowest error"),
    ("SMOOTH", "Fitted and Smooth", "Fitted handles that stay aligned, so that curves are smooth at keys"),
    (
        "EVERYWHERE",
        "Smooth Everywhere",
        "Fitted curves without a corner at any key. Poses move a little for that; fixed, edited and locked "
        "ones do not",
    ),
    ("AUTO", "Automatic", "Blender's automatic handles: easy to edit, follows the motion less closely"),
    ("LINEAR", "Linear", "Straight from key to key"),
    ("STEPPED", "Stepped", "Every pose holds until the next: for blocking"),
)
HOLDS = (
    ("OFF", "Off", "Feet go where the keys bring them"),
    (
        "BAKED",
        "Baked",
        "The legs are corrected in every frame, in the layer that Detail is in: plays and exports anywhere",
    ),
)
FORMS = [form for form, _, _ in HOLDS]
WAYS = [way for way, _, _ in INTERPOLATIONS]
RANGES = (
    ("ACTION", "Whole Action", "From its first to its last key"),
    ("SCENE", "Scene Range", "The scene's first to its last frame; the rest of the action stays as it is"),
    ("PREVIEW", "Preview Range", "The preview range; the rest of the action stays as it is"),
    ("SELECTED", "Selected Keys", "From the first to the last selected key; the rest stays as it is"),
    ("NUMBERS", "From ... To", "Frames given here; the rest of the action stays as it is"),
)
LOOPS = (
    (
        "AUTO",
        "Automatic",
        "A loop is what Cycles modifiers or the action's own settings say, or what ends as it began",
    ),
    ("ON", "On", "The action is one round of a loop"),
    ("OFF", "Off", "The action plays once"),
)
BONES = (
    ("AUTO", "Bones That Matter", "The bones of the body that move: no controls, helpers and bones at rest"),
    ("ALL", "All Bones", "Every bone counts"),
    ("SELECTED", "Selected Bones", "Only the selected bones decide which frames become keys"),
    ("DEFORM", "Deforming Bones", "Only bones that deform the character count, not its controls"),
)
SPACES = (
    ("world", "World", "Poses are compared where they are in the scene"),
    ("armature", "Armature", "Poses are compared as seen from the armature object"),
    ("root", "Root", "Poses are compared as seen from the root bone: the way over the ground does not count"),
    (
        "parent",
        "Parent",
        "Every joint as its parent sees it: an arm that swings counts once, not with its hand",
    ),
)


def _guarded(group: PosewrightObject, service: Callable[..., Any], *arguments: Any) -> None:
    """Do what a written property asks for. A callback cannot report, so a problem is kept for the panel."""
    armature: Any = group.id_data
    if reading.is_under_way():
        return
    if reductions.find(armature) is None and armature.posewright.last_reduced is None:
        return  # never analysed: there is nothing that could be meant
    try:
        service(armature, *arguments)
        group.problem = ""
    except InputError as problem:
        group.problem = str(problem)


def _speak(name: str, silent: Any) -> Callable[[PosewrightObject], Any]:
    """What the reduction that plays says, or something for an armature that has none."""

    def get(group: PosewrightObject) -> Any:
        found = reductions.find(group.id_data)
        return silent if found is None else getattr(found.state, name)

    return get


def _write_key_count(group: PosewrightObject, count: int) -> None:
    _guarded(group, _bake, count)


def _bake(armature: bpy.types.Object, count: int) -> None:
    """In a window, solving for more keys than were offered is work for the background."""
    best_frames.check_count(reductions.get(armature), count)
    if wishes.can_wait() and best_frames.is_further(reductions.get_own(armature), count):
        wishes.ask(armature, count)
    else:
        best_frames.bake(armature, count)


def _read_interpolation(group: PosewrightObject) -> int:
    return WAYS.index(reductions.way_of(group.id_data))


def _write_interpolation(group: PosewrightObject, number: int) -> None:
    if not reading.is_under_way():
        group.first_interpolation = WAYS[number]
    if reductions.find(group.id_data) is not None:
        _guarded(group, _rekey, WAYS[number])


def _rekey(armature: bpy.types.Object, way: str) -> None:
    """In a window, the keys at hand are shown in the new way until others are found for it."""
    if not wishes.can_wait():
        best_frames.rekey(armature, way)
        return
    count = reduced_action.rekey(armature, way)
    if best_frames.has_other_frames(reductions.get(armature)):
        wishes.ask(armature, count)


def _write_detail(group: PosewrightObject, strength: float) -> None:
    _guarded(group, reduced_action.set_detail, strength)


def _read_hold(group: PosewrightObject) -> int:
    found = reductions.find(group.id_data)
    return FORMS.index(found.state.hold) if found is not None and found.state.hold in FORMS else 0


def _write_hold(group: PosewrightObject, number: int) -> None:
    _guarded(group, reduced_action.set_hold, FORMS[number])


def _shows_original(group: PosewrightObject) -> bool:
    found = reductions.find(group.id_data)
    return found is not None and found.shows_original


def _show_original(group: PosewrightObject, shown: bool) -> None:
    _guarded(group, reduced_action.show_original, shown)


def _sync_markers(group: PosewrightObject, context: bpy.types.Context) -> None:
    _guarded(group, reduced_action.sync_markers, context.scene)


def _name_frame(group: PosewrightFixedFrame, _context: bpy.types.Context) -> None:
    """Blender loses the last item of an override's list if it has no name."""
    group.name = f"{group.frame:g}"


class PosewrightBoneWeight(bpy.types.PropertyGroup):
    """How much one bone counts; it has the bone's name"""

    weight: setting(
        FloatProperty,
        "Weight",
        "How much this bone counts: 2 counts like two bones, 0 not at all",
        default=1.0,
        min=0.0,
        soft_max=10.0,
    )


class PosewrightFixedFrame(bpy.types.PropertyGroup):
    """A frame that is a key in every solution"""

    frame: setting(
        FloatProperty,
        "Frame",
        "This frame becomes a key whatever the key count",
        update=_name_frame,
    )


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
        items=OBJECTIVES,
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
        items=RANGES,
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
        items=LOOPS,
        default="AUTO",
    )
    bones_from: setting(
        EnumProperty,
        "Bones",
        "Whose movement decides which frames become keys; all animated bones are keyed there",
        items=BONES,
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
        items=SPACES,
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
        get=_speak("key_count", 2),
        set=_write_key_count,
    )
    interpolation: setting(
        EnumProperty,
        "Keyed As",
        (
            "How the character gets from pose to pose. The default follows the original closely "
            "and has curves that are smooth to edit"
        ),
        items=INTERPOLATIONS,
        get=_read_interpolation,
        set=_write_interpolation,
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
        get=_speak("detail", 0.0),
        set=_write_detail,
    )
    hold: setting(
        EnumProperty,
        "Hold Feet",
        "Keep feet that stand where they stood in the original, however few keys there are",
        items=HOLDS,
        get=_read_hold,
        set=_write_hold,
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
    show_original: setting(
        BoolProperty,
        "Show Original",
        "Play the source action for comparing; turn off to go on with the keys",
        get=_shows_original,
        set=_show_original,
    )

    show_markers: setting(
        BoolProperty,
        "Markers at Keys",
        "Show the chosen frames as timeline markers too",
        update=_sync_markers,
    )

    first_interpolation: hidden(StringProperty, default="SMOOTH")
    last_reduced: hidden(PointerProperty, type=bpy.types.Action)
    marker_name: hidden(StringProperty)
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
