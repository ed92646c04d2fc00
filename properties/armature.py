# SPDX-License-Identifier: GPL-3.0-or-later
"""`Object.posewright`: an armature's settings for Distil, and where it stands.

Writing `key_count`, `interpolation`, `detail` or `show_original` does at once what it says, from the panel
and from the console. What goes wrong is a sentence in `problem`, for the panel to show. Nothing here can be
animated: none of it is looked at when the frame changes.
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

from ..bridge.distil import markers, reduced, state
from ..core import InputError
from . import options
from .options import OVERRIDABLE
from .spatial import SpatialSettings

# Of a list that the linked file has, an override may have more.
OVERRIDABLE_LIST: Any = OVERRIDABLE | {"USE_INSERTION"}

OBJECTIVES = (
    ("curve", "Curve", "Squared distance to the best cubic between two keys: what fitted handles play"),
    ("chord", "Chord", "Squared distance to the straight way from key to key: what linear keys play"),
    (
        "minimax",
        "Minimax",
        "The largest distance from the straight line between two keys: no moment is far off",
    ),
    ("sum", "Sum", "The largest distances from the lines between keys, summed: one bad moment may stay"),
)
INTERPOLATIONS = (
    ("FREE", "Fitted", "Bezier handles fitted to the motion: the lowest error"),
    ("SMOOTH", "Fitted and Smooth", "Fitted handles that stay aligned, so that curves are smooth at keys"),
    ("AUTO", "Automatic", "Blender's automatic handles: easy to edit, follows the motion less closely"),
    ("LINEAR", "Linear", "Straight from key to key"),
    ("STEPPED", "Stepped", "Every pose holds until the next: for blocking"),
)
RANGES = (
    ("ACTION", "Whole Action", "From its first to its last key"),
    ("SCENE", "Scene Range", "The scene's first to its last frame; the rest of the action stays as it is"),
    ("PREVIEW", "Preview Range", "The preview range; the rest of the action stays as it is"),
    ("NUMBERS", "From ... To", "Frames given here; the rest of the action stays as it is"),
)
BONES = (
    ("ALL", "All Bones", "Every bone counts"),
    ("SELECTED", "Selected Bones", "Only the selected bones decide which frames become keys"),
    ("DEFORM", "Deforming Bones", "Only bones that deform the character count, not its controls"),
)
SPACES = (
    ("world", "World", "Poses are compared where they are in the scene"),
    ("armature", "Armature", "Poses are compared as seen from the armature object"),
    ("root", "Root", "Poses are compared as seen from the root bone: the way over the ground does not count"),
)


def _guarded(group: PosewrightObject, work: Callable[[bpy.types.Object], None]) -> None:
    """Do what a changed property asks for. An update cannot report, so a problem is kept for the panel."""
    armature: Any = group.id_data
    try:
        work(armature)
        group.problem = ""
    except InputError as problem:
        group.problem = str(problem)


def _bake_key_count(group: PosewrightObject, _context: bpy.types.Context) -> None:
    def work(armature: bpy.types.Object) -> None:
        nearest = state.load(armature).solutions.nearest_count(group.key_count)
        if nearest != group.key_count:
            group.key_count = nearest  # comes back here
            return
        if group.show_original:
            group.show_original = False
        reduced.bake(armature)

    if group.stored:
        _guarded(group, work)


def _bake_again(group: PosewrightObject, _context: bpy.types.Context) -> None:
    if group.stored:
        _guarded(group, reduced.bake)


def _show(group: PosewrightObject, _context: bpy.types.Context) -> None:
    if group.stored:
        _guarded(group, lambda armature: reduced.show(armature, group.show_original))


def _set_detail(group: PosewrightObject, _context: bpy.types.Context) -> None:
    if group.stored:
        group.measured_count = 0
        _guarded(group, reduced.set_detail)


def _sync_markers(group: PosewrightObject, context: bpy.types.Context) -> None:
    _guarded(group, lambda armature: markers.sync(armature, context.scene))


def _name_frame(group: PosewrightFixedFrame, _context: bpy.types.Context) -> None:
    """Blender loses the last item of an override's list if it has no name."""
    group.name = f"{group.frame:g}"


class PosewrightBoneWeight(bpy.types.PropertyGroup):
    """How much one bone counts; it has the bone's name"""

    weight: FloatProperty(
        name="Weight",
        description="How much this bone counts: 2 counts like two bones, 0 not at all",
        default=1.0,
        min=0.0,
        soft_max=10.0,
        options=set(),
        override=OVERRIDABLE,
    )


