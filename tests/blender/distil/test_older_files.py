# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender 5 makes copies of our settings in files from before, beside those that it reads."""

import bpy
import pytest


@pytest.mark.skipif(
    bpy.app.version < (5, 0, 0), reason="the copies are the settings themselves before Blender 5"
)
def test_restore_leaves_nothing_of_a_reduction_from_an_older_file(distil, swinging, monkeypatch):
    from bl_ext.user_default.posewright.handlers import older_files

    assert older_files.after_loading in bpy.app.handlers.load_post
    names = {action.name for action in bpy.data.actions}
    bpy.ops.posewright.analyze()
    swinging.posewright.detail = 1.0
    reduced = swinging.animation_data.action
    for thing, named in (
        (swinging, {"last_reduced": reduced}),
        (reduced, {"source": reduced.posewright.source, "residual": reduced.posewright.residual}),
    ):
        thing["posewright"] = {}
        for name, action in named.items():
            thing["posewright"][name] = action
    older_files.after_loading()
    assert "posewright" in reduced, "as long as the file is none from before"
    monkeypatch.setattr(older_files.versions, "brings_copies", lambda: True)
    older_files.after_loading()
    assert swinging.posewright.last_reduced == reduced, "what Blender reads is untouched"
    assert swinging.posewright.detail == 1.0
    bpy.ops.posewright.restore()
    assert {action.name for action in bpy.data.actions} == names
    assert not len(swinging.animation_data.nla_tracks)
