# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of armatures is read once as long as it is held, and anew afterwards."""

import importlib

import bpy


def test_what_is_held_is_read_once_and_anew_afterwards(make_rig, posewright, monkeypatch):
    character = importlib.import_module(f"{posewright.__name__}.bridge.character")
    description = importlib.import_module(f"{posewright.__name__}.bridge.character.description")
    read, reads = description.read_bones, []
    monkeypatch.setattr(description, "read_bones", lambda *asked: (reads.append(1), read(*asked))[1])
    rig = make_rig(3)
    other = make_rig(2, name="Other")
    with character.held():
        before = character.describe(rig).height
        with character.held():
            character.ends_of(rig)
        character.ends_of(rig)
        assert len(reads) == 1
        assert character.describe(other).height != before
    rig.scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    assert character.describe(rig).height == 2.0 * before
