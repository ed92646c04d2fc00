# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be chosen for an armature: identifier, name and description of each choice."""

from __future__ import annotations

from .. import core
from ..bridge.distil import ways

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
    (
        "PINS",
        "Pins",
        "Every foot gets a pin that holds it by IK while it stands: pose the hips and the feet stay, move a "
        "pin and its foot goes along. Feet that follow a control of the rig are held by keys of that control",
    ),
)
WANTED = (
    ("ERROR", "Mean Error", "Joints are on average no farther from the original", "ARMATURE_DATA", 0),
    ("SLIDE", "Slide", "No foot slides farther than in the original by more than this", "CON_FLOOR", 1),
)
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