class PosewrightFixedFrame(bpy.types.PropertyGroup):
    """A frame that is a key in every solution"""

    frame: FloatProperty(
        name="Frame",
        description="This frame becomes a key whatever the key count",
        update=_name_frame,
        options=set(),
        override=OVERRIDABLE,
    )


class PosewrightObject(bpy.types.PropertyGroup):
    """Everything Posewright keeps on an armature"""

    algorithm: EnumProperty(
        name="Algorithm",
        description=(
            "How keys are chosen. The default finds the best ones; the others are for very long "
            "clips, for keys that stay when more are added, and for telling poses"
        ),
        items=options.algorithm_items(),
        options=set(),
        override=OVERRIDABLE,
    )
    objective: EnumProperty(
        name="Objective",
        description=(
            "Which distance from the original the best keys keep smallest. The default goes with "
            "fitted handles, Chord with linear keys"
        ),
        items=OBJECTIVES,
        default="curve",
        options=set(),
        override=OVERRIDABLE,
    )
    options: PointerProperty(
        name="Options",
        description="The algorithms' own settings, a group for each algorithm that has any",
        type=options.PosewrightOptions,
        override=OVERRIDABLE,
    )
    range_from: EnumProperty(
        name="Frames",
        description="Which part of the action is reduced; what lies outside plays as before",
        items=RANGES,
        default="ACTION",
        options=set(),
        override=OVERRIDABLE,
    )
    range_start: FloatProperty(
        name="From",
        description="First frame of the part that is reduced, where the choice above is From ... To",
        default=1.0,
        options=set(),
        override=OVERRIDABLE,
    )
    range_end: FloatProperty(
        name="To",
        description="Last frame of the part that is reduced, where the choice above is From ... To",
        default=250.0,
        options=set(),
        override=OVERRIDABLE,
    )
    bones_from: EnumProperty(
        name="Bones",
        description="Whose movement decides which frames become keys; all animated bones are keyed there",
        items=BONES,
        default="ALL",
        options=set(),
        override=OVERRIDABLE,
    )
    bone_weights: CollectionProperty(
        name="Bone Weights",
        description="How much each bone counts when keys are chosen; bones that are not listed count once",
        type=PosewrightBoneWeight,
        override=OVERRIDABLE_LIST,
    )
    bone_weight_index: IntProperty(
        name="Active Bone",
        description="Which bone of the list of weights is highlighted",
        options=set(),
        override=OVERRIDABLE,
    )
    space: EnumProperty(
        name="Space",
        description=(
            "From where poses are compared. World keeps characters in their place; Root looks at "
            "the body alone, so that a walk is keyed by its steps"
        ),
        items=SPACES,
        default="world",
        options=set(),
        override=OVERRIDABLE,
    )
    fixed_frames: CollectionProperty(
        name="Fixed Frames",
        description="Frames that are keys whatever the key count, such as contacts and accents",
        type=PosewrightFixedFrame,
        override=OVERRIDABLE_LIST,
    )
    fixed_frame_index: IntProperty(
        name="Active Frame",
        description="Which of the fixed frames is highlighted in the list",
        options=set(),
        override=OVERRIDABLE,
    )
    fix_markers: BoolProperty(
        name="Timeline Markers",
        description="Frames with a timeline marker become keys whatever the key count",
        options=set(),
        override=OVERRIDABLE,
    )
    fix_selected_keys: BoolProperty(
        name="Selected Keys",
        description=(
            "Frames with a selected key become keys whatever the key count: of the reduced action once "
            "there is one, else of the source"
        ),
        options=set(),
        override=OVERRIDABLE,
    )
    max_keys: IntProperty(
        name="Most Keys",
        description=(
            "Up to how many keys the slider goes; more take longer to analyze. Zero for a ninth of "
            "the frames, at least a hundred"
        ),
        min=0,
        options=set(),
        override=OVERRIDABLE,
    )

    key_count: IntProperty(
        name="Keys",
        description=(
            "How many poses to keep: fewer are easier to edit, more are closer to the original. "
            "Every number has its own best frames"
        ),
        default=2,
        min=1,
        soft_max=100,
        update=_bake_key_count,
        options=set(),
        override=OVERRIDABLE,
    )
    interpolation: EnumProperty(
        name="Keyed As",
        description=(
            "How the character gets from pose to pose. The default follows the original closely "
            "and has curves that are smooth to edit"
        ),
        items=INTERPOLATIONS,
        default="SMOOTH",
        update=_bake_again,
        options=set(),
        override=OVERRIDABLE,
    )
    detail: FloatProperty(
        name="Detail",
        description=(
            "How much of what was lost is played on top: 0 for clean keys, 1 for the original. "
            "Little of it brings life back to clean poses"
        ),
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        update=_set_detail,
        options=set(),
        override=OVERRIDABLE,
    )
    wanted_error: FloatProperty(
        name="Wanted Error",
        description=(
            "Mean distance of joints from the original, in percent of the character's height: for "
            "a person 0.5% is some 9 mm. The lower, the more keys"
        ),
        default=0.5,
        min=0.0,
        soft_max=5.0,
        max=100.0,
        subtype="PERCENTAGE",
        precision=2,
        options=set(),
        override=OVERRIDABLE,
    )
    show_original: BoolProperty(
        name="Show Original",
        description="Play the source action for comparing; turn off to go on with the keys",
        update=_show,
        options=set(),
        override=OVERRIDABLE,
    )

    show_markers: BoolProperty(
        name="Markers at Keys",
        description="Show the chosen frames as timeline markers too",
        update=_sync_markers,
        options=set(),
        override=OVERRIDABLE,
    )

    source: PointerProperty(
        name="Source",
        description="The action that was analyzed, which is never changed",
        type=bpy.types.Action,
        override=OVERRIDABLE,
    )
    source_slot: IntProperty(options={"HIDDEN"}, override=OVERRIDABLE)
    source_had_fake_user: BoolProperty(options={"HIDDEN"}, override=OVERRIDABLE)
    source_print: StringProperty(options={"HIDDEN"}, override=OVERRIDABLE)
    reduced: PointerProperty(
        name="Reduced Action",
        description="The action with the few keys that the slider writes",
        type=bpy.types.Action,
        override=OVERRIDABLE,
    )
    reduced_print: StringProperty(options={"HIDDEN"}, override=OVERRIDABLE)
    residual: PointerProperty(
        name="Detail Action",
        description="What the keys lost, played below them as strongly as Detail says",
        type=bpy.types.Action,
        override=OVERRIDABLE,
    )
    reset: PointerProperty(
        name="Reset Action",
        description="Keeps what other tracks of the NLA play from being added to the detail",
        type=bpy.types.Action,
        override=OVERRIDABLE,
    )
    blend_before: StringProperty(options={"HIDDEN"}, override=OVERRIDABLE)
    marker_name: StringProperty(options={"HIDDEN"}, override=OVERRIDABLE)
    stored: StringProperty(options={"HIDDEN"}, override=OVERRIDABLE)
    token: StringProperty(options={"HIDDEN"}, override=OVERRIDABLE)
    stored_before: StringProperty(options={"HIDDEN"}, override=OVERRIDABLE)
    extremes: StringProperty(options={"HIDDEN"}, override=OVERRIDABLE)
    measured_count: IntProperty(options={"HIDDEN"}, override=OVERRIDABLE)
    measured_print: StringProperty(options={"HIDDEN"}, override=OVERRIDABLE)
    measured_mean: FloatProperty(options={"HIDDEN"}, override=OVERRIDABLE)
    measured_largest: FloatProperty(options={"HIDDEN"}, override=OVERRIDABLE)
    problem: StringProperty(options={"HIDDEN", "SKIP_SAVE"}, override=OVERRIDABLE)

    spatial: PointerProperty(
        name="Perform",
        description="The character's spatial sets and how it is performed",
        type=SpatialSettings,
        override=OVERRIDABLE,
    )

    # What belongs to an analysis and goes with it; the rest are settings.
    STATE = (
        "source",
        "source_slot",
        "source_had_fake_user",
        "source_print",
        "reduced",
        "reduced_print",
        "residual",
        "reset",
        "blend_before",
        "stored",
        "token",
        "stored_before",
        "extremes",
        "measured_count",
        "measured_print",
        "measured_mean",
        "measured_largest",
        "problem",
        "show_original",
        "detail",
    )


CLASSES: tuple[type, ...] = (
    *options.CLASSES,
    PosewrightBoneWeight,
    PosewrightFixedFrame,
    PosewrightObject,
)
