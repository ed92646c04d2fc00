# SPDX-License-Identifier: GPL-3.0-or-later
"""What users do to a set behind its back: markers deleted by hand, bones renamed, characters duplicated."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_rpt as rpt_

from ....core import InputError
from ... import actions
from ...everything import armatures
from .. import sets
from ..blending import mapping_cache
from ..posing.movable import is_constrained
from ..posing.pose_actions import bones_of_action, rename_in_action
from ..walks.walking import contact_bones
from . import editing, empties

LISTED = 3  # bones that a sentence names before it says "and more"


def look_for_deleted() -> None:
    """Find out which cursors and markers were deleted in the viewport.

    Blender keeps an object that anything points to, in no collection: an invisible marker would go on pulling
    at the pose. A character whose objects are all missing was appended without them, and keeps them.
    """
    owned = [set(sets.objects_of(armature)) for armature in armatures() if _has_own_sets(armature)]
    placed = _objects_in_collections() if owned else set()
    sets.remember_deleted(thing for own in owned if own & placed for thing in own - placed)


def _has_own_sets(thing: bpy.types.Object) -> bool:
    """Whether it is a character of this file that has sets."""
    if not sets.is_character(thing) or thing.library or thing.override_library:
        return False
    return len(sets.settings_of(thing).sets) > 0


def _objects_in_collections() -> set[bpy.types.Object]:
    homes = (*bpy.data.collections, *(scene.collection for scene in bpy.data.scenes))
    return {thing for home in homes for thing in home.objects}


def complaints(
    armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup, scene: bpy.types.Scene
) -> list[str]:
    """What is wrong with a set and what to do about it, a sentence each."""
    said = []
    cursor = sets.cursor_in_use(spatial_set)
    if cursor is None:
        said.append(sets.without_cursor(spatial_set))
    elif cursor.name in scene.objects and empties.stands_still(cursor):
        said.append(empties.standing_still(cursor))
    if sets.in_rest_position(armature):
        said.append(sets.rest_position_sentence(armature))
    unmarked = [f'"{key.name}"' for key in spatial_set.keys if sets.marker_in_use(key) is None]
    unposed = [f'"{key.name}"' for key in spatial_set.keys if key.pose is None]
    if unmarked:
        said.append(
            rpt_(
                "The marker of {keys} was deleted: bring it back into the scene, or remove the key "
                "from the list."
            ).format(keys=some_of(unmarked))
        )
    if unposed:
        said.append(
            rpt_("The pose of {keys} was deleted: remove the key from the list, or undo.").format(
                keys=some_of(unposed)
            )
        )
    missing = missing_bones(armature, spatial_set)
    if missing:
        said.append(
            rpt_(
                "{armature} has no bone {bones} any more, which keys hold: if it was renamed, "
                "tell the keys its new name; if it was deleted, update them."
            ).format(armature=armature.name, bones=some_of(missing))
        )
    gone = mapping_cache.missing_dials(armature, spatial_set)
    if gone:
        said.append(
            rpt_(
                "{armature} has no {names} any more, which keys set: if it was renamed, give it its old name "
                "back, or go to each key, set it there and update the key."
            ).format(armature=armature.name, names=some_of(gone))
        )
    for effector in spatial_set.effectors:
        if effector.target is not None and effector.target.name not in scene.objects:
            said.append(
                rpt_(
                    '"{target}", which {bone} reaches for, is not in the scene any more: '
                    "choose another target."
                ).format(target=effector.target.name, bone=effector.bone)
            )
        bone = armature.data.bones.get(effector.bone)
        if effector.use_location and bone is not None and bone.use_connect:
            said.append(
                rpt_(
                    "{bone} is connected to its parent and cannot be moved: turn off Move the Bone, so that "
                    "its chain turns."
                ).format(bone=bone.name)
            )
    constrained = [bone for bone in _leaning_bones(armature, spatial_set) if is_constrained(armature, bone)]
    if constrained:
        said.append(
            rpt_(
                "Constraints pose {bones} after the blend, where Reach and Walk cannot follow: "
                "mute them while performing, or choose the controls that place them."
            ).format(bones=some_of(constrained))
        )
    return said


def missing_bones(armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup) -> list[str]:
    """Bones that keys hold and the armature does not have, because they were renamed or deleted."""
    return sorted(mapping_cache.held_bones(spatial_set) - set(armature.pose.bones.keys()))


def rename_bone(armature: bpy.types.Object, old: str, new: str) -> int:
    """Let everything in a character's sets that means one bone mean another; how many keys hold it now.

    Blender renames bones in the action that is playing, but not in poses that are kept for later.
    """
    if new not in armature.pose.bones:
        raise InputError(
            '{armature} has no bone "{new}": choose the name that "{old}" has now.',
            armature=armature.name,
            new=new,
            old=old,
        )
    settings = sets.settings_of(armature)
    keys = [key for each in settings.sets for key in sets.usable_keys(each)]
    keys = [key for key in keys if old in bones_of_action(key.pose)]
    for key in keys:
        if new in bones_of_action(key.pose):
            raise InputError(
                'The key "{key}" already holds "{new}": choose another bone.', key=key.name, new=new
            )
        if key.pose.library is not None:
            raise InputError(
                'The pose of "{key}" is linked from another file: rename the bone there.', key=key.name
            )
    for pose in {key.pose for key in keys}:
        rename_in_action(pose, old, new)
        mapping_cache.forget_pose(pose.session_uid)
    named = [each for spatial_set in settings.sets for each in spatial_set.effectors]
    for each in (*named, *settings.contacts):
        if each.bone == old:
            each.bone = new
    return len(keys)


def found_contacts(armature: bpy.types.Object) -> str:
    """What walks where the user has listed no contacts."""
    found = contact_bones(armature)
    if not found:
        return "No feet were found: select the feet or toes in Pose Mode and add them as contacts."
    return rpt_("{bones} were found to stand on the ground. Add selected bones to choose others.").format(
        bones=some_of(found)
    )


def _leaning_bones(armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup) -> list[str]:
    """The bones whose places Reach and Walk have to know."""
    reaching = [each.bone for each in spatial_set.effectors if each.bone in armature.pose.bones]
    standing = contact_bones(armature) if sets.settings_of(armature).use_locomotion else []
    return list(dict.fromkeys([*reaching, *standing]))


def some_of(names: list[str]) -> str:
    """The first few names as words of a sentence."""
    left_out = len(names) - LISTED
    listed = names[:LISTED] + ([rpt_("{count} more").format(count=left_out)] if left_out > 0 else [])
    if len(listed) == 1:
        return listed[0]
    return rpt_("{names} and {last}").format(names=", ".join(listed[:-1]), last=listed[-1])


def make_own(armature: bpy.types.Object) -> int:
    """Give a duplicated character cursors, markers and poses of its own; how many objects were made.

    They stand to it as the others stand to the character it was duplicated from.
    """
    original = sets.shared_with(armature)
    if original is None:
        return 0
    theirs = set(sets.objects_of(original))
    made = 0
    for spatial_set in sets.settings_of(armature).sets:
        if spatial_set.cursor in theirs:
            spatial_set.cursor = _own(armature, original, spatial_set.cursor)
            made += 1
        if spatial_set.path in theirs:
            spatial_set.path = _own(armature, original, spatial_set.path)
            made += 1
        for key in spatial_set.keys:
            if key.marker in theirs:
                key.marker = _own(armature, original, key.marker)
                made += 1
            if key.pose is not None:
                editing.give_pose(key, editing.plain_copy(key.pose))
    return made


def _own(armature: bpy.types.Object, original: bpy.types.Object, thing: bpy.types.Object) -> bpy.types.Object:
    own = thing.copy()
    if own.parent == original:
        own.parent = armature
    _own_animation(own)
    empties.put_beside(armature, own, bpy.context.scene)
    return own


def _own_animation(thing: bpy.types.Object) -> None:
    data = thing.animation_data
    if data is not None and data.action is not None:
        slot = actions.slot_handle(actions.slot_of(thing))
        action = data.action.copy()
        actions.assign(thing, action, actions.slot_with_handle(action, slot))
