# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets and comparisons of every action of every armature, each a picture under its own name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import pytest

from tests.blender.conftest import build_rig
from tests.blender.test_takes import saved, swing

WORDS = {"sheet": ("--keys", 4), "compare": ("--algorithms", "greedy")}
ENDINGS = {"sheet": (".png",), "compare": (".csv", ".png")}


@pytest.fixture
def shot(do: Any, tmp_path: Path) -> Path:
    """Two actions, one of which plays, and a second armature in another scene."""
    hero = build_rig(2, name="Hero")
    swing(hero, "walk").use_fake_user = True
    swing(hero, "run", pace=0.9)
    extra = build_rig(2, name="Extra")
    swing(extra, "wait")
    bpy.context.scene.collection.objects.unlink(extra)
    bpy.data.scenes.new("Second").collection.objects.link(extra)
    return saved(tmp_path / "shot.blend")


def made(verb: str, folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob(f"*_{verb}.*"))


def named(verb: str, *stems: str) -> list[str]:
    return sorted(f"{stem}_{verb}{ending}" for stem in stems for ending in ENDINGS[verb])


@pytest.mark.parametrize("verb", WORDS)
def test_every_action_has_a_picture(do: Any, shot: Path, verb: str) -> None:
    result = do(verb, shot, *WORDS[verb])
    clips = {(clip["armature"], clip["action"]): clip for clip in result["clips"]}
    assert set(clips) == {("Hero", "run"), ("Hero", "walk"), ("Extra", "wait")}
    assert made(verb, shot.parent) == named(verb, "shot_Hero_run", "shot_Hero_walk", "shot_Extra_wait")
    assert len({Path(clip["file"]).read_bytes() for clip in clips.values()}) == 3, "each shows its own action"


@pytest.mark.parametrize("verb", WORDS)
def test_one_action_has_the_promised_name(do: Any, shot: Path, verb: str) -> None:
    result = do(verb, shot, *WORDS[verb], "--action", "walk")
    assert [clip["action"] for clip in result["clips"]] == ["walk"]
    assert made(verb, shot.parent) == named(verb, "shot")


def test_only_what_plays(do: Any, shot: Path) -> None:
    result = do("sheet", shot, "--keys", 4, "--action", "active")
    assert {clip["action"] for clip in result["clips"]} == {"run", "wait"}


def test_an_action_without_movement_is_left_out_with_a_sentence(do: Any, shot: Path) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(shot))
    swing(bpy.data.objects["Hero"], "still", pace=0.0)
    saved(shot)
    for verb, words in WORDS.items():
        result = do(verb, shot, *words, "--overwrite")
        assert "still" not in {clip["action"] for clip in result["clips"]}
        assert any(note.startswith("still is left out: ") for note in result["notes"])
