# SPDX-License-Identifier: GPL-3.0-or-later
"""One file a verb: each operator reads its properties, calls the bridge and reports."""

import bpy

from . import (
    analyze,
    apply,
    back_to_keys,
    background_job,
    bake_cursor,
    bone_weights,
    character_pairs,
    choose_frames,
    compare,
    cursor_move,
    distil_preset,
    echo_edit,
    extend_scene,
    find_pose,
    fixed_frames,
    help,
    index_folder,
    keys_below,
    leading_parts,
    lock_extremes,
    make_library,
    mark_contact,
    measure,
    motion_thumbnail,
    perform,
    pose_sheet,
    ready,
    reduce_many,
    release_edits,
    restore,
    retime_by_tapping,
    retime_pose,
    saliency_over_time,
    spatial_body,
    spatial_doodle,
    spatial_exchange,
    spatial_hold,
    spatial_instrument,
    spatial_key,
    spatial_set,
    spatial_takes,
    suggested_keys,
    sweet_spot,
)

CLASSES: tuple[type, ...] = (
    *analyze.CLASSES,
    *restore.CLASSES,
    *retime_by_tapping.CLASSES,
    *retime_pose.CLASSES,
    *apply.CLASSES,
    *back_to_keys.CLASSES,
    *bone_weights.CLASSES,
    *character_pairs.CLASSES,
    *distil_preset.CLASSES,
    *fixed_frames.CLASSES,
    *sweet_spot.CLASSES,
    *suggested_keys.CLASSES,
    *keys_below.CLASSES,
    *measure.CLASSES,
    *lock_extremes.CLASSES,
    *mark_contact.CLASSES,
    *release_edits.CLASSES,
    *echo_edit.CLASSES,
    *extend_scene.CLASSES,
    *choose_frames.CLASSES,
    *reduce_many.CLASSES,
    *pose_sheet.CLASSES,
    *motion_thumbnail.CLASSES,
    *compare.CLASSES,
    *saliency_over_time.CLASSES,
    *find_pose.CLASSES,
    *ready.CLASSES,
    *index_folder.CLASSES,
    *make_library.CLASSES,
    *leading_parts.CLASSES,
    *spatial_set.CLASSES,
    *spatial_key.CLASSES,
    *cursor_move.CLASSES,
    *spatial_hold.CLASSES,
    *spatial_body.CLASSES,
    *spatial_exchange.CLASSES,
    *spatial_instrument.CLASSES,
    *spatial_takes.CLASSES,
    *bake_cursor.CLASSES,
    *spatial_doodle.CLASSES,
    *perform.CLASSES,
    *help.CLASSES,
)

_register_classes, _unregister_classes = bpy.utils.register_classes_factory(CLASSES)


def register() -> None:
    _register_classes()
    choose_frames.register()


def unregister() -> None:
    perform.stop()
    background_job.stop()
    _unregister_classes()
