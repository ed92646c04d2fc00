# SPDX-License-Identifier: GPL-3.0-or-later
"""`Object.posewright.spatial`: a character's spatial sets and how it is performed.

Markers, cursors and poses are ordinary objects and actions; the pointers here make them travel with the
armature when it is appended or linked.
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

from ..bridge.spatial import live
from ..bridge.spatial.making import editing, empties
from .declared import hidden, nested, setting


def _rename(key: SpatialKey, _context: bpy.types.Context) -> None:
    editing.keep_key_name_unused(key)
    editing.name_data_like_key(key)


def _keep_name_unused(spatial_set: SpatialSet, _context: bpy.types.Context) -> None:
    editing.keep_name_unused(spatial_set)


def _act_at_once(changed: SpatialSet | SpatialEffector, _context: bpy.types.Context) -> None:
    """Shares, layers and what reaches, also where a script changes them."""
    live.act_at_once(changed.id_data)


def _show_pose_at_cursor(settings: SpatialSettings, _context: bpy.types.Context) -> None:
    settings.message = ""
    if settings.live:
        empties.renew_cursors(settings.id_data)
        live.start(settings.id_data)


class SpatialKey(bpy.types.PropertyGroup):
    """A pose and the marker that says where in space it belongs."""

    name: StringProperty(name="Name", description="Name of the key, its marker and its pose", update=_rename)
    marker: nested(
        PointerProperty,
        "Marker",
        "Empty that says where in space the pose belongs; move it as you like",
        type=bpy.types.Object,
    )
    pose: nested(
        PointerProperty,
        "Pose",
        "Action with the bones that this key holds, at one frame",
        type=bpy.types.Action,
    )


class SpatialEffector(bpy.types.PropertyGroup):
    """A bone whose tip is pulled to a target after the poses are blended."""

    bone: StringProperty(
        name="Bone",
        description="Bone whose tip reaches for the target, such as a hand",
        update=_act_at_once,
    )
    target: nested(
        PointerProperty,
        "Target",
        "Object to reach for; the control cursor if left empty",
        type=bpy.types.Object,
        update=_act_at_once,
    )
    chain_length: IntProperty(
        name="Chain Length",
        description="How many bones may bend, counted from this one up; 0 for all its ancestors in the set",
        default=2,
        min=0,
        soft_max=10,
        update=_act_at_once,
    )
    use_location: BoolProperty(
        name="Move the Bone",
        description=(
            "Bring the bone itself there instead of turning its chain: for controls of a rig whose limbs "
            "follow them by inverse kinematics"
        ),
        update=_act_at_once,
    )
    use_keys: BoolProperty(
        name="Where Keys Put It",
        description=(
            "Go where the keys put its tip, blended as a place, instead of to a target: between keys a hand "
            "is then exactly where it should be, and joints follow"
        ),
        update=_act_at_once,
    )
    use_rotation: BoolProperty(
        name="Turn with Target",
        description=(
            "Keep the bone turned as its target is; with a target that is not turned it is as at rest, so "
            "that a foot stands flat. Let the chain be one bone longer for it"
        ),
        update=_act_at_once,
    )


class SpatialContact(bpy.types.PropertyGroup):
    """A point of the character that can stand on the ground."""

    bone: StringProperty(name="Bone", description="Bone that can touch the ground, such as a toe")
    end: EnumProperty(
        name="End",
        description="Which end of the bone touches the ground; that of a toe is the tail",
        items=(
            ("TAIL", "Tail", "The tip of the bone"),
            ("HEAD", "Head", "The root of the bone"),
        ),
    )
    offset: FloatProperty(
        name="Sole",
        description="How high that end is above the ground when it stands: an ankle is above its sole",
        subtype="DISTANCE",
    )


class SpatialSet(bpy.types.PropertyGroup):
    """Spatial keys and the control cursor that blends them."""

    name: StringProperty(
        name="Name",
        description="Name of the set, different from those of the others",
        update=_keep_name_unused,
    )
    cursor: nested(
        PointerProperty,
        "Control Cursor",
        "Empty whose place blends the poses of this set",
        type=bpy.types.Object,
    )
    path: nested(
        PointerProperty,
        "Path",
        "Empty with the way that the cursor went in the last take; edit its keys and Redo the take",
        type=bpy.types.Object,
    )
    keys: nested(
        CollectionProperty,
        "Spatial Keys",
        "The poses of this set, each with its place in space",
        type=SpatialKey,
    )
    key_index: IntProperty(
        name="Active Key", description="Which key of the list the buttons beside it work on", options=set()
    )
    influence: setting(
        FloatProperty,
        "Share",
        (
            "How much this set counts where several sets move the same bone. "
            "Animate it, or use Switch To, to go from one set to another"
        ),
        animatable=True,
        default=1.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        update=_act_at_once,
    )
    layer: setting(
        EnumProperty,
        "Layer",
        "How this set acts on bones that other sets move as well",
        items=(
            ("BLEND", "Blend", "Beside the others: each counts by its share"),
            ("OVER", "Over", "Instead of the others, by its share: they go on with all other bones"),
            ("ADD", "On Top", "In addition to the others: what it says is added, by its share"),
        ),
        update=_act_at_once,
    )
    effectors: nested(
        CollectionProperty,
        "Reach",
        "Bones whose tips go to a target after the poses are blended",
        type=SpatialEffector,
    )


class SpatialSettings(bpy.types.PropertyGroup):
    """Everything about performing one character."""

    sets: nested(
        CollectionProperty,
        "Spatial Sets",
        "Groups of keys, each with a control cursor of its own",
        type=SpatialSet,
    )
    set_index: setting(
        IntProperty,
        "Active Set",
        "Which set of the list the panel shows and Perform drags",
    )
    live: setting(
        BoolProperty,
        "Live",
        (
            "Let the control cursor pose the character however it is moved: by hand, by keys or by "
            "constraints. Turn off to pose bones yourself"
        ),
        update=_show_pose_at_cursor,
    )
    message: hidden(StringProperty, options={"SKIP_SAVE"})
    show: setting(
        BoolProperty,
        "Show Markers",
        "Draw the cursor, the markers, their names and their weights in the viewport",
        default=True,
    )
    transition: setting(
        IntProperty,
        "Transition",
        "Frames it takes to go from one set to another: more are smoother, 0 changes at once",
        default=12,
        min=0,
        soft_max=120,
    )

    drag_in: setting(
        EnumProperty,
        "Drag In",
        "Where the cursor goes when it is dragged; D changes it meanwhile",
        items=(
            (
                "KEYS",
                "Keys",
                "In the plane of the keys if they have one, so that markers are reached from any side",
                "MESH_PLANE",
                0,
            ),
            ("GROUND", "Ground", "Level with the ground, as high as the cursor is", "GRID", 1),
            ("SCREEN", "Screen", "Parallel to the screen, as deep as the cursor is", "WINDOW", 2),
        ),
    )
    drag_absolute: setting(
        BoolProperty,
        "Under the Pen",
        "Let the cursor jump under the pen or mouse when it is pressed, instead of going as far as that goes",
    )

    drag_third: setting(
        EnumProperty,
        "Third Axis",
        "What moves the cursor across the plane that it is dragged in, beside the wheel",
        items=(
            ("WHEEL", "Wheel", "Only the wheel, Page Up and Page Down", "MOUSE_MMB_SCROLL", 0),
            (
                "PRESSURE",
                "Pen Pressure",
                "Farther away the harder a pen is pressed",
                "STYLUS_PRESSURE",
                1,
            ),
            (
                "NDOF",
                "NDOF Device",
                "The cap of a 3D mouse, pushed or pulled; from Blender 5.0 on",
                "VIEW3D",
                2,
            ),
        ),
    )
    use_locomotion: setting(
        BoolProperty,
        "Walk on Contacts",
        "Fix the lowest contact to the ground and let the character travel",
    )
    use_gltf: setting(
        BoolProperty,
        "In glTF Files",
        "Let Blender's glTF export write this character's key poses as animations and its markers as nodes",
    )
    follow_view: setting(
        BoolProperty,
        "Follow in View",
        "Let the view travel with the character while it is performed, so that it stays in sight",
        default=True,
    )
    contacts: nested(
        CollectionProperty,
        "Contacts",
        "Points of the character that can stand on the ground; the feet that are found if there are none",
        type=SpatialContact,
    )
    use_steady_contacts: setting(
        BoolProperty,
        "Steady Contacts",
        "Let a contact hold until another is clearly lower, so that a foot that dips while it swings does "
        "not make the character waddle; off, the lowest contact holds at once",
        default=True,
    )
    use_no_steps_back: setting(
        BoolProperty,
        "No Steps Back",
        "Let a foot that is set down while it still swings forward not push the character back; it turns "
        "round where its feet go on that way. Off, the contact that holds decides at once",
        default=True,
    )
    use_solid_ground: setting(
        BoolProperty,
        "Solid Ground",
        "Lift the character wherever a contact would sink below the ground",
        default=True,
    )
    ground: setting(
        FloatProperty,
        "Ground Height",
        "World height of the ground that contacts in the list stand on; 0 is the floor of the viewport",
        subtype="DISTANCE",
    )

    replay_paths: setting(
        BoolProperty,
        "Others Replay",
        "While a take is recorded, let the cursors of the other sets go the way of their last takes: one "
        "hand after the other",
    )
    record_count_in: setting(
        IntProperty,
        "Count In",
        "Seconds that are counted before recording begins, from when the cursor is grabbed",
        default=0,
        min=0,
        max=10,
    )
    record_loop: setting(
        BoolProperty,
        "Loop",
        "Go round in the range that the scene plays until you let go, and keep every round as a take",
    )
    record_punch: setting(
        BoolProperty,
        "Only Between",
        "Record only between two frames, led in and out over the transition; before and after them the "
        "character does what it did",
    )
    punch_first: setting(IntProperty, "First", "The first frame that is recorded", default=1)
    punch_last: setting(IntProperty, "Last", "The last frame that is recorded", default=100)
    record_speed: setting(
        FloatProperty,
        "Speed",
        "Below 1 is slow motion: at 0.5 one second of animation takes two seconds to perform",
        default=1.0,
        min=0.05,
        max=4.0,
        soft_max=1.0,
    )
    record_with_scene: setting(
        BoolProperty,
        "Play the Scene",
        "Perform to the scene's own playback, with its sound, instead of a plain clock",
    )
    record_keys: setting(
        EnumProperty,
        "Keys",
        "Which keys a recording leaves",
        items=(
            ("EVERY", "Every Frame", "A key on every frame, exactly as performed"),
            ("DISTIL", "Distilled", "As few keys as keep every joint within the wanted error"),
        ),
    )
    record_error: setting(
        FloatProperty,
        "Error",
        (
            "The farthest any joint may be from the performance when keys are distilled: larger "
            "leaves fewer keys"
        ),
        default=0.01,
        min=0.0,
        subtype="DISTANCE",
        precision=4,
    )
    record_smoothing: setting(
        FloatProperty,
        "Smooth",
        "Even out a trembling hand over so many seconds; 0 records the cursor as it was moved",
        default=0.0,
        min=0.0,
        soft_max=0.5,
        max=5.0,
        precision=2,
        subtype="TIME_ABSOLUTE",
    )
    record_takes: setting(
        BoolProperty,
        "Keep Takes",
        "Keep every recording as a take of its own, in a muted track of the NLA, to choose among them",
    )
    record_selected: setting(
        BoolProperty,
        "Selected Bones Only",
        "Record only the selected bones and keep what the others already do",
    )


CLASSES = (SpatialKey, SpatialEffector, SpatialContact, SpatialSet, SpatialSettings)
